// SPDX-License-Identifier: BSD-3-Clause
// The fewest errors of a plane from both sides: the stages in order, from cheap to certain.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "certify/errors/error_rows.hpp"
#include "solve/convex/clock.hpp"
#include "solve/exact/space.hpp"

namespace halfspace::exact {

struct Limits {
  std::uint64_t seed = 1;
  std::uint64_t nodes = 0;
};

struct Bracket {
  Plane plane;
  std::vector<std::uint32_t> errors;  // rows with an error on it, counted exactly
  std::int64_t upper = 0, lower = 0;  // in units of weight
  std::string proof;                  // of the lower bound (certify/errors/), checked
  std::uint64_t nodes = 0;
  Stop stop = Stop::Converged;
};

// Throws Stopped before there is a plane.
[[nodiscard]] Bracket bracket(const Dataset& data, std::span<const std::int8_t> y, Values values,
                              const detail::WholeWeights& weights, bool offset, const Limits& limits,
                              const Run& run, const Clock& clock);

}  // namespace halfspace::exact
