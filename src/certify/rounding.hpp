// SPDX-License-Identifier: BSD-3-Clause
// What rounding to the nearest double can do to a sum (Higham, Accuracy and Stability of Numerical
// Algorithms, chapters 3 and 4).
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

namespace halfspace {

inline constexpr double unit = 0x1.0p-53;
inline constexpr double smallest = std::numeric_limits<double>::min();  // covers underflow of a product

// A sum of rounded terms is off by at most this times the sum of their sizes. Doubled for the rounding of the
// bound itself.
inline double rounding(std::size_t terms) { return 2 * static_cast<double>(terms + 4) * unit; }

// A sum that carries its rounding errors along (Neumaier 1974): off by a unit of itself plus the square of
// rounding(terms) times the sum of sizes.
class CarefulSum {
 public:
  void add(double x) {
    const double next = sum_ + x;
    low_ += std::abs(sum_) >= std::abs(x) ? (sum_ - next) + x : (x - next) + sum_;
    sum_ = next;
  }
  void add(const CarefulSum& o) {
    add(o.sum_);
    add(o.low_);
  }
  [[nodiscard]] double value() const { return sum_ + low_; }

 private:
  double sum_ = 0, low_ = 0;
};

// A bound that is no number bounds nothing.
inline double upper_bound(double x) { return std::isfinite(x) ? x : std::numeric_limits<double>::infinity(); }
inline double lower_bound(double x) {
  return std::isfinite(x) ? x : -std::numeric_limits<double>::infinity();
}

}  // namespace halfspace
