// SPDX-License-Identifier: BSD-3-Clause
// Bounds. u = 2^-53. Sums of kernel values are off by at most sum_error (data/kernel_rows.hpp) times the sum of the
// alpha. A residual r = sum alpha_i y_i costs |r|
// |b| for the best offset b, and |b| <= 1 + sqrt(max K(x, x)) sqrt(2 P).
#include "certify/kernel_gap.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <optional>

#include "certify/kernel_sums.hpp"
#include "certify/rounding.hpp"
#include "data/kernel/data.hpp"

namespace halfspace {
namespace {

// A bound on 1 - margin.
double loss_bound(double y, double product, double error, double offset) {
  return 1 - y * (product + offset) + (error + 4 * unit * (std::abs(product) + std::abs(offset)));
}

}  // namespace

// Sums over the support vectors. Equal rows have equal sums: one of each is computed, with the coefficients of all.
struct KernelGap::Sums {
  const Problem& problem;
  KernelFunction kernel;
  Threads threads;
  PackedData packed;
  std::optional<KernelData> own;
  const KernelData& data;
  RowForm form, exact;
  std::vector<std::uint32_t> present;   // rows of the problem with a cost
  std::vector<std::uint32_t> group;     // of each of them, equal rows in one
  std::vector<std::uint32_t> distinct;  // the first row of each group, as a row of the data
  std::vector<std::uint32_t> place;     // of each group among the packed rows
  std::vector<double> coefficient, length;
  std::vector<double> sum, error;
  std::vector<std::uint8_t> used;      // rows with an alpha
  std::vector<std::uint8_t> coarse;    // computed in float
  double weight = 0;                   // sum of the alpha
  std::vector<std::uint32_t> vectors;  // groups with a coefficient
  std::vector<double> weights;
  double longest = 0;                      // of the vectors
  std::optional<KernelRows<double>> rows;  // the vectors
  std::optional<LeftRows<double>> left;

  // Looking for equal rows costs more than it saves when there are few.
  static const KernelData& data_for(std::optional<KernelData>& own, const PackedData& packed,
                                    const Problem& p, const KernelFunction& k, const Threads& t) {
    if (packed.data != nullptr) return *packed.data;
    return own.emplace(*p.data, k, p.rows() >= 2048, t);
  }

  Sums(const Problem& p, const KernelFunction& k, const std::vector<double>& alpha, const Threads& t,
       const PackedData& before)
      : problem(p),
        kernel(k),
        threads(t),
        packed(before),
        data(data_for(own, packed, p, k, t)),
        form(data.form()) {
    for (std::size_t i = 0; i < p.rows(); ++i)
      if (p.cost[i] > 0) present.push_back(static_cast<std::uint32_t>(i));
    constexpr std::uint32_t none = UINT32_MAX;
    std::vector<std::uint32_t> group_of(data.equal().first.size(), none);
    for (std::size_t at = 0; at < present.size(); ++at) {
      const std::size_t row = p.row(present[at]);
      std::uint32_t& g = group_of[data.equal().group[row]];
      if (g == none) {
        g = static_cast<std::uint32_t>(distinct.size());
        distinct.push_back(static_cast<std::uint32_t>(row));
        if (packed.rows != nullptr) place.push_back(packed.place[at]);
      }
      group.push_back(g);
    }
    const std::size_t groups = distinct.size();
    coefficient.assign(groups, 0.0);
    used.assign(groups, 0);
    for (std::size_t at = 0; at < present.size(); ++at) {
      coefficient[group[at]] += p.y[present[at]] * alpha[present[at]];
      weight += alpha[present[at]];
      if (alpha[present[at]] > 0) used[group[at]] = 1;
    }
    length.assign(groups, 0.0);
    sum.assign(groups, 0.0);
    error.assign(groups, 0.0);
    coarse.assign(groups, 0);
    double length2 = 0;
    for (std::size_t g = 0; g < groups; ++g) {
      const double own_length2 = data.length2()[distinct[g]];
      length2 = std::max(length2, own_length2);
      length[g] = std::sqrt(own_length2) * (1 + 1e-9);
      if (coefficient[g] == 0) continue;
      vectors.push_back(static_cast<std::uint32_t>(g));
      weights.push_back(coefficient[g]);
      longest = std::max(longest, length[g]);
    }
    exact = exact_form(data.plain_form(), kernel, length2, data.features());
    weight *= 1 + 1e-9;
    if (form == RowForm::Given) {
      compute_given();
      return;
    }
    std::vector<std::uint32_t> with_alpha;
    for (std::size_t g = 0; g < groups; ++g)
      if (used[g] != 0) with_alpha.push_back(static_cast<std::uint32_t>(g));
    compute_exact(with_alpha);
    compute_coarse();
  }

  [[nodiscard]] std::vector<std::uint32_t> rows_of(std::span<const std::uint32_t> groups) const {
    std::vector<std::uint32_t> out;
    out.reserve(groups.size());
    for (const std::uint32_t g : groups) out.push_back(distinct[g]);
    return out;
  }
  static std::vector<std::uint32_t> places(std::size_t n) {
    std::vector<std::uint32_t> out(n);
    std::iota(out.begin(), out.end(), 0U);
    return out;
  }

  [[nodiscard]] std::vector<std::uint32_t> places_of(std::span<const std::uint32_t> groups) const {
    std::vector<std::uint32_t> out;
    out.reserve(groups.size());
    for (const std::uint32_t g : groups) out.push_back(place[g]);
    return out;
  }

  const LeftRows<double>& left_rows() {
    if (!left) left.emplace(*rows, places(vectors.size()));
    return *left;
  }

  void compute_exact(std::span<const std::uint32_t> groups) {
    if (groups.empty()) return;
    if (!rows) rows.emplace(data.pack<double>(rows_of(vectors), exact, threads));
    const LeftScale scale{exact, vectors.size(), rows->longest(), longest};
    std::optional<KernelRows<double>> others;
    if (!std::equal(groups.begin(), groups.end(), vectors.begin(), vectors.end()))
      others.emplace(data.pack<double>(rows_of(groups), exact, threads));
    const KernelRows<double>& right = others ? *others : *rows;
    std::vector<double> out(right.padded(), 0.0);
    if (!others)
      add_own_sums(kernel, *rows, weights, out.data(), threads);
    else if (!vectors.empty())
      add_kernel_sums(kernel, left_rows(), right, LeftWeights<double>(weights), out.data(), threads);
    for (std::size_t k = 0; k < groups.size(); ++k) {
      const std::uint32_t g = groups[k];
      sum[g] = out[k];
      error[g] = weight * sum_error<double>(kernel, scale, length[g]);
      coarse[g] = 0;
    }
  }

  // All rows without an alpha.
  void compute_coarse() {
    std::vector<std::uint32_t> others;
    for (std::size_t g = 0; g < distinct.size(); ++g)
      if (used[g] == 0) others.push_back(static_cast<std::uint32_t>(g));
    if (others.empty()) return;
    // Packed rows serve as they are if nearly all of them are asked for, or if a copy of those would be large.
    const bool here = packed.rows != nullptr;
    const bool large = here && packed.rows->bytes() > (std::uint64_t{1} << 24U);
    const bool whole = here && others.size() * 20 >= packed.rows->size() * (large ? 15 : 19);
    std::optional<KernelRows<float>> copied, fresh;
    if (!here) copied.emplace(data.pack<float>(rows_of(vectors), form, threads, false));
    if (here && !whole) fresh.emplace(*packed.rows, places_of(others));
    if (!here) fresh.emplace(data.pack<float>(rows_of(others), form, threads));
    const KernelRows<float>& from = here ? *packed.rows : *copied;
    const KernelRows<float>& right = whole ? *packed.rows : *fresh;
    const LeftRows<float> on_left(from, here ? places_of(vectors) : places(vectors.size()));
    const LeftScale scale{form, vectors.size(), from.longest(), longest, data.deviation()};
    std::vector<double> out(right.padded(), 0.0);
    if (!vectors.empty())
      add_kernel_sums(kernel, on_left, right, LeftWeights<float>(weights), out.data(), threads);
    for (std::size_t k = 0; k < others.size(); ++k) {
      const std::uint32_t g = others[k];
      sum[g] = out[whole ? place[g] : k];
      error[g] = weight * sum_error<float>(kernel, scale, length[g]);
      coarse[g] = 1;
    }
  }

  void compute_given() {
    rows.emplace(data.pack<double>(distinct, form, threads));
    std::vector<double> out(rows->padded(), 0.0);
    if (!vectors.empty())
      add_kernel_sums(kernel, LeftRows<double>(*rows, vectors), *rows, LeftWeights<double>(weights),
                      out.data(), threads);
    std::copy_n(out.begin(), distinct.size(), sum.begin());
    double value = 0;
    for (std::size_t g = 0; g < distinct.size(); ++g)
      value = std::max(value, std::abs(rows->own_value(kernel, g)));
    const double each = rounding(vectors.size() + 8) * value * (1 + 1e-9);
    std::fill(error.begin(), error.end(), weight * each);
  }

  // K(x, x) of the longest row is the largest.
  [[nodiscard]] double largest_value() const {
    double out = 0;
    for (std::size_t g = 0; g < distinct.size(); ++g)
      out = std::max(out, form == RowForm::Given ? std::abs(rows->own_value(kernel, g))
                                                 : kernel.largest(length[g], length[g]));
    return out;
  }
};

KernelGap::KernelGap(const Problem& problem, const KernelFunction& kernel, const DualPoint& point,
                     const Threads& threads, const PackedData& packed)
    : problem_(&problem) {
  const std::size_t n = problem.rows();
  alpha_.assign(n, 0.0);
  for (std::size_t k = 0; k < std::min(point.rows.size(), point.alpha.size()); ++k) {
    const std::uint32_t i = point.rows[k];
    if (i < n && problem.cost[i] > 0 && point.alpha[k] > 0)
      alpha_[i] = std::min(point.alpha[k], problem.cost[i]);
  }
  sums_ = std::make_unique<Sums>(problem, kernel, alpha_, threads, packed);
  largest_value_ = std::sqrt(sums_->largest_value()) * (1 + 1e-9);
  products_.assign(n, 0.0);
  error_.assign(n, 0.0);
  take_sums();
}

KernelGap::~KernelGap() = default;

void KernelGap::take_sums() {
  for (std::size_t k = 0; k < sums_->present.size(); ++k) {
    const std::uint32_t g = sums_->group[k];
    products_[sums_->present[k]] = sums_->sum[g];
    error_[sums_->present[k]] = sums_->error[g];
  }
}

double KernelGap::loss(std::size_t i, double offset) const {
  return loss_bound(problem_->y[i], products_[i], error_[i], offset);
}

void KernelGap::settle(double offset) {
  std::vector<std::uint8_t> open(sums_->distinct.size(), 0);
  std::vector<std::uint32_t> groups;
  for (std::size_t k = 0; k < sums_->present.size(); ++k) {
    const std::uint32_t g = sums_->group[k];
    if (sums_->coarse[g] == 0 || open[g] != 0 || loss(sums_->present[k], offset) <= 0) continue;
    open[g] = 1;
    groups.push_back(g);
  }
  if (groups.empty()) return;
  sums_->compute_exact(groups);
  take_sums();
}

void KernelGap::settle_all() {
  std::vector<std::uint32_t> groups;
  for (std::size_t g = 0; g < sums_->coarse.size(); ++g)
    if (sums_->coarse[g] != 0) groups.push_back(static_cast<std::uint32_t>(g));
  sums_->compute_exact(groups);
  take_sums();
}

DualityGap KernelGap::at(double offset) {
  settle(offset);
  return detail::gap_of_sums(*problem_, alpha_, products_, error_, largest_value_, offset);
}

DualityGap detail::gap_of_sums(const Problem& p, std::span<const double> alpha,
                               std::span<const double> products, std::span<const double> errors,
                               double largest_value, double offset) {
  assert(std::holds_alternative<Hinge>(p.loss) && std::holds_alternative<L2>(p.penalty) &&
         p.offset == Offset::Free);
  double losses = 0, square = 0, square_error = 0;
  CarefulSum gain, balance;
  for (std::size_t i = 0; i < p.rows(); ++i) {
    if (p.cost[i] == 0) continue;
    // Not a number is not "no loss".
    if (const double own = loss_bound(p.y[i], products[i], errors[i], offset); !(own <= 0))
      losses += p.cost[i] * own;
    if (alpha[i] == 0) continue;
    square += p.y[i] * alpha[i] * products[i];
    square_error += alpha[i] * (errors[i] + rounding(p.rows()) * std::abs(products[i]));
    gain.add(alpha[i]);
    balance.add(p.y[i] * alpha[i]);
  }
  DualityGap out;
  out.primal =
      upper_bound(((square + square_error) / 2 + losses * (1 + rounding(p.rows()))) * (1 + 8 * unit));
  const double residual =
      std::abs(balance.value()) + 4 * unit * unit * static_cast<double>(p.rows()) * gain.value();
  const double largest_offset = 1.01 * (1 + largest_value * std::sqrt(2 * std::max(0.0, out.primal)));
  const double dual = gain.value() * (1 - 4 * unit) - (square + square_error) / 2 - residual * largest_offset;
  out.dual = lower_bound(dual - std::abs(dual) * 8 * unit);
  return out;
}

}  // namespace halfspace
