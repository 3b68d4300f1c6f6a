// SPDX-License-Identifier: BSD-3-Clause
#include "solve/separation/balance.hpp"

#include <algorithm>
#include <cmath>

#include "core/simd/dense.hpp"
#include "core/simd/row_loops.hpp"
#include "solve/systems/normal_matrix.hpp"

namespace halfspace::separation {
namespace {

constexpr int most_steps = 60;
constexpr double ridge = 1e-10;  // of rows of length 1: columns that depend on others

class Newton {
 public:
  Newton(const RowAccess& rows, std::span<const std::uint32_t> chosen, std::vector<double> plane,
         const Threads& threads)
      : rows_(rows),
        chosen_(chosen),
        threads_(threads),
        w_(std::move(plane)),
        inside_(chosen.size(), 0),
        normal_(rows, false, true, threads) {}

  Balance run() {
    products(w_, m_);
    std::vector<double> gradient(w_.size());
    for (int step = 0; step < most_steps; ++step) {
      const double total = find_gradient(gradient);
      if (std::all_of(m_.begin(), m_.end(), [](double m) { return m > 1e-9; })) return {{}, {}, w_, true};
      if (std::sqrt(norm2(gradient.data(), gradient.size())) <= 1e-10 * total) return result();
      if (!move(gradient)) break;
    }
    return {{}, {}, w_, false};
  }

 private:
  void products(const std::vector<double>& w, std::vector<double>& out) const {
    out.resize(chosen_.size());
    for_blocks(threads_, chosen_.size(), 256, [&](std::size_t begin, std::size_t end) {
      rows_.dots(chosen_.subspan(begin, end - begin), w.data(), out.data() + begin);
    });
  }

  // sum lambda_i a_i, and the sum of the weights.
  double find_gradient(std::vector<double>& gradient) {
    std::vector<std::uint32_t> changed;
    std::vector<double> sign;
    std::vector<double> lambda(chosen_.size());
    double total = 0;
    for (std::size_t k = 0; k < chosen_.size(); ++k) {
      lambda[k] = std::max(0.0, 1 - m_[k]);
      total += lambda[k];
      const char now = lambda[k] > 0 ? 1 : 0;
      if (now == inside_[k]) continue;
      changed.push_back(chosen_[k]);
      sign.push_back(now != 0 ? 1 : -1);
      inside_[k] = now;
    }
    normal_.add(changed, sign);
    std::fill(gradient.begin(), gradient.end(), 0.0);
    rows_.axpys(chosen_, lambda.data(), gradient.data());
    return total;
  }

  bool move(const std::vector<double>& gradient) {
    const std::size_t n = normal_.size();
    std::vector<double> matrix(normal_.lower(), normal_.lower() + n * n);
    for (std::size_t j = 0; j < n; ++j) matrix[j * n + j] += ridge;
    Cholesky cholesky;
    if (!cholesky.factor(std::move(matrix), n, ridge, threads_)) return false;
    std::vector<double> step = gradient;
    cholesky.solve(step.data());
    products(step, dm_);
    const double t = line_search();
    if (!(t > 0)) return false;
    axpy(t, step.data(), w_.data(), n);
    products(w_, m_);
    return true;
  }

  // Where the slope along the step is zero; it only grows.
  [[nodiscard]] double line_search() const {
    const auto slope = [&](double t) {
      double sum = 0;
      for (std::size_t k = 0; k < m_.size(); ++k) sum -= std::max(0.0, 1 - m_[k] - t * dm_[k]) * dm_[k];
      return sum;
    };
    const double start = slope(0);
    if (!(start < 0)) return 0;
    double low = 0, low_slope = start, high = 0, high_slope = 0, t = 1;
    for (int trial = 0; trial < 60; ++trial) {
      const double here = slope(t);
      if (std::abs(here) <= 1e-12 * -start) return t;
      (here > 0 ? high : low) = t;
      (here > 0 ? high_slope : low_slope) = here;
      if (high == 0) {
        t *= 4;
        continue;
      }
      if (high - low <= 1e-14 * high) return t;
      t = low + std::clamp(-low_slope / (high_slope - low_slope), 0.02, 0.98) * (high - low);
    }
    return t;
  }

  Balance result() {
    Balance out{{}, {}, w_, false};
    for (std::size_t k = 0; k < chosen_.size(); ++k) {
      if (!(m_[k] < 1)) continue;
      out.rows.push_back(chosen_[k]);
      out.weights.push_back(1 - m_[k]);
    }
    return out;
  }

  const RowAccess& rows_;
  std::span<const std::uint32_t> chosen_;
  const Threads& threads_;
  std::vector<double> w_, m_, dm_;
  std::vector<char> inside_;
  NormalMatrix normal_;
};

}  // namespace

Balance balance(const RowAccess& rows, std::span<const std::uint32_t> chosen, std::vector<double> plane,
                const Threads& threads) {
  return Newton(rows, chosen, std::move(plane), threads).run();
}

}  // namespace halfspace::separation
