// SPDX-License-Identifier: BSD-3-Clause
// Sums of a smooth loss over all rows along a line: value, slope and curvature at margins y (z + t dz).
#pragma once

#include <cstdint>
#include <vector>

#include "halfspace/core/team.hpp"
#include "halfspace/objective/problem.hpp"

namespace halfspace {

struct LineSums {
  double value = 0;      // sum cost loss(m)
  double slope = 0;      // its derivative in t
  double curvature = 0;  // its second derivative in t
  LineSums& operator+=(const LineSums& o) {
    value += o.value;
    slope += o.slope;
    curvature += o.curvature;
    return *this;
  }
};

// At scores z + t dz; dz may be null (then slope and curvature are those for dz = 1: moving the offset). The rows of
// the problem are `list` of the team's.
[[nodiscard]] LineSums line_sums(const Problem& problem, const double* z, const double* dz, double t,
                                 const Team& team, const Stretch& list);
[[nodiscard]] inline LineSums line_sums(const Problem& problem, const double* z, const double* dz, double t,
                                        const Team& team) {
  return line_sums(problem, z, dz, t, team, team.stretch(problem.rows()));
}

// u_i = cost_i slope(m_i) y_i and h_i = cost_i curvature(m_i) at scores z; returns sum cost loss(m).
double loss_slopes(const Problem& problem, const double* z, double* u, double* h, const Team& team,
                   const Stretch& list);
inline double loss_slopes(const Problem& problem, const double* z, double* u, double* h, const Team& team) {
  return loss_slopes(problem, z, u, h, team, team.stretch(problem.rows()));
}

}  // namespace halfspace
