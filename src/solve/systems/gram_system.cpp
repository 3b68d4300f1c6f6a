// SPDX-License-Identifier: BSD-3-Clause
#include "solve/systems/gram_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/row_sums.hpp"
#include "core/simd/row_loops.hpp"

namespace halfspace {

GramSystem::GramSystem(const RowAccess& rows, Offset offset, std::span<const std::uint32_t> ids,
                       const Goal& goal)
    : gathered_(goal.team, rows, ids),
      rows_(gathered_.rows()),
      offset_(offset),
      ids_(gathered_.chosen()),
      goal_(goal),
      n_(ids_.size()),
      d_(rows.cols()) {}

// A row is spread out over all features and multiplied with those before it.
bool GramSystem::form() {
  constexpr std::size_t some = 8, tasks = 4;  // rows of a task, and tasks between two looks at the clock
  if (gram_.empty()) gram_.assign(n_ * n_, 0.0);
  std::vector<std::vector<double>> spread(tasks);
  while (formed_ < n_) {
    goal_.team.threads().run(tasks, [&](std::size_t task) {
      std::vector<double>& row = spread[task];
      row.resize(d_, 0.0);
      const std::size_t begin = formed_ + task * some;
      for (std::size_t k = begin; k < std::min(n_, begin + some); ++k) {
        rows_.axpy(1, ids_[k], row.data());
        rows_.dots(ids_.subspan(0, k + 1), row.data(), gram_.data() + k * n_);
        rows_.axpy(-1, ids_[k], row.data());  // zero again, exactly
      }
    });
    formed_ = std::min(n_, formed_ + some * tasks);
    Stop why = Stop::Converged;
    if (!goal_.go_on({std::numeric_limits<double>::quiet_NaN(), 0, std::nan(""), "newton"}, why))
      return false;
  }
  return true;
}

bool GramSystem::factor(std::span<const double> root) {
  const double constant = offset_ == Offset::Lifted ? 1.0 : 0.0;
  std::vector<double> b = cholesky_.release();
  b.assign(n_ * n_, 0.0);
  for (std::size_t k = 0; k < n_; ++k) {
    for (std::size_t l = 0; l <= k; ++l) b[k * n_ + l] = root[k] * root[l] * (gram_[k * n_ + l] + constant);
    b[k * n_ + k] += 1;
  }
  return cholesky_.factor(std::move(b), n_, 0, goal_.team.threads());
}

bool GramSystem::solve(std::span<const double> g, std::span<const double> h, std::vector<double>& s) {
  if (goal_.team.alone()) return solve_all(g, h, s);
  return solve_all(g, goal_.team.join({h.begin(), h.end()}), s);
}

bool GramSystem::solve_all(std::span<const double> g, std::span<const double> h, std::vector<double>& s) {
  if (!form()) return false;
  std::vector<double> root(n_), u(n_), v;
  for (std::size_t k = 0; k < n_; ++k) root[k] = std::sqrt(std::max(0.0, h[k]));
  if (!factor(root)) return false;
  for_blocks(goal_.team.threads(), n_, row_block, [&](std::size_t begin, std::size_t end) {
    rows_.dots(ids_.subspan(begin, end - begin), g.data(), u.data() + begin);
  });
  const double shift = offset_ == Offset::Lifted ? g[d_] : 0.0;
  for (std::size_t k = 0; k < n_; ++k) u[k] = root[k] * (u[k] + shift);
  cholesky_.solve(u.data());
  double s0 = 0;
  if (offset_ == Offset::Free) {
    v = root;
    cholesky_.solve(v.data());
    const double pivot = dot(root.data(), v.data(), n_);
    if (pivot > 0) s0 = (dot(root.data(), u.data(), n_) - g[d_]) / pivot;
    axpy(-s0, v.data(), u.data(), n_);
  }
  for (std::size_t k = 0; k < n_; ++k) u[k] *= root[k];
  for (std::size_t j = 0; j < d_; ++j) s[j] = -g[j];
  add_list(goal_.team.threads(), {0, n_, n_}, d_, s.data(), part_,
           [&](std::size_t begin, std::size_t end, double* to) {
             rows_.axpys(ids_.subspan(begin, end - begin), u.data() + begin, to);
           });
  if (offset_ == Offset::Lifted) s0 = std::accumulate(u.begin(), u.end(), 0.0) - g[d_];
  s[d_] = s0;
  return std::all_of(s.begin(), s.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace halfspace
