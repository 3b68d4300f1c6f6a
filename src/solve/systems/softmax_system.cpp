// SPDX-License-Identifier: BSD-3-Clause
#include "solve/systems/softmax_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "core/row_sums.hpp"
#include "core/simd/row_loops.hpp"
#include "solve/systems/curved_rows.hpp"
#include "solve/systems/plane_sums.hpp"

namespace halfspace {
namespace {

constexpr std::size_t common_factor_limit = 2000;
constexpr int most_iterations = 500, fresh_iterations = 3;
constexpr std::size_t vector_block = 1U << 15U;

void add_multiple(const Threads& threads, double a, const std::vector<double>& x, std::vector<double>& y) {
  for_blocks(threads, x.size(), vector_block, [&](std::size_t begin, std::size_t end) {
    axpy(a, x.data() + begin, y.data() + begin, end - begin);
  });
}

}  // namespace

SoftmaxSystem::SoftmaxSystem(const RowAccess& rows, Offset offset, std::size_t planes, std::size_t stride,
                             std::span<const std::uint32_t> ids, const Goal& goal)
    : rows_(rows),
      offset_(offset),
      planes_(planes),
      stride_(stride),
      d_(rows.cols()),
      ids_(ids),
      goal_(goal) {
  for (auto* v : {&residual_, &scaled_, &product_, &direction_}) v->assign(values(), 0.0);
}

void SoftmaxSystem::take(std::span<const double> cost, std::span<const double> p, double thin,
                         std::uint64_t step) {
  p_ = p.data();
  std::vector<double> h(ids_.size());
  for (std::size_t k = 0; k < ids_.size(); ++k) {
    // Not 1 - sum p^2, which near 1 is rounding.
    const double* q = p_ + k * stride_;
    double sum = 0;
    for (std::size_t c = 0; c < planes_; ++c) sum += q[c] * (1 - q[c]);
    h[k] = cost[k] * sum / static_cast<double>(planes_ - 1);
  }
  CurvedRows curved = curved_rows(goal_.team, h, pairs_ ? 0.0 : thin, step);
  place_ = std::move(curved.place);
  curvature_ = std::move(curved.weight);
  chosen_.resize(place_.size());
  weight_.resize(place_.size());
  double entries = 0;
  for (std::size_t r = 0; r < place_.size(); ++r) {
    const std::uint32_t k = place_[r];
    chosen_[r] = ids_[k];
    weight_[r] = cost[k] * (curvature_[r] / h[k]);
  }
  struct Sizes {  // whole numbers
    double entries = 0, rows = 0;
  } sizes;
  const Stretch all = goal_.team.stretch(ids_.size());
  const std::size_t every = std::max<std::size_t>(1, all.total / 256);
  add_in_turn(goal_.team, sizes, [&](Sizes& to) {
    for (std::size_t k = all.first_of(every); k < ids_.size(); k += every, ++to.rows)
      to.entries += static_cast<double>(rows_.entries(ids_[k]) + 1);
  });
  entries = sizes.entries / std::max(1.0, sizes.rows);
  entries_ = entries;
  double sum = 0;
  add_in_turn(goal_.team, sum,
              [&](double& to) { to = std::accumulate(curvature_.begin(), curvature_.end(), to); });
  offset_scale_ = offset_ == Offset::Lifted ? 1 + sum : std::max(sum, 1e-300);
}

double SoftmaxSystem::dot_all(const std::vector<double>& a, const std::vector<double>& b) const {
  return sum_blocks(goal_.team.threads(), a.size(), vector_block, 0.0,
                    [&](std::size_t begin, std::size_t end) {
                      return dot(a.data() + begin, b.data() + begin, end - begin);
                    });
}

template <class T>
void SoftmaxSystem::multiply_in(const std::vector<double>& v, std::vector<double>& out) {
  out = v;
  if (offset_ != Offset::Lifted) std::fill(out.end() - static_cast<std::ptrdiff_t>(stride_), out.end(), 0.0);
  const T* from;
  std::vector<AlignedVector<T>>* part;
  if constexpr (std::is_same_v<T, float>) {
    short_v_.assign(v.begin(), v.end());
    from = short_v_.data();
    part = &short_part_;
  } else {
    from = v.data();
    part = &part_;
  }
  PlaneSums sums(rows_, chosen_, offset_ != Offset::None, stride_, goal_.team);
  const Stretch list = sums.list();
  slice_sums(goal_.team, list, slices_of(list.total, values(), 512), values(), *part,
             [&](std::size_t begin, std::size_t end, T* to) {
               AlignedVector<T> a(stride_);
               sums.for_rows(begin, end, [&](std::size_t r, const Entries& row) {
                 planes_dot(row, from, stride_, a.data());
                 const double* p = p_ + place_[r] * stride_;
                 double mean = 0;
                 for (std::size_t c = 0; c < stride_; ++c) mean += p[c] * static_cast<double>(a[c]);
                 // Numbers so small that they have lost digits take a processor a hundred times as long.
                 constexpr double least = 1e-30;
                 for (std::size_t c = 0; c < stride_; ++c) {
                   const double to_class = weight_[r] * p[c] * (static_cast<double>(a[c]) - mean);
                   a[c] = std::abs(to_class) > least ? static_cast<T>(to_class) : T{0};
                 }
                 planes_add(row, a.data(), to, stride_);
               });
             });
  add_parts(goal_.team.threads(), *part, values(), out.data());
}

void SoftmaxSystem::multiply(const std::vector<double>& v, std::vector<double>& out) {
  if (precise_)
    multiply_in<double>(v, out);
  else
    multiply_in<float>(v, out);
}

// In products with H: a number of a product, gathered, takes as long as about five multiplications in blocks.
double SoftmaxSystem::pair_cost() const {
  const auto rows = static_cast<double>(goal_.team.stretch(ids_.size()).total);
  const PairMatrix shape(rows_, offset_, planes_, goal_.team);
  return shape.cost(static_cast<std::size_t>(rows)) /
         (5 * 2 * rows * entries_ * static_cast<double>(stride_));
}

void SoftmaxSystem::prepare() {
  const std::size_t unknowns = planes_ * (d_ + 1);
  if (last_iterations_ >= 0) waste_ += std::max(0, last_iterations_ - fresh_iterations);
  if (unknowns <= PairMatrix::most_unknowns && waste_ > pair_cost()) {
    if (!pairs_) pairs_ = new_pairs();
    common_.reset();
    precise_ = true;
    waste_ = 0;
    std::vector<double> p(place_.size() * stride_);
    for (std::size_t r = 0; r < place_.size(); ++r)
      std::copy_n(p_ + place_[r] * stride_, stride_, p.data() + r * stride_);
    pairs_->form(chosen_, weight_, p.data(), stride_);
    return;
  }
  if (!pairs_ && (last_iterations_ < 0 || last_iterations_ >= 8)) prepare_common();
}

void SoftmaxSystem::prepare_common() {
  if (d_ > common_factor_limit) return;
  if (!common_) common_ = new_common();
  const Stretch list = goal_.team.stretch(chosen_.size());
  const std::size_t wanted = std::max(10 * d_, list.total / 5);
  const std::size_t every = std::max<std::size_t>(1, list.total / wanted);
  std::vector<std::uint32_t> some;
  std::vector<double> weight;
  struct Sums {
    double taken = 0, all = 0;
  } sums;
  add_in_turn(goal_.team, sums, [&](Sums& to) {
    const std::size_t first = list.first_of(every);
    for (std::size_t r = 0; r < chosen_.size(); ++r) {
      to.all += curvature_[r];
      if (r < first || (r - first) % every != 0) continue;
      some.push_back(chosen_[r]);
      weight.push_back(curvature_[r]);
      to.taken += curvature_[r];
    }
  });
  if (sums.taken > 0)
    for (double& w : weight) w *= sums.all / sums.taken;
  common_->form(some, weight);
  common_->factor();
}

void SoftmaxSystem::precondition() {
  if (pairs_) return pairs_->solve(residual_, scaled_, stride_);
  if (!common_) {
    scaled_ = residual_;
    for (std::size_t c = 0; c < stride_; ++c) scaled_[d_ * stride_ + c] /= offset_scale_;
    return;
  }
  goal_.team.threads().run(planes_, [&](std::size_t c) {
    std::vector<double> x(d_ + 1);
    for (std::size_t j = 0; j <= d_; ++j) x[j] = residual_[j * stride_ + c];
    common_->solve(x);
    if (offset_ == Offset::None) x[d_] = 0;
    for (std::size_t j = 0; j <= d_; ++j) scaled_[j * stride_ + c] = x[j];
  });
}

int SoftmaxSystem::iterate(double rho_enough, double enough, std::uint64_t step, std::vector<double>& s) {
  const Threads& threads = goal_.team.threads();
  precondition();
  direction_ = scaled_;
  double rho = dot_all(residual_, scaled_);
  rho_enough *= rho;
  Stop why = Stop::Converged;
  int iterations = 0;
  for (; iterations < most_iterations; ++iterations) {
    if (rho <= rho_enough || std::sqrt(dot_all(residual_, residual_)) <= enough) break;
    // A product takes long when there are many classes.
    if (!goal_.go_on({std::nan(""), step, std::nan(""), "softmax"}, why)) break;
    multiply(direction_, product_);
    const double curvature = dot_all(direction_, product_);
    if (!(curvature > 0)) break;
    const double length = rho / curvature;
    add_multiple(threads, length, direction_, s);
    add_multiple(threads, -length, product_, residual_);
    precondition();
    const double next = dot_all(residual_, scaled_);
    const double beta = next / rho;
    rho = next;
    for_blocks(threads, values(), vector_block, [&](std::size_t begin, std::size_t end) {
      for (std::size_t j = begin; j < end; ++j) direction_[j] = scaled_[j] + beta * direction_[j];
    });
  }
  return iterations;
}

// Whether the residual of s is far from what products in float have made of it.
bool SoftmaxSystem::drifted(const std::vector<double>& g, const std::vector<double>& s, double enough) {
  const double believed = std::sqrt(dot_all(residual_, residual_));
  multiply_in<double>(s, product_);
  for (std::size_t j = 0; j < values(); ++j) residual_[j] = -g[j] - product_[j];
  return std::sqrt(dot_all(residual_, residual_)) > 3 * std::max(believed, enough);
}

int SoftmaxSystem::solve(const std::vector<double>& g, double enough, std::uint64_t step,
                         std::vector<double>& s) {
  prepare();
  std::fill(s.begin(), s.end(), 0.0);
  for (std::size_t j = 0; j < values(); ++j) residual_[j] = -g[j];
  const double start = std::sqrt(dot_all(g, g));
  // Products in float allow no more than three digits.
  const double forcing = last_norm_ > 0 ? std::clamp(std::pow(start / last_norm_, 1.5), 1e-3, 0.1) : 0.1;
  last_norm_ = start;
  enough = std::min(std::max(forcing * start, enough), 0.5 * start);
  last_iterations_ = iterate(pairs_ ? 1e-3 : 0.0, pairs_ ? std::min(enough, 1e-3 * start) : enough, step, s);
  constexpr int worth_a_look = 30;
  if (!precise_ && last_iterations_ >= worth_a_look && drifted(g, s, enough)) {
    precise_ = true;
    last_iterations_ += iterate(0.0, enough, step, s);
  }
  return last_iterations_;
}

}  // namespace halfspace
