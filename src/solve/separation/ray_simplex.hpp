// SPDX-License-Identifier: BSD-3-Clause
// max sum lambda  s.t.  A' lambda = p, lambda >= 0   and its dual   min p . w  s.t.  A w >= 1,  in floating
// point. p is made from the first basis, so that this is feasible and not degenerate. An unbounded ray is a
// candidate for a witness, a w with A w > 0 a candidate for a plane; both are proved elsewhere. Rows that are
// proved to lie on every plane are made free: they stay in the basis, without a sign, with a_i . w = 0, and
// the rest goes on.
//
// The basis holds one row for every column; columns that no row could take keep their unit vector, which is
// free too (w_j = 0). A pivot costs O(columns^2), pricing the entries of a working set; the candidates of a
// pivot are computed by all threads, with the same result for any number of them.
#pragma once

#include <cstdint>
#include <vector>

#include "halfspace/core/parallel.hpp"
#include "solve/separation/core_rows.hpp"

namespace halfspace::separation {

class RaySimplex {
 public:
  // Look: all rows are about to be looked at, and rays were accepted since the last time: close() those they
  // span, then run() again.
  enum class Event { Ray, Look, Plane, Spanned, Stalled };

  // `near`: small for rows that are near the plane; they are looked at first.
  RaySimplex(const CoreRows& core, std::vector<double> near, std::uint64_t seed, const Threads& threads);

  // Rows that are known to be free, before the first run().
  void start(const std::vector<std::uint32_t>& free);
  // Instead: rows whose sum with these weights is nearly zero. Rows that depend on others hand their weight
  // over until a ray is left, as after run(). False: rounding was in the way, run() finds one.
  [[nodiscard]] bool start_from(const std::vector<std::uint32_t>& rows, const std::vector<double>& weights);
  // Rows that lie in the span of the free rows; they are not looked at again.
  void close(const std::vector<std::uint32_t>& rows);
  [[nodiscard]] std::vector<std::uint32_t> open_rows() const;
  [[nodiscard]] std::vector<std::uint32_t> open_working_rows() const;
  [[nodiscard]] Event run();

  // After Ray: the row, the rows of the basis that need a positive weight with it, the free rows that take
  // part; and the weights of the rows of the basis, in the order of these lists, for weight 1 of the row.
  [[nodiscard]] std::uint32_t entering() const { return entering_; }
  [[nodiscard]] const std::vector<std::uint32_t>& positive() const { return positive_; }
  [[nodiscard]] const std::vector<std::uint32_t>& free_part() const { return free_part_; }
  [[nodiscard]] const std::vector<double>& positive_weights() const { return positive_weights_; }
  [[nodiscard]] const std::vector<double>& free_weights() const { return free_weights_; }
  // The rows of the ray become free.
  void accept_ray();
  // It was not proved; computes everything anew.
  void reject();
  // After Plane: weights for the approximate columns. reject() goes on to better planes.
  [[nodiscard]] const std::vector<double>& weights() const { return w_; }
  // Rows that were found to lie in the span of the free rows, not being proved.
  [[nodiscard]] bool spanned(std::uint32_t row) const { return state_[row] == Spanned; }
  [[nodiscard]] std::vector<std::uint32_t> basis_rows() const;
  [[nodiscard]] std::uint64_t pivots() const { return pivots_; }

 private:
  enum RowState : char { Open, Basic, Fixed, Spanned, Banned };
  static constexpr std::uint32_t unit = UINT32_MAX;
  static constexpr double pivot_tolerance = 1e-9, rank_tolerance = 1e-7;

  struct Candidate {
    std::uint32_t row = 0;
    double product = 0, score = 0;
    std::vector<double> v;
    bool ray = false;
  };

  void reset_basis();
  void fill_basis();
  [[nodiscard]] bool hand_over(std::uint32_t row, double weight);
  bool take_into_basis(std::uint32_t row, bool free);
  void compute_v(std::uint32_t row, std::vector<double>& v) const;
  void pivot(std::uint32_t row, const std::vector<double>& v, std::size_t q);
  void compute_weights();
  void refactor();
  [[nodiscard]] double basis_error() const;
  [[nodiscard]] bool price(std::vector<Candidate>& candidates);
  [[nodiscard]] bool look_at_all();
  void judge(Candidate& candidate) const;
  [[nodiscard]] bool enter(Candidate& best);
  [[nodiscard]] bool set_ray(Candidate& candidate);
  void refine(std::uint32_t row, std::vector<double>& v) const;

  const RowAccess& rows_;
  const Threads& threads_;
  std::size_t n_, c_;
  std::vector<double> near_;
  std::vector<double> m_;             // M = B^-T: column j at m_[j * c_], one number per basis position
  std::vector<std::uint32_t> basis_;  // row at every position, or unit
  std::vector<char> free_;            // by position
  std::vector<double> lambda_, w_, start_lambda_;
  std::vector<char> state_;     // by row
  std::vector<double> weight_;  // 1 + |v|^2 as last seen
  std::vector<std::uint32_t> working_, order_;
  std::vector<double> products_;
  std::size_t candidates_ = 4;
  std::vector<std::uint32_t> positive_, free_part_;
  std::vector<double> positive_weights_, free_weights_;
  std::vector<std::size_t> ray_positions_;
  std::uint32_t entering_ = 0;
  std::uint64_t pivots_ = 0, stage_pivots_ = 0;
  bool planes_refused_ = false, accepted_ = false;
  double smallest_ = 0;
};

}  // namespace halfspace::separation
