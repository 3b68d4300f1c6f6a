// SPDX-License-Identifier: BSD-3-Clause
// How rows are dealt out into two halves: along their margins, so that both are like the whole; or by a column, the rows
// with its most frequent value to one side. That side has a dimension less, and so more errors for as many rows, which are
// also found sooner.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "certify/errors/error_rows.hpp"
#include "halfspace/core/stop.hpp"
#include "solve/exact/space.hpp"

namespace halfspace::exact {

class Deal {
 public:
  // The rows in the order of their margins at a good plane, class by class.
  Deal(const detail::ErrorRows& rows, const Space& space, const std::vector<double>& plane, bool offset,
       std::uint64_t seed, StopHandle stop);

  using Rows = std::vector<std::uint32_t>;
  [[nodiscard]] const Rows& all() const { return all_; }
  // Both in the order of `rows`. The way by which most is likely to be proved of both, as a short search for their planes
  // says. Throws Stopped.
  [[nodiscard]] std::pair<Rows, Rows> halves(const Rows& rows) const;

 private:
  [[nodiscard]] std::pair<Rows, Rows> by_column(const Rows& rows, std::size_t column) const;
  [[nodiscard]] double promise(const Rows& rows) const;

  const Space& space_;
  std::uint64_t seed_;
  StopHandle stop_;
  std::size_t columns_ = 0;    // that may tell halves apart
  std::vector<double> value_;  // of every row in these
  Rows all_;
};

}  // namespace halfspace::exact
