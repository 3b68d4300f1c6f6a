// SPDX-License-Identifier: BSD-3-Clause
// Support vectors are taken in blocks: the columns that occur in a block get slots, and a row meets all vectors of the block
// in one walk over its entries. Products are added in runs of `run` entries, so that rounding is that of run + entries / run
// terms; sums over support vectors are added in extended precision. u = 2^-53 (Higham, Accuracy and Stability of Numerical
// Algorithms, chapters 3 and 4).
#include "certify/kernel_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <variant>

#include "certify/rounding.hpp"

namespace halfspace::detail {
namespace {

constexpr std::size_t block = 16;
constexpr std::size_t run = 16;
constexpr std::uint32_t no_slot = UINT32_MAX;
using Lanes = std::array<double, block>;

// A sum of many, added in runs.
struct RunSum {
  Lanes now{}, before{};
  std::size_t terms = 0;
  void end_term() {
    if (++terms % run != 0) return;
    for (std::size_t l = 0; l < block; ++l) before[l] += now[l];
    now.fill(0.0);
  }
  [[nodiscard]] double value(std::size_t l) const { return before[l] + now[l]; }
};
double run_error(std::size_t terms) {
  const std::size_t runs = terms / run;
  return static_cast<double>(std::min(run, terms) + runs + 4) * unit;
}

template <class View>
class Evaluation {
 public:
  Evaluation(const View& view, const Problem& problem, const KernelFunction& kernel, const DualPoint& point,
             const Threads& threads)
      : view_(view),
        p_(problem),
        kernel_(kernel),
        point_(point),
        threads_(threads),
        sums_(problem.rows(), 0.0L) {}

  KernelSums all() {
    KernelSums out;
    out.alpha.assign(p_.rows(), 0.0);
    for (std::size_t k = 0; k < point_.rows.size(); ++k) {
      out.alpha[point_.rows[k]] = point_.alpha[k];
      weight_ += point_.alpha[k];
    }
    weight_ *= 1 + rounding(p_.rows());
    if (kernel_.kind == KernelKind::Precomputed) {
      given();
    } else {
      measure();
      for (std::size_t from = 0; from < point_.rows.size(); from += block)
        add_block(from, std::min(point_.rows.size(), from + block));
    }
    finish(out);
    return out;
  }

 private:
  [[nodiscard]] double coefficient(std::size_t k) const { return p_.y[point_.rows[k]] * point_.alpha[k]; }

  // Squared lengths, bounds on the lengths, the most entries of a row.
  void measure() {
    length2_.assign(p_.rows(), 0.0);
    double largest = 0;
    for (std::size_t i = 0; i < p_.rows(); ++i) {
      std::size_t entries = 0;
      double sum = 0, part = 0;
      for_entries(view_.row(i), [&](std::uint32_t, double x) {
        part += x * x;
        whole_ = whole_ && std::abs(x) <= 1024 && x == std::trunc(x);
        if (++entries % run != 0) return;
        sum += part;
        part = 0;
      });
      length2_[i] = sum + part;
      entries_ = std::max(entries_, entries);
      largest = std::max(largest, length2_[i]);
    }
    // Small whole numbers: products and lengths are exact.
    whole_ = whole_ && static_cast<double>(entries_) * 0x1.0p22 < 0x1.0p52;
    // Squared distances of rows that lie far from the origin but near each other are not taken as differences of large numbers.
    differences_ = kernel_.kind == KernelKind::Rbf && !whole_ && view_.cols <= 4096 &&
                   !(4 * kernel_.gamma * largest * run_error(entries_) <= 1e-12);
    slot_.assign(view_.cols, no_slot);
  }

  void add_block(std::size_t from, std::size_t end) {
    columns_.clear();
    for (std::size_t k = from; k < end; ++k)
      for_entries(view_.row(point_.rows[k]), [&](std::uint32_t j, double) {
        if (slot_[j] != no_slot) return;
        slot_[j] = static_cast<std::uint32_t>(columns_.size());
        columns_.push_back(j);
      });
    values_.assign(columns_.size() * block, 0.0);
    for (std::size_t k = from; k < end; ++k)
      for_entries(view_.row(point_.rows[k]), [&](std::uint32_t j, double x) {
        values_[std::size_t{slot_[j]} * block + (k - from)] = x;
      });
    for_blocks(threads_, p_.rows(), row_block, [&](std::size_t first, std::size_t last) {
      std::vector<double> here(differences_ ? columns_.size() : 0, 0.0);
      for (std::size_t i = first; i < last; ++i)
        if (p_.cost[i] > 0) add_row(i, from, end, here);
    });
    for (const std::uint32_t j : columns_) slot_[j] = no_slot;
  }

  void add_row(std::size_t i, std::size_t from, std::size_t end, std::vector<double>& here) {
    RunSum sum;
    long double rest = 0;  // squares of what no vector of the block has
    if (differences_) {
      for_entries(view_.row(i), [&](std::uint32_t j, double x) {
        if (slot_[j] == no_slot) {
          rest += static_cast<long double>(x) * x;
        } else {
          here[slot_[j]] = x;
        }
      });
      for (std::size_t s = 0; s < columns_.size(); ++s) {
        const double* const z = values_.data() + s * block;
        for (std::size_t l = 0; l < block; ++l) sum.now[l] += (here[s] - z[l]) * (here[s] - z[l]);
        sum.end_term();
      }
      std::fill(here.begin(), here.end(), 0.0);
    } else {
      for_entries(view_.row(i), [&](std::uint32_t j, double x) {
        const std::uint32_t s = slot_[j];
        if (s == no_slot) return;
        const double* const z = values_.data() + std::size_t{s} * block;
        for (std::size_t l = 0; l < block; ++l) sum.now[l] += x * z[l];
        sum.end_term();
      });
    }
    for (std::size_t k = from; k < end; ++k) {
      const double product = sum.value(k - from);
      const double value = differences_ ? std::exp(-kernel_.gamma * (product + static_cast<double>(rest)))
                                        : kernel_(product, length2_[i], length2_[point_.rows[k]]);
      sums_[i] += static_cast<long double>(coefficient(k)) * value;
    }
  }

  // The features are the kernel values.
  void given() {
    const std::size_t skipped = view_.cols == p_.rows() + 1 ? 1 : 0;
    std::vector<double> of_column(view_.cols, 0.0);
    for (std::size_t k = 0; k < point_.rows.size(); ++k) of_column[point_.rows[k] + skipped] = coefficient(k);
    for (std::size_t i = 0; i < p_.rows(); ++i) {
      if (!(p_.cost[i] > 0)) continue;
      for_entries(view_.row(i), [&](std::uint32_t j, double x) {
        if (of_column[j] != 0) sums_[i] += static_cast<long double>(of_column[j]) * x;
        // No value is larger than the largest on the diagonal: the matrix is a product.
        if (j == i + skipped && !(x <= largest_given_)) largest_given_ = x;
      });
    }
  }

  // How far the sum of row i may be off.
  [[nodiscard]] double error(double length, double longest) const {
    if (kernel_.kind == KernelKind::Precomputed) return weight_ * largest_given_ * extended();
    const double terms = whole_ ? 0.0 : run_error(entries_);
    const double each =
        differences_ ? run_error(2 * entries_) + 16 * unit : kernel_.value_error(terms, length, longest);
    // A value below the normal numbers is off by less than the smallest of them.
    return weight_ *
           (each + kernel_.largest(length, longest) * extended() + std::numeric_limits<double>::min()) *
           (1 + 1e-9);
  }
  // Of a sum over all vectors, and of its rounding to double.
  [[nodiscard]] double extended() const {
    return 2 * unit + static_cast<double>(point_.rows.size() + 4) * 0x1.0p-62;
  }

  void finish(KernelSums& out) const {
    out.products.assign(p_.rows(), 0.0);
    out.errors.assign(p_.rows(), 0.0);
    const bool given = kernel_.kind == KernelKind::Precomputed;
    const auto length_of = [&](std::size_t i) { return given ? 0.0 : std::sqrt(length2_[i]) * (1 + 1e-9); };
    double longest = 0, largest = given ? largest_given_ : 0.0;
    for (const std::uint32_t i : point_.rows) longest = std::max(longest, length_of(i));
    for (std::size_t i = 0; i < p_.rows(); ++i) {
      if (!(p_.cost[i] > 0)) continue;
      out.products[i] = static_cast<double>(sums_[i]);
      out.errors[i] = upper_bound(error(length_of(i), longest));
      if (!given) largest = std::max(largest, upper_bound(kernel_.largest(length_of(i), length_of(i))));
    }
    out.largest_value = std::sqrt(largest) * (1 + 1e-9);
  }

  const View& view_;
  const Problem& p_;
  const KernelFunction& kernel_;
  const DualPoint& point_;
  const Threads& threads_;
  std::vector<long double> sums_;
  std::vector<double> length2_;
  std::vector<std::uint32_t> slot_, columns_;
  std::vector<double> values_;  // of the block, by column
  std::size_t entries_ = 0;
  double weight_ = 0, largest_given_ = 0;
  bool whole_ = true, differences_ = false;
};

}  // namespace

KernelSums kernel_sums(const Problem& problem, const KernelFunction& kernel, const DualPoint& point,
                       const Threads& threads) {
  return std::visit(
      [&](const auto& view) {
        return Evaluation<std::decay_t<decltype(view)>>(view, problem, kernel, point, threads).all();
      },
      problem.data->matrix());
}

}  // namespace halfspace::detail
