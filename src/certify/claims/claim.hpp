// SPDX-License-Identifier: BSD-3-Clause
// What a model says of itself, read as if its author wanted to deceive: options and facts become typed here and nowhere
// else, each of them known and there once, and the certificates follow a closed schema.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "halfspace/certify/certificate.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/kernel_function.hpp"
#include "halfspace/core/options.hpp"
#include "halfspace/core/team.hpp"
#include "halfspace/model/model.hpp"
#include "halfspace/objective/problem.hpp"

namespace halfspace::detail {

[[nodiscard]] std::string text_of(const Facts& facts, std::string_view key);  // empty when there is none

// The options or the facts of a model. Everything that is wrong is bad input (InputError), not wrong usage: nobody has
// typed it.
class Stated {
 public:
  // `what` names one of them, `file` is where they come from. Refuses a key that appears twice.
  Stated(const Facts& facts, std::string_view what, std::string file);

  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] const std::string& text(std::string_view key);  // refuses when it is not there
  // As the type of option has it, or a restriction of that.
  template <class T, class How = OptionType<T>>
  [[nodiscard]] T value(std::string_view key, Range range = {}) {
    const std::string& given = text(key);
    try {
      return How::parse(key, given, range);
    } catch (const UsageError&) {
      refuse(key, "a value that cannot be");
    }
  }
  // One of these.
  const std::string& word(std::string_view key, std::initializer_list<std::string_view> words) {
    const std::string& given = text(key);
    for (const std::string_view known : words)
      if (given == known) return given;
    refuse(key, "a word that is none of this option's");
  }
  void no_others() const;  // refuses keys that were never asked for
  [[noreturn]] void refuse(std::string_view key, const std::string& why) const;

 private:
  const Facts* facts_;
  std::string what_, file_;
  std::vector<std::string_view> asked_;
};

enum class Several { Auto, OneVsRest, OneVsOne, Softmax };

// The options of svm, logistic, nu-svm and hard-margin that enter their claims.
struct StatedOptions {
  double C = 0;                // svm, logistic
  double nu = 0;               // nu-svm
  std::vector<double> each_C;  // nu-svm: of every function, a fact
  Loss loss = Hinge{};
  Offset offset = Offset::Free;
  Penalty penalty = L2{};
  bool debias = false;
  std::string class_weight;
  KernelFunction kernel;
  Several several = Several::Auto;
};
[[nodiscard]] StatedOptions stated_options(const Model& model, const std::string& file);

// The facts that every training writes, and what nu-svm adds.
struct StatedFacts {
  std::uint64_t rows = 0, features = 0;
  std::string data;       // the fingerprint
  std::vector<double> C;  // nu-svm: one for every function
};
[[nodiscard]] StatedFacts stated_facts(const Model& model, const std::string& file);

// The gaps that a model claims, one for every plane or function, or one for all classes at once. Refuses other kinds of
// certificates and other numbers of them.
[[nodiscard]] std::vector<DualityGap> stated_gaps(const Model& model, std::size_t expected,
                                                  const std::string& file);

// Whether the recomputed bounds prove the stated ones: these are not better by more than the last digits, which depend on
// the processor. Stated bounds that are weaker than what can be proved are true.
[[nodiscard]] bool proves(const DualityGap& found, const DualityGap& stated);
// The same for sums that training and checking do alike: nor so much weaker that other numbers must have been meant.
[[nodiscard]] bool as_stated(const DualityGap& found, const DualityGap& stated);
// The line of a check: what was found, and what the model says if that is something else.
[[nodiscard]] std::string gap_line(const std::string& name, const DualityGap& found, const DualityGap& stated,
                                   bool holds);

// Why a dual point is none of this problem: a row that is not there or absent, a value that is no number or outside its
// box. Empty: it is one.
[[nodiscard]] std::string fault_of(const DualPoint& point, const Problem& problem);

// Costs of rows that a problem can have: class_weights() of the stated text and make_problem() made finite or refused.
[[nodiscard]] std::vector<double> stated_class_weights(const Dataset& data, const std::string& text,
                                                       const std::string& file,
                                                       const Team& team = Threads(1));
void check_costs(const Dataset& data, const std::vector<double>& cost, const std::string& file);

}  // namespace halfspace::detail
