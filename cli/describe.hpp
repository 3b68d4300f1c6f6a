// SPDX-License-Identifier: BSD-3-Clause
// Options, stops and formulas in words and as JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string>
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

// Why a run stopped, in words.
[[nodiscard]] std::string stop_words(Stop stop, std::uint64_t iterations);

// "0.0211 (12 of 569 rows)"; with weights "0.25 of the weight (12 of 48; 3 of 10 rows)". Shares with `digits` digits.
[[nodiscard]] std::string error_words(const ErrorCount& count, int digits);
[[nodiscard]] Json weight_json(const ErrorCount& count);  // {"total": ..., "errors": ...}
[[nodiscard]] Json whole_json(double value);              // 12, not 12.0

// Rows are numbered from 1, as lines of a table without its head.
[[nodiscard]] std::string zero_rows_words(const Model& model, std::span<const std::uint32_t> rows);
[[nodiscard]] Json zero_rows_json(const Model& model, std::span<const std::uint32_t> rows);

// f(x) = 0.5 age - 2 color=red + 1, with at most `terms` terms, largest first.
[[nodiscard]] std::string formula(const Model& model, std::size_t plane, std::size_t terms);
[[nodiscard]] std::string feature_name(const Model& model, std::uint32_t feature);

struct NamedWeight {
  std::uint32_t feature = 0;
  double weight = 0;
};
// The largest weights of a plane by size, ties by feature number; zeros left out.
[[nodiscard]] std::vector<NamedWeight> largest_weights(const LinearModel& model, std::size_t plane,
                                                       std::size_t count);

}  // namespace halfspace::cli
