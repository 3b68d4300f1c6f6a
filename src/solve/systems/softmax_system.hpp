// SPDX-License-Identifier: BSD-3-Clause
// The system H s = -g of one Newton step of softmax, all planes together, by preconditioned conjugate gradients.
//
// Product   a row's part of H v is cost p o (a - p . a) with a = V x, over the rows that have curvature (curved_rows).
//           In float, until the residual that the iterations believe in is not the one that there is; in double from then
//           on.
// Factor    up to `factor_limit` features one Cholesky factor serves every plane: that of I + X' D X over a sample of the
//           rows, with the mean curvature of the planes, cost (1 - sum p^2) / (K - 1). With a large cost rows are torn
//           between two or three classes, and planes do not bend alike: where the iterations have cost as much as it does,
//           H itself is factored (PairMatrix). Many unknowns: neither, but the scale of the offsets.
// End       the length of the residual; with H itself in the norm of its inverse.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/simd/aligned.hpp"
#include "solve/convex/solver.hpp"
#include "solve/systems/curvature_matrix.hpp"
#include "solve/systems/pair_matrix.hpp"

namespace halfspace {

class SoftmaxSystem {
 public:
  // Vectors have (features + 1) x stride numbers, feature after feature, the offsets last.
  SoftmaxSystem(const RowAccess& rows, Offset offset, std::size_t planes, std::size_t stride,
                std::span<const std::uint32_t> ids, const Goal& goal);

  // H of the rows with these costs and probabilities (stride numbers a row). thin: curvatures below this by a draw, where H
  // is not factored itself.
  void take(std::span<const double> cost, std::span<const double> p, double thin, std::uint64_t step);
  // s from g; `enough`: a residual that needs no better. Returns how many products it took.
  int solve(const std::vector<double>& g, double enough, std::uint64_t step, std::vector<double>& s);
  // The last steps were of no use: products in double from here on. False: they are already.
  bool be_precise() { return !std::exchange(precise_, true); }
  template <class Archive>
  void state(Archive& a) {
    a.optional_part(common_, [&] { return new_common(); });
    a.optional_part(pairs_, [&] { return new_pairs(); });
    a(last_norm_, waste_, last_iterations_, precise_);
  }

 private:
  [[nodiscard]] std::unique_ptr<CurvatureMatrix> new_common() const {
    return std::make_unique<CurvatureMatrix>(rows_, offset_, false, goal_.team);
  }
  [[nodiscard]] std::unique_ptr<PairMatrix> new_pairs() const {
    return std::make_unique<PairMatrix>(rows_, offset_, planes_, goal_.team);
  }
  [[nodiscard]] std::size_t values() const { return (d_ + 1) * stride_; }
  [[nodiscard]] double dot_all(const std::vector<double>& a, const std::vector<double>& b) const;
  void multiply(const std::vector<double>& v, std::vector<double>& out);
  template <class T>
  void multiply_in(const std::vector<double>& v, std::vector<double>& out);
  void prepare();
  void prepare_common();
  [[nodiscard]] double pair_cost() const;
  void precondition();
  int iterate(double rho_enough, double enough, std::uint64_t step, std::vector<double>& s);
  [[nodiscard]] bool drifted(const std::vector<double>& g, const std::vector<double>& s, double enough);

  const RowAccess& rows_;
  Offset offset_;
  std::size_t planes_, stride_, d_;
  std::span<const std::uint32_t> ids_;
  const Goal& goal_;
  std::vector<std::uint32_t> chosen_,
      place_;  // rows with curvature: their numbers, and where their probabilities are
  std::vector<double> weight_, curvature_;  // their costs and mean curvatures
  const double* p_ = nullptr;
  std::vector<double> residual_, scaled_, product_, direction_;
  AlignedVector<float> short_v_;
  std::vector<AlignedVector<double>> part_;
  std::vector<AlignedVector<float>> short_part_;
  std::unique_ptr<CurvatureMatrix> common_;
  std::unique_ptr<PairMatrix> pairs_;
  double entries_ = 0;  // of the rows, each
  double offset_scale_ = 1, last_norm_ = 0;
  double waste_ = 0;  // products that a better factor would have saved
  int last_iterations_ = -1;
  bool precise_ = false;
};

}  // namespace halfspace
