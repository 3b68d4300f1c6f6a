// SPDX-License-Identifier: BSD-3-Clause
#include "certify/exact_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace halfspace::detail {

mpz_class from_int128(Int128 x) {
  __extension__ typedef unsigned __int128 Unsigned128;
  const bool negative = x < 0;
  const auto size = negative ? -static_cast<Unsigned128>(x) : static_cast<Unsigned128>(x);
  const std::uint64_t parts[2] = {static_cast<std::uint64_t>(size), static_cast<std::uint64_t>(size >> 64U)};
  mpz_class out;
  mpz_import(out.get_mpz_t(), 2, -1, sizeof(std::uint64_t), 0, 0, parts);
  return negative ? mpz_class(-out) : out;
}

WholeNumbers without_denominators(const std::vector<mpq_class>& from) {
  WholeNumbers out;
  for (const mpq_class& q : from)
    mpz_lcm(out.denominator.get_mpz_t(), out.denominator.get_mpz_t(), q.get_den_mpz_t());
  for (const mpq_class& q : from) out.numbers.emplace_back(q.get_num() * (out.denominator / q.get_den()));
  return out;
}

ExactRows::Reader::Reader(const ExactRows& rows) : numbers(rows.values_) {
  row.columns.resize(rows.data_.features());
  row.values.resize(rows.data_.features());
  if (rows.narrow_) row.small.resize(rows.data_.features());
}

ExactRows::ExactRows(const Dataset& data, std::span<const std::int8_t> y, Values values,
                     const Threads& threads)
    : data_(data),
      y_(y),
      values_(values),
      threads_(threads),
      rows_(RowAccess::of(data.matrix())),
      slices_(std::clamp<std::size_t>(y.size() / 64, 1, static_cast<std::size_t>(threads.count()))) {
  find_scale();
}

void ExactRows::find_scale() {
  const bool ones = std::visit(
      [](const auto& view) { return std::is_same_v<typename std::decay_t<decltype(view)>::Value, One>; },
      data_.matrix());
  struct Found {
    int lowest = 0, highest = 0;
    double largest = 1;
  };
  std::vector<Found> found(slices_);
  threads_.run(ones ? 0 : slices_, [&](std::size_t slice) {
    Reader reader(*this);
    Found& here = found[slice];
    for (std::size_t i = y_.size() * slice / slices_; i < y_.size() * (slice + 1) / slices_; ++i) {
      if (y_[i] == 0) continue;
      const std::size_t count = rows_->copy_entries(i, reader.row.columns.data(), reader.row.values.data());
      for (std::size_t k = 0; k < count; ++k) {
        const int exponent = reader.numbers.of(reader.row.values[k]).exponent;
        here.lowest = std::min(here.lowest, exponent);
        here.highest = std::max(here.highest, exponent);
        here.largest = std::max(here.largest, std::abs(reader.row.values[k]));
      }
    }
  });
  Found all;
  for (const Found& one : found)
    all = {std::min(all.lowest, one.lowest), std::max(all.highest, one.highest),
           std::max(all.largest, one.largest)};
  const unsigned long base = StoredNumbers(values_).base();
  scale_ = all.lowest;
  mpz_ui_pow_ui(one_.get_mpz_t(), base, static_cast<unsigned long>(-scale_));
  const auto count = static_cast<std::size_t>(all.highest - scale_) + 1;
  powers_.assign(1, 1);
  while (powers_.size() < count) powers_.emplace_back(powers_.back() * base);
  value_bits_ = static_cast<std::size_t>(std::ilogb(all.largest)) + 2 + bits_of(one_);
  narrow_ = value_bits_ <= 60;
  for (std::size_t k = 0; k < count && narrow_; ++k) small_powers_.push_back(powers_[k].get_si());
}

const ExactRows::Row& ExactRows::read(std::size_t i, Reader& reader) const {
  Row& row = reader.row;
  row.size = rows_->copy_entries(i, row.columns.data(), row.values.data());
  if (!narrow_) row.large.resize(row.size);
  for (std::size_t k = 0; k < row.size; ++k) {
    const Stored& s = reader.numbers.of(row.values[k]);
    const auto shift = static_cast<std::size_t>(s.exponent - scale_);
    if (narrow_) row.small[k] = s.mantissa * small_powers_[shift];
    if (!narrow_) row.large[k] = powers_[shift] * static_cast<long>(s.mantissa);
  }
  return row;
}

WholePlane ExactRows::plane(const std::vector<std::uint32_t>& columns, const std::vector<mpz_class>& weights,
                            const mpz_class& offset) const {
  WholePlane out;
  out.w.assign(data_.features(), 0);
  out.b = offset;
  std::size_t bits = bits_of(offset);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    out.w[columns[k]] = weights[k];
    bits = std::max(bits, bits_of(weights[k]));
  }
  const auto count_bits = static_cast<std::size_t>(std::bit_width(data_.features() + 1));
  if (narrow_ && bits <= 62 && bits + value_bits_ + count_bits <= 125) {
    out.small.resize(data_.features(), 0);
    for (const std::uint32_t j : columns) out.small[j] = out.w[j].get_si();
  }
  return out;
}

Int128 ExactRows::short_score(const Row& row, const WholePlane& plane) const {
  Int128 sum = static_cast<Int128>(plane.b.get_si()) * one_.get_si();
  for (std::size_t k = 0; k < row.size; ++k)
    sum += static_cast<Int128>(plane.small[row.columns[k]]) * row.small[k];
  return sum;
}

mpz_class ExactRows::score(const Row& row, const WholePlane& plane) const {
  if (narrow_ && !plane.small.empty()) return from_int128(short_score(row, plane));
  mpz_class sum = plane.b * one_;
  for (std::size_t k = 0; k < row.size; ++k) add_product(sum, plane.w[row.columns[k]], row, k, narrow_);
  return sum;
}

int ExactRows::sign(const Row& row, const WholePlane& plane) const {
  if (!narrow_ || plane.small.empty()) return sgn(score(row, plane));
  const Int128 sum = short_score(row, plane);
  return (sum > 0) - (sum < 0);
}

void ExactRows::add_product(mpz_class& sum, const mpz_class& weight, const Row& row, std::size_t k,
                            bool narrow) {
  if (weight == 0) return;
  if (!narrow) {
    mpz_addmul(sum.get_mpz_t(), weight.get_mpz_t(), row.large[k].get_mpz_t());
  } else if (row.small[k] >= 0) {
    mpz_addmul_ui(sum.get_mpz_t(), weight.get_mpz_t(), static_cast<unsigned long>(row.small[k]));
  } else {
    mpz_submul_ui(sum.get_mpz_t(), weight.get_mpz_t(), static_cast<unsigned long>(-row.small[k]));
  }
}

mpz_class ExactRows::squares(const Row& row) const {
  mpz_class sum = 0;
  const auto count_bits = static_cast<std::size_t>(std::bit_width(data_.features()));
  if (narrow_ && 2 * value_bits_ + count_bits <= 125) {
    Int128 squares = 0;
    for (std::size_t k = 0; k < row.size; ++k) squares += static_cast<Int128>(row.small[k]) * row.small[k];
    return from_int128(squares);
  }
  for (std::size_t k = 0; k < row.size; ++k) {
    const mpz_class x = narrow_ ? mpz_class(static_cast<long>(row.small[k])) : row.large[k];
    sum += x * x;
  }
  return sum;
}

}  // namespace halfspace::detail
