// SPDX-License-Identifier: BSD-3-Clause
#include "solve/normal_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "core/dense.hpp"

namespace halfspace {
namespace {

constexpr std::size_t block_rows = 512;
constexpr std::size_t panel = 24;  // columns of G per task

}  // namespace

NormalMatrix::NormalMatrix(const RowAccess& rows, bool with_offset, const Threads& threads)
    : rows_(rows),
      threads_(threads),
      with_offset_(with_offset),
      n_(rows.cols() + (with_offset ? 1 : 0)),
      matrix_(n_ * n_, 0.0) {}

void NormalMatrix::clear() { std::fill(matrix_.begin(), matrix_.end(), 0.0); }

void NormalMatrix::add(std::span<const std::uint32_t> chosen, std::span<const double> d) {
  if (chosen.empty()) return;
  double outer = 0;
  for (const std::uint32_t i : chosen) {
    const auto k = static_cast<double>(rows_.entries(i));
    outer += k * k;
  }
  // A scattered update costs about thirty times a blocked one.
  const auto n = static_cast<double>(n_);
  const bool sparse = rows_.sparse() && outer * 30 < static_cast<double>(chosen.size()) * n * n;
  if (!sparse) {
    add_dense(chosen, d);
    return;
  }
  if (chosen.size() < 4096) {
    add_sparse(chosen, d, matrix_.data());
    return;
  }
  second_.assign(matrix_.size(), 0.0);
  const std::size_t half = chosen.size() / 2;
  threads_.run(2, [&](std::size_t t) {
    if (t == 0) {
      add_sparse(chosen.subspan(0, half), d.subspan(0, half), matrix_.data());
    } else {
      add_sparse(chosen.subspan(half), d.subspan(half), second_.data());
    }
  });
  for (std::size_t k = 0; k < matrix_.size(); ++k) matrix_[k] += second_[k];
}

void NormalMatrix::add_sparse(std::span<const std::uint32_t> chosen, std::span<const double> d, double* to) {
  std::vector<std::uint32_t> index(n_);
  std::vector<double> value(n_);
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    if (d[k] == 0) continue;
    std::size_t entries = rows_.copy_entries(chosen[k], index.data(), value.data());
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

void NormalMatrix::add_dense(std::span<const std::uint32_t> chosen, std::span<const double> d) {
  block_.assign(n_ * block_rows, 0.0F);
  // Rows that enter and rows that leave go into different blocks, because their square roots are taken.
  for (const double sign : {1.0, -1.0}) {
    std::vector<std::uint32_t> taken;
    std::vector<float> root;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      if (d[k] * sign > 0) {
        taken.push_back(chosen[k]);
        root.push_back(static_cast<float>(std::sqrt(std::abs(d[k]))));
      }
    }
    for (std::size_t from = 0; from < taken.size(); from += block_rows) {
      const std::size_t depth = std::min(block_rows, taken.size() - from);
      const std::size_t groups = (depth + 63) / 64;
      threads_.run(groups, [&](std::size_t g) {
        std::vector<float> row(n_);
        for (std::size_t r = g * 64; r < std::min(depth, (g + 1) * 64); ++r) {
          rows_.expand(taken[from + r], root[from + r], row.data());
          if (with_offset_) row[n_ - 1] = root[from + r];
          for (std::size_t j = 0; j < n_; ++j) block_[j * block_rows + r] = row[j];
        }
      });
      const std::size_t panels = (n_ + panel - 1) / panel;
      // Task t takes panel t of the lower triangle: rows [begin, end) against all columns up to end.
      threads_.run(panels, [&](std::size_t task) {
        const std::size_t t = panels - 1 - task;  // the largest first
        const std::size_t begin = t * panel;
        const std::size_t end = std::min(n_, begin + panel);
        double* to = matrix_.data() + begin * n_;
        if (sign > 0) {
          add_products(block_.data() + begin * block_rows, end - begin, block_.data(), end, depth, block_rows,
                       to, n_);
        } else {
          std::vector<double> part((end - begin) * end, 0.0);
          add_products(block_.data() + begin * block_rows, end - begin, block_.data(), end, depth, block_rows,
                       part.data(), end);
          for (std::size_t i = 0; i < end - begin; ++i)
            for (std::size_t j = 0; j < end; ++j) to[i * n_ + j] -= part[i * end + j];
        }
      });
    }
  }
}

}  // namespace halfspace
