// SPDX-License-Identifier: BSD-3-Clause
// The geometry of a plane (two classes): normal, distances, threshold form.
#pragma once

#include <cstdint>
#include <vector>

#include "halfspace/model/model.hpp"

namespace halfspace {

struct Geometry {
  double norm = 0;                  // |theta|
  double distance_from_origin = 0;  // signed: -theta0 / |theta|; 0 when |theta| = 0
  double threshold = 0;             // theta . x > threshold means the last class: t = -theta0
  std::vector<double> normal;       // theta / |theta|; zeros when |theta| = 0
};
[[nodiscard]] Geometry geometry(const LinearModel& model, std::size_t plane = 0);
// f(x) / |theta| of every row; 0 when |theta| = 0. Throws UsageError unless the model is one plane.
[[nodiscard]] std::vector<double> signed_distances(const Model& model, const Dataset& data,
                                                   const Threads& threads);
// Rows whose score is exactly zero. Throws UsageError unless the model is one plane.
[[nodiscard]] std::vector<std::uint32_t> rows_on_plane(const Model& model, const Dataset& data,
                                                       const Threads& threads);

}  // namespace halfspace
