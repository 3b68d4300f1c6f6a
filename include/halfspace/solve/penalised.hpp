// SPDX-License-Identifier: BSD-3-Clause
// Soft-margin support vector machines and logistic regression: penalised problems, solved to a certified gap.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "halfspace/core/kernel_function.hpp"
#include "halfspace/core/options.hpp"
#include "halfspace/objective/problem.hpp"
#include "halfspace/solve/fit.hpp"

namespace halfspace {

// Team: what auto means where there are several members (docs/cluster.md), also where there is one: the same bytes.
enum class SolverName { Auto, DualDescent, Newton, Semismooth, ProxNewton, Team };
namespace detail {
inline constexpr std::string_view solver_words[] = {"auto",       "dual-descent", "newton",
                                                    "semismooth", "prox-newton",  "team"};
inline constexpr std::string_view ratio_help =
    "elastic-net: the share R of |theta|_1, the rest is |theta|^2/2";
inline constexpr std::string_view debias_help =
    "fit the features that l1 or elastic-net chose once more, with the penalty l2 and the same C";
}  // namespace detail
template <>
inline constexpr std::span<const std::string_view> enum_words<SolverName> = detail::solver_words;

// How many classes become problems of two. Auto: planes against the rest, kernel machines in pairs.
enum class ManyClasses { Auto, OneVsRest, OneVsOne };
namespace detail {
inline constexpr std::string_view many_classes_words[] = {"auto", "one-vs-rest", "one-vs-one"};
inline constexpr std::string_view many_classes_help =
    "more than two classes: each against the rest, or every two against each other (kernels only, and their "
    "default)";
inline constexpr std::string_view cache_help = "kernels: megabytes for rows of the kernel matrix";
}  // namespace detail
template <>
inline constexpr std::span<const std::string_view> enum_words<ManyClasses> = detail::many_classes_words;

// The relative gap to reach. Auto (0): 1e-4, with a kernel 1e-3.
struct GapGoal {
  double value = 0;
  constexpr GapGoal() = default;
  constexpr GapGoal(double gap) : value(gap) {}  // NOLINT: a number is a goal
  [[nodiscard]] constexpr double or_else(double fallback) const { return value > 0 ? value : fallback; }
};
template <>
struct OptionType<GapGoal> {
  static GapGoal parse(std::string_view name, std::string_view text, Range range) {
    return text == "auto" ? GapGoal() : GapGoal(OptionType<double>::parse(name, text, range));
  }
  static std::string print(const GapGoal& gap) {
    return gap.value != 0 ? OptionType<double>::print(gap.value) : "auto";
  }
  static std::string choices() { return {}; }
  static constexpr bool number = true;
};

struct Svm {
  static constexpr std::string_view name = "svm";
  static constexpr std::string_view summary = "soft-margin support vector machine, solved to a certified gap";
  static constexpr bool by_sums = true;

  double C = 1;
  Loss loss = Hinge{};
  Penalty penalty = L2{};
  double l1_ratio = 0.5;
  bool debias = false;
  Offset offset = Offset::Free;
  GapGoal gap;
  SolverName solver = SolverName::Auto;
  std::string class_weight;
  bool no_certificate = false;
  KernelFunction kernel;
  ManyClasses multiclass = ManyClasses::Auto;
  double cache = 256;

  static constexpr auto fields() {
    return std::array{
        field<&Svm::C>("C", "C", "weight of the losses: minimise penalty + C sum loss", {1e-300, 1e300}),
        field<&Svm::loss, NamedOption<Loss, MarginLoss>>("loss", "LOSS", detail::loss_help<MarginLoss>),
        field<&Svm::penalty, NamedOption<Penalty, AnyPenalty>>(
            "penalty", "PENALTY",
            "l2 |theta|^2/2; l1 |theta|_1, most weights are 0 (squared-hinge, smooth-hinge); elastic-net "
            "both"),
        field<&Svm::l1_ratio>("l1-ratio", "R", detail::ratio_help, {0, 1}),
        field<&Svm::debias>("debias", "", detail::debias_help),
        field<&Svm::offset>("offset", "OFFSET", "free: not penalised; lifted: penalised like a weight; none"),
        field<&Svm::gap>(
            "gap", "G",
            "stop when (primal - dual) / max(1, primal) <= G, certified; auto: 1e-4, with a kernel 1e-3",
            {1e-12, 1}),
        field<&Svm::solver>(
            "solver", "SOLVER",
            "how it is solved; auto chooses by shape, loss and C, team as a team of processes does"),
        field<&Svm::class_weight>("class-weight", "W", "balanced, or LABEL:W,LABEL:W,...: factors on C"),
        field<&Svm::no_certificate>("no-certificate", "",
                                    "leave certificate and dual point out of the model file"),
        field<&Svm::kernel>("kernel", "KERNEL", detail::kernel_help),
        field<&Svm::multiclass>("multiclass", "HOW", detail::many_classes_help),
        field<&Svm::cache>("cache", "MB", detail::cache_help, {1, 1e6}),
    };
  }
};

enum class LogisticClasses { Softmax, OneVsRest };
namespace detail {
inline constexpr std::string_view logistic_classes_words[] = {"softmax", "one-vs-rest"};
}  // namespace detail
template <>
inline constexpr std::span<const std::string_view> enum_words<LogisticClasses> =
    detail::logistic_classes_words;

struct LogisticRegression {
  static constexpr std::string_view name = "logistic";
  static constexpr std::string_view summary = "logistic regression, solved to a certified gap";
  static constexpr bool by_sums = true;

  double C = 1;
  Penalty penalty = L2{};
  double l1_ratio = 0.5;
  bool debias = false;
  Offset offset = Offset::Free;
  LogisticClasses multiclass = LogisticClasses::Softmax;
  double gap = 1e-4;
  SolverName solver = SolverName::Auto;
  std::string class_weight;

  static constexpr auto fields() {
    return std::array{
        field<&LogisticRegression::C>(
            "C", "C", "weight of the losses: minimise penalty + C sum log(1 + exp(-m))", {1e-300, 1e300}),
        field<&LogisticRegression::penalty>(
            "penalty", "PENALTY",
            "l2 |theta|^2/2; l1 |theta|_1, most weights are 0; elastic-net both; none: two classes, with "
            "standard errors, refused when the classes are separable"),
        field<&LogisticRegression::l1_ratio>("l1-ratio", "R", detail::ratio_help, {0, 1}),
        field<&LogisticRegression::debias>("debias", "", detail::debias_help),
        field<&LogisticRegression::offset>("offset", "OFFSET",
                                           "free: not penalised; lifted: penalised like a weight; none"),
        field<&LogisticRegression::multiclass>(
            "multiclass", "HOW", "more than two classes: all at once, or each against the rest"),
        field<&LogisticRegression::gap>(
            "gap", "G", "stop when (primal - dual) / max(1, primal) <= G, certified", {1e-12, 1}),
        field<&LogisticRegression::solver>(
            "solver", "SOLVER",
            "how it is solved; auto chooses by shape and C, team as a team of processes does"),
        field<&LogisticRegression::class_weight>("class-weight", "W",
                                                 "balanced, or LABEL:W,LABEL:W,...: factors on C"),
    };
  }
};

[[nodiscard]] Fit solve(const Dataset& data, const Svm& options, const Run& run);
[[nodiscard]] Fit solve(const Dataset& data, const LogisticRegression& options, const Run& run);

namespace detail {
// `--penalty none`.
[[nodiscard]] Fit solve_unpenalised(const Dataset& data, const LogisticRegression& options, const Run& run);
}  // namespace detail

}  // namespace halfspace
