// SPDX-License-Identifier: BSD-3-Clause
// Signs of the margins at the generators of a cone, as sets of rows: a bit for every row that the cone leaves open.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace halfspace::exact {

class SignSets {
 public:
  using Word = std::uint64_t;

  // Margins at all generators (generators x rows), each with the bound on its errors; then room for one vector more.
  void read(std::span<const double> margins, std::span<const double> error);
  void read_more(std::span<const double> margins, double error);

  [[nodiscard]] std::size_t words() const { return words_; }
  [[nodiscard]] std::size_t more() const { return generators_; }  // the number of that vector
  // Rows that are surely above 0, that may be, that are surely below, that may be. Without errors: > 0 and < 0.
  [[nodiscard]] const Word* above(std::size_t g) const { return at(0, g); }
  [[nodiscard]] const Word* may_be_above(std::size_t g) const { return at(1, g); }
  [[nodiscard]] const Word* below(std::size_t g) const { return at(2, g); }
  [[nodiscard]] const Word* may_be_below(std::size_t g) const { return at(3, g); }

 private:
  [[nodiscard]] const Word* at(std::size_t kind, std::size_t g) const {
    return bits_.data() + (kind * (generators_ + 1) + g) * words_;
  }
  void fill(std::size_t g, const double* margins, double error);

  std::size_t rows_ = 0, words_ = 0, generators_ = 0;
  std::vector<Word> bits_;
};

[[nodiscard]] inline bool has(const SignSets::Word* set, std::size_t row) {
  return (set[row / 64] >> (row % 64) & 1U) != 0;
}

// f(row) for every row of the set, ascending.
template <class F>
void for_rows(SignSets::Word word, std::size_t first, F&& f) {
  for (; word != 0; word &= word - 1) f(first + static_cast<std::size_t>(std::countr_zero(word)));
}

}  // namespace halfspace::exact
