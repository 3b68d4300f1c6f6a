// SPDX-License-Identifier: BSD-3-Clause
// From whole numbers to a verdict with its proof: the stages of docs/separability.md in order.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "halfspace/certify/separation.hpp"
#include "halfspace/core/parallel.hpp"
#include "solve/separation/balance.hpp"
#include "solve/separation/core_rows.hpp"
#include "solve/separation/exact/exact_solve.hpp"
#include "solve/separation/peel.hpp"
#include "solve/separation/probe.hpp"
#include "solve/separation/ray_simplex.hpp"

namespace halfspace::separation {

class Decision {
 public:
  // With more than `most_columns` columns after peeling no exact basis is tried.
  Decision(const IntegerRows& rows, std::size_t most_columns, std::uint64_t seed, const Threads& threads);
  ~Decision();
  Decision(const Decision&) = delete;
  Decision& operator=(const Decision&) = delete;

  // False: not decided within the limits.
  [[nodiscard]] bool decide();
  void write(SeparationProof& proof) const;

  [[nodiscard]] const std::string& method() const { return method_; }
  [[nodiscard]] const CoreRows* core() const { return core_.get(); }
  [[nodiscard]] std::uint64_t pivots() const { return pivots_; }
  // Not decided: weights >= 0 for the rows of the data whose hulls come near each other, nothing proved.
  [[nodiscard]] std::vector<double> near_weights(std::size_t data_rows) const;

 private:
  // A ray that is still to be proved.
  struct Ray {
    std::uint32_t entering = 0;
    std::vector<std::uint32_t> fresh, others;
    std::vector<double> fresh_weights, other_weights;
  };
  [[nodiscard]] bool decide_core();
  void find_obvious_witnesses();
  [[nodiscard]] bool choose_columns();
  [[nodiscard]] bool run_simplex(const std::vector<double>& near, std::vector<std::uint32_t>& hint);
  [[nodiscard]] bool search_by_newton(const std::vector<double>& near, Balance& found);
  [[nodiscard]] bool prove_ray(const RaySimplex& simplex);
  void keep_ray(const RaySimplex& simplex);
  void prove_kept_rays();
  [[nodiscard]] bool prove_rays(std::span<const Ray> rays);
  [[nodiscard]] bool prove_sum_of_rays(std::span<const Ray> rays);
  // `incomplete`: also when it has rows on it that the witnesses do not span.
  [[nodiscard]] bool prove_plane(const std::vector<double>& weights, bool incomplete);
  [[nodiscard]] bool run_rational(const std::vector<std::uint32_t>& hint);
  void take(ExactCombination combination);
  [[nodiscard]] bool separated(std::vector<mpz_class> core_weights);
  [[nodiscard]] bool not_separated(const std::vector<mpz_class>& core_weights);
  [[nodiscard]] bool prove_span(const std::vector<std::uint32_t>& claimed);
  [[nodiscard]] bool prove_by_null_space(const std::vector<std::uint32_t>& claimed);
  [[nodiscard]] bool prove_row_by_row(const std::vector<std::uint32_t>& claimed);
  [[nodiscard]] IndependentRows& span();

  const IntegerRows& rows_;
  std::size_t most_columns_;
  std::uint64_t seed_;
  const Threads& threads_;
  Peeling peeling_;
  std::unique_ptr<CoreRows> core_;
  std::vector<double> plane_, alpha_;  // of the probe
  std::vector<Ray> rays_;
  bool unproved_ = false;               // some of the rays could not be proved
  std::vector<char> fixed_;             // distinct core rows that are part of a witness
  std::vector<std::uint32_t> free_;     // these, and the rows of rays_, in order
  std::vector<Combination> witnesses_;  // rows of rows_
  std::unique_ptr<IndependentRows> span_;
  std::size_t spanned_ = 0;  // how many of free_ are in span_
  std::vector<mpz_class> weights_;
  std::vector<std::vector<mpz_class>> null_space_;  // weights of the core columns
  Separation verdict_ = Separation::Separable;
  bool complete_ = false;
  std::string method_;
  std::uint64_t pivots_ = 0;
};

}  // namespace halfspace::separation
