// SPDX-License-Identifier: BSD-3-Clause
#include "solve/separation/peel.hpp"

#include <algorithm>

namespace halfspace::separation {

Peeling peel(const IntegerRows& rows) {
  Peeling out;
  std::vector<std::uint32_t> positive(rows.columns, 0), negative(rows.columns, 0);
  for (std::size_t k = 0; k < rows.index.size(); ++k)
    ++(rows.sign(k) > 0 ? positive : negative)[rows.index[k]];
  std::vector<std::uint32_t> waiting;
  const auto one_signed = [&](std::uint32_t j) { return (positive[j] == 0) != (negative[j] == 0); };
  for (std::uint32_t j = 0; j < rows.columns; ++j)
    if (one_signed(j)) waiting.push_back(j);
  std::vector<char> left(rows.rows(), 1);
  if (!waiting.empty()) {
    // The rows of every column.
    std::vector<std::uint64_t> first(rows.columns + 1, 0);
    for (const std::uint32_t j : rows.index) ++first[j + 1];
    for (std::size_t j = 0; j < rows.columns; ++j) first[j + 1] += first[j];
    std::vector<std::uint32_t> row_of(rows.index.size());
    std::vector<std::uint64_t> next(first.begin(), first.end() - 1);
    for (std::uint32_t i = 0; i < rows.rows(); ++i)
      for (std::uint64_t k = rows.start[i]; k < rows.start[i + 1]; ++k) row_of[next[rows.index[k]]++] = i;
    for (std::size_t at = 0; at < waiting.size(); ++at) {
      const std::uint32_t j = waiting[at];
      if (!one_signed(j)) continue;  // its rows have gone with another column
      Peeling::Step step{j, positive[j] > 0 ? 1 : -1, {}};
      for (std::uint64_t k = first[j]; k < first[j + 1]; ++k) {
        const std::uint32_t i = row_of[k];
        if (left[i] == 0) continue;
        left[i] = 0;
        step.rows.push_back(i);
        for (std::uint64_t entry = rows.start[i]; entry < rows.start[i + 1]; ++entry) {
          const std::uint32_t other = rows.index[entry];
          const bool was = one_signed(other);
          --(rows.sign(entry) > 0 ? positive : negative)[other];
          if (!was && one_signed(other)) waiting.push_back(other);
        }
      }
      out.steps.push_back(std::move(step));
    }
  }
  for (std::uint32_t i = 0; i < rows.rows(); ++i)
    if (left[i] != 0) out.core.push_back(i);
  return out;
}

void unpeel(const IntegerRows& rows, const Peeling& peeling, std::vector<mpz_class>& weights) {
  mpz_class rest, need, size, largest;
  for (std::size_t s = peeling.steps.size(); s-- > 0;) {
    const Peeling::Step& step = peeling.steps[s];
    largest = 0;
    for (const std::uint32_t i : step.rows) {
      rest = 0;
      size = 0;
      for (std::uint64_t k = rows.start[i]; k < rows.start[i + 1]; ++k) {
        const std::uint32_t j = rows.index[k];
        if (j == step.column) {
          size = abs(rows.value(k));
        } else if (weights[j] != 0) {
          if (rows.wide()) {
            rest += weights[j] * rows.large[k];
          } else if (rows.small[k] >= 0) {
            mpz_addmul_ui(rest.get_mpz_t(), weights[j].get_mpz_t(),
                          static_cast<unsigned long>(rows.small[k]));
          } else {
            mpz_submul_ui(rest.get_mpz_t(), weights[j].get_mpz_t(),
                          static_cast<unsigned long>(-rows.small[k]));
          }
        }
      }
      need = 1 - rest;
      if (need <= 0) continue;
      mpz_cdiv_q(need.get_mpz_t(), need.get_mpz_t(), size.get_mpz_t());
      if (need > largest) largest = need;
    }
    weights[step.column] = step.sign > 0 ? largest : mpz_class(-largest);
  }
}

}  // namespace halfspace::separation
