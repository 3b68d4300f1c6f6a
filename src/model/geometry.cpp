// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/model/geometry.hpp"

#include <algorithm>
#include <cmath>

#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

struct Length {
  double norm = 0;
  int exponent = 0;   // largest |entry| is below 2^exponent
  double scaled = 0;  // norm of the entries divided by 2^exponent: never overflows or vanishes
};

Length length_of(std::span<const double> vector) {
  double largest = 0;
  for (const double v : vector) largest = std::max(largest, std::abs(v));
  Length length;
  if (largest == 0) return length;
  (void)std::frexp(largest, &length.exponent);
  double sum = 0;
  for (const double v : vector) {
    const double scaled = std::ldexp(v, -length.exponent);
    sum += scaled * scaled;
  }
  length.scaled = std::sqrt(sum);
  length.norm = std::ldexp(length.scaled, length.exponent);
  return length;
}

const LinearModel& the_plane(const Model& model) {
  const auto* linear = std::get_if<LinearModel>(&model.form);
  if (linear == nullptr || linear->planes != 1) {
    throw UsageError("only a linear model of two classes has one plane");
  }
  return *linear;
}

}  // namespace

Geometry geometry(const LinearModel& model, std::size_t plane) {
  const auto weights = model.plane(plane);
  const double offset = model.offsets.at(plane);
  const Length length = length_of(weights);
  Geometry result;
  result.norm = length.norm;
  result.threshold = 0 - offset;
  result.normal.assign(weights.size(), 0.0);
  if (length.scaled == 0) return result;
  result.distance_from_origin = std::ldexp((0 - offset) / length.scaled, -length.exponent);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    result.normal[j] = std::ldexp(weights[j], -length.exponent) / length.scaled;
  }
  return result;
}

std::vector<double> signed_distances(const Model& model, const Dataset& data, const Threads& threads) {
  const Length length = length_of(the_plane(model).plane(0));
  std::vector<double> distances = scores(model, data, threads);
  for (double& d : distances) d = length.scaled == 0 ? 0 : std::ldexp(d / length.scaled, -length.exponent);
  return distances;
}

std::vector<std::uint32_t> rows_on_plane(const Model& model, const Dataset& data, const Threads& threads) {
  (void)the_plane(model);
  const std::vector<double> f = scores(model, data, threads);
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (f[i] == 0) rows.push_back(static_cast<std::uint32_t>(i));
  }
  return rows;
}

}  // namespace halfspace
