// SPDX-License-Identifier: BSD-3-Clause
#include "certify/separation/exact_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace halfspace::detail {
namespace {

mpz_class from_int128(Int128 x) {
  mpz_class out = static_cast<long>(x >> 64);
  out <<= 64;
  out += static_cast<unsigned long>(x);
  return out;
}

}  // namespace

std::size_t bits_of(const mpz_class& x) { return x == 0 ? 0 : mpz_sizeinbase(x.get_mpz_t(), 2); }

bool common_denominator(const std::vector<mpq_class>& of, std::size_t most_bits, mpz_class& out) {
  out = 1;
  for (const mpq_class& q : of) {
    if (q.get_den() == 1) continue;
    mpz_lcm(out.get_mpz_t(), out.get_mpz_t(), q.get_den_mpz_t());
    if (bits_of(out) > most_bits) return false;
  }
  return true;
}

WholeNumbers over_denominator(const std::vector<mpq_class>& from, mpz_class denominator) {
  WholeNumbers out;
  out.denominator = std::move(denominator);
  for (const mpq_class& q : from) out.numbers.emplace_back(q.get_num() * (out.denominator / q.get_den()));
  return out;
}

ExactRows::Reader::Reader(const ExactRows& rows) : numbers(rows.values_) {
  row.columns.resize(rows.longest_);
  row.values.resize(rows.longest_);
  row.number.resize(rows.longest_);
  row.power.resize(rows.longest_);
}

ExactRows::ExactRows(const Dataset& data, std::span<const std::int8_t> y, Values values,
                     const Threads& threads)
    : data_(data), y_(y), values_(values), threads_(threads), rows_(RowAccess::of(data.matrix())) {
  std::uint64_t entries = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    entries += rows_->entries(i);
    longest_ = std::max(longest_, rows_->entries(i));
  }
  slices_ = std::clamp<std::size_t>(entries / 4096, 1, static_cast<std::size_t>(threads.count()));
  find_scale();
}

void ExactRows::find_scale() {
  const bool ones = std::visit(
      [](const auto& view) { return std::is_same_v<typename std::decay_t<decltype(view)>::Value, One>; },
      data_.matrix());
  struct Found {
    int lowest = 0, highest = 0;
    double largest = 1;
    std::uint64_t mantissa = 1;
  };
  std::vector<Found> found(slices_);
  threads_.run(ones ? 0 : slices_, [&](std::size_t slice) {
    Reader reader(*this);
    Found& here = found[slice];
    for (std::size_t i = y_.size() * slice / slices_; i < y_.size() * (slice + 1) / slices_; ++i) {
      if (y_[i] == 0) continue;
      const std::size_t count = rows_->copy_entries(i, reader.row.columns.data(), reader.row.values.data());
      for (std::size_t k = 0; k < count; ++k) {
        const Stored& number = reader.numbers.of(reader.row.values[k]);
        here.lowest = std::min(here.lowest, number.exponent);
        here.highest = std::max(here.highest, number.exponent);
        here.largest = std::max(here.largest, std::abs(reader.row.values[k]));
        here.mantissa = std::max(here.mantissa, static_cast<std::uint64_t>(std::abs(number.mantissa)));
      }
    }
  });
  Found all;
  for (const Found& one : found)
    all = {std::min(all.lowest, one.lowest), std::max(all.highest, one.highest),
           std::max(all.largest, one.largest), std::max(all.mantissa, one.mantissa)};
  const unsigned long base = StoredNumbers(values_).base();
  scale_ = all.lowest;
  mpz_ui_pow_ui(one_.get_mpz_t(), base, static_cast<unsigned long>(-scale_));
  const auto count = static_cast<std::size_t>(all.highest - scale_) + 1;
  powers_.assign(1, 1);
  while (powers_.size() < count) powers_.emplace_back(powers_.back() * base);
  value_bits_ = static_cast<std::size_t>(std::ilogb(all.largest)) + 2 + bits_of(one_);
  one_power_ = value_bits_ <= 60;
  number_bits_ = one_power_ ? value_bits_ : static_cast<std::size_t>(std::bit_width(all.mantissa));
  for (std::size_t k = 0; k < count && one_power_; ++k) small_powers_.push_back(powers_[k].get_si());
}

const ExactRows::Row& ExactRows::read(std::size_t i, Reader& reader) const {
  Row& row = reader.row;
  row.size = rows_->copy_entries(i, row.columns.data(), row.values.data());
  for (std::size_t k = 0; k < row.size; ++k) {
    const Stored& s = reader.numbers.of(row.values[k]);
    const auto power = static_cast<std::size_t>(s.exponent - scale_);
    row.number[k] = one_power_ ? s.mantissa * small_powers_[power] : s.mantissa;
    row.power[k] = one_power_ ? std::uint16_t{0} : static_cast<std::uint16_t>(power);
  }
  return row;
}

mpz_class ExactRows::value(const Row& row, std::size_t k) const {
  return powers_[row.power[k]] * static_cast<long>(row.number[k]);
}

void ExactRows::add_product(mpz_class& sum, const mpz_class& weight, const Row& row, std::size_t k) const {
  if (row.power[k] != 0) {
    sum += weight * value(row, k);
  } else if (row.number[k] >= 0) {
    mpz_addmul_ui(sum.get_mpz_t(), weight.get_mpz_t(), static_cast<unsigned long>(row.number[k]));
  } else {
    mpz_submul_ui(sum.get_mpz_t(), weight.get_mpz_t(), static_cast<unsigned long>(-row.number[k]));
  }
}

// Sums of products below 2^bits, one for every feature and the constant, stay below 2^125.
bool ExactRows::fits(std::size_t bits) const {
  return bits + static_cast<std::size_t>(std::bit_width(data_.features() + 1)) <= 125;
}

WholePlane ExactRows::plane(const std::vector<std::uint32_t>& columns, std::vector<mpz_class> weights,
                            const mpz_class& offset) const {
  WholePlane out;
  out.columns = columns;
  out.weights = std::move(weights);
  out.weights.resize(columns.size());
  out.b = offset;
  out.used.assign(data_.features() / 64 + 1, 0);
  std::size_t bits = bits_of(offset);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    out.used[columns[k] / 64] |= std::uint64_t{1} << (columns[k] % 64);
    bits = std::max(bits, bits_of(out.weights[k]));
  }
  if (bits <= 62 && fits(bits + number_bits_)) {
    out.small.resize(data_.features(), 0);
    for (std::size_t k = 0; k < columns.size(); ++k) out.small[columns[k]] = out.weights[k].get_si();
  } else {
    out.large.resize(data_.features());
    for (std::size_t k = 0; k < columns.size(); ++k) out.large[columns[k]] = out.weights[k];
  }
  return out;
}

Int128 ExactRows::short_score(const Row& row, const WholePlane& plane) const {
  Int128 sum = static_cast<Int128>(plane.b.get_si()) * one_.get_si();
  for (std::size_t k = 0; k < row.size; ++k)
    if (plane.has(row.columns[k])) sum += static_cast<Int128>(plane.small[row.columns[k]]) * row.number[k];
  return sum;
}

// sum of by_power[p] base^(times p).
mpz_class ExactRows::joined(const std::vector<Int128>& by_power, int times) const {
  mpz_class sum = 0;
  for (std::size_t p = 0; p < by_power.size(); ++p)
    if (by_power[p] != 0)
      sum += from_int128(by_power[p]) * (times == 2 ? mpz_class(powers_[p] * powers_[p]) : powers_[p]);
  return sum;
}

mpz_class ExactRows::score(const Row& row, const WholePlane& plane) const {
  if (one_power_ && !plane.small.empty()) return from_int128(short_score(row, plane));
  mpz_class sum = plane.b * one_;
  if (!plane.small.empty()) {
    std::vector<Int128> by_power(powers_.size(), 0);
    for (std::size_t k = 0; k < row.size; ++k)
      by_power[row.power[k]] += static_cast<Int128>(plane.small[row.columns[k]]) * row.number[k];
    return sum + joined(by_power, 1);
  }
  for (std::size_t k = 0; k < row.size; ++k)
    if (plane.has(row.columns[k])) add_product(sum, plane.large[row.columns[k]], row, k);
  return sum;
}

int ExactRows::sign(const Row& row, const WholePlane& plane) const {
  if (!one_power_ || plane.small.empty()) return sgn(score(row, plane));
  const Int128 sum = short_score(row, plane);
  return (sum > 0) - (sum < 0);
}

mpz_class ExactRows::squares(const Row& row) const {
  mpz_class sum = 0;
  if (fits(2 * number_bits_)) {
    std::vector<Int128> by_power(powers_.size(), 0);
    for (std::size_t k = 0; k < row.size; ++k)
      by_power[row.power[k]] += static_cast<Int128>(row.number[k]) * row.number[k];
    return joined(by_power, 2);
  }
  for (std::size_t k = 0; k < row.size; ++k) {
    const mpz_class x = value(row, k);
    sum += x * x;
  }
  return sum;
}

}  // namespace halfspace::detail
