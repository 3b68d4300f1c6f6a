// SPDX-License-Identifier: BSD-3-Clause
// A point of the dual with everything that follows from it: what the stages of dual descent work on together.
//
// f(alpha) = 1/2 |w|^2 + offset part - sum cost gain(alpha / cost) is minimised over the box, w = sum alpha y
// x. Offset part: 1/2 (sum alpha y)^2 when lifted; when free, 0 with the condition that sum alpha y = 0. Both are taken as an augmented
// Lagrangian, multiplier (sum alpha y) + pull/2 (sum alpha y)^2 with a multiplier that moves between passes: then the
// offset does not jump with every step, which costs twice the passes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/large_vector.hpp"
#include "solve/convex/face_rows.hpp"
#include "solve/convex/solver.hpp"

namespace halfspace {

class DualState {
 public:
  DualState(const Problem& problem, const RowAccess& rows, const Goal& goal);

  const Problem& p;
  const RowAccess& rows;
  Goal goal;
  std::size_t n, d;
  bool logistic;
  // Otherwise gain(a) = a - gain_curvature a^2 / 2 for a up to `limit`.
  double gain_curvature = 0, limit = 1;
  std::vector<double> alpha, length2;  // length2: |x|^2
  LargeVector<double> w;
  double balance = 0;     // sum alpha y
  double pull = 0;        // weight of balance^2 / 2; lifted at most 1, and then the multiplier is 0
  double multiplier = 0;  // of balance = 0; lifted: (1 - pull) balance in the end
  double mean_length2 = 0;

  [[nodiscard]] double upper(std::size_t i) const {
    return limit < std::numeric_limits<double>::infinity() ? limit * p.cost[i] : limit;
  }
  [[nodiscard]] double diagonal(std::size_t i) const {
    return gain_curvature > 0 ? gain_curvature / p.cost[i] : 0.0;
  }
  [[nodiscard]] double shift() const { return multiplier + pull * balance; }  // the offset of the moment
  // Slope of f in alpha_i where the gain is quadratic, from the score x_i . w.
  [[nodiscard]] double gradient(std::size_t i, double score) const {
    return p.y[i] * (score + shift()) - 1 + diagonal(i) * alpha[i];
  }
  void update_multiplier() {
    if (p.offset == Offset::Free) multiplier += pull * balance;
    if (p.offset == Offset::Lifted) multiplier += pull * ((1 - pull) * balance - multiplier);
  }
  // Lifted: where the multiplier belongs at the balance of the moment.
  void settle_multiplier() {
    if (p.offset == Offset::Lifted) multiplier = (1 - pull) * balance;
  }
  // The offset moves with every step from here on, as steps over many rows at once take it to do.
  void hold_offset();
  // With a free offset: the one that makes the gradients of the free rows smallest; from the scores of the
  // judgement.
  void fit_multiplier();

  void refresh();  // w and balance from alpha alone: ends the drift of many small updates
  // Scores of all rows, then the relative gap of the best plane near w and this point; keeps the best plane
  // and point.
  double judge();
  [[nodiscard]] const std::vector<double>& scores() const { return score_; }  // x_i . w at the last judgement
  // What gaps are relative to.
  [[nodiscard]] double scale() const { return std::max(1.0, std::abs(best_primal_)); }
  [[nodiscard]] double dual_value() const;  // of the point of the moment
  Solution finish(Stop stop, std::uint64_t passes);

 private:
  [[nodiscard]] double dual_value(double w2) const;
  bool plane(double w2);  // true: the best so far
  [[nodiscard]] double margin_gap();
  [[nodiscard]] double gain() const;

  std::vector<double> score_, z_, signed_;
  double best_primal_ = std::numeric_limits<double>::infinity();
  double best_dual_ = -std::numeric_limits<double>::infinity();
  double best_theta0_ = 0;
  std::vector<double> best_theta_, best_alpha_;
};

// A step over the free rows (0 < alpha < upper) by conjugate gradients, projected; see face.cpp.
class FaceStep {
 public:
  explicit FaceStep(DualState& state) : s_(state) {}
  // True: alpha, w and the balance have changed, and f has fallen. `active`: rows that may become free soon.
  bool run(double relative_gap, std::span<const std::uint32_t> active);

 private:
  void choose_rows(std::span<const std::uint32_t> active);
  double product(const std::vector<double>& v, std::vector<double>& out);
  void project(std::vector<double>& v) const;
  std::size_t clip();
  double solve(double share, double first_norm, int most);
  void apply();

  DualState& s_;
  std::unique_ptr<FaceRows> compact_;
  double ridge_ = 0.1;
  std::size_t last_clipped_ = std::numeric_limits<std::size_t>::max();
  std::vector<double> g_, x_, kx_, r_, dir_, product_, best_x_;
  std::vector<std::uint32_t> free_;
};

}  // namespace halfspace
