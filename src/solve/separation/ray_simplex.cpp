// SPDX-License-Identifier: BSD-3-Clause
#include "solve/separation/ray_simplex.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/simd/row_loops.hpp"
#include "halfspace/core/random.hpp"

namespace halfspace::separation {
namespace {

// Long lists save pivots, and cost as much as their entries.
std::size_t candidates_for(std::size_t columns, double entries) {
  if (columns <= 60) return 4;
  if (columns <= 400) return 8;
  return static_cast<std::size_t>(std::clamp(4096 / std::max(1.0, entries), 8.0, 32.0));
}

}  // namespace

RaySimplex::RaySimplex(const CoreRows& core, std::vector<double> near, std::uint64_t seed,
                       const Threads& threads)
    : rows_(core.approximate()),
      threads_(threads),
      n_(core.rows()),
      c_(core.approximate().cols()),
      near_(std::move(near)),
      start_lambda_(n_),
      state_(n_, Open),
      weight_(n_, 2.0),
      order_(n_) {
  double entries = 0;
  for (std::size_t i = 0; i < n_; ++i) entries += static_cast<double>(rows_.entries(i));
  candidates_ = candidates_for(c_, entries / static_cast<double>(std::max<std::size_t>(1, n_)));
  Random random(seed, 17);
  for (double& mu : start_lambda_) mu = 1 + random.uniform();
  std::iota(order_.begin(), order_.end(), 0U);
  std::stable_sort(order_.begin(), order_.end(), [&](auto a, auto b) { return near_[a] < near_[b]; });
  reset_basis();
}

void RaySimplex::compute_v(std::uint32_t row, std::vector<double>& v) const {
  std::vector<std::uint32_t> index(c_);
  std::vector<double> value(c_);
  const std::size_t count = rows_.copy_entries(row, index.data(), value.data());
  v.assign(c_, 0.0);
  for (std::size_t k = 0; k < count; ++k) axpy(value[k], m_.data() + index[k] * c_, v.data(), c_);
}

// The row takes position q of the basis.
void RaySimplex::pivot(std::uint32_t row, const std::vector<double>& v, std::size_t q) {
  const double size = v[q];
  for_blocks(threads_, c_, 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) {
      double* const column = m_.data() + j * c_;
      if (column[q] == 0) continue;
      const double g = column[q] / size;
      axpy(-g, v.data(), column, c_);
      column[q] = g;
    }
  });
  if (basis_[q] != unit && state_[basis_[q]] == Basic) state_[basis_[q]] = Open;
  basis_[q] = row;
}

void RaySimplex::compute_weights() {
  w_.assign(c_, 0.0);
  std::vector<double> e(c_);
  for (std::size_t k = 0; k < c_; ++k) e[k] = free_[k] != 0 ? 0 : 1;
  for (std::size_t j = 0; j < c_; ++j) w_[j] = dot(m_.data() + j * c_, e.data(), c_);
}

double RaySimplex::basis_error() const {
  double error = 0;
  for (std::size_t k = 0; k < c_; ++k)
    if (basis_[k] != unit)
      error = std::max(error, std::abs(rows_.dot(basis_[k], w_.data()) - (free_[k] != 0 ? 0.0 : 1.0)));
  return error;
}

// The most violated rows of the working set by (1 - s)^2 / (1 + |v|^2); false: none is violated.
bool RaySimplex::price(std::vector<Candidate>& candidates) {
  std::erase_if(working_, [&](std::uint32_t row) { return state_[row] > Basic; });
  products_.resize(working_.size());
  for_blocks(threads_, working_.size(), 256, [&](std::size_t begin, std::size_t end) {
    rows_.dots(std::span(working_).subspan(begin, end - begin), w_.data(), products_.data() + begin);
  });
  const double tolerance = std::min(0.5, 1e-7 + 1e-11 * std::sqrt(norm2(w_.data(), c_)));
  std::vector<std::pair<double, std::size_t>> violated;
  smallest_ = 1;
  for (std::size_t k = 0; k < working_.size(); ++k) {
    const std::uint32_t row = working_[k];
    if (state_[row] != Open) continue;
    smallest_ = std::min(smallest_, products_[k]);
    const double miss = 1 - products_[k];
    if (miss > tolerance) violated.emplace_back(-miss * miss / weight_[row], k);
  }
  if (violated.empty()) return false;
  const std::size_t count = std::min(candidates_, violated.size());
  std::partial_sort(violated.begin(), violated.begin() + static_cast<std::ptrdiff_t>(count), violated.end());
  candidates.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    candidates[k].row = working_[violated[k].second];
    candidates[k].product = products_[violated[k].second];
  }
  return true;
}

// A full pass; adds the worst rows to the working set. False: no row is violated, or with planes still
// welcome, all rows are on their side.
bool RaySimplex::look_at_all() {
  std::vector<double> products(n_);
  row_products(rows_, w_.data(), products.data(), threads_);
  const double tolerance = std::min(0.5, 1e-7 + 1e-11 * std::sqrt(norm2(w_.data(), c_)));
  std::vector<std::pair<double, std::uint32_t>> violated;
  double smallest = 1;
  for (std::uint32_t i = 0; i < n_; ++i) {
    if (state_[i] != Open) continue;
    smallest = std::min(smallest, products[i]);
    if (1 - products[i] > tolerance) violated.emplace_back(products[i], i);
  }
  if (violated.empty() || (smallest > 0 && !planes_refused_)) return false;
  const std::size_t count = std::min(violated.size(), std::max<std::size_t>(100, 2 * c_));
  std::partial_sort(violated.begin(), violated.begin() + static_cast<std::ptrdiff_t>(count), violated.end());
  for (std::size_t k = 0; k < count; ++k) working_.push_back(violated[k].second);
  std::sort(working_.begin(), working_.end());
  working_.erase(std::unique(working_.begin(), working_.end()), working_.end());
  return true;
}

void RaySimplex::judge(Candidate& candidate) const {
  compute_v(candidate.row, candidate.v);
  double length = 0, largest = 0, most = -1;
  for (std::size_t k = 0; k < c_; ++k) {
    const double x = candidate.v[k];
    largest = std::max(largest, std::abs(x));
    if (free_[k] != 0) continue;
    length += x * x;
    most = std::max(most, x);
  }
  const double miss = 1 - candidate.product;
  candidate.score = miss * miss / (1 + length);
  candidate.ray = most <= pivot_tolerance * std::max(1.0, largest);
  if (candidate.ray)  // a unit vector in the way: the row can take its place
    for (std::size_t k = 0; k < c_; ++k)
      if (basis_[k] == unit && std::abs(candidate.v[k]) > rank_tolerance) candidate.ray = false;
}

// One step of iterative refinement: what the basis does not explain is explained again.
void RaySimplex::refine(std::uint32_t row, std::vector<double>& v) const {
  std::vector<double> rest(c_, 0.0), more(c_, 0.0);
  rows_.axpy(1.0, row, rest.data());
  for (std::size_t k = 0; k < c_; ++k) {
    if (v[k] == 0) continue;
    if (basis_[k] == unit) {
      rest[k] -= v[k];  // position k begins as column k
    } else {
      rows_.axpy(-v[k], basis_[k], rest.data());
    }
  }
  for (std::size_t j = 0; j < c_; ++j)
    if (rest[j] != 0) axpy(rest[j], m_.data() + j * c_, more.data(), c_);
  axpy(1.0, more.data(), v.data(), c_);
}

std::vector<std::uint32_t> RaySimplex::open_working_rows() const {
  std::vector<std::uint32_t> out = working_;
  std::erase_if(out, [&](std::uint32_t row) { return state_[row] != Open; });
  return out;
}

void RaySimplex::close(const std::vector<std::uint32_t>& rows) {
  for (const std::uint32_t row : rows)
    if (state_[row] == Open) state_[row] = Spanned;
}

std::vector<std::uint32_t> RaySimplex::open_rows() const {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < n_; ++i)
    if (state_[i] == Open) out.push_back(i);
  return out;
}

// False: rounding leaves no ray of it.
bool RaySimplex::set_ray(Candidate& candidate) {
  refine(candidate.row, candidate.v);
  entering_ = candidate.row;
  double largest = 1;
  for (const double x : candidate.v) largest = std::max(largest, std::abs(x));
  // A row outside the span of the free rows has a part at another position, however small.
  for (const double tolerance : {pivot_tolerance * largest, 1e-12 * largest}) {
    positive_.clear();
    free_part_.clear();
    positive_weights_.clear();
    free_weights_.clear();
    ray_positions_.clear();
    for (std::size_t k = 0; k < c_; ++k) {
      if (basis_[k] == unit || std::abs(candidate.v[k]) <= tolerance) continue;
      if (free_[k] != 0) {
        free_part_.push_back(basis_[k]);
        free_weights_.push_back(-candidate.v[k]);
      } else {
        positive_.push_back(basis_[k]);
        positive_weights_.push_back(-candidate.v[k]);
        ray_positions_.push_back(k);
      }
    }
    if (!positive_.empty()) break;
    refine(candidate.row, candidate.v);
  }
  return !positive_.empty() &&
         std::all_of(positive_weights_.begin(), positive_weights_.end(), [](double w) { return w > 0; });
}

// One pivot with the row; false: no position can leave.
bool RaySimplex::enter(Candidate& best) {
  const std::vector<double>& v = best.v;
  std::size_t q = c_;
  for (std::size_t k = 0; k < c_; ++k)
    if (basis_[k] == unit && std::abs(v[k]) > rank_tolerance && (q == c_ || std::abs(v[k]) > std::abs(v[q])))
      q = k;
  double step = start_lambda_[best.row];
  if (q == c_) {
    // Harris: among those that leave at nearly the same step, the largest pivot.
    double limit = INFINITY;
    for (std::size_t k = 0; k < c_; ++k)
      if (free_[k] == 0 && v[k] > pivot_tolerance)
        limit = std::min(limit, (lambda_[k] + pivot_tolerance) / v[k]);
    if (limit == INFINITY) return false;
    for (std::size_t k = 0; k < c_; ++k)
      if (free_[k] == 0 && v[k] > pivot_tolerance && lambda_[k] / v[k] <= limit && (q == c_ || v[k] > v[q]))
        q = k;
    step = std::max(0.0, lambda_[q] / v[q]);
    for (std::size_t k = 0; k < c_; ++k)
      if (free_[k] == 0) lambda_[k] = std::max(0.0, lambda_[k] - step * v[k]);
  }
  const double length = 1 + norm2(v.data(), c_);
  if (basis_[q] != unit) weight_[basis_[q]] = std::max(1.0, length / (v[q] * v[q]));
  // w gains what the row misses along row q of M.
  const double gain = (1 - best.product) / v[q];
  for (std::size_t j = 0; j < c_; ++j) w_[j] += gain * m_[j * c_ + q];
  if (free_[q] != 0) free_[q] = 0;  // a unit vector leaves: w_j was 0, and the row is met exactly
  pivot(best.row, v, q);
  lambda_[q] = step;
  state_[best.row] = Basic;
  ++pivots_;
  ++stage_pivots_;
  return true;
}

RaySimplex::Event RaySimplex::run() {
  const std::uint64_t limit = 2000 + 40 * c_;
  std::vector<Candidate> candidates;
  while (true) {
    threads_.check();
    if (stage_pivots_ > limit) return Event::Stalled;
    if (pivots_ % 64 == 63 && basis_error() > 1e-6) refactor();
    const bool found = price(candidates);
    if (!found || (smallest_ > 0 && !planes_refused_)) {
      if (accepted_) {
        accepted_ = false;
        return Event::Look;
      }
      if (basis_error() > 1e-9) refactor();
      if (!look_at_all()) {
        const bool open =
            std::any_of(state_.begin(), state_.end(), [](char s) { return s == Open || s == Basic; });
        return open ? Event::Plane : Event::Spanned;
      }
      continue;
    }
    threads_.run(candidates.size(), [&](std::size_t k) { judge(candidates[k]); });
    Candidate* best = nullptr;
    bool changed = false;
    for (Candidate& candidate : candidates) {
      weight_[candidate.row] = 1 + norm2(candidate.v.data(), c_);
      if (candidate.ray) {
        if (set_ray(candidate)) return Event::Ray;
        state_[candidate.row] = Banned;  // too near for floating point; planes are judged with it
        changed = true;
        continue;
      }
      if (best == nullptr || candidate.score > best->score) best = &candidate;
    }
    if (best != nullptr && !changed && !enter(*best)) {
      refactor();
      ++stage_pivots_;
    }
  }
}

void RaySimplex::accept_ray() {
  state_[entering_] = Fixed;
  for (const std::size_t k : ray_positions_) {
    free_[k] = 1;
    lambda_[k] = 0;
    state_[basis_[k]] = Fixed;
  }
  stage_pivots_ = 0;
  planes_refused_ = false;
  accepted_ = true;
  compute_weights();
  if (basis_error() > 1e-8) refactor();
}

void RaySimplex::reject() {
  planes_refused_ = true;
  stage_pivots_ += 200;
  refactor();
}

std::vector<std::uint32_t> RaySimplex::basis_rows() const {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t row : basis_)
    if (row != unit) out.push_back(row);
  return out;
}

}  // namespace halfspace::separation
