// SPDX-License-Identifier: BSD-3-Clause
// The linear program of shares: max sum of shares, the shares on a row at most its weight. Its prices say which circuits
// are missing. The primal simplex method with an explicit inverse, from the basis it has; weights are shaken a little, so
// that it does not go round in circles. What comes out is rounded and checked in whole numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halfspace/core/stop.hpp"

namespace halfspace::exact {

class Packing {
 public:
  Packing(std::vector<double> weight, StopHandle stop);
  // A circuit by the rows that carry its share; not empty.
  std::size_t add(std::vector<std::uint32_t> rows);
  void solve();
  [[nodiscard]] double value() const;
  [[nodiscard]] const std::vector<double>& prices() const { return price_; }
  [[nodiscard]] std::vector<double> shares() const;
  [[nodiscard]] std::size_t size() const { return columns_.size(); }
  [[nodiscard]] const std::vector<std::uint32_t>& rows_of(std::size_t k) const { return columns_[k]; }

 private:
  std::size_t n_;
  std::vector<double> weight_;
  StopHandle stop_;
  std::vector<std::vector<std::uint32_t>> columns_;
  std::vector<char> basic_;
  std::vector<std::uint32_t> basis_;  // slack of row i, or n + column
  std::vector<double> inverse_, x_, price_;
};

}  // namespace halfspace::exact
