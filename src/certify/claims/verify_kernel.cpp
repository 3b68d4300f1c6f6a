// SPDX-License-Identifier: BSD-3-Clause
// The functions of the model must be made of the very rows and dual values that the certificate is computed
// from: every support vector is held against its training row, every coefficient against y alpha.
#include "certify/claims/verify_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "certify/kernel_sums.hpp"
#include "certify/semidefinite.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace::detail {
namespace {

// The support vector as the training row it came from.
template <class View>
bool same_row(const View& view, std::size_t i, const KernelModel& model, std::size_t vector) {
  std::uint64_t at = model.start[vector];
  bool same = true;
  for_entries(view.row(i), [&](std::uint32_t j, double x) {
    same = same && at < model.start[vector + 1] && model.index[at] == j && model.value[at] == x;
    ++at;
  });
  return same && at == model.start[vector + 1];
}
bool is_row(const Dataset& data, std::size_t i, const KernelModel& model, std::size_t vector) {
  if (model.kernel.kind == KernelKind::Precomputed) {
    const std::size_t column = i + (data.features() == data.rows() + 1 ? 1 : 0);
    return model.start[vector + 1] - model.start[vector] == 1 && model.index[model.start[vector]] == column &&
           model.value[model.start[vector]] == 1;
  }
  return std::visit([&](const auto& view) { return same_row(view, i, model, vector); }, data.matrix());
}

std::string mismatch(const Dataset& data, const KernelModel& model, const Problem& problem,
                     const DualPoint& dual, std::size_t k) {
  const std::uint64_t first = model.first[k];
  std::string fault = fault_of(dual, problem);
  if (!fault.empty()) return fault;
  if (dual.rows.size() != model.first[k + 1] - first) return "dual values and coefficients differ in number";
  for (std::size_t t = 0; t < dual.rows.size(); ++t) {
    const std::uint32_t i = dual.rows[t];
    if (!is_row(data, i, model, model.vector[first + t]))
      return fmt::format("a support vector is not training row {}", std::uint64_t{i} + 1);
    if (model.coefficient[first + t] != problem.y[i] * dual.alpha[t])
      return fmt::format("the coefficient of row {} is not its dual value", std::uint64_t{i} + 1);
  }
  return {};
}

// The dual values of a nu-svm add up to nu times all bounds.
std::string wrong_sum(const DualPoint& dual, const Problem& problem, double nu) {
  double sum = 0, bounds = 0;
  for (const double alpha : dual.alpha) sum += alpha;
  for (const double cost : problem.cost) bounds += cost;
  if (std::isfinite(bounds) && std::abs(sum - nu * bounds) <= 1e-9 * nu * bounds) return {};
  return fmt::format("the dual values add up to nu = {:.10g}, the model says {}", sum / bounds, nu);
}

struct Functions {
  const Model& model;
  const KernelModel& kernel;
  const Dataset& data;
  const StatedOptions& options;
  ModelCheck& out;

  void refuse(const std::string& why) const {
    out.lines.push_back(why);
    out.holds = false;
  }

  // The width that was left to the number of features counts as given; linear and given kernels have none.
  [[nodiscard]] bool same_kernel() const {
    const KernelKind kind = kernel.kernel.kind;
    if (kind == KernelKind::Linear || kind == KernelKind::Precomputed) return options.kernel.kind == kind;
    return kernel.kernel == options.kernel.for_features(data.features());
  }

  // What makes a machine of the options: the kernel, how several classes are taken, one dual point for every function.
  // And what weak duality rests on: a kernel that is a product of vectors.
  [[nodiscard]] bool ready() const {
    const bool pairs = model.classes.size() > 2 && options.several != Several::OneVsRest;
    const bool margins = model.algorithm == "hard-margin";
    if (!same_kernel()) {
      refuse("the kernel is not the one of the options");
    } else if (!std::holds_alternative<Hinge>(options.loss) || options.offset != Offset::Free) {
      refuse("a kernel machine has hinge loss and a free offset, the options say otherwise");
    } else if (kernel.pairs != (pairs && !margins)) {
      refuse("the functions are not those of the classes that the options say");
    } else if (model.dual.size() != kernel.offsets.size()) {
      refuse("the model carries no dual point: nothing to verify");
    } else if (const std::string why = why_not_semidefinite(kernel.kernel, data); !why.empty()) {
      refuse(why + ": no gap follows from a dual point");
    } else {
      return true;
    }
    return false;
  }

  // Problem of function k, with this C.
  [[nodiscard]] Problem problem(std::size_t k, double C, const std::vector<double>& weights) const {
    const auto classes = static_cast<std::uint32_t>(model.classes.size());
    if (!kernel.pairs)
      return make_problem(data, classes == 2 ? 1 : static_cast<std::uint32_t>(k), Hinge{}, Offset::Free, C,
                          weights);
    std::size_t left = k;
    std::uint32_t a = 0;
    for (; left >= classes - 1 - a; ++a) left -= classes - 1 - a;
    const auto b = static_cast<std::uint32_t>(a + 1 + left);
    Problem out_of_two = make_problem(data, b, Hinge{}, Offset::Free, C, weights);
    for (std::size_t i = 0; i < data.rows(); ++i)
      if (data.labels()[i] != a && data.labels()[i] != b) out_of_two.cost[i] = 0;
    return out_of_two;
  }
};

}  // namespace

void verify_machines(const Model& model, const KernelModel& kernel, const Dataset& data,
                     const StatedOptions& options, const std::string& file, const Threads& threads,
                     ModelCheck& out) {
  // svm has one C for all functions among its options, nu-svm one for each among its facts.
  const bool nu = model.algorithm == "nu-svm";
  std::vector<double> C(kernel.offsets.size(), options.C);
  if (nu) C = options.each_C;
  if (C.size() != kernel.offsets.size())
    throw InputError({.file = file},
                     fmt::format("{} values of C for {} functions", C.size(), kernel.offsets.size()));
  const std::vector<DualityGap> stated = stated_gaps(model, kernel.offsets.size(), file);
  const std::vector<double> weights = stated_class_weights(data, options.class_weight, file);
  const Functions functions{model, kernel, data, options, out};
  if (!functions.ready()) return;
  out.holds = true;
  for (std::size_t k = 0; k < kernel.offsets.size(); ++k) {
    const std::string name = printable(function_name(model, k));
    check_costs(data, make_problem(data, 0, Hinge{}, Offset::Free, C[k], weights).cost, file);
    const Problem problem = functions.problem(k, C[k], weights);
    std::string wrong = mismatch(data, kernel, problem, model.dual[k], k);
    if (wrong.empty() && nu) wrong = wrong_sum(model.dual[k], problem, options.nu);
    if (!wrong.empty()) {
      functions.refuse(fmt::format("{}: {}", name, wrong));
      continue;
    }
    const KernelSums sums = kernel_sums(problem, kernel.kernel, model.dual[k], threads);
    const DualityGap found =
        gap_of_sums(problem, sums.alpha, sums.products, sums.errors, sums.largest_value, kernel.offsets[k]);
    out.gaps.push_back(found);
    const bool holds = proves(found, stated[k]);
    out.lines.push_back(gap_line(name, found, stated[k], holds));
    out.holds = out.holds && holds;
  }
}

void verify_kernel_margins(const Model& model, const KernelModel& kernel, const Dataset& data,
                           const StatedOptions& options, const std::string& file, const Threads& threads,
                           ModelCheck& out) {
  const std::vector<DualityGap> stated = stated_gaps(model, kernel.offsets.size(), file);
  const Functions functions{model, kernel, data, options, out};
  if (!functions.ready()) return;
  out.holds = true;
  for (std::size_t k = 0; k < kernel.offsets.size(); ++k) {
    const std::string name = printable(function_name(model, k));
    Problem problem = functions.problem(k, 1, {});
    for (double& cost : problem.cost)
      if (cost > 0) cost = std::numeric_limits<double>::infinity();
    const std::string wrong = mismatch(data, kernel, problem, model.dual[k], k);
    if (!wrong.empty()) {
      functions.refuse(fmt::format("{}: {}", name, wrong));
      continue;
    }
    const KernelSums sums = kernel_sums(problem, kernel.kernel, model.dual[k], threads);
    const KernelMargin margin = margin_of_sums(problem, model.dual[k], sums.products, sums.errors,
                                               sums.largest_value, kernel.offsets[k]);
    const DualityGap found{0.5 / (margin.lower * margin.lower), 0.5 / (margin.upper * margin.upper)};
    out.gaps.push_back(found);
    const bool holds = margin.lower > 0 && proves(found, stated[k]);
    out.holds = out.holds && holds;
    out.lines.push_back(fmt::format("{}: margin at least {:.10g}, that of any function at most {:.10g}{}",
                                    name, margin.lower, margin.upper,
                                    holds ? "" : "; the model says otherwise"));
  }
}

std::string not_made_of(const KernelModel& model, std::size_t k, const Dataset& data, std::uint32_t positive,
                        const DualPoint& point) {
  Problem problem = make_problem(data, positive, Hinge{}, Offset::Free, 1, {});
  for (double& cost : problem.cost)
    if (cost > 0) cost = std::numeric_limits<double>::infinity();
  return mismatch(data, model, problem, point, k);
}

}  // namespace halfspace::detail
