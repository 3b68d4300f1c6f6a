// SPDX-License-Identifier: BSD-3-Clause
// The weights of one plane, or of several laid out feature by feature, while an online learner moves them.
// theta = scale v, so that shrinking all weights is one multiplication; the sum of theta over the steps is
// kept by what every change adds to it: with S = sum of the scales so far, a change a of v at step t puts
// S_{t-1} a on u, and the sum after N steps is S_N v - u. Cost: the entries of the rows that change
// something.
#pragma once

#include <cstdint>
#include <vector>

#include "core/large_vector.hpp"
#include "solve/online/loop.hpp"

namespace halfspace {

class OnlinePlanes {
 public:
  OnlinePlanes(std::size_t cols, std::size_t planes, Offset offset, bool average);

  [[nodiscard]] std::size_t count() const { return planes_; }
  void grow(std::size_t cols);  // more features: their weights are 0
  void begin(std::size_t k, std::span<const double> theta, double theta0);  // before the first step
  void resume(const WalkState& state);  // as many planes as there are here; UsageError
  void put_state(WalkState& state) const;

  // out[k] = theta_k . x + theta0_k
  void scores(const RowAccess& rows, std::size_t i, double* out) const {
    if (planes_ == 1 && !interleaved_) {
      out[0] = scale_ * rows.dot(i, v_.data()) + theta0_[0];
      return;
    }
    scores_interleaved(rows, i, out);
  }
  // How many of the first rows of `order` the one plane leaves alone: margins above `above`. `score` gets
  // that of the row after. Only while nothing shrinks.
  std::size_t scan(const RowAccess& rows, std::span<const std::uint32_t> order,
                   std::span<const std::uint32_t> labels, std::uint32_t positive, double above,
                   double& score) const {
    return rows.scan(order, {v_.data(), theta0_[0], labels.data(), positive, above}, score);
  }
  [[nodiscard]] bool single() const { return planes_ == 1 && !interleaved_; }
  void interleave() { interleaved_ = true; }  // a single plane of many: the same bits as among the others

  // One step: shrink, then any number of add, then end_step. `closed` is StepRule::scale(t), or 0.
  void shrink(double keep, double closed);
  void add(const RowAccess& rows, std::size_t i, std::size_t k, double amount);  // theta_k += amount (x, 1)
  void end_step() { end_steps(1); }
  void end_steps(std::uint64_t count) {  // after steps that changed nothing
    steps_ += count;
    if (average_) scale_sum_ += static_cast<double>(count) * scale_;
  }

  [[nodiscard]] double theta0(std::size_t k) const { return theta0_[k]; }
  [[nodiscard]] std::vector<double> theta(std::size_t k) const;
  // The weights of the one plane as they lie in memory; only while nothing shrinks.
  [[nodiscard]] std::span<const double> plain() const { return v_; }
  // Mean over the steps so far.
  [[nodiscard]] std::vector<double> mean(std::size_t k) const;
  [[nodiscard]] double mean0(std::size_t k) const;
  [[nodiscard]] std::size_t cols() const { return cols_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  void scores_interleaved(const RowAccess& rows, std::size_t i, double* out) const;
  void fold(double scale);

  std::size_t cols_, planes_;
  Offset offset_;
  bool average_;
  bool interleaved_ = false;
  double scale_ = 1;
  double scale_sum_ = 0;
  std::uint64_t steps_ = 0;
  LargeVector<double> v_, u_, base_;  // base: sums from before the scale was folded in
  std::vector<double> theta0_, u0_;
};

}  // namespace halfspace
