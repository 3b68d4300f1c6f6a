// SPDX-License-Identifier: BSD-3-Clause
// Whether a proof shows that every plane has at least so many errors. No solver: sums and eliminations in whole numbers.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "certify/errors/error_rows.hpp"
#include "certify/errors/proof_text.hpp"
#include "halfspace/core/parallel.hpp"

namespace halfspace::detail {

// Vectors of whole numbers in echelon form: which of them depend on those before.
class IndependentVectors {
 public:
  explicit IndependentVectors(std::size_t columns) : columns_(columns) {}
  bool add(std::span<const mpz_class> vector);  // true: it is independent
  [[nodiscard]] std::size_t rank() const { return pivots_.size(); }
  [[nodiscard]] const std::vector<std::size_t>& pivots() const { return pivots_; }

 private:
  std::size_t columns_;
  std::vector<std::size_t> pivots_;
  std::vector<std::vector<mpz_class>> rows_;
};

// The numbers lambda with sum lambda_k row_k = 0 where they are unique up to a factor and none of them is 0; empty: not so.
[[nodiscard]] std::vector<mpz_class> circuit(const ErrorRows& rows, std::span<const std::uint32_t> of);

inline constexpr unsigned share_bits = 20;  // shares of circuits count in 2^-20 of a unit of weight
inline constexpr std::size_t most_proof_depth = 20'000;
inline constexpr std::size_t most_margin_bits = 4096;
inline constexpr std::size_t most_cone_dimension = 24;

// Throws Refused unless the proof shows that every plane has errors of at least `lower` units.
void check_bound(const ErrorRows& rows, std::string_view proof, std::int64_t lower, const Threads& threads);
// A proof of one kind with its letter, as parts have it.
void check_tree(const ErrorRows& rows, ProofReader& proof, std::int64_t lower, const Threads& threads);
// The kinds, after the letter.
void check_cones(const ErrorRows& rows, ProofReader& proof, std::int64_t lower, const Threads& threads);
void check_row_tree(const ErrorRows& rows, ProofReader& proof, std::int64_t lower, const Threads& threads);

void check_parts(const ErrorRows& rows, ProofReader& proof, std::int64_t lower, const Threads& threads);

// These rows alone; what equal rows of both classes cost anywhere is not theirs.
[[nodiscard]] ErrorRows part_of(const ErrorRows& rows, std::span<const std::uint32_t> chosen);

}  // namespace halfspace::detail
