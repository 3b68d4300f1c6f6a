// SPDX-License-Identifier: BSD-3-Clause
#include "solve/separation/peel.hpp"

#include <algorithm>

#include "core/large_vector.hpp"

namespace halfspace::separation {

namespace {

__extension__ typedef __int128 Int128;

// How many entries of a column are positive and negative, over the rows that are left.
struct Signs {
  std::uint32_t positive = 0, negative = 0;
  [[nodiscard]] bool one_sign() const { return (positive == 0) != (negative == 0); }
};

// Which columns have some property: a bit each, so that looking one up seldom leaves the nearest caches.
class Marks {
 public:
  explicit Marks(std::size_t columns) : bits_(columns / 64 + 1, 0) {}
  void set(std::size_t j) { bits_[j / 64] |= std::uint64_t{1} << (j % 64); }
  [[nodiscard]] bool operator[](std::size_t j) const { return (bits_[j / 64] >> (j % 64) & 1U) != 0; }

 private:
  std::vector<std::uint64_t> bits_;
};

class Peeler {
 public:
  Peeler(const IntegerRows& rows, const Threads& threads)
      : rows_(rows), threads_(threads), left_(rows.rows(), 1), chosen_(rows.rows(), none) {}

  // One walk over the rows: those with a column that has one sign go with it, the one most rows have.
  // Columns of the same walk cannot harm each other: they have one sign over all its rows.
  [[nodiscard]] std::size_t walk(std::vector<Peeling::Step>& steps) {
    const LargeVector<std::uint32_t> counts = count();
    Marks ready(rows_.columns);
    bool any = false;
    for (std::size_t j = 0; j < rows_.columns; ++j) {
      if ((counts[j] & 3U) != 1 && (counts[j] & 3U) != 2) continue;
      ready.set(j);
      any = true;
    }
    if (!any) return 0;
    for_blocks(threads_, rows_.rows(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (left_[i] == 0) continue;
        std::uint32_t best = none;
        for (std::uint64_t k = rows_.start[i]; k < rows_.start[i + 1]; ++k) {
          const std::uint32_t j = rows_.index[k];
          if (ready[j] && (best == none || counts[j] / 4 > counts[best] / 4)) best = j;
        }
        chosen_[i] = best;
      }
    });
    std::vector<std::pair<std::uint32_t, std::uint32_t>> gone;  // column, row
    for (std::uint32_t i = 0; i < rows_.rows(); ++i) {
      if (left_[i] == 0 || chosen_[i] == none) continue;
      left_[i] = 0;
      gone.emplace_back(chosen_[i], i);
    }
    std::sort(gone.begin(), gone.end());
    for (const auto& [column, row] : gone) {
      if (steps.empty() || steps.back().column != column)
        steps.push_back({column, (counts[column] & 1U) != 0 ? 1 : -1, {}});
      steps.back().rows.push_back(row);
    }
    return gone.size();
  }

  // Column after column, each with the rows it has left; columns that had waited for these rows follow.
  void finish(std::vector<Peeling::Step>& steps) {
    signs_.assign(rows_.columns, {});
    for (std::size_t i = 0; i < rows_.rows(); ++i)
      for (std::uint64_t k = rows_.start[i]; left_[i] != 0 && k < rows_.start[i + 1]; ++k) change(k, 1);
    std::vector<std::uint32_t> waiting;
    for (std::uint32_t j = 0; j < rows_.columns; ++j)
      if (signs_[j].one_sign()) waiting.push_back(j);
    if (waiting.empty()) return;
    list_rows();
    for (std::size_t at = 0; at < waiting.size(); ++at) {
      const std::uint32_t j = waiting[at];
      if (!signs_[j].one_sign()) continue;  // its rows have gone with another column
      Peeling::Step step{j, signs_[j].positive > 0 ? 1 : -1, {}};
      for (std::uint64_t k = first_[j]; k < first_[j + 1]; ++k) {
        const std::uint32_t i = row_of_[k];
        if (left_[i] == 0) continue;
        left_[i] = 0;
        step.rows.push_back(i);
        for (std::uint64_t entry = rows_.start[i]; entry < rows_.start[i + 1]; ++entry) {
          const std::uint32_t other = rows_.index[entry];
          const bool was = signs_[other].one_sign();
          change(entry, UINT32_MAX);
          if (!was && signs_[other].one_sign()) waiting.push_back(other);
        }
      }
      steps.push_back(std::move(step));
    }
  }

  [[nodiscard]] std::size_t left() const {
    return static_cast<std::size_t>(std::count(left_.begin(), left_.end(), 1));
  }
  [[nodiscard]] std::vector<std::uint32_t> core() const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < left_.size(); ++i)
      if (left_[i] != 0) out.push_back(i);
    return out;
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  // Of every column over the rows that are left: four times its entries, 1 for positive and 2 for negative
  // ones.
  [[nodiscard]] LargeVector<std::uint32_t> count() const {
    const auto slices = static_cast<std::size_t>(threads_.count());
    std::vector<LargeVector<std::uint32_t>> parts(slices);
    threads_.run(slices, [&](std::size_t s) {
      parts[s].assign(rows_.columns, 0);
      for (std::size_t i = rows_.rows() * s / slices; i < rows_.rows() * (s + 1) / slices; ++i) {
        if (left_[i] == 0) continue;
        for (std::uint64_t k = rows_.start[i]; k < rows_.start[i + 1]; ++k) {
          std::uint32_t& counts = parts[s][rows_.index[k]];
          counts = (counts + 4) | (rows_.sign(k) > 0 ? 1U : 2U);
        }
      }
    });
    for (std::size_t s = 1; s < slices; ++s)
      for (std::size_t j = 0; j < rows_.columns; ++j)
        parts[0][j] = (parts[0][j] + (parts[s][j] & ~3U)) | (parts[s][j] & 3U);
    return std::move(parts[0]);
  }

  // By UINT32_MAX: one less.
  void change(std::uint64_t entry, std::uint32_t by) {
    Signs& signs = signs_[rows_.index[entry]];
    (rows_.sign(entry) > 0 ? signs.positive : signs.negative) += by;
  }

  // The rows of every column, of those that are left.
  void list_rows() {
    first_.assign(rows_.columns + 1, 0);
    for (std::size_t j = 0; j < rows_.columns; ++j)
      first_[j + 1] = first_[j] + signs_[j].positive + signs_[j].negative;
    row_of_.resize(first_.back());
    std::vector<std::uint64_t> next(first_.begin(), first_.end() - 1);
    for (std::uint32_t i = 0; i < rows_.rows(); ++i) {
      if (left_[i] == 0) continue;
      for (std::uint64_t k = rows_.start[i]; k < rows_.start[i + 1]; ++k) row_of_[next[rows_.index[k]]++] = i;
    }
  }

  const IntegerRows& rows_;
  const Threads& threads_;
  std::vector<char> left_;
  std::vector<std::uint32_t> chosen_;  // column a row goes with in the present walk
  std::vector<Signs> signs_;
  std::vector<std::uint64_t> first_;
  std::vector<std::uint32_t> row_of_;
};

}  // namespace

// Walks while many rows go; lists of the rows of every column cost as much as several walks.
Peeling peel(const IntegerRows& rows, const Threads& threads) {
  Peeling out;
  Peeler peeler(rows, threads);
  for (std::size_t left = peeler.left(); left > 0; left = peeler.left()) {
    const std::size_t gone = peeler.walk(out.steps);
    if (gone == 0) break;
    if (8 * gone >= left) continue;
    peeler.finish(out.steps);
    break;
  }
  out.core = peeler.core();
  return out;
}

// Weights below 2^40 as machine words beside the large ones: most weights are small, and more are zero.
void unpeel(const IntegerRows& rows, const Peeling& peeling, std::vector<mpz_class>& weights) {
  constexpr std::int64_t limit = std::int64_t{1} << 40;
  std::vector<std::int64_t> small(weights.size(), 0);
  Marks used(weights.size());
  bool all_small = !rows.wide();
  const auto keep = [&](std::size_t j) {
    if (weights[j] == 0) return;
    used.set(j);
    if (all_small && mpz_cmpabs_ui(weights[j].get_mpz_t(), static_cast<unsigned long>(limit)) < 0) {
      small[j] = weights[j].get_si();
    } else {
      all_small = false;
    }
  };
  for (std::size_t j = 0; j < weights.size(); ++j) keep(j);
  mpz_class rest, need, size, largest;
  for (std::size_t s = peeling.steps.size(); s-- > 0;) {
    const Peeling::Step& step = peeling.steps[s];
    largest = 0;
    for (const std::uint32_t i : step.rows) {
      if (all_small) {
        Int128 sum = 0;
        std::int64_t own = 1;
        for (std::uint64_t k = rows.start[i]; k < rows.start[i + 1]; ++k) {
          const std::uint32_t j = rows.index[k];
          if (j == step.column) own = std::abs(rows.small(k));
          if (used[j]) sum += static_cast<Int128>(small[j]) * rows.small(k);
        }
        if (sum > 0) continue;
        const Int128 steps = (own - sum) / own;  // ceil((1 - sum) / own)
        need = static_cast<long>(std::min<Int128>(steps, limit));
        if (steps < limit) {
          if (need > largest) largest = need;
          continue;
        }
      }
      rest = 0;
      for (std::uint64_t k = rows.start[i]; k < rows.start[i + 1]; ++k) {
        const std::uint32_t j = rows.index[k];
        if (j == step.column) size = abs(rows.value(k));
        if (j != step.column && weights[j] != 0) rest += weights[j] * rows.value(k);
      }
      need = 1 - rest;
      if (need <= 0) continue;
      mpz_cdiv_q(need.get_mpz_t(), need.get_mpz_t(), size.get_mpz_t());
      if (need > largest) largest = need;
    }
    weights[step.column] = step.sign > 0 ? largest : mpz_class(-largest);
    keep(step.column);
  }
}

}  // namespace halfspace::separation
