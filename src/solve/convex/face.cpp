// SPDX-License-Identifier: BSD-3-Clause
// Conjugate gradients on the free face of the dual of hinge and squared hinge: where coordinate steps stall
// (many features and a large C), a few hundred products with the rows near the margin solve the problem.
//
// Face       F = rows with 0 < alpha < upper. On it f is quadratic: f(alpha + x) = f + g . x + 1/2 x (K +
//            E) x with K the products of the rows (a lifted offset is one more column) and E diagonal.
// Offset     free: x must bring sum alpha y to 0. Every residual loses its part along y; what clipping
//            unbalances is spread over the rows that are still free. The offset is then what makes their
//            gradients smallest.
// Rounds     solve for x with a small ridge mu, roughly; rows that leave the box are put on its bound and
//            leave F; solve again from there. A round may go uphill; the x with the smallest true f of all
//            rounds is taken.
// Ridge      mu falls while steps work, and rises when no round descends.
// Cost       one product: two passes over the entries of F (FaceRows).
// Reference  More, Toraldo: On the solution of large quadratic programming problems with bound constraints,
//            SIAM J. Optim. 1 (1991).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/simd/row_loops.hpp"
#include "solve/convex/dual_state.hpp"

namespace halfspace {

void FaceStep::choose_rows(std::span<const std::uint32_t> active) {
  free_.clear();
  for (std::size_t i = 0; i < s_.n; ++i)
    if (s_.alpha[i] > 0 && s_.alpha[i] < s_.upper(i)) free_.push_back(static_cast<std::uint32_t>(i));
  // The copy serves as long as it has all free rows and not too many others.
  const bool serves = compact_ && 5 * free_.size() > 4 * compact_->ids.size() &&
                      std::includes(compact_->ids.begin(), compact_->ids.end(), free_.begin(), free_.end());
  if (!serves) {
    // The first face changes much: a copy for it alone. Later ones keep the rows that may come back.
    std::vector<std::uint32_t> take = free_;
    if (compact_) {
      std::vector<std::uint32_t> others(active.begin(), active.end());
      std::sort(others.begin(), others.end());
      take.clear();
      std::set_union(free_.begin(), free_.end(), others.begin(), others.end(), std::back_inserter(take));
      if (5 * free_.size() <= 4 * take.size()) take = free_;
    } else {
      compact_ = std::make_unique<FaceRows>();
    }
    compact_->build(s_.rows, s_.p, std::move(take));
  }
  FaceRows& c = *compact_;
  std::size_t at = 0;
  for (std::size_t k = 0; k < c.ids.size(); ++k) {
    while (at < free_.size() && free_[at] < c.ids[k]) ++at;
    c.free[k] = at < free_.size() && free_[at] == c.ids[k] ? 1 : 0;
  }
}

// out = (K + E) v on the free rows, the offset's column included; returns v . (K + E) v.
double FaceStep::product(const std::vector<double>& v, std::vector<double>& out) {
  FaceRows& c = *compact_;
  const std::size_t count = c.ids.size();
  double square = c.multiply(v, out, s_.goal.team.threads());
  double signed_sum = 0;
  if (s_.p.offset == Offset::Lifted)
    for (std::size_t k = 0; k < count; ++k) signed_sum += c.y[k] * v[k];
  for (std::size_t k = 0; k < count; ++k) {
    const double e = s_.diagonal(c.ids[k]);
    square += e * v[k] * v[k];
    out[k] = c.free[k] != 0 ? out[k] + e * v[k] + c.y[k] * signed_sum : 0.0;
  }
  return square + signed_sum * signed_sum;
}

// Removes from v, on the free rows, its part along y.
void FaceStep::project(std::vector<double>& v) const {
  if (s_.p.offset != Offset::Free) return;
  const FaceRows& c = *compact_;
  double sum = 0, free = 0;
  for (std::size_t k = 0; k < v.size(); ++k) {
    if (c.free[k] == 0) continue;
    sum += c.y[k] * v[k];
    ++free;
  }
  if (free == 0) return;
  for (std::size_t k = 0; k < v.size(); ++k)
    if (c.free[k] != 0) v[k] -= c.y[k] * sum / free;
}

// Puts rows outside the box on its bound and, with a free offset, spreads what is missing from the balance
// over the free rows, until both hold. Returns how many rows left F.
std::size_t FaceStep::clip() {
  FaceRows& c = *compact_;
  std::size_t clipped = 0;
  for (int again = 0; again < 20; ++again) {
    std::size_t now_clipped = 0;
    double sum = s_.balance, size = std::abs(s_.balance), free = 0;
    for (std::size_t k = 0; k < x_.size(); ++k) {
      if (c.free[k] != 0) {
        const double now = s_.alpha[c.ids[k]] + x_[k];
        const double top = s_.upper(c.ids[k]);
        if (!(now > 0 && now < top)) {
          x_[k] = (now <= 0 ? 0.0 : top) - s_.alpha[c.ids[k]];
          c.free[k] = 0;
          ++now_clipped;
        }
      }
      free += c.free[k] != 0 ? 1.0 : 0.0;
      sum += c.y[k] * x_[k];
      size += std::abs(x_[k]);
    }
    clipped += now_clipped;
    if (s_.p.offset != Offset::Free || free == 0 || std::abs(sum) <= 1e-14 * size) break;
    for (std::size_t k = 0; k < x_.size(); ++k)
      if (c.free[k] != 0) x_[k] -= c.y[k] * sum / free;
  }
  return clipped;
}

// Conjugate gradients from x until the residual is at most `enough`; returns its first length.
double FaceStep::solve(double share, double first_norm, int most) {
  const FaceRows& c = *compact_;
  const std::size_t count = x_.size();
  for (std::size_t k = 0; k < count; ++k) r_[k] = c.free[k] != 0 ? -(g_[k] + kx_[k] + ridge_ * x_[k]) : 0.0;
  project(r_);
  double rho = norm2(r_.data(), count);
  const double norm = std::sqrt(rho);
  const double enough = share * (first_norm > 0 ? first_norm : norm);
  dir_ = r_;
  Stop why = Stop::Converged;
  for (int iteration = 0; iteration < most && std::sqrt(rho) > enough; ++iteration) {
    if (iteration % 16 == 15 && !s_.goal.clock.go_on({std::nan(""), 0, std::nan(""), "face"}, why)) break;
    const double curvature = product(dir_, product_) + ridge_ * norm2(dir_.data(), count);
    if (!(curvature > 0)) break;
    for (std::size_t k = 0; k < count; ++k) product_[k] += ridge_ * dir_[k];
    project(product_);
    const double length = rho / curvature;
    axpy(length, dir_.data(), x_.data(), count);
    axpy(-length, product_.data(), r_.data(), count);
    const double next = norm2(r_.data(), count);
    const double beta = next / rho;
    rho = next;
    for (std::size_t k = 0; k < count; ++k) dir_[k] = r_[k] + beta * dir_[k];
  }
  return norm;
}

bool FaceStep::run(double relative_gap, std::span<const std::uint32_t> active) {
  choose_rows(active);
  if (free_.size() < 2) return false;
  FaceRows& c = *compact_;
  const std::size_t count = c.ids.size();
  for (auto* v : {&x_, &kx_, &r_, &dir_, &product_}) v->assign(count, 0.0);
  g_.resize(count);
  best_x_.clear();
  for_blocks(s_.goal.team.threads(), count, row_block, [&](std::size_t begin, std::size_t end) {
    s_.rows.dots(std::span(c.ids).subspan(begin, end - begin), s_.w.data(), g_.data() + begin);
  });
  const double offset = s_.p.offset == Offset::Lifted ? s_.balance
                        : s_.p.offset == Offset::Free ? s_.shift()
                                                      : 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t i = c.ids[k];
    g_[k] = c.y[k] * (g_[k] + offset) - 1 + s_.diagonal(i) * s_.alpha[i];
  }
  // The gap falls with the square of the residual.
  const double needed = 0.3 * std::sqrt(s_.goal.gap / relative_gap);
  const bool settled = last_clipped_ <= 5;
  const double share = settled ? std::clamp(needed, 0.01, 0.3) : 0.3;
  double first_norm = 0, best = 0, first_value = 0;
  std::size_t clipped_total = 0;
  clip();  // balances
  product(x_, kx_);
  for (int round = 0; round < 12; ++round) {
    const double norm = solve(share, first_norm, settled ? 600 : 100);
    if (round == 0) first_norm = norm;
    const std::size_t clipped = clip();
    clipped_total += clipped;
    const double square = product(x_, kx_);
    const double value = dot(g_.data(), x_.data(), count) + square / 2;
    if (round == 0) first_value = value;
    if (best_x_.empty() || value < best) {
      best = value;
      best_x_ = x_;
    }
    if (clipped == 0 || (clipped <= 1 && round >= 3)) break;
  }
  last_clipped_ = clipped_total;
  // With a free offset a step that only balances may cost a little; it is taken when it costs less than the
  // gap.
  const double allowed = s_.p.offset == Offset::Free ? std::abs(s_.balance) * (1 + std::abs(offset)) : 0.0;
  if (!(best < allowed)) {
    ridge_ = 8 * std::max(ridge_, 1e-5);
    return false;
  }
  if (first_value < 0) ridge_ = ridge_ * 0.03 < 1e-6 ? 0 : ridge_ * 0.03;
  apply();
  return true;
}

void FaceStep::apply() {
  const FaceRows& c = *compact_;
  std::vector<double> change(best_x_.size());
  for (std::size_t k = 0; k < best_x_.size(); ++k) {
    const std::uint32_t i = c.ids[k];
    const double next = std::clamp(s_.alpha[i] + best_x_[k], 0.0, s_.upper(i));
    change[k] = (next - s_.alpha[i]) * s_.p.y[i];
    s_.balance += change[k];
    s_.alpha[i] = next;
  }
  s_.rows.axpys(c.ids, change.data(), s_.w.data());
}

}  // namespace halfspace
