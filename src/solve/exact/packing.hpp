// SPDX-License-Identifier: BSD-3-Clause
// The linear program of shares: max sum of shares, the shares on a row at most its weight. Its prices say which circuits
// are missing. The primal simplex method, from the basis it has. A basis is the circuits with a share and as many rows that
// are full; only the matrix of these is inverted, which is far smaller than the number of rows. Weights are shaken a little,
// so that it does not go round in circles. Copies of a program go on from its basis with rows that have no limit any more
// and circuits that may have no share. What comes out is rounded and checked in whole numbers.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "halfspace/core/stop.hpp"

namespace halfspace::exact {

class Packing {
 public:
  Packing(std::vector<double> weight, StopHandle stop);
  // A circuit by the rows that carry its share; not empty.
  std::size_t add(std::vector<std::uint32_t> rows);
  void release(std::uint32_t row);   // no limit on the shares of this row
  void forbid(std::size_t circuit);  // no share for this one
  void solve();
  [[nodiscard]] double value() const;
  [[nodiscard]] const std::vector<double>& prices() const { return price_; }
  [[nodiscard]] std::vector<double> shares() const;
  [[nodiscard]] std::size_t size() const { return circuits_.size(); }
  [[nodiscard]] const std::vector<std::uint32_t>& rows_of(std::size_t k) const { return circuits_[k].rows; }
  [[nodiscard]] bool forbidden(std::size_t k) const { return circuits_[k].gain < 0; }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  struct Circuit {
    std::vector<std::uint32_t> rows;
    double gain;
    bool basic;
  };
  // What comes into the basis: a circuit, or room on a full row (by = 1: the row is no more full; by = -1: more than full,
  // where it has no limit).
  struct Enters {
    std::uint32_t circuit = none, row = none;
    double by = 1, worth = 0;
  };
  struct Leaves {
    std::uint32_t basic = none, row = none;  // a place among the basic circuits, or a row that becomes full
    double ratio = std::numeric_limits<double>::infinity();
  };
  void invert();
  void settle();  // shares, room and prices of the basis
  [[nodiscard]] double rounding() const;
  void set_prices();
  void step(const Enters& enters, const Leaves& leaves);
  [[nodiscard]] Enters choose() const;
  void direction(const Enters& enters);
  [[nodiscard]] Leaves ratio_test() const;
  void exchange(const Enters& enters, const Leaves& leaves);
  [[nodiscard]] std::vector<double> times_inverse(std::uint32_t row) const;
  void grow(std::uint32_t circuit, std::uint32_t row);
  void shrink(std::size_t basic, std::size_t place);

  std::size_t n_, pivots_ = 0;
  std::vector<double> weight_;
  StopHandle stop_;
  std::vector<Circuit> circuits_;
  std::vector<std::uint32_t> basic_, full_;  // circuits and rows of the basis
  std::vector<std::uint32_t> place_;         // of a row in full_
  std::vector<char> free_;                   // rows without a limit
  std::vector<double> inverse_;              // basic x full
  std::vector<double> share_, room_, price_;
  std::vector<double> by_share_, by_room_;  // changes along the direction, less what enters
};

}  // namespace halfspace::exact
