// SPDX-License-Identifier: BSD-3-Clause
// Round   look at all slopes (gap, thresholds); choose a working set: half of the last one, the rest the
//         worst violators; its kernel block; steps on pairs within the set until a tenth of the violation
//         is left; bring all slopes up to date by the rows that moved.
// Cost    a round: one kernel value per row and moved variable, and q^2 for the block. Cheap values (few
//         features, bits) are computed and used at once; dear ones are kept in a cache of rows, the least
//         recently used one leaves. A few hundred rows are one set, whose block is computed once.
// Memory  the packed rows, q^2 floats, and at most --cache for rows.
// Proof   none here: the gap is for kernel values in float. certify/kernel_gap.hpp computes the true one.
// After   Joachims, "Making large-scale SVM learning practical" (1999) for working sets; Fan, Chen, Lin
//         (JMLR 2005) for the pairs.
#include "solve/kernel/smo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/kernel/pair_steps.hpp"
#include "halfspace/core/random.hpp"

namespace halfspace {
namespace {

constexpr std::uint32_t not_in_set = UINT32_MAX;
constexpr std::size_t largest_set = 512;
constexpr double cheap_value = 80;  // KernelRows::cost() below which a value is not worth keeping
// Up to here the set is all rows: a step looks at every row, and a row of values is computed when a step needs it.
constexpr std::size_t whole_size = 2048;
constexpr std::uint64_t whole_bytes = 400'000;  // of the packed rows, which every such row of values reads
constexpr std::size_t few_rows = 4096;          // up to here even cheap values are worth keeping
constexpr std::size_t patience = 40;            // rounds without progress
constexpr std::uint64_t most_rounds = 1'000'000;

std::size_t padded_size(std::size_t n) {
  return (n + detail::pair_padding - 1) / detail::pair_padding * detail::pair_padding;
}

}  // namespace

KernelSmo::KernelSmo(SmoProblem problem, KernelRowCache cache) : p_(std::move(problem)), n_(p_.rows->size()) {
  beta_.assign(n_, 0.0);
  slope_.assign(p_.rows->padded(), 0.0);
  place_.assign(n_, not_in_set);
  rank_.resize(n_);
  std::iota(rank_.begin(), rank_.end(), 0U);
  Random(p_.seed, 7).shuffle(rank_);
  const bool cheap = p_.rows->cost() <= cheap_value;
  // A small problem has few support vectors: large sets would look at many rows that never move.
  set_size_ = std::clamp<std::size_t>(n_ / 8 / detail::pair_padding * detail::pair_padding, 64, largest_set);
  const std::uint64_t row_bytes = p_.rows->padded() * sizeof(float);
  const auto capacity = static_cast<std::size_t>(
      std::min<std::uint64_t>(p_.cache_bytes / std::max<std::uint64_t>(1, row_bytes), n_));
  if (p_.precise != nullptr) return;
  whole_ = !p_.by_class && capacity == n_ && n_ <= whole_size && p_.rows->bytes() <= whole_bytes;
  if (!whole_ && ((cheap && n_ > few_rows) || capacity < std::min(n_, set_size_ + set_size_ / 2))) return;
  if (cache.fits(*p_.rows, capacity)) {
    cache_ = std::move(cache);
    cache_.begin_again();
  } else {
    cache_ = KernelRowCache(*p_.rows, p_.kernel, capacity, std::move(cache));
  }
}

void KernelSmo::start(std::vector<double> beta) {
  beta_ = std::move(beta);
  std::fill(slope_.begin(), slope_.end(), 0.0);
  std::copy(p_.target.begin(), p_.target.end(), slope_.begin());
  std::vector<std::uint32_t> rows;
  std::vector<double> minus;
  for (std::size_t i = 0; i < n_; ++i) {
    if (beta_[i] == 0) continue;
    rows.push_back(static_cast<std::uint32_t>(i));
    minus.push_back(-beta_[i]);
  }
  if (!rows.empty()) add_sums(rows, minus);
}

// slopes += sum of weights K(row, .)
void KernelSmo::add_sums(const std::vector<std::uint32_t>& rows, const std::vector<double>& weights) {
  if (p_.precise != nullptr) {
    add_kernel_sums(p_.kernel, LeftRows<double>(*p_.precise, rows), *p_.precise, LeftWeights<double>(weights),
                    slope_.data(), p_.threads);
  } else {
    add_kernel_sums(p_.kernel, LeftRows<float>(*p_.rows, rows), *p_.rows, LeftWeights<float>(weights),
                    slope_.data(), p_.threads);
  }
}

// The values of some rows of the set with all of the set.
void KernelSmo::block_values(const std::vector<std::uint32_t>& fresh, AlignedVector<float>& values) {
  values.resize(fresh.size() * block_stride_);
  if (fresh.empty()) return;
  if (p_.precise != nullptr) {
    const KernelRows<double> own(*p_.precise, set_);
    AlignedVector<double> exact(values.size());
    kernel_block(p_.kernel, LeftRows<double>(own, fresh), own, exact.data(), block_stride_, p_.threads);
    std::transform(exact.begin(), exact.end(), values.begin(),
                   [](double v) { return static_cast<float>(v); });
  } else {
    const KernelRows<float> own(*p_.rows, set_);
    kernel_block(p_.kernel, LeftRows<float>(own, fresh), own, values.data(), block_stride_, p_.threads);
  }
}

void KernelSmo::set_slopes(const std::vector<double>& slopes) {
  std::copy(slopes.begin(), slopes.end(), slope_.begin());
}

// Thresholds in the middle between what may rise and what may fall; every term of the gap is at least 0.
void KernelSmo::look() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double top[2] = {-infinity, -infinity}, bottom[2] = {infinity, infinity};
  // Which bound a variable is at is anyone's guess: no branches on it.
  const auto ends = [&](int c, const auto& counts) {
    double highest = -infinity, lowest = infinity;
    for (std::size_t i = 0; i < n_; ++i) {
      const double rise = counts(i) && beta_[i] < p_.upper[i] ? slope_[i] : -infinity;
      const double fall = counts(i) && beta_[i] > p_.lower[i] ? slope_[i] : infinity;
      highest = rise > highest ? rise : highest;
      lowest = fall < lowest ? fall : lowest;
    }
    top[c] = highest;
    bottom[c] = lowest;
  };
  if (p_.by_class) {
    ends(0, [&](std::size_t i) { return p_.y[i] < 0; });
    ends(1, [&](std::size_t i) { return p_.y[i] > 0; });
  } else {
    ends(1, [](std::size_t) { return true; });
  }
  if (!p_.by_class) {
    top[0] = top[1];
    bottom[0] = bottom[1];
  }
  state_.apart = 0;
  for (int c = 0; c < 2; ++c) {
    const bool both = std::isfinite(top[c]) && std::isfinite(bottom[c]);
    threshold_[c] = both ? (top[c] + bottom[c]) / 2 : std::isfinite(top[c]) ? top[c] : bottom[c];
    if (both) state_.apart = std::max(state_.apart, top[c] - bottom[c]);
  }
  state_.offset = (threshold_[0] + threshold_[1]) / 2;
  state_.rho = p_.by_class ? (threshold_[0] - threshold_[1]) / 2 : 1;
  double gap = 0, square = 0, loss = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    const double over = slope_[i] - threshold_[p_.y[i] < 0 ? 0 : 1];
    const double cost = p_.upper[i] - p_.lower[i];
    const double lost = cost * std::max(0.0, p_.y[i] * over);
    loss += lost;
    gap += lost - beta_[i] * over;
    square += beta_[i] * (p_.target[i] - slope_[i]);
  }
  const double unit = state_.rho > 0 ? state_.rho * state_.rho : 1;
  state_.gap = gap / unit;
  state_.primal = (square / 2 + loss) / unit;
}

void KernelSmo::fill_set(std::vector<Candidate>& up, std::vector<Candidate>& low) {
  const auto worse = [](const Candidate& a, const Candidate& b) {
    return a.key != b.key ? a.key > b.key : a.rank < b.rank;
  };
  for (auto* list : {&up, &low}) {
    if (list->size() > set_size_) {
      std::nth_element(list->begin(), list->begin() + static_cast<std::ptrdiff_t>(set_size_), list->end(),
                       worse);
      list->resize(set_size_);
    }
    std::sort(list->begin(), list->end(), worse);
  }
  std::size_t at[2] = {0, 0};
  const std::vector<Candidate>* const lists[2] = {&up, &low};
  while (set_.size() < set_size_ && (at[0] < up.size() || at[1] < low.size())) {
    for (int side = 0; side < 2 && set_.size() < set_size_; ++side) {
      while (at[side] < lists[side]->size() && place_[(*lists[side])[at[side]].row] != not_in_set) ++at[side];
      if (at[side] == lists[side]->size()) continue;
      const std::uint32_t row = (*lists[side])[at[side]++].row;
      place_[row] = static_cast<std::uint32_t>(set_.size());
      set_.push_back(row);
      entered_.push_back(iterations_);
    }
  }
}

void KernelSmo::choose_set() {
  if (whole_) {
    set_.resize(n_);
    std::iota(set_.begin(), set_.end(), 0U);
    return;
  }
  old_set_.swap(set_);
  old_entered_.swap(entered_);
  set_.clear();
  entered_.clear();
  for (const std::uint32_t row : old_set_) place_[row] = not_in_set;
  // Half of the old set stays: the free ones first, then those that came last.
  std::vector<std::uint32_t> order(old_set_.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto free = [&](std::uint32_t k) {
    const std::uint32_t row = old_set_[k];
    return beta_[row] > p_.lower[row] && beta_[row] < p_.upper[row];
  };
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return free(a) != free(b) ? free(a) : old_entered_[a] > old_entered_[b];
  });
  order.resize(std::min(order.size(), set_size_ / 2));
  for (const std::uint32_t k : order) {
    place_[old_set_[k]] = static_cast<std::uint32_t>(set_.size());
    set_.push_back(old_set_[k]);
    entered_.push_back(old_entered_[k]);
  }
  std::vector<Candidate> up, low;
  for (std::size_t i = 0; i < n_; ++i) {
    const double key = slope_[i] - threshold_[p_.y[i] < 0 ? 0 : 1];
    const auto row = static_cast<std::uint32_t>(i);
    if (key > 0 && beta_[i] < p_.upper[i]) up.push_back({key, rank_[i], row});
    if (key < 0 && beta_[i] > p_.lower[i]) low.push_back({-key, rank_[i], row});
  }
  fill_set(up, low);
  // Rows that are only looked at come cheaper when they lie near each other; classes lie apart for nu-svm.
  std::vector<std::uint32_t> sorted(set_.size());
  std::iota(sorted.begin(), sorted.end(), 0U);
  std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (p_.by_class && p_.y[set_[a]] != p_.y[set_[b]]) return p_.y[set_[a]] < p_.y[set_[b]];
    return set_[a] < set_[b];
  });
  std::vector<std::uint32_t> rows(set_.size());
  std::vector<std::uint64_t> entered(set_.size());
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    rows[k] = set_[sorted[k]];
    entered[k] = entered_[sorted[k]];
  }
  set_ = std::move(rows);
  entered_ = std::move(entered);
}

// Values between rows that were both in the last set, and rows in the cache, are taken over.
void KernelSmo::compute_block() {
  if (whole_) return;
  const std::size_t q = set_.size();
  const std::size_t old_stride = block_stride_;
  const std::size_t width = std::max(detail::tiles().width, detail::pair_padding);
  block_stride_ = (q + width - 1) / width * width;
  old_block_.swap(block_);
  block_.resize(q * block_stride_);
  std::vector<std::uint32_t> old_place(q, not_in_set);
  for (std::size_t k = 0; k < old_set_.size(); ++k) place_[old_set_[k]] = not_in_set;
  for (std::size_t k = 0; k < q; ++k) place_[set_[k]] = static_cast<std::uint32_t>(k);
  for (std::size_t k = 0; k < old_set_.size(); ++k)
    if (place_[old_set_[k]] != not_in_set) old_place[place_[old_set_[k]]] = static_cast<std::uint32_t>(k);
  std::vector<std::uint32_t> fresh, others, kept, cached;
  for (std::size_t k = 0; k < q; ++k)
    (old_place[k] != not_in_set ? kept : others).push_back(static_cast<std::uint32_t>(k));
  // Most of the new rows will move, and then all of their values are needed: where these are few, they are computed now.
  if (cache_.on() && n_ <= 10 * q) {
    std::vector<std::uint32_t> rows;
    rows.reserve(others.size());
    for (const std::uint32_t k : others) rows.push_back(set_[k]);
    static_cast<void>(cache_.take(rows, iterations_, p_.threads));
  }
  for (const std::uint32_t k : others) (cache_.find(set_[k]) != nullptr ? cached : fresh).push_back(k);
  for_blocks(p_.threads, cached.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      float* const to = block_.data() + cached[c] * block_stride_;
      const float* const row = cache_.find(set_[cached[c]]);
      for (std::size_t l = 0; l < q; ++l) to[l] = row[set_[l]];
    }
  });
  AlignedVector<float> values;
  block_values(fresh, values);
  for (std::size_t r = 0; r < fresh.size(); ++r)
    std::copy_n(values.data() + r * block_stride_, q, block_.data() + fresh[r] * block_stride_);
  // The values of kept rows with others are those of the others with kept rows.
  for_blocks(p_.threads, kept.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      const std::uint32_t k = kept[c];
      float* const to = block_.data() + k * block_stride_;
      const float* const from = old_block_.data() + old_place[k] * old_stride;
      for (const std::uint32_t l : kept) to[l] = from[old_place[l]];
    }
    for (const std::uint32_t l : others) {
      const float* const from = block_.data() + l * block_stride_;
      for (std::size_t c = begin; c < end; ++c) block_[kept[c] * block_stride_ + l] = from[kept[c]];
    }
  });
  for (std::size_t k = 0; k < q; ++k)
    std::fill(block_.data() + k * block_stride_ + q, block_.data() + (k + 1) * block_stride_, 0.0F);
}

// Steps on pairs within the set. Slopes are centred before they are rounded to T: what counts is their
// differences.
template <class T>
double KernelSmo::solve_set() {
  const std::size_t q = set_.size();
  std::size_t negatives = 0;
  if (p_.by_class)
    while (negatives < q && p_.y[set_[negatives]] < 0) ++negatives;
  const std::size_t split = padded_size(negatives);
  const std::size_t size = split + padded_size(q - negatives);
  // Variables are laid out with gaps after each class, and for nu-svm the block with them.
  std::vector<std::uint32_t> at(q);
  for (std::size_t k = 0; k < q; ++k)
    at[k] = static_cast<std::uint32_t>(k < negatives ? k : k - negatives + split);
  AlignedVector<float> spread(p_.by_class ? size * size : 0, 0.0F), diagonal(size, 1.0F);
  AlignedVector<T> slope(size, T{0}), up(size), low(size);
  std::vector<double> beta(size, 0.0), lower(size, 0.0), upper(size, 0.0);
  for (std::size_t k = 0; k < q; ++k) {
    const std::uint32_t row = set_[k];
    if (p_.by_class) {
      float* const to = spread.data() + at[k] * size;
      const float* const from = block_.data() + k * block_stride_;
      std::copy_n(from, negatives, to);
      std::copy_n(from + negatives, q - negatives, to + split);
    }
    diagonal[at[k]] = static_cast<float>(p_.rows->own_value(p_.kernel, row));
    slope[at[k]] = static_cast<T>(slope_[row] - threshold_[p_.y[row] < 0 ? 0 : 1]);
    beta[at[k]] = beta_[row];
    lower[at[k]] = p_.lower[row];
    upper[at[k]] = p_.upper[row];
  }
  detail::PairProblem<T> small;
  small.size = size;
  small.split = p_.by_class ? split : size;
  small.kernel = p_.by_class ? spread.data() : block_.data();
  small.stride = p_.by_class ? size : block_stride_;
  if (whole_) {
    small.row = [](void* smo, std::size_t i) { return static_cast<KernelSmo*>(smo)->row_of(i); };
    small.keeper = this;
  }
  small.diagonal = diagonal.data();
  small.slope = slope.data();
  small.up = up.data();
  small.low = low.data();
  small.beta = beta.data();
  small.lower = lower.data();
  small.upper = upper.data();
  small.stop = 0.1 * state_.apart;
  small.most = 40 * q + 100;
  const detail::PairResult result = detail::pair_steps(small);
  least_curvature_ = std::min(least_curvature_, result.curvature);
  std::vector<double> before(q);
  for (std::size_t k = 0; k < q; ++k) {
    before[k] = beta_[set_[k]];
    beta_[set_[k]] = beta[at[k]];
  }
  move_slopes(before);
  return result.apart;
}

const float* KernelSmo::row_of(std::size_t i) {
  return cache_.take(static_cast<std::uint32_t>(i), iterations_);
}

void KernelSmo::move_slopes(const std::vector<double>& before) {
  std::vector<std::uint32_t> rows;
  std::vector<double> change;
  for (std::size_t k = 0; k < set_.size(); ++k) {
    const double moved = beta_[set_[k]] - before[k];
    if (moved == 0) continue;
    rows.push_back(set_[k]);
    change.push_back(moved);
  }
  if (rows.empty()) return;
  if (!cache_.on()) {
    for (double& c : change) c = -c;
    add_sums(rows, change);
    return;
  }
  const std::vector<const float*> at = cache_.take(rows, iterations_, p_.threads);
  for_blocks(p_.threads, n_, 2048, [&](std::size_t begin, std::size_t end) {
    detail::subtract_rows(at.data(), change.data(), at.size(), begin, end, slope_.data());
  });
}

KernelSmo::End KernelSmo::run(double gap, const Clock& clock, Stop& why) {
  double reached = -std::numeric_limits<double>::infinity();
  std::size_t since = 0;
  in_double_ = false;
  for (;;) {
    look();
    const double relative = state_.relative();
    if (relative <= gap && state_.rho > 0) return End::Reached;
    if (iterations_ >= most_rounds) return End::Stalled;
    // The dual value rises with every step; when it no longer rises by a part of the gap, rounding is at
    // work.
    const double dual = state_.primal - state_.gap;
    ++since;
    if (dual > reached + 1e-3 * state_.gap) {
      reached = dual;
      since = 0;
    }
    if (since > patience || state_.apart <= 0) {
      if (in_double_ || state_.apart <= 0) return End::Stalled;
      in_double_ = true;
      since = 0;
    }
    if (!clock.go_on({std::nan(""), iterations_, relative, "kernel"}, why)) return End::Stopped;
    choose_set();
    compute_block();
    if (in_double_) {
      solve_set<double>();
    } else {
      solve_set<float>();
    }
    ++iterations_;
  }
}

}  // namespace halfspace
