// SPDX-License-Identifier: BSD-3-Clause
#include "solve/separation/core_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace halfspace::separation {
namespace {

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32U;
  x *= 0xD6E8FEB86659FD93ULL;
  x ^= x >> 32U;
  return x;
}

// mantissa in [1/2, 1) and exponent of an entry.
double parts(const IntegerRows& rows, std::uint64_t entry, int& exponent) {
  if (!rows.is_large(entry)) return std::frexp(static_cast<double>(rows.small(entry)), &exponent);
  long e = 0;
  const double mantissa = mpz_get_d_2exp(&e, rows.large_at(entry).get_mpz_t());
  exponent = static_cast<int>(e);
  return mantissa;
}

}  // namespace

CoreRows::CoreRows(const IntegerRows& all, std::span<const std::uint32_t> rows, const Threads& threads)
    : all_(all), threads_(threads) {
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
    if (all_.is_large(p) != all_.is_large(q)) return false;
    if (all_.is_large(p) ? all_.large_at(p) != factor * all_.large_at(q)
                         : all_.small(p) != factor * all_.small(q))
      return false;
  }
  return true;
}

void CoreRows::find_distinct(std::span<const std::uint32_t> rows) {
  struct Key {
    std::uint64_t hash;
    std::uint32_t row;
  };
  std::vector<Key> keys(rows.size());
  for_blocks(threads_, rows.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      const std::uint32_t i = rows[r];
      std::uint64_t h = 0;
      // Rows that differ by their class alone have the same key: the first entry counts as positive.
      int factor = 0;
      for (std::uint64_t k = all_.start[i]; k < all_.start[i + 1]; ++k) {
        const int sign = all_.sign(k);
        if (factor == 0) factor = sign;
        const std::uint64_t size = all_.is_large(k) ? mpz_get_ui(all_.large_at(k).get_mpz_t())
                                                    : static_cast<std::uint64_t>(std::abs(all_.small(k)));
        const std::uint64_t value = sign == factor ? size : ~size;
        h = mix(h + ((value * 0x9E3779B97F4A7C15ULL) ^ all_.index[k]));
      }
      keys[r] = {h, i};
    }
  });
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
  const auto slices = static_cast<std::size_t>(threads_.count());
  std::vector<std::vector<std::uint64_t>> largest(slices, std::vector<std::uint64_t>(columns(), 0));
  threads_.run(slices, [&](std::size_t s) {
    for (std::size_t i = rows() * s / slices; i < rows() * (s + 1) / slices; ++i) {
      for (std::uint64_t k = begin(i); k < end(i); ++k) {
        if (all_.is_large(k)) continue;
        std::uint64_t& most = largest[s][place(k)];
        most = std::max(most, static_cast<std::uint64_t>(std::abs(all_.small(k))));
      }
    }
  });
  for (std::size_t j = 0; j < columns(); ++j) {
    for (const std::vector<std::uint64_t>& slice : largest) largest[0][j] = std::max(largest[0][j], slice[j]);
    if (largest[0][j] > 0) scale_[j] = std::frexp(static_cast<double>(largest[0][j]), &exponent_[j]);
  }
  for (std::size_t i = 0; i < rows() && all_.wide(); ++i) {
    for (std::uint64_t k = begin(i); k < end(i); ++k) {
      if (!all_.is_large(k)) continue;
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
    if (!all_.is_large(entry) && std::isnormal(scale[j]))
      return static_cast<double>(all_.small(entry)) * scale[j];
    int e = 0;
    const double m = parts(all_, entry, e);
    return std::ldexp(m * scale_[j], e + exponent_[j]);
  };
  // f(column, x) for the entries of the approximation; far below the largest of its column x is zero.
  const auto each_entry = [&](std::size_t i, const auto& f) {
    for (std::uint64_t k = begin(i); k < end(i); ++k) {
      const std::uint32_t j = place(k);
      if (to[j] == UINT32_MAX) continue;
      if (const double x = scaled(k, j); x != 0) f(to[j], x);
    }
  };
  const auto each_row = [&](const auto& f) {
    for_blocks(threads_, rows(), 256, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) f(i);
    });
  };
  start_.assign(rows() + 1, 0);
  const bool all_entries = chosen_.empty() && !all_.wide();
  each_row([&](std::size_t i) {
    if (all_entries) start_[i + 1] = end(i) - begin(i);
    if (!all_entries) each_entry(i, [&](std::uint32_t, double) { ++start_[i + 1]; });
  });
  std::partial_sum(start_.begin(), start_.end(), start_.begin());
  const std::uint64_t entries = start_.back();
  const bool dense = 2 * entries > rows() * width;
  row_scale_.assign(rows(), 1.0);
  value_ = Pages<double>(dense ? rows() * width : entries, true);
  index_ = Pages<std::uint32_t>(dense ? 0 : entries, true);
  each_row([&](std::size_t i) {
    const std::size_t first = dense ? i * width : start_[i];
    const std::size_t last = dense ? first + width : start_[i + 1];
    if (dense) std::fill(value_.get() + first, value_.get() + last, 0.0);
    double length = 0;
    std::size_t at = first;
    each_entry(i, [&](std::uint32_t j, double x) {
      if (!dense) index_[at] = j;
      value_[dense ? first + j : at++] = x;
      length += x * x;
    });
    length = std::sqrt(length);
    if (!(length > 0)) return;
    row_scale_[i] = 1 / length;
    for (std::size_t k = first; k < last; ++k) value_[k] /= length;
  });
  if (dense) {
    access_ = RowAccess::of(DenseView<double>{rows(), width, value_.get()});
  } else {
    access_ = RowAccess::of(CsrView<double>{rows(), width, start_.data(), index_.get(), value_.get()});
  }
}

}  // namespace halfspace::separation
