// SPDX-License-Identifier: BSD-3-Clause
#include "solve/systems/normal_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/simd/dense.hpp"
#include "solve/systems/gathered_rows.hpp"

namespace halfspace {
namespace {

constexpr std::size_t panels_of(std::size_t columns) { return (columns + panel_columns - 1) / panel_columns; }
template <class T>
constexpr std::size_t panel_size = panel_columns* panel_depth<T>;

}  // namespace

NormalMatrix::NormalMatrix(const RowAccess& rows, bool with_offset, bool precise, const Team& team)
    : rows_(rows),
      team_(team),
      precise_(precise),
      with_offset_(with_offset),
      n_(rows.cols() + (with_offset ? 1 : 0)),
      matrix_(n_ * n_, 0.0) {}

void NormalMatrix::clear() { std::fill(matrix_.begin(), matrix_.end(), 0.0); }

void NormalMatrix::add(std::span<const std::uint32_t> chosen, std::span<const double> d) {
  if (team_.alone()) return add(rows_, chosen, d);
  const GatheredRows all(team_, rows_, chosen, d);
  add(all.rows(), all.chosen(), all.weight());
}

void NormalMatrix::add(const RowAccess& rows, std::span<const std::uint32_t> chosen,
                       std::span<const double> d) {
  if (chosen.empty()) return;
  double outer = 0;
  for (const std::uint32_t i : chosen) {
    const auto k = static_cast<double>(rows.entries(i));
    outer += k * k;
  }
  const bool scattered = rows.sparse() && outer * scattered_cost(precise_) < blocked_cost(chosen.size(), n_);
  const std::vector<std::size_t> ends = shares(rows, chosen, scattered, outer);
  Share mine{0, n_};
  if (!ends.empty()) {
    const std::size_t m = team_.number();
    mine = {m == 0 ? 0 : ends[m - 1], ends[m]};
  }
  if (scattered) {
    add_scattered(rows, chosen, d, mine);
  } else if (precise_) {
    add_dense(rows, chosen, d, mine, precise_blocks_);
  } else {
    add_dense(rows, chosen, d, mine, blocks_);
  }
  if (!ends.empty()) give_share(ends);
}

// Where the rows of G end that each member forms; nothing where each of them forms all, because that takes no longer than
// sending half of G around. The same on all members, which have the same rows.
std::vector<std::size_t> NormalMatrix::shares(const RowAccess& rows, std::span<const std::uint32_t> chosen,
                                              bool scattered, double outer) const {
  // A number that is sent takes as long as so many blocked products: 6 ns.
  constexpr double sent = 400;
  const auto n = static_cast<double>(n_), members = static_cast<double>(team_.count());
  const double work = scattered ? outer * scattered_cost(precise_) : blocked_cost(chosen.size(), n_);
  if (team_.alone() || work * (1 - 1 / members) < sent * n * n / 2) return {};
  // What a row of G, or a panel of them, takes.
  const std::size_t unit = scattered ? 1 : panel_columns;
  std::vector<double> cost((n_ + unit - 1) / unit, 0.0);
  if (scattered) {
    std::vector<std::uint32_t> index(n_);
    std::vector<double> value(n_);
    for (const std::uint32_t i : chosen) {
      const std::size_t entries = rows.copy_entries(i, index.data(), value.data());
      for (std::size_t a = 0; a < entries; ++a) cost[index[a]] += static_cast<double>(a + 1);
      if (with_offset_) cost.back() += static_cast<double>(entries + 1);
    }
  } else {
    for (std::size_t p = 0; p < cost.size(); ++p) cost[p] = static_cast<double>(p + 1);
  }
  double all = 0, sum = 0;
  for (const double c : cost) all += c;
  std::vector<std::size_t> ends;
  for (std::size_t u = 0; u < cost.size(); ++u) {
    // A unit goes to the member in whose part its middle lies.
    while (sum + cost[u] / 2 > all * static_cast<double>(ends.size() + 1) / members) ends.push_back(u * unit);
    sum += cost[u];
  }
  ends.resize(team_.count(), n_);
  ends.back() = n_;
  return ends;
}

void NormalMatrix::give_share(const std::vector<std::size_t>& ends) {
  const auto triangle = [](std::size_t rows) { return rows * (rows + 1) / 2; };
  const auto begin_of = [&](std::size_t m) { return m == 0 ? 0 : ends[m - 1]; };
  const std::size_t me = team_.number();
  std::vector<double> mine;
  mine.reserve(triangle(ends[me]) - triangle(begin_of(me)));
  for (std::size_t i = begin_of(me); i < ends[me]; ++i) {
    const auto row = matrix_.begin() + static_cast<std::ptrdiff_t>(i * n_);
    mine.insert(mine.end(), row, row + static_cast<std::ptrdiff_t>(i + 1));
  }
  const std::vector<Members::Bytes> all = team_.gather(std::as_bytes(std::span(mine)));
  for (std::size_t m = 0; m < all.size(); ++m) {
    if (m == me) continue;
    const std::byte* from = all[m].data();
    for (std::size_t i = begin_of(m); i < ends[m]; ++i) {
      std::memcpy(matrix_.data() + i * n_, from, (i + 1) * sizeof(double));
      from += (i + 1) * sizeof(double);
    }
  }
}

void NormalMatrix::add_scattered(const RowAccess& rows, std::span<const std::uint32_t> chosen,
                                 std::span<const double> d, Share share) {
  if (chosen.size() < 4096) {
    add_sparse(rows, chosen, d, share, matrix_.data());
    return;
  }
  second_.assign(matrix_.size(), 0.0);
  const std::size_t half = chosen.size() / 2;
  team_.threads().run(2, [&](std::size_t t) {
    if (t == 0) {
      add_sparse(rows, chosen.subspan(0, half), d.subspan(0, half), share, matrix_.data());
    } else {
      add_sparse(rows, chosen.subspan(half), d.subspan(half), share, second_.data());
    }
  });
  for (std::size_t k = share.begin * n_; k < share.end * n_; ++k) matrix_[k] += second_[k];
}

void NormalMatrix::add_sparse(const RowAccess& rows, std::span<const std::uint32_t> chosen,
                              std::span<const double> d, Share share, double* to) const {
  std::vector<std::uint32_t> index(n_);
  std::vector<double> value(n_);
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    if (d[k] == 0) continue;
    std::size_t entries = rows.copy_entries(chosen[k], index.data(), value.data());
    if (with_offset_) {
      index[entries] = static_cast<std::uint32_t>(n_ - 1);
      value[entries] = 1;
      ++entries;
    }
    for (std::size_t a = 0; a < entries; ++a) {
      if (index[a] < share.begin) continue;
      if (index[a] >= share.end) break;
      double* row = to + static_cast<std::size_t>(index[a]) * n_;
      const double scaled = d[k] * value[a];
      for (std::size_t b = 0; b <= a; ++b) row[index[b]] += scaled * value[b];
    }
  }
}

// Rows of one block go into panels of columns; rows that enter and rows that leave into different blocks,
// because their square roots are taken.
template <class T>
void NormalMatrix::add_dense(const RowAccess& rows, std::span<const std::uint32_t> chosen,
                             std::span<const double> d, Share share, std::vector<T>& block) {
  if (share.begin == share.end) return;
  constexpr std::size_t depth_limit = panel_depth<T>;
  const std::size_t first_panel = share.begin / panel_columns, panels = panels_of(share.end);
  constexpr std::size_t blocks = 4;  // filled at once, so that threads have enough to do
  block.resize(blocks * panels * panel_size<T>);
  std::vector<std::uint32_t> taken;
  std::vector<T> root;
  for (const double sign : {1.0, -1.0}) {
    taken.clear();
    root.clear();
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      if (d[k] * sign > 0) {
        taken.push_back(chosen[k]);
        root.push_back(static_cast<T>(std::sqrt(std::abs(d[k]))));
      }
    }
    for (std::size_t from = 0; from < taken.size(); from += blocks * depth_limit) {
      const std::size_t here = std::min(blocks * depth_limit, taken.size() - from);
      const std::size_t filled = (here + depth_limit - 1) / depth_limit;
      const auto depth_of = [&](std::size_t b) { return std::min(depth_limit, here - b * depth_limit); };
      team_.threads().run(filled * 2, [&](std::size_t half) {
        const std::size_t b = half / 2;
        const std::size_t middle = depth_of(b) / 2;
        const std::size_t first = half % 2 == 0 ? 0 : middle;
        fill(rows, std::span<const std::uint32_t>(taken).subspan(from + b * depth_limit),
             std::span<const T>(root).subspan(from + b * depth_limit), first,
             half % 2 == 0 ? middle : depth_of(b), panels, block.data() + b * panels * panel_size<T>);
      });
      // Task t takes panel t of the lower triangle against all panels up to it; the largest first.
      team_.threads().run(panels - first_panel, [&](std::size_t task) {
        const std::size_t t = panels - 1 - task;
        const std::size_t height = std::min(panel_columns, n_ - t * panel_columns);
        for (std::size_t q = 0; q <= t; ++q) {
          const std::size_t width = std::min(panel_columns, n_ - q * panel_columns);
          double* to = matrix_.data() + t * panel_columns * n_ + q * panel_columns;
          for (std::size_t b = 0; b < filled; ++b) {
            const T* panel = block.data() + b * panels * panel_size<T>;
            add_panels(panel + t * panel_size<T>, panel + q * panel_size<T>, depth_of(b), sign, height, width,
                       to, n_);
          }
        }
      });
    }
  }
}

// Rows [begin, end) of a block, scaled, into its first panels.
template <class T>
void NormalMatrix::fill(const RowAccess& rows, std::span<const std::uint32_t> chosen, std::span<const T> root,
                        std::size_t begin, std::size_t end, std::size_t panels, T* block) const {
  const std::size_t features = rows.cols();
  std::vector<T> row(features);
  for (std::size_t r = begin; r < end; ++r) {
    rows.expand(chosen[r], root[r], row.data());
    for (std::size_t q = 0; q < panels; ++q) {
      const std::size_t first = q * panel_columns;
      T* to = block + q * panel_size<T> + r * panel_columns;
      const std::size_t count = first < features ? std::min(panel_columns, features - first) : 0;
      std::copy_n(row.data() + first, count, to);
      std::fill(to + count, to + panel_columns, T{0});
    }
    if (with_offset_ && features / panel_columns < panels)
      block[(features / panel_columns) * panel_size<T> + r * panel_columns + features % panel_columns] =
          root[r];
  }
}

}  // namespace halfspace
