// SPDX-License-Identifier: BSD-3-Clause
// One stored row, dense or sparse, and the doubles that its values stand for.
#pragma once

#include <cstddef>
#include <cstdint>

namespace halfspace {

// How values are stored. One: nothing is stored, the value is 1. Decimal: an integer k that stands for the
// double nearest to k / 10^p, with one p for the whole matrix (text files: 0.0625 is 625 / 10^4).
struct One {};
struct Decimal {
  std::int32_t digits;
};

// `divisor` is 10^p for Decimal and unused otherwise. Index is a number of 16 or 32 bits.
template <class Value, class Index = std::uint32_t>
struct SparseRow {
  const Index* index;  // ascending
  const Value* value;  // null for One
  std::size_t size;
  double divisor;
};
template <class Value>
struct DenseRow {
  const Value* value;
  std::size_t size;
  double divisor;
};

// The double that a stored value stands for.
inline double decode(const One&, double) { return 1.0; }
inline double decode(const float& v, double) { return static_cast<double>(v); }
inline double decode(const double& v, double) { return v; }
inline double decode(const Decimal& v, double divisor) { return static_cast<double>(v.digits) / divisor; }

}  // namespace halfspace
