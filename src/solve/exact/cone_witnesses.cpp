// SPDX-License-Identifier: BSD-3-Clause
// Witnesses inside a cone: pairs of rows that cannot both be right there, and lists found by the simplex method for the game
// of rows against generators.
#include <algorithm>
#include <bit>
#include <cmath>

#include "certify/separation/exact_rows.hpp"
#include "solve/exact/cones.hpp"

namespace halfspace::exact {
namespace {

using detail::Int128;

constexpr double slack = 1e-12;
constexpr std::int64_t most_games = 40;  // more witnesses than these are not found one by one
constexpr std::int64_t missing_a_level = 2, most_wait = 20;

// a b <= c d for numbers that are not negative, each within e of what it should be.
bool product_at_most(double a, double b, double c, double d, double ea, double eb, double ec, double ed) {
  if (ea == 0 && eb == 0 && ec == 0 && ed == 0)
    return static_cast<Int128>(a) * static_cast<Int128>(b) <= static_cast<Int128>(c) * static_cast<Int128>(d);
  return (a + ea) * (b + eb) * (1 + slack) <= (c - ec) * (d - ed) * (1 - slack);
}

// min v: sum lambda_i m_ig + s_g = v at every generator, sum lambda = 1. From one row on, a basis is feasible.
class Game {
 public:
  Game(std::size_t rows, std::size_t generators) : n_(rows), r_(generators), m_(generators + 1) {}

  // margins: rows x generators. True: some lambda has a value below 0, or as good as 0.
  bool run(const std::vector<double>& margins) {
    begin(margins);
    std::vector<double> pi(m_), d(m_), column(m_);
    for (int step = 0; step < 60; ++step) {
      // v is basic in place 0: its row of the inverse is the dual solution.
      for (std::size_t j = 0; j < m_; ++j) pi[j] = inverse_[j];
      if (x_[0] < -1e-7) return true;
      std::size_t enters = SIZE_MAX;
      double least = -1e-10;
      for (std::size_t i = 0; i < n_; ++i) {
        double reduced = -pi[r_];
        for (std::size_t g = 0; g < r_; ++g) reduced -= pi[g] * margins[i * r_ + g];
        if (reduced < least) {
          least = reduced;
          enters = i;
        }
      }
      for (std::size_t g = 0; g < r_; ++g)
        if (-pi[g] < least) {
          least = -pi[g];
          enters = n_ + g;
        }
      if (enters == SIZE_MAX) break;
      fill(margins, enters, column);
      std::size_t leaves = m_;
      double ratio = INFINITY;
      for (std::size_t k = 0; k < m_; ++k) {
        d[k] = 0;
        for (std::size_t j = 0; j < m_; ++j) d[k] += inverse_[k * m_ + j] * column[j];
        if (k > 0 && d[k] > 1e-11 && x_[k] / d[k] < ratio) {
          ratio = x_[k] / d[k];
          leaves = k;
        }
      }
      if (leaves == m_) break;
      ratio = std::max(ratio, 0.0);
      for (std::size_t k = 0; k < m_; ++k) x_[k] -= ratio * d[k];
      x_[leaves] = ratio;
      basis_[leaves] = enters;
      double* const row = inverse_.data() + leaves * m_;
      for (std::size_t j = 0; j < m_; ++j) row[j] /= d[leaves];
      for (std::size_t k = 0; k < m_; ++k) {
        if (k == leaves) continue;
        for (std::size_t j = 0; j < m_; ++j) inverse_[k * m_ + j] -= d[k] * row[j];
      }
    }
    return x_[0] < 1e-9;
  }
  // What the generators weigh where every row has at least the value.
  [[nodiscard]] std::vector<double> generators() const {
    std::vector<double> out(r_);
    for (std::size_t g = 0; g < r_; ++g) out[g] = std::max(0.0, -inverse_[g]);
    return out;
  }
  template <class F>
  void each(const F& f) const {
    for (std::size_t k = 1; k < m_; ++k)
      if (basis_[k] < n_ && x_[k] > 1e-9) f(basis_[k], x_[k]);
  }

 private:
  void fill(const std::vector<double>& margins, std::size_t which, std::vector<double>& out) const {
    std::fill(out.begin(), out.end(), 0.0);
    if (which >= n_) {
      out[which - n_] = 1;
      return;
    }
    for (std::size_t g = 0; g < r_; ++g) out[g] = margins[which * r_ + g];
    out[r_] = 1;
  }
  // The row whose largest margin is least; v is that margin.
  void begin(const std::vector<double>& margins) {
    std::size_t best = 0, top = 0;
    double least = INFINITY;
    for (std::size_t i = 0; i < n_; ++i) {
      std::size_t at = 0;
      for (std::size_t g = 1; g < r_; ++g)
        if (margins[i * r_ + g] > margins[i * r_ + at]) at = g;
      if (margins[i * r_ + at] < least) {
        least = margins[i * r_ + at];
        best = i;
        top = at;
      }
    }
    // Places: v, the row, and the slacks of all generators but `top`. lambda = right_r; v = m_top lambda - right_top;
    // s_g = right_g - m_g lambda + v.
    basis_.assign(m_, 0);
    inverse_.assign(m_ * m_, 0.0);
    basis_[1] = best;
    inverse_[0 * m_ + top] = -1;
    inverse_[0 * m_ + r_] = margins[best * r_ + top];
    inverse_[1 * m_ + r_] = 1;
    std::size_t at = 2;
    for (std::size_t g = 0; g < r_; ++g) {
      if (g == top) continue;
      basis_[at] = n_ + g;
      inverse_[at * m_ + g] = 1;
      inverse_[at * m_ + top] = -1;
      inverse_[at * m_ + r_] = margins[best * r_ + top] - margins[best * r_ + g];
      ++at;
    }
    x_.resize(m_);
    for (std::size_t k = 0; k < m_; ++k) x_[k] = inverse_[k * m_ + r_];
  }

  std::size_t n_, r_, m_;
  std::vector<std::size_t> basis_;
  std::vector<double> inverse_, x_;
};

}  // namespace

// As the checker has it: some lambda > 0 with m_p + lambda m_q <= 0 at all generators. Ratios in float first: lambda is at
// least the largest m_p / -m_q where m_p > 0, and at most the least -m_p / m_q where m_q > 0.
bool ConeWalk::pair(const ConeNode& node, std::size_t p, std::size_t q) const {
  const std::size_t n = node.live.size();
  double least = 0, most = INFINITY;
  for (std::size_t g = 0; g < r_; ++g) {
    const double e = node.error[g], mp = node.m[g * n + p], mq = node.m[g * n + q];
    if (e == 0 ? mp > 0 : mp > -e) least = std::max(least, (std::max(mp, 0.0) + e) / (-mq - e));
    if (e == 0 ? mq > 0 : mq > -e) most = std::min(most, (-mp - e) / (std::max(mq, 0.0) + e));
  }
  if (least * (1 + slack) <= most * (1 - slack)) return true;
  if (least * (1 - slack) > most * (1 + slack)) return false;
  for (std::size_t low = 0; low < r_; ++low) {
    const double el = node.error[low], lp = node.m[low * n + p], lq = node.m[low * n + q];
    if (el == 0 ? lp <= 0 : lp <= -el) continue;
    for (std::size_t high = 0; high < r_; ++high) {
      const double eh = node.error[high], hp = node.m[high * n + p], hq = node.m[high * n + q];
      if (eh == 0 ? hq <= 0 : hq <= -eh) continue;
      if (!product_at_most(std::max(lp, 0.0), std::max(hq, 0.0), -hp, -lq, el, eh, eh, el)) return false;
    }
  }
  return true;
}

std::int64_t ConeWalk::add_pairs(const ConeNode& node, std::int64_t need) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < node.live.size() && sum < need; ++i) {
    std::int64_t& here = left_[node.live[i]];
    for (std::size_t w = i / 64; w < signs_.words() && here > 0 && sum < need; ++w) {
      // Rows that are below 0 wherever this one is not, and the other way round.
      SignSets::Word others = ~SignSets::Word{0};
      if (w == i / 64) others = i % 64 == 63 ? 0 : others << (i % 64 + 1);
      for (std::size_t g = 0; g < r_; ++g) {
        if (has(signs_.may_be_above(g), i)) others &= signs_.below(g)[w];
        if (!has(signs_.below(g), i)) others &= ~signs_.may_be_above(g)[w];
      }
      if (w + 1 == signs_.words() && node.live.size() % 64 != 0)
        others &= ~SignSets::Word{0} >> (64 - node.live.size() % 64);
      for (; others != 0 && here > 0 && sum < need; others &= others - 1) {
        const std::size_t k = 64 * w + static_cast<std::size_t>(std::countr_zero(others));
        std::int64_t& there = left_[node.live[k]];
        if (there == 0 || !pair(node, i, k)) continue;
        const std::int64_t share = std::min(here, there);
        here -= share;
        there -= share;
        sum += share;
        witnesses_.push_back({{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(k)}, {}});
      }
    }
  }
  return sum;
}

bool ConeWalk::holds(const ConeNode& node, const Witness& w) const {
  const std::size_t n = node.live.size();
  for (std::size_t g = 0; g < r_; ++g) {
    if (node.error[g] == 0) {
      Int128 sum = 0;
      for (std::size_t k = 0; k < w.places.size(); ++k)
        sum += static_cast<Int128>(w.lambda[k]) * static_cast<Int128>(node.m[g * n + w.places[k]]);
      if (sum > 0) return false;
      continue;
    }
    double sum = 0, size = 0;
    for (std::size_t k = 0; k < w.places.size(); ++k) {
      const double term = static_cast<double>(w.lambda[k]) * node.m[g * n + w.places[k]];
      sum += term;
      size += std::abs(term) * slack + static_cast<double>(w.lambda[k]) * node.error[g];
    }
    if (!(sum + size <= 0)) return false;
  }
  return true;
}

bool ConeWalk::game(const ConeNode& node, Witness& out) {
  const std::size_t n = node.live.size();
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < n; ++i)
    if (left_[node.live[i]] > 0) open.push_back(i);
  if (open.size() < 2) return false;
  std::vector<double> scale(r_, 0.0), margins(open.size() * r_), row(open.size(), 0.0);
  for (std::size_t g = 0; g < r_; ++g) {
    for (const std::uint32_t i : open) scale[g] += std::abs(node.m[g * n + i]);
    scale[g] = scale[g] > 0 ? static_cast<double>(open.size()) / scale[g] : 1;
    for (std::size_t k = 0; k < open.size(); ++k) {
      margins[k * r_ + g] = scale[g] * node.m[g * n + open[k]];
      row[k] = std::max(row[k], std::abs(margins[k * r_ + g]));
    }
  }
  for (std::size_t k = 0; k < open.size(); ++k)
    for (std::size_t g = 0; g < r_; ++g) margins[k * r_ + g] /= std::max(row[k], 1e-300);
  Game game(open.size(), r_);
  if (!game.run(margins)) {
    // All of these can be right at once: the other side of the game is a plane of the cone where they are.
    std::vector<double> shares = game.generators();
    for (std::size_t g = 0; g < r_; ++g) shares[g] *= scale[g];
    look(node, shares);
    return false;
  }
  std::vector<double> lambda;
  out.places.clear();
  game.each([&](std::size_t k, double x) {
    out.places.push_back(open[k]);
    lambda.push_back(x / std::max(row[k], 1e-300));
  });
  if (lambda.size() < 3) return false;
  const double largest = *std::max_element(lambda.begin(), lambda.end());
  const double smallest = *std::min_element(lambda.begin(), lambda.end());
  const auto try_scale = [&](double factor) {
    out.lambda.clear();
    for (const double x : lambda) {
      const double rounded = std::round(x * factor);
      if (!(rounded >= 0 && rounded < 0x1p58)) return false;
      out.lambda.push_back(static_cast<std::int64_t>(rounded));
    }
    return holds(node, out);
  };
  for (const int bits : {9, 19, 39})
    if (try_scale(std::ldexp(1.0, bits) / largest)) return true;
  // Where the value of the game is 0, only the true ratios will do: small whole numbers, if any.
  for (int times = 1; times <= 64; ++times)
    if (try_scale(times / smallest)) return true;
  return false;
}

std::int64_t ConeWalk::add_games(const ConeNode& node, std::int64_t need) {
  std::int64_t sum = 0;
  Witness next;
  while (sum < need && game(node, next)) {
    std::int64_t share = INT64_MAX;
    for (const std::uint32_t p : next.places) share = std::min(share, left_[node.live[p]]);
    for (const std::uint32_t p : next.places) left_[node.live[p]] -= share;
    sum += share;
    witnesses_.push_back(next);
  }
  return sum;
}

// A row that rounding keeps open may be decided: the checker, who knows, takes no witness with it.
void ConeWalk::leave_out_unsure(const ConeNode& node) {
  if (std::all_of(node.error.begin(), node.error.end(), [](double e) { return e == 0; })) return;
  const std::size_t n = node.live.size();
  for (std::size_t w = 0; w < signs_.words(); ++w) {
    SignSets::Word above = 0, below = 0;
    for (std::size_t g = 0; g < r_; ++g) {
      above |= signs_.above(g)[w];
      below |= signs_.below(g)[w];
    }
    const SignSets::Word all = ~SignSets::Word{0} >> (64 - std::min<std::size_t>(64, n - 64 * w));
    for_rows(all & ~(above & below), 64 * w, [&](std::size_t i) { left_[node.live[i]] = 0; });
  }
}

// Where witnesses are far from enough, a split or two will not change that: the next levels go without.
bool ConeWalk::leaf(ConeNode& node, std::int64_t target) {
  const std::int64_t need = target - rows_.base - node.wrong;
  witnesses_.clear();
  if (need > 0) {
    std::int64_t weight = 0, largest = 1;
    for (const std::uint32_t row : node.live) {
      weight += rows_.weight[row];
      largest = std::max(largest, rows_.weight[row]);
    }
    if (2 * need > weight) return false;
    if (node.wait > 0) {
      --node.wait;
      return false;
    }
    leave_out_unsure(node);
    std::int64_t sum = add_pairs(node, need);
    const std::int64_t missing = need - sum;
    // Other witnesses have three rows or more.
    if (missing > 0 && missing <= most_games * largest && 3 * missing <= weight - 2 * sum)
      sum += add_games(node, missing);
    for (const std::uint32_t row : node.live) left_[row] = rows_.weight[row];
    if (sum < need) {
      node.wait = static_cast<std::uint32_t>(
          std::min<std::int64_t>(most_wait, (need - sum - 1) / (missing_a_level * largest)));
      return false;
    }
  }
  proof_.number(0);
  proof_.number(witnesses_.size());
  for (const Witness& w : witnesses_) {
    proof_.number(w.places.size());
    for (const std::uint32_t p : w.places) proof_.number(node.live[p]);
    for (const std::int64_t lambda : w.lambda) proof_.number(static_cast<std::uint64_t>(lambda));
  }
  return true;
}

}  // namespace halfspace::exact
