// SPDX-License-Identifier: BSD-3-Clause
#include "certify/errors/error_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "certify/separation/exact_rows.hpp"
#include "data/storage/equal_rows.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace::detail {
namespace {

constexpr int most_weight_bits = 40;

[[noreturn]] void refuse_weights(const Dataset& data) {
  throw InputError({.file = data.name()}, "weights of so many digits cannot be counted exactly",
                   "a sum below 2^40 of their common unit", "round the weights");
}

}  // namespace

WholeWeights whole_weights(const Dataset& data, std::span<const std::int8_t> y, Values values) {
  StoredNumbers numbers(values);
  WholeWeights out;
  out.of.assign(y.size(), 0);
  int lowest = 0, highest = 0;
  bool any = false;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (y[i] == 0) continue;
    const Stored number = numbers.of(data.weight(i));
    lowest = any ? std::min(lowest, number.exponent) : number.exponent;
    highest = any ? std::max(highest, number.exponent) : number.exponent;
    any = true;
  }
  if (highest - lowest > 200) refuse_weights(data);
  mpz_class common = 0, power, number;
  std::vector<mpz_class> whole(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (y[i] == 0) continue;
    const Stored stored = numbers.of(data.weight(i));
    mpz_ui_pow_ui(power.get_mpz_t(), numbers.base(), static_cast<unsigned long>(stored.exponent - lowest));
    whole[i] = power * static_cast<long>(stored.mantissa);
    mpz_gcd(common.get_mpz_t(), common.get_mpz_t(), whole[i].get_mpz_t());
  }
  mpz_class sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (y[i] == 0) continue;
    whole[i] /= common;
    sum += whole[i];
    if (bits_of(sum) > most_weight_bits) refuse_weights(data);
    out.of[i] = whole[i].get_si();
  }
  mpz_ui_pow_ui(power.get_mpz_t(), numbers.base(), static_cast<unsigned long>(std::abs(lowest)));
  out.unit = lowest < 0 ? mpq_class(common, power) : mpq_class(common * power);
  out.unit.canonicalize();
  return out;
}

namespace {

// No plane through the origin has such a row on any side.
bool all_zero(const RowAccess& rows, std::size_t i) {
  std::vector<std::uint32_t> index(rows.entries(i));
  std::vector<double> value(index.size());
  const std::size_t size = rows.copy_entries(i, index.data(), value.data());
  return std::all_of(value.begin(), value.begin() + static_cast<std::ptrdiff_t>(size),
                     [](double x) { return x == 0; });
}

}  // namespace

ErrorRows error_rows(const Dataset& data, std::span<const std::int8_t> y, bool offset, Values values,
                     const WholeWeights& weights, const Threads& threads) {
  ErrorRows out;
  out.columns = data.features() + (offset ? 1 : 0);
  const auto access = RowAccess::of(data.matrix());
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t i = 0; i < y.size(); ++i)
    if (y[i] != 0) chosen.push_back(i);
  const EqualRows equal = find_equal_rows(*access, chosen);
  std::vector<std::int64_t> sides[2];
  for (auto& side : sides) side.assign(equal.first.size(), 0);
  for (std::size_t k = 0; k < chosen.size(); ++k)
    sides[y[chosen[k]] > 0 ? 1 : 0][equal.group[k]] += weights.of[chosen[k]];
  std::vector<std::int8_t> sign;
  for (std::size_t g = 0; g < equal.first.size(); ++g) {
    if (!offset && all_zero(*access, chosen[equal.first[g]])) {
      out.base += sides[0][g] + sides[1][g];
      continue;
    }
    out.base += std::min(sides[0][g], sides[1][g]);
    const std::int64_t net = sides[1][g] - sides[0][g];
    if (net == 0) continue;
    out.first.push_back(chosen[equal.first[g]]);
    out.weight.push_back(std::abs(net));
    sign.push_back(net > 0 ? 1 : -1);
  }
  if (out.columns == 0 || out.size() > most_error_entries / out.columns) return out;
  const ExactRows rows(data, y, values, threads);
  ExactRows::Reader reader(rows);
  out.a.resize(out.size() * out.columns);
  for (std::size_t g = 0; g < out.size(); ++g) {
    if (g % 64 == 0) threads.check();
    const ExactRows::Row& row = rows.read(out.first[g], reader);
    mpz_class* const a = out.a.data() + g * out.columns;
    for (std::size_t k = 0; k < row.size; ++k) a[row.columns[k]] = rows.value(row, k) * sign[g];
    if (offset) a[out.columns - 1] = rows.one() * sign[g];
  }
  return out;
}

std::vector<std::uint32_t> rows_in_error(const Dataset& data, std::span<const std::int8_t> y, Values values,
                                         std::span<const double> theta, double theta0,
                                         const Threads& threads) {
  const ExactRows rows(data, y, values, threads);
  std::vector<std::uint32_t> columns;
  std::vector<mpq_class> numbers;
  for (std::uint32_t j = 0; j < theta.size(); ++j) {
    if (theta[j] == 0) continue;
    columns.push_back(j);
    numbers.emplace_back(theta[j]);
  }
  numbers.emplace_back(theta0);
  mpz_class denominator;
  static_cast<void>(common_denominator(numbers, SIZE_MAX, denominator));
  WholeNumbers whole = over_denominator(numbers, denominator);
  const mpz_class b = whole.numbers.back();
  whole.numbers.pop_back();
  const WholePlane plane = rows.plane(columns, std::move(whole.numbers), b);
  std::vector<char> wrong(y.size(), 0);
  rows.each([&](std::size_t, std::size_t i, const ExactRows::Row& row) {
    wrong[i] = rows.sign(row, plane) * y[i] <= 0 ? 1 : 0;
  });
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < wrong.size(); ++i)
    if (wrong[i] != 0) out.push_back(i);
  return out;
}

}  // namespace halfspace::detail
