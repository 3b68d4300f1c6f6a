// SPDX-License-Identifier: BSD-3-Clause
// Baselines that show what learning is worth: the most frequent class, the best single feature with a
// threshold, and a look-up table on one feature, which can be perfect on training rows and useless on new
// ones.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "halfspace/core/options.hpp"
#include "halfspace/solve/fit.hpp"

namespace halfspace {

struct Majority {
  static constexpr std::string_view name = "majority";
  static constexpr std::string_view summary = "always the most frequent class";
  static constexpr auto fields() { return std::array<Field<Majority>, 0>{}; }
};

struct Stump {
  static constexpr std::string_view name = "stump";
  static constexpr std::string_view summary = "the best single feature with a threshold";
  static constexpr auto fields() { return std::array<Field<Stump>, 0>{}; }
};

struct Lookup {
  static constexpr std::string_view name = "lookup";
  static constexpr std::string_view summary =
      "a table of the values of one feature: overfitting made visible";
  std::int64_t feature = 0;
  static constexpr auto fields() {
    return std::array{field<&Lookup::feature>(
        "feature", "J", "the feature to look up, from 1; 0: the one with fewest training errors",
        {0, 4294967295.0})};
  }
};

[[nodiscard]] Fit solve(const Dataset& data, const Majority& options, const Run& run);
[[nodiscard]] Fit solve(const Dataset& data, const Stump& options, const Run& run);
[[nodiscard]] Fit solve(const Dataset& data, const Lookup& options, const Run& run);

}  // namespace halfspace
