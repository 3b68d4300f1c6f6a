// SPDX-License-Identifier: BSD-3-Clause
// The proof that the rows of the witnesses span all rows which lie on the plane, so that these lie on every
// such plane.
#include <algorithm>

#include "solve/separation/decide.hpp"

namespace halfspace::separation {

bool Decision::prove_span(const std::vector<std::uint32_t>& claimed) {
  null_space_.clear();
  // Rows of the data, duplicates included, that no witness names.
  std::vector<char> named(rows_.rows(), 0);
  for (const Combination& witness : witnesses_)
    for (const std::uint32_t row : witness.rows) named[row] = 1;
  std::size_t unnamed = 0;
  if (claimed.size() == core_->rows()) {
    for (const std::uint32_t row : peeling_.core) unnamed += named[row] == 0 ? 1 : 0;
  } else {
    for (const std::uint32_t i : claimed) unnamed += named[core_->row(i)] == 0 ? 1 : 0;
    unnamed += peeling_.core.size() - core_->rows();  // at most that many duplicates
  }
  if (unnamed == 0) return true;
  std::vector<char> touched(core_->columns(), 0);
  for (const std::uint32_t i : claimed)
    for (std::uint64_t e = core_->begin(i); e < core_->end(i); ++e) touched[core_->place(e)] = 1;
  const auto width = static_cast<std::size_t>(std::count(touched.begin(), touched.end(), 1));
  const std::size_t missing = width - std::min(width, span().rows().size());
  if (unnamed < missing) return prove_row_by_row(claimed) || prove_by_null_space(claimed);
  return prove_by_null_space(claimed) || (unnamed < 20 && prove_row_by_row(claimed));
}

bool Decision::prove_by_null_space(const std::vector<std::uint32_t>& claimed) {
  std::vector<char> touched(core_->columns(), 0);
  for (const std::uint32_t i : claimed)
    for (std::uint64_t e = core_->begin(i); e < core_->end(i); ++e) touched[core_->place(e)] = 1;
  for (const std::uint32_t pivot : span().columns()) touched[pivot] = 0;
  const auto missing = static_cast<double>(std::count(touched.begin(), touched.end(), 1));
  const auto rank = static_cast<double>(span().rows().size());
  if (missing * rank * rank > 4e9) return false;
  null_space_.clear();
  std::vector<std::vector<mpz_class>> found;
  for (std::size_t j = 0; j < touched.size(); ++j) {
    if (touched[j] == 0) continue;
    std::vector<mpz_class> start(core_->columns());
    start[j] = 1;
    auto vector = span().orthogonal(std::move(start));
    if (!vector) return false;
    const std::vector<std::int8_t> signs = core_->signs(*vector);
    if (std::any_of(claimed.begin(), claimed.end(), [&](std::uint32_t i) { return signs[i] != 0; }))
      return false;
    found.push_back(std::move(*vector));
  }
  null_space_ = std::move(found);
  return true;
}

// A witness for every row that none names: it is a combination of rows that lie on every such plane.
bool Decision::prove_row_by_row(const std::vector<std::uint32_t>& claimed) {
  std::vector<ExactCombination> found;
  for (const std::uint32_t i : claimed) {
    if (fixed_[i] != 0) continue;
    auto combination = span().combination({{i}, {1}});
    if (!combination) return false;
    found.push_back(std::move(*combination));
  }
  for (ExactCombination& combination : found) take(std::move(combination));
  // Duplicates: the same row once more.
  std::vector<char> on_plane(core_->rows(), 0);
  for (const std::uint32_t i : claimed) on_plane[i] = 1;
  std::vector<char> kept(rows_.rows(), 0);
  for (std::size_t i = 0; i < core_->rows(); ++i) kept[core_->row(i)] = 1;
  for (const std::uint32_t row : peeling_.core) {
    if (kept[row] != 0) continue;
    const std::uint32_t twin = core_->twin(row);
    if (on_plane[twin] != 0) witnesses_.push_back({{row, core_->row(twin)}, {"1", "-1"}});
  }
  return true;
}

}  // namespace halfspace::separation
