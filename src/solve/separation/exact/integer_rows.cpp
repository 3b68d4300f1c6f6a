// SPDX-License-Identifier: BSD-3-Clause
#include "solve/separation/exact/integer_rows.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <numeric>

#include "solve/separation/exact/number.hpp"

namespace halfspace::separation {
namespace {

std::uint64_t magnitude(std::int64_t x) { return static_cast<std::uint64_t>(x < 0 ? -x : x); }

template <class View>
class Reader {
 public:
  Reader(const View& view, std::span<const std::int8_t> sides, Values values, const Threads& threads,
         IntegerRows& out)
      : view_(view),
        decimals_(values == Values::Decimals),
        threads_(threads),
        slices_(static_cast<std::size_t>(threads.count())),
        out_(out) {
    for (std::uint32_t i = 0; i < sides.size(); ++i) {
      if (sides[i] == 0) continue;
      out_.row.push_back(i);
      out_.y.push_back(sides[i]);
    }
    place_rows();
  }

  void read() {
    // These have one exponent for the whole matrix. Decimal digits as doubles are another number only when
    // the doubles themselves are meant.
    if constexpr (std::is_same_v<Value, One>) {
      take_digits(0);
    } else if constexpr (std::is_same_v<Value, Decimal>) {
      if (decimals_) return take_digits(-static_cast<int>(std::lround(std::log10(view_.divisor))));
      convert_all();
    } else {
      convert_all();
    }
  }

 private:
  using Value = typename View::Value;

  // f(r) for all rows, side by side.
  template <class F>
  void each_row(const F& f) {
    for_blocks(threads_, out_.rows(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) f(r);
    });
  }
  // f(slice, begin, end) for as many parts as there are threads: what is found must not depend on the parts.
  template <class F>
  void each_slice(std::size_t count, const F& f) {
    threads_.run(slices_, [&](std::size_t s) { f(s, count * s / slices_, count * (s + 1) / slices_); });
  }

  void place_rows() {
    out_.start.assign(out_.rows() + 1, 0);
    each_row([&](std::size_t r) {
      const auto row = view_.row(out_.row[r]);
      std::uint64_t size = row.size;
      if constexpr (std::is_same_v<Value, Decimal>) {
        size -= static_cast<std::uint64_t>(
            std::count_if(row.value, row.value + size, [](Decimal x) { return x.digits == 0; }));
      } else if constexpr (!std::is_same_v<Value, One>) {
        size -= static_cast<std::uint64_t>(std::count(row.value, row.value + size, Value{0}));
      }
      out_.start[r + 1] = size + (out_.offset ? 1 : 0);
    });
    std::partial_sum(out_.start.begin(), out_.start.end(), out_.start.begin());
    out_.index = Pages<std::uint32_t>(out_.entries(), true);
  }
  void end_row(std::size_t r) {
    if (out_.offset) out_.index[out_.start[r + 1] - 1] = static_cast<std::uint32_t>(view_.cols);
  }

  // At most ten digits: the shortest decimal of the double they stand for.
  void take_digits(int exponent) {
    out_.exponent.assign(view_.cols, exponent);
    out_.half_words = Pages<std::int32_t>(out_.entries(), true);
    each_row([&](std::size_t r) {
      const std::int32_t y = out_.y[r];
      const auto row = view_.row(out_.row[r]);
      std::uint64_t at = out_.start[r];
      for (std::size_t k = 0; k < row.size; ++k) {
        std::int32_t digits = 1;
        if constexpr (std::is_same_v<Value, Decimal>) digits = row.value[k].digits;
        if (digits == 0) continue;
        if constexpr (is_sparse<View>) {
          out_.index[at] = row.index[k];
        } else {
          out_.index[at] = static_cast<std::uint32_t>(k);
        }
        out_.half_words[at++] = y * digits;
      }
      if (out_.offset) out_.half_words[at] = y;
      end_row(r);
    });
    divide(out_.half_words);
  }

  // Mantissas first; they are multiplied when the exponents of the columns are known.
  void convert_all() {
    out_.words = Pages<std::int64_t>(out_.entries(), true);
    const Pages<std::int16_t> exponents(out_.entries(), true);
    std::vector<std::vector<int>> lowest(slices_, std::vector<int>(view_.cols, INT_MAX));
    each_slice(out_.rows(), [&](std::size_t slice, std::size_t begin, std::size_t end) {
      Converter convert(decimals_);
      std::vector<int>& low = lowest[slice];
      for (std::size_t r = begin; r < end; ++r) {
        const std::int64_t y = out_.y[r];
        std::uint64_t at = out_.start[r];
        for_entries(view_.row(out_.row[r]), [&](std::uint32_t column, double value) {
          if (value == 0) return;
          const Number x = convert(value);
          low[column] = std::min(low[column], x.exponent);
          exponents[at] = static_cast<std::int16_t>(x.exponent);
          out_.index[at] = column;
          out_.words[at++] = y * x.digits;
        });
        if (out_.offset) out_.words[at] = y;
        end_row(r);
      }
    });
    out_.exponent.assign(view_.cols, 0);
    for (std::size_t j = 0; j < view_.cols; ++j) {
      for (const std::vector<int>& low : lowest) lowest[0][j] = std::min(lowest[0][j], low[j]);
      if (lowest[0][j] != INT_MAX) out_.exponent[j] = lowest[0][j];
    }
    multiply(exponents);
    divide(out_.words);
  }

  void multiply(const Pages<std::int16_t>& exponents) {
    std::vector<std::int64_t> power{1};
    const auto base = static_cast<std::int64_t>(out_.base);
    while (power.back() < IntegerRows::small_limit / base) power.push_back(power.back() * base);
    const auto shift_of = [&](std::uint64_t k) {
      return static_cast<std::size_t>(exponents[k] - out_.exponent[out_.index[k]]);
    };
    std::vector<std::vector<std::uint64_t>> beyond(slices_);  // entries that do not fit, with their mantissas
    each_slice(out_.entries(), [&](std::size_t slice, std::size_t begin, std::size_t end) {
      for (std::uint64_t k = begin; k < end; ++k) {
        if (out_.index[k] == view_.cols) continue;
        const std::size_t shift = shift_of(k);
        std::int64_t product = 0;
        if (shift < power.size() && !__builtin_mul_overflow(out_.words[k], power[shift], &product) &&
            magnitude(product) < static_cast<std::uint64_t>(IntegerRows::small_limit)) {
          out_.words[k] = product;
        } else {
          beyond[slice].push_back(k);
        }
      }
    });
    mpz_class factor;
    for (const std::vector<std::uint64_t>& entries : beyond) {
      for (const std::uint64_t k : entries) {
        mpz_ui_pow_ui(factor.get_mpz_t(), out_.base, shift_of(k));
        factor *= static_cast<long>(out_.words[k]);
        out_.words[k] = IntegerRows::small_limit + static_cast<std::int64_t>(out_.large.size());
        out_.large.push_back(factor);
      }
    }
  }

  // Smaller numbers help where columns are full; for a few entries a column they are not worth the walk.
  template <class Word>
  void divide(const Pages<Word>& words) {
    out_.divisor.assign(view_.cols, 1);
    if ((8 * view_.cols >= out_.rows() && is_sparse<View>) || std::is_same_v<Value, One>) return;
    std::vector<std::vector<std::uint64_t>> common(slices_, std::vector<std::uint64_t>(view_.cols, 0));
    each_slice(out_.entries(), [&](std::size_t slice, std::size_t begin, std::size_t end) {
      std::vector<std::uint64_t>& here = common[slice];
      for (std::uint64_t k = begin; k < end; ++k) {
        const std::uint32_t j = out_.index[k];
        if (j == view_.cols || here[j] == 1) continue;
        here[j] = out_.is_large(k) ? 1 : std::gcd(here[j], magnitude(words[k]));
      }
    });
    bool any = false;
    for (std::size_t j = 0; j < view_.cols; ++j) {
      std::uint64_t all = 0;
      for (const std::vector<std::uint64_t>& here : common) all = std::gcd(all, here[j]);
      if (all <= 1) continue;
      out_.divisor[j] = static_cast<std::int64_t>(all);
      any = true;
    }
    if (!any) return;
    each_slice(out_.entries(), [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::uint64_t k = begin; k < end; ++k) {
        const std::uint32_t j = out_.index[k];
        if (j < view_.cols && out_.divisor[j] != 1) words[k] /= static_cast<Word>(out_.divisor[j]);
      }
    });
  }

  const View& view_;
  bool decimals_;
  const Threads& threads_;
  std::size_t slices_;
  IntegerRows& out_;
};

}  // namespace

IntegerRows integer_rows(const Dataset& data, std::span<const std::int8_t> sides, Values values, bool offset,
                         const Threads& threads) {
  IntegerRows out;
  out.offset = offset;
  out.base = values == Values::Decimals ? 10 : 2;
  out.columns = data.features() + (offset ? 1 : 0);
  std::visit(
      [&](const auto& view) {
        Reader<std::decay_t<decltype(view)>>(view, sides, values, threads, out).read();
      },
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

ExactPlane IntegerRows::plane(std::span<const std::uint32_t> of, std::span<const mpz_class> weights) const {
  const std::size_t features = columns - (offset ? 1 : 0);
  std::vector<mpq_class> w;
  mpq_class constant = 0;
  ExactPlane out;
  for (std::size_t k = 0; k < of.size(); ++k) {
    if (weights[k] == 0) continue;
    if (of[k] == features) {
      constant = weights[k];
      continue;
    }
    out.columns.push_back(of[k]);
    w.emplace_back(factor(of[k]) * weights[k]);
  }
  w.push_back(constant);
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
