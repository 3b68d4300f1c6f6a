// SPDX-License-Identifier: BSD-3-Clause
#include "solve/separation/integer_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <climits>
#include <cmath>
#include <numeric>

namespace halfspace::separation {
namespace {

struct Number {
  std::int64_t digits = 0;
  int exponent = 0;
};

// The shortest decimal of a double, by its text; trailing zeros become part of the exponent.
Number decimal(double x) {
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), std::abs(x), std::chars_format::scientific).ptr;
  const auto e = std::find(text.data(), end, 'e');
  Number out;
  for (const char* p = text.data(); p != e; ++p)
    if (*p != '.') out.digits = out.digits * 10 + (*p - '0');
  const bool down = e[1] == '-';
  std::from_chars(e + 2, end, out.exponent);
  if (down) out.exponent = -out.exponent;
  const auto fraction = e - text.data() - 2;  // after "d."
  if (fraction > 0) out.exponent -= static_cast<int>(fraction);
  if (x < 0) out.digits = -out.digits;
  return out;
}

Number binary(double x) {
  int exponent = 0;
  auto digits = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &exponent), 53));
  const int zeros = digits == 0 ? 0 : std::countr_zero(static_cast<std::uint64_t>(digits));
  return {digits / (std::int64_t{1} << zeros), exponent - 53 + zeros};
}

// Few values of a data set are distinct: remembers the last ones.
class Converter {
 public:
  explicit Converter(bool decimals) : decimals_(decimals) {}
  Number operator()(double x) {
    Slot& slot = slots_[(std::bit_cast<std::uint64_t>(x) * 0xD6E8FEB86659FD93ULL) >> 52U];
    if (slot.x != x) slot = {x, decimals_ ? decimal(x) : binary(x)};
    return slot.number;
  }

 private:
  struct Slot {
    double x = 0;
    Number number;
  };
  bool decimals_;
  std::array<Slot, 4096> slots_;
};

template <class View, class F>
void each_number(const View& view, std::size_t i, Converter& convert, int stored_exponent, const F& f) {
  using Value = typename View::Value;
  const auto row = view.row(i);
  for (std::size_t k = 0; k < row.size; ++k) {
    std::uint32_t column = 0;
    if constexpr (is_sparse<View>) {
      column = row.index[k];
    } else {
      column = static_cast<std::uint32_t>(k);
    }
    if constexpr (std::is_same_v<Value, One>) {
      f(column, Number{1, 0});
    } else if constexpr (std::is_same_v<Value, Decimal>) {
      // At most ten digits: the shortest decimal of the double they stand for.
      if (row.value[k].digits != 0) f(column, Number{row.value[k].digits, stored_exponent});
    } else {
      const double x = decode(row.value[k], row.divisor);
      if (x != 0) f(column, convert(x));
    }
  }
}

std::uint64_t magnitude(std::int64_t x) { return static_cast<std::uint64_t>(x < 0 ? -x : x); }

template <class View>
class Reader {
 public:
  Reader(const View& view, std::span<const std::int8_t> sides, Values values, IntegerRows& out)
      : view_(view),
        sides_(sides),
        out_(out),
        convert_(values == Values::Decimals),
        // Decimal digits as doubles are another number only when the doubles themselves are meant.
        digits_meant_(!std::is_same_v<typename View::Value, Decimal> || values == Values::Decimals),
        stored_exponent_(-static_cast<int>(std::lround(std::log10(view.divisor)))) {}

  void read() {
    std::uint64_t entries = 0;
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      if (sides_[i] == 0) continue;
      out_.row.push_back(static_cast<std::uint32_t>(i));
      out_.y.push_back(sides_[i]);
      out_.start.push_back(0);
      entries += view_.row(i).size;
    }
    out_.index.reserve(entries + out_.rows());
    out_.small.reserve(entries + out_.rows());
    using Value = typename View::Value;
    // These have one exponent for the whole matrix; the others are converted once and multiplied after.
    constexpr bool stored = std::is_same_v<Value, One> || std::is_same_v<Value, Decimal>;
    const bool even = stored && digits_meant_;
    const bool narrow = even ? take_digits() : convert_all();
    if (!narrow) fill_large();
  }

 private:
  template <class F>
  void each(std::size_t i, const F& f) {
    if (digits_meant_) return each_number(view_, i, convert_, stored_exponent_, f);
    for_entries(view_.row(i), [&](std::uint32_t column, double x) { f(column, convert_(x)); });
  }

  bool take_digits() {
    out_.exponent.assign(view_.cols, std::is_same_v<typename View::Value, One> ? 0 : stored_exponent_);
    for (std::size_t r = 0; r < out_.rows(); ++r) {
      const std::int64_t y = out_.y[r];
      each(out_.row[r], [&](std::uint32_t column, Number x) {
        out_.index.push_back(column);
        out_.small.push_back(y * x.digits);
      });
      end_row(r, y);
    }
    divide();
    return true;
  }

  // False: some number has 62 bits or more.
  bool convert_all() {
    out_.exponent.assign(view_.cols, INT_MAX);
    std::vector<std::int16_t> exponents;
    exponents.reserve(out_.index.capacity());
    for (std::size_t r = 0; r < out_.rows(); ++r) {
      const std::int64_t y = out_.y[r];
      each(out_.row[r], [&](std::uint32_t column, Number x) {
        out_.exponent[column] = std::min(out_.exponent[column], x.exponent);
        exponents.push_back(static_cast<std::int16_t>(x.exponent));
        out_.index.push_back(column);
        out_.small.push_back(y * x.digits);
      });
      if (out_.offset) exponents.push_back(0);
      end_row(r, y);
    }
    for (int& e : out_.exponent) e = e == INT_MAX ? 0 : e;
    std::vector<std::int64_t> power{1};
    const auto base = static_cast<std::int64_t>(out_.base);
    while (power.back() < (std::int64_t{1} << 62) / base) power.push_back(power.back() * base);
    for (std::size_t k = 0; k < out_.index.size(); ++k) {
      const std::uint32_t j = out_.index[k];
      if (j == view_.cols) continue;
      const auto shift = static_cast<std::size_t>(exponents[k] - out_.exponent[j]);
      std::int64_t& value = out_.small[k];
      if (shift >= power.size() || __builtin_mul_overflow(value, power[shift], &value) ||
          magnitude(value) >= (std::uint64_t{1} << 62U))
        return false;
    }
    divide();
    return true;
  }

  // Smaller numbers help where columns are full; for a few entries a column they are not worth the walk.
  void divide() {
    out_.divisor.assign(view_.cols, 1);
    if (8 * view_.cols >= out_.rows() && is_sparse<View>) return;
    std::vector<std::uint64_t> common(view_.cols, 0);
    for (std::size_t k = 0; k < out_.index.size(); ++k) {
      const std::uint32_t j = out_.index[k];
      if (j < view_.cols && common[j] != 1) common[j] = std::gcd(common[j], magnitude(out_.small[k]));
    }
    bool any = false;
    for (std::size_t j = 0; j < view_.cols; ++j) {
      if (common[j] <= 1) continue;
      out_.divisor[j] = static_cast<std::int64_t>(common[j]);
      any = true;
    }
    for (std::size_t k = 0; k < out_.index.size() && any; ++k) {
      const std::uint32_t j = out_.index[k];
      if (j < view_.cols && out_.divisor[j] != 1) out_.small[k] /= out_.divisor[j];
    }
  }

  void fill_large() {
    std::vector<mpz_class> power{1};
    out_.index.clear();
    out_.small.clear();
    out_.divisor.assign(view_.cols, 1);
    for (std::size_t r = 0; r < out_.rows(); ++r) {
      each(out_.row[r], [&](std::uint32_t column, Number x) {
        const auto shift = static_cast<std::size_t>(x.exponent - out_.exponent[column]);
        while (power.size() <= shift) power.emplace_back(power.back() * out_.base);
        mpz_class value = power[shift] * (static_cast<long>(x.digits) * out_.y[r]);
        out_.index.push_back(column);
        out_.large.push_back(std::move(value));
      });
      if (out_.offset) {
        out_.index.push_back(static_cast<std::uint32_t>(view_.cols));
        out_.large.emplace_back(out_.y[r]);
      }
      out_.start[r + 1] = out_.index.size();
    }
  }

  void end_row(std::size_t r, std::int64_t y) {
    if (out_.offset) {
      out_.index.push_back(static_cast<std::uint32_t>(view_.cols));
      out_.small.push_back(y);
    }
    out_.start[r + 1] = out_.index.size();
  }

  const View& view_;
  std::span<const std::int8_t> sides_;
  IntegerRows& out_;
  Converter convert_;
  bool digits_meant_;
  int stored_exponent_;
};

}  // namespace

IntegerRows integer_rows(const Dataset& data, std::span<const std::int8_t> sides, Values values,
                         bool offset) {
  IntegerRows out;
  out.offset = offset;
  out.base = values == Values::Decimals ? 10 : 2;
  out.columns = data.features() + (offset ? 1 : 0);
  std::visit([&](const auto& view) { Reader<std::decay_t<decltype(view)>>(view, sides, values, out).read(); },
             data.matrix());
  return out;
}

mpq_class IntegerRows::factor(std::size_t feature) const {
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), base, static_cast<unsigned long>(std::abs(exponent[feature])));
  const mpz_class common = static_cast<long>(divisor[feature]);
  mpq_class out = exponent[feature] <= 0 ? mpq_class(power, common) : mpq_class(1, power * common);
  out.canonicalize();
  return out;
}

ExactPlane IntegerRows::plane(std::span<const mpz_class> weights) const {
  const std::size_t features = columns - (offset ? 1 : 0);
  std::vector<mpq_class> w;
  ExactPlane out;
  for (std::size_t j = 0; j < features; ++j) {
    if (weights[j] == 0) continue;
    out.columns.push_back(static_cast<std::uint32_t>(j));
    w.emplace_back(factor(j) * weights[j]);
  }
  w.emplace_back(offset ? weights[features] : mpz_class(0));
  mpz_class bottom = 1, common = 0;
  for (const mpq_class& q : w) mpz_lcm(bottom.get_mpz_t(), bottom.get_mpz_t(), q.get_den_mpz_t());
  for (mpq_class& q : w) {
    q *= bottom;
    mpz_gcd(common.get_mpz_t(), common.get_mpz_t(), q.get_num_mpz_t());
  }
  for (std::size_t k = 0; k < w.size(); ++k) {
    const mpz_class whole = common == 0 ? w[k].get_num() : mpz_class(w[k].get_num() / common);
    (k + 1 < w.size() ? out.weights.emplace_back() : out.offset) = whole.get_str();
  }
  return out;
}

}  // namespace halfspace::separation
