// SPDX-License-Identifier: BSD-3-Clause
#include "solve/systems/normal_matrix.hpp"

#include <algorithm>
#include <cmath>

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
  const GatheredRows all(team_, rows_, chosen);
  add(all.rows(), all.chosen(), team_.join({d.begin(), d.end()}));
}

void NormalMatrix::add(const RowAccess& rows, std::span<const std::uint32_t> chosen,
                       std::span<const double> d) {
  if (chosen.empty()) return;
  double outer = 0;
  for (const std::uint32_t i : chosen) {
    const auto k = static_cast<double>(rows.entries(i));
    outer += k * k;
  }
  const bool sparse = rows.sparse() && outer * scattered_cost(precise_) < blocked_cost(chosen.size(), n_);
  if (!sparse && precise_) {
    add_dense(rows, chosen, d, precise_blocks_);
    return;
  }
  if (!sparse) {
    add_dense(rows, chosen, d, blocks_);
    return;
  }
  if (chosen.size() < 4096) {
    add_sparse(rows, chosen, d, matrix_.data());
    return;
  }
  second_.assign(matrix_.size(), 0.0);
  const std::size_t half = chosen.size() / 2;
  team_.threads().run(2, [&](std::size_t t) {
    if (t == 0) {
      add_sparse(rows, chosen.subspan(0, half), d.subspan(0, half), matrix_.data());
    } else {
      add_sparse(rows, chosen.subspan(half), d.subspan(half), second_.data());
    }
  });
  for (std::size_t k = 0; k < matrix_.size(); ++k) matrix_[k] += second_[k];
}

void NormalMatrix::add_sparse(const RowAccess& rows, std::span<const std::uint32_t> chosen,
                              std::span<const double> d, double* to) const {
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
                             std::span<const double> d, std::vector<T>& block) {
  constexpr std::size_t depth_limit = panel_depth<T>;
  const std::size_t panels = panels_of(n_);
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
             half % 2 == 0 ? middle : depth_of(b), block.data() + b * panels * panel_size<T>);
      });
      // Task t takes panel t of the lower triangle against all panels up to it; the largest first.
      team_.threads().run(panels, [&](std::size_t task) {
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

// Rows [begin, end) of a block, scaled, into its panels.
template <class T>
void NormalMatrix::fill(const RowAccess& rows, std::span<const std::uint32_t> chosen, std::span<const T> root,
                        std::size_t begin, std::size_t end, T* block) const {
  const std::size_t panels = panels_of(n_);
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
    if (with_offset_)
      block[(features / panel_columns) * panel_size<T> + r * panel_columns + features % panel_columns] =
          root[r];
  }
}

}  // namespace halfspace
