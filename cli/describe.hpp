// SPDX-License-Identifier: BSD-3-Clause
// Options, stops and formulas in words and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
