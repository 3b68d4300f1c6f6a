// SPDX-License-Identifier: BSD-3-Clause
#include "model/fold_scaling.hpp"

#include <cmath>

namespace halfspace::detail {

namespace {

constexpr double most_cancelled = 1e6;  // of 16 digits, ten are left

}  // namespace

bool fold(const Scaling& scaling, LinearModel& model) {
  for (std::size_t k = 0; k < model.planes; ++k) {
    double* const weights = model.weights.data() + k * model.features;
    double offset = model.offsets[k];
    double length = std::abs(offset);
    double moved = 0;
    for (std::size_t j = 0; j < model.features; ++j) {
      length = std::hypot(length, weights[j]);
      weights[j] *= scaling.factor[j];
      offset -= weights[j] * scaling.shift[j];
      moved += std::abs(weights[j] * scaling.shift[j]);
      if (!std::isfinite(weights[j])) return false;
    }
    model.offsets[k] = offset;
    if (!std::isfinite(offset) || !(moved <= most_cancelled * length)) return false;
  }
  return true;
}

bool unfold(const Scaling& scaling, LinearModel& model) {
  for (std::size_t k = 0; k < model.planes; ++k) {
    double* const weights = model.weights.data() + k * model.features;
    double length = 0, moved = 0;
    for (std::size_t j = 0; j < model.features; ++j) {
      if (weights[j] == 0) continue;
      if (scaling.factor[j] == 0) return false;
      model.offsets[k] += weights[j] * scaling.shift[j];
      moved += std::abs(weights[j] * scaling.shift[j]);
      weights[j] /= scaling.factor[j];
      length = std::hypot(length, weights[j]);
      if (!std::isfinite(weights[j])) return false;
    }
    // Twice as much as fold() allows: the length is rounded once more here.
    length = std::hypot(length, model.offsets[k]);
    if (!std::isfinite(length) || !(moved <= 2 * most_cancelled * length)) return false;
  }
  return true;
}

}  // namespace halfspace::detail
