// SPDX-License-Identifier: BSD-3-Clause
// What the tests of this folder run over: every algorithm of the list, once as it is and once for every word that one of
// its options can have, so that a new algorithm or a new word is tested without a new line. What legitimately does not
// hold for an algorithm stands in the tables below, with the reason; an entry that is no longer true fails a test.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halfspace/data/dataset.hpp"
#include "halfspace/solve/algorithm.hpp"
#include "support.hpp"

namespace halfspace::contract {

// An algorithm with one option set, or none.
struct Variant {
  std::string algorithm, option, value;
  [[nodiscard]] std::string name() const;  // "svm, loss squared-hinge"
  [[nodiscard]] Algorithm made() const;
};
// Every algorithm as it is; every word of its options; a kernel and a start until a pass is clean, where it has them.
[[nodiscard]] const std::vector<Variant>& variants();
[[nodiscard]] bool has_option(const Algorithm& algorithm, std::string_view option);

// Rows as people write them. All values are small whole numbers, so that sums of them are exact in every order.
struct Sample {
  std::string name;
  testing::Rows rows;
  std::vector<int> labels;
  [[nodiscard]] Dataset data() const { return testing::dataset_from(rows, labels); }
};
// "apart": two classes that a plane separates; "mixed": two that none does; "three": three classes.
[[nodiscard]] const std::vector<Sample>& samples();

// Options that exclude each other or the rows: training is a UsageError. Empty `sample`: on all of them.
struct Impossible {
  std::string_view algorithm, option, value, sample, reason;
};
inline constexpr auto impossible = std::to_array<Impossible>({
    {"svm", "solver", "newton", "", "the hinge, its default loss, has no second derivative"},
    {"svm", "solver", "prox-newton", "", "it is for penalties that make weights 0"},
    {"svm", "penalty", "l1", "", "the hinge, its default loss, is not smooth"},
    {"svm", "penalty", "elastic-net", "", "the hinge, its default loss, is not smooth"},
    {"svm", "debias", "true", "", "the penalty l2, its default, chooses no features"},
    {"svm", "multiclass", "one-vs-one", "", "planes stand against the rest; pairs are for kernels"},
    {"logistic", "penalty", "none", "three", "standard errors are those of two classes"},
    {"logistic", "solver", "semismooth", "", "it is for the hinge"},
    {"logistic", "solver", "prox-newton", "", "it is for penalties that make weights 0"},
    {"logistic", "debias", "true", "", "the penalty l2, its default, chooses no features"},
    {"logistic", "solver", "dual-descent", "three", "softmax is solved by newton"},
});

// What an algorithm is by its nature. Those that are not named have all of it: they stop at a certified gap, which
// verify() accepts, and the order of rows is none of their business.
struct Nature {
  std::string_view algorithm;
  bool certified;      // models carry a certificate
  bool order_matters;  // rows in another order are another walk
  bool exact;          // made of sums of rows: the same bits however sums of whole numbers are added up
  bool asks = true;    // whether it should stop
  bool given_problem = true;  // the objective is that of a problem given by the options
};
inline constexpr auto natures = std::to_array<Nature>({
    {"perceptron", true, true, true},
    {"averaged-perceptron", true, true, true},
    {"voted-perceptron", true, true, true},
    {"passive-aggressive", true, true, false},  // when its last pass was clean
    {"pegasos", false, true, false},  // nothing bounds how far a walk of given length is from the best
    {"sgd", false, true, false},      // nor this one
    {"nu-svm", true, false, false, true, false},  // the C of its objective is found together with the plane
    {"majority", false, false, true, false},      // nothing is claimed; it counts labels once
    {"stump", false, false, true},
    {"lookup", false, false, true},
});
[[nodiscard]] Nature nature(std::string_view algorithm);

// The fit, or nothing where the options are impossible; that they are is checked against the table.
[[nodiscard]] std::optional<Fit> fit_of(const Variant& variant, const std::string& sample,
                                        const Dataset& data, const Run& run = {});
// Two fits of the same rows, counted or stored in another way. Where a gap is certified, both are within it of the same
// optimum; exact ones have the same scores on `data` to the bit; others to 1e-9 of the largest.
void check_same_answer(const Variant& variant, const Fit& one, const Fit& other, const Dataset& data);
// Scores of all rows are numbers (where values are so large that they may not be, `finite` is false), and the file of the
// model can be read again: the same bytes and scores.
void check_usable(const Model& model, const Dataset& data, bool finite = true);

}  // namespace halfspace::contract
