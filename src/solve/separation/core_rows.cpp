// SPDX-License-Identifier: BSD-3-Clause
#include "solve/separation/core_rows.hpp"

#include <algorithm>
#include <cmath>

namespace halfspace::separation {
namespace {

__extension__ typedef __int128 Int128;

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32U;
  x *= 0xD6E8FEB86659FD93ULL;
  x ^= x >> 32U;
  return x;
}

// mantissa in [1/2, 1) and exponent of an entry.
double parts(const IntegerRows& rows, std::uint64_t entry, int& exponent) {
  if (!rows.wide()) return std::frexp(static_cast<double>(rows.small[entry]), &exponent);
  long e = 0;
  const double mantissa = mpz_get_d_2exp(&e, rows.large[entry].get_mpz_t());
  exponent = static_cast<int>(e);
  return mantissa;
}

}  // namespace

CoreRows::CoreRows(const IntegerRows& all, std::span<const std::uint32_t> rows) : all_(all) {
  find_distinct(rows);
  number_columns();
  find_scales();
  make_approximation();
}

void CoreRows::approximate_columns(std::vector<std::uint32_t> columns) {
  chosen_ = std::move(columns);
  make_approximation();
}

bool CoreRows::same(std::uint32_t a, std::uint32_t b, int factor) const {
  const std::uint64_t size = all_.start[a + 1] - all_.start[a];
  if (all_.start[b + 1] - all_.start[b] != size) return false;
  for (std::uint64_t k = 0; k < size; ++k) {
    const std::uint64_t p = all_.start[a] + k;
    const std::uint64_t q = all_.start[b] + k;
    if (all_.index[p] != all_.index[q]) return false;
    if (all_.wide() ? all_.large[p] != factor * all_.large[q] : all_.small[p] != factor * all_.small[q])
      return false;
  }
  return true;
}

void CoreRows::find_distinct(std::span<const std::uint32_t> rows) {
  struct Key {
    std::uint64_t hash;
    std::uint32_t row;
  };
  std::vector<Key> keys;
  keys.reserve(rows.size());
  for (const std::uint32_t i : rows) {
    std::uint64_t h = 0;
    int factor =
        0;  // rows that differ by their class alone have the same key: the first entry counts as positive
    for (std::uint64_t k = all_.start[i]; k < all_.start[i + 1]; ++k) {
      if (factor == 0) factor = all_.sign(k);
      const std::uint64_t size = all_.wide() ? mpz_get_ui(all_.large[k].get_mpz_t())
                                             : static_cast<std::uint64_t>(std::abs(all_.small[k]));
      const std::uint64_t value = all_.sign(k) == factor ? size : ~size;
      h = mix(h + ((value * 0x9E3779B97F4A7C15ULL) ^ all_.index[k]));
    }
    keys.push_back({h, i});
  }
  std::sort(keys.begin(), keys.end(),
            [](const Key& a, const Key& b) { return a.hash != b.hash ? a.hash < b.hash : a.row < b.row; });
  std::vector<std::uint32_t> kept;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::size_t begin = 0; begin < keys.size();) {
    std::size_t end = begin;
    const std::size_t first_kept = kept.size();
    while (end < keys.size() && keys[end].hash == keys[begin].hash) {
      const std::uint32_t i = keys[end++].row;
      bool fresh = true;
      for (std::size_t k = first_kept; k < kept.size() && fresh; ++k) {
        fresh = !same(i, kept[k], 1);
        if (!fresh) twins_.emplace_back(i, kept[k]);
      }
      if (!fresh) continue;
      for (std::size_t k = first_kept; k < kept.size(); ++k)
        if (all_.start[i + 1] > all_.start[i] && same(i, kept[k], -1)) pairs.emplace_back(kept[k], i);
      kept.push_back(i);
    }
    begin = end;
  }
  row_ = std::move(kept);
  std::sort(row_.begin(), row_.end());
  const auto at = [&](std::uint32_t i) {
    return static_cast<std::uint32_t>(std::lower_bound(row_.begin(), row_.end(), i) - row_.begin());
  };
  for (const auto& [a, b] : pairs) pairs_.emplace_back(at(a), at(b));
  std::sort(pairs_.begin(), pairs_.end());
  for (auto& [row, kept_row] : twins_) kept_row = at(kept_row);
  std::sort(twins_.begin(), twins_.end());
}

std::uint32_t CoreRows::twin(std::uint32_t row) const {
  const auto found =
      std::lower_bound(twins_.begin(), twins_.end(), std::pair<std::uint32_t, std::uint32_t>{row, 0U});
  if (found != twins_.end() && found->first == row) return found->second;
  return static_cast<std::uint32_t>(std::lower_bound(row_.begin(), row_.end(), row) - row_.begin());
}

void CoreRows::number_columns() {
  constexpr std::uint32_t none = UINT32_MAX;
  place_.assign(all_.columns, none);
  for (const std::uint32_t i : row_)
    for (std::uint64_t k = all_.start[i]; k < all_.start[i + 1]; ++k) place_[all_.index[k]] = 0;
  for (std::uint32_t j = 0; j < all_.columns; ++j) {
    if (place_[j] == none) continue;
    place_[j] = static_cast<std::uint32_t>(column_.size());
    column_.push_back(j);
  }
}

void CoreRows::find_scales() {
  // The largest entry of every column as mantissa and exponent: whole numbers may be beyond the range of
  // double.
  scale_.assign(columns(), 0.0);
  exponent_.assign(columns(), INT32_MIN);
  std::vector<std::uint64_t> largest(columns(), 0);
  for (std::size_t i = 0; i < rows() && !all_.wide(); ++i) {
    for (std::uint64_t k = begin(i); k < end(i); ++k) {
      std::uint64_t& most = largest[place(k)];
      most = std::max(most, static_cast<std::uint64_t>(std::abs(all_.small[k])));
    }
  }
  for (std::size_t j = 0; j < columns() && !all_.wide(); ++j)
    scale_[j] = std::frexp(static_cast<double>(largest[j]), &exponent_[j]);
  for (std::size_t i = 0; i < rows() && all_.wide(); ++i) {
    for (std::uint64_t k = begin(i); k < end(i); ++k) {
      int e = 0;
      const double m = std::abs(parts(all_, k, e));
      const std::uint32_t j = place(k);
      if (e > exponent_[j] || (e == exponent_[j] && m > scale_[j])) {
        exponent_[j] = e;
        scale_[j] = m;
      }
    }
  }
  for (double& x : scale_) x = x == 0 ? 1 : 1 / x;
  for (int& e : exponent_) e = -e;
}

void CoreRows::make_approximation() {
  std::vector<std::uint32_t> to(columns(), UINT32_MAX);
  const std::size_t width = chosen_.empty() ? columns() : chosen_.size();
  for (std::uint32_t k = 0; k < width; ++k) to[approximated(k)] = k;
  // Both parts of the scale at once; a product with it is exact where ldexp would be.
  std::vector<double> scale(columns());
  for (std::size_t j = 0; j < columns(); ++j) scale[j] = std::ldexp(scale_[j], exponent_[j]);
  const auto scaled = [&](std::uint64_t entry, std::uint32_t j) {
    if (!all_.wide()) return static_cast<double>(all_.small[entry]) * scale[j];
    int e = 0;
    const double m = parts(all_, entry, e);
    return std::ldexp(m * scale_[j], e + exponent_[j]);
  };
  std::uint64_t entries = 0;
  for (std::size_t i = 0; i < rows(); ++i) entries += end(i) - begin(i);
  const bool dense = 2 * entries > rows() * width;
  start_.assign(1, 0);
  index_.clear();
  row_scale_.clear();
  value_.assign(dense ? rows() * width : 0, 0.0);
  if (!dense) index_.reserve(entries);
  if (!dense) value_.reserve(entries);
  for (std::size_t i = 0; i < rows(); ++i) {
    const std::size_t first = dense ? i * width : value_.size();
    double length = 0;
    for (std::uint64_t k = begin(i); k < end(i); ++k) {
      const std::uint32_t j = place(k);
      if (to[j] == UINT32_MAX) continue;
      const double x = scaled(k, j);
      if (x == 0) continue;  // far below the largest entry of its column
      if (dense) {
        value_[first + to[j]] = x;
      } else {
        index_.push_back(to[j]);
        value_.push_back(x);
      }
      length += x * x;
    }
    length = std::sqrt(length);
    const std::size_t last = dense ? first + width : value_.size();
    for (std::size_t k = first; k < last && length > 0; ++k) value_[k] /= length;
    row_scale_.push_back(length > 0 ? 1 / length : 1.0);
    if (!dense) start_.push_back(last);
  }
  if (dense) {
    access_ = RowAccess::of(DenseView<double>{rows(), width, value_.data()});
  } else {
    access_ = RowAccess::of(CsrView<double>{rows(), width, start_.data(), index_.data(), value_.data()});
  }
}

template <class F>
void CoreRows::each_sign(std::span<const mpz_class> weights, const F& f) const {
  std::size_t weight_bits = 0, value_bits = 0;
  for (const mpz_class& w : weights)
    if (w != 0) weight_bits = std::max(weight_bits, mpz_sizeinbase(w.get_mpz_t(), 2));
  for (const int e : exponent_) value_bits = std::max(value_bits, static_cast<std::size_t>(std::max(0, -e)));
  if (!all_.wide() && weight_bits <= 62 && weight_bits + value_bits + 22 <= 125) {
    std::vector<std::int64_t> w(weights.size());
    for (std::size_t j = 0; j < w.size(); ++j) w[j] = weights[j].get_si();
    const std::int64_t* const small = all_.small.data();
    for (std::size_t i = 0; i < rows(); ++i) {
      Int128 sum = 0;
      for (std::uint64_t k = begin(i); k < end(i); ++k) sum += static_cast<Int128>(w[place(k)]) * small[k];
      if (!f(i, (sum > 0) - (sum < 0))) return;
    }
    return;
  }
  mpz_class sum;
  for (std::size_t i = 0; i < rows(); ++i) {
    sum = 0;
    for (std::uint64_t k = begin(i); k < end(i); ++k)
      if (weights[place(k)] != 0) sum += weights[place(k)] * all_.value(k);
    if (!f(i, sgn(sum))) return;
  }
}

std::vector<std::int8_t> CoreRows::signs(std::span<const mpz_class> weights) const {
  std::vector<std::int8_t> out(rows());
  each_sign(weights, [&](std::size_t i, int sign) {
    out[i] = static_cast<std::int8_t>(sign);
    return true;
  });
  return out;
}

bool CoreRows::on_their_side(std::span<const mpz_class> weights, bool strict) const {
  bool good = true;
  each_sign(weights, [&](std::size_t, int sign) { return good = sign > 0 || (sign == 0 && !strict); });
  return good;
}

}  // namespace halfspace::separation
