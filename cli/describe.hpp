// SPDX-License-Identifier: BSD-3-Clause
// Options, stops and formulas in words and as JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halfspace/model/errors.hpp"
#include "halfspace/model/model.hpp"
#include "halfspace/solve/fit.hpp"
#include "output.hpp"

namespace halfspace::cli {

// The certificates kept in a model as JSON; null when there are none.
[[nodiscard]] Json certificate_json(const Model& model);

[[nodiscard]] std::string facts_words(const Facts& facts);  // "passes 10, order cyclic"
[[nodiscard]] Json facts_json(const Facts& facts);

inline constexpr std::string_view calibrate_help =
    "probabilities for scores, learned from rows held out of five folds (tune: of its folds)";
inline constexpr std::string_view deal_help =
    "what decides which rows are together in a fold: the places where they stand, or what stands in them, "
    "wherever that is";
// Where the probabilities of a calibrated model come from.
[[nodiscard]] std::string probability_words(const Model& model);
[[nodiscard]] Json calibration_json(const Calibrator& calibrator);  // null: none

// The exit code that says what came of a training.
[[nodiscard]] int exit_code(const Fit& fit);
// Why a run stopped, in words.
[[nodiscard]] std::string stop_words(Stop stop, std::uint64_t iterations);

// "0.0211 (12 of 569 rows)"; with weights "0.25 of the weight (12 of 48; 3 of 10 rows)". Shares with `digits` digits.
[[nodiscard]] std::string error_words(const ErrorCount& count, int digits);
[[nodiscard]] Json weight_json(const ErrorCount& count);  // {"total": ..., "errors": ...}
[[nodiscard]] Json whole_json(double value);              // 12, not 12.0

// Rows are numbered from 1, as lines of a table without its head.
[[nodiscard]] std::string zero_rows_words(const Model& model, std::span<const std::uint32_t> rows);
[[nodiscard]] Json zero_rows_json(const Model& model, std::span<const std::uint32_t> rows);

// f(x) = 0.5 age - 2 color=red + 1, with at most `terms` terms, those of the largest effects first.
[[nodiscard]] std::string formula(const Model& model, std::size_t plane, std::size_t terms);
[[nodiscard]] std::string feature_name(const Model& model, std::uint32_t feature);

struct NamedWeight {
  std::uint32_t feature = 0;
  double weight = 0;
  double effect = 0;  // weight times standard deviation; the weight itself where that is not known
};
// The weights of a plane with the largest effects, ties by feature number; zeros left out.
[[nodiscard]] std::vector<NamedWeight> largest_weights(const Model& model, std::size_t plane,
                                                       std::size_t count);
// The column of categories that a feature belongs to; null: none.
[[nodiscard]] const Column* category_column(const Model& model, std::uint32_t feature);

}  // namespace halfspace::cli
