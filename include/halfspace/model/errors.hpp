// SPDX-License-Identifier: BSD-3-Clause
// What counts as an error: one rule for training, evaluation and prediction.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halfspace/model/model.hpp"

namespace halfspace {

// A row is right when its score says its class. Between two classes a score of exactly zero says neither, so it is an
// error for both, whatever label the tie rule gives it. With more classes the class with the largest score is given, of
// equal ones the first. A class that the model does not know is an error.
[[nodiscard]] bool gets_right(std::span<const double> scores_of_row, std::uint32_t given,
                              std::uint32_t truth);

// Errors by rows and by weight; rows of weight 0 are absent.
struct ErrorCount {
  std::uint64_t rows = 0, wrong = 0;
  double weight = 0, wrong_weight = 0;
  bool weighted = false;  // some row that is there weighs other than 1
  [[nodiscard]] double share() const { return weight > 0 ? wrong_weight / weight : 0; }

  void add(double row_weight, bool right) {
    if (!(row_weight > 0)) return;
    ++rows;
    weight += row_weight;
    weighted = weighted || row_weight != 1;
    if (right) return;
    ++wrong;
    wrong_weight += row_weight;
  }
  void add(const ErrorCount& other);
};
// The labels of the rows in the numbers of the model's classes; classes.size() where a label is none of them. A model of
// one class against the rest (its fact "positive") knows every other label as its first class.
[[nodiscard]] std::vector<std::uint32_t> labels_for(const Model& model, const Dataset& data);

// `truth` is what labels_for() gives; the count goes on from `before`.
[[nodiscard]] ErrorCount count_errors(const Model& model, std::span<const double> scores, const Dataset& data,
                                      std::span<const std::uint32_t> truth, const ErrorCount& before = {});

// The rows of `data` on which a model of two classes has a score of exactly zero; none for more classes.
[[nodiscard]] std::vector<std::uint32_t> rows_with_zero_score(const Model& model,
                                                              std::span<const double> scores);

// Scores that left the range of numbers mean nothing, not even by their sign: partial sums may have left it on the way to
// another sign. The first row with such a score, from 0.
[[nodiscard]] std::optional<std::size_t> overflowed_row(const Model& model, std::span<const double> scores);
[[noreturn]] void refuse_overflow(const std::string& file, std::uint64_t row);  // InputError; rows from 0
void check_scores(const Model& model, std::span<const double> scores, const Dataset& data);  // both

}  // namespace halfspace
