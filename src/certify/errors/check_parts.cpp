// SPDX-License-Identifier: BSD-3-Clause
// Parts: sets of rows that have no row in common. On every plane each of them has at least the errors that it would have with
// a plane of its own, so what is proved of the parts adds up.
#include "certify/errors/check_bound.hpp"
#include "certify/separation/refusal.hpp"

namespace halfspace::detail {

ErrorRows part_of(const ErrorRows& rows, std::span<const std::uint32_t> chosen) {
  ErrorRows out;
  out.columns = rows.columns;
  for (const std::uint32_t i : chosen) {
    out.first.push_back(rows.first[i]);
    out.weight.push_back(rows.weight[i]);
    const auto row = rows.row(i);
    out.a.insert(out.a.end(), row.begin(), row.end());
  }
  return out;
}

void check_parts(const ErrorRows& rows, ProofReader& proof, std::int64_t lower, const Threads& threads) {
  std::vector<char> used(rows.size(), 0);
  std::int64_t sum = rows.base;
  const std::uint64_t parts = proof.number(rows.size());
  for (std::uint64_t p = 0; p < parts; ++p) {
    const std::uint64_t size = proof.number(rows.size());
    require(size >= 1, "a part without rows");
    std::vector<std::uint32_t> chosen;
    for (std::uint64_t k = 0; k < size; ++k) {
      const std::uint64_t row = proof.number(rows.size()) + (k == 0 ? 0 : std::uint64_t{chosen.back()} + 1);
      require(row < rows.size() && used[row] == 0, "a row of a part is in another one, or is not there");
      used[row] = 1;
      chosen.push_back(static_cast<std::uint32_t>(row));
    }
    const auto least = static_cast<std::int64_t>(proof.number(std::uint64_t{1} << 40U));
    check_tree(part_of(rows, chosen), proof, least, threads);
    sum += least;
  }
  require(sum >= lower, "the parts together do not reach the bound");
}

}  // namespace halfspace::detail
