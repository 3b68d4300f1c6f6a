// SPDX-License-Identifier: BSD-3-Clause
// Update     on m = y (sum_j coefficient_j K(x_j, x)) <= 0: coefficient of x += y; with a lifted offset K +
//            1 in place of K.
// Cost       kernel values between every row and the rows mistaken so far, in blocks: the scores of a block
//            of rows against what came before it at once, then row by row within the block. The same walk
//            as one row at a time.
// Budget     on a mistake with a full budget one row, drawn at random, leaves first (Cavallanti,
//            Cesa-Bianchi, Gentile: "Tracking the best hyperplane with a simple budget perceptron", Machine
//            Learning 69, 2007).
// Proof      |theta|^2 grows by K(x, x) + 2 m at a mistake, so |theta| / k bounds every margin as for the
//            plain perceptron.
// Reference  Freund, Schapire: "Large margin classification using the perceptron algorithm", Machine
//            Learning 37, 1999.
#include "solve/kernel/online.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "data/kernel/rows.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"
#include "solve/convex/clock.hpp"
#include "solve/kernel/check.hpp"
#include "solve/online/fit.hpp"

namespace halfspace {
namespace {

constexpr std::size_t block_rows = 256;
constexpr std::uint32_t not_kept = UINT32_MAX;

class KernelWalk {
 public:
  KernelWalk(const Dataset& data, const OnlineSetup& setup, const KernelFunction& kernel, std::int64_t budget,
             const Run& run)
      : data_(data),
        setup_(setup),
        kernel_(kernel),
        budget_(static_cast<std::size_t>(budget)),
        run_(run),
        clock_(run),
        planes_(data.classes().size() == 2 ? 1 : data.classes().size()),
        constant_(setup.offset == Offset::Lifted ? 1.0 : 0.0),
        removals_(run.seed, std::uint64_t{1} << 40U) {
    const auto access = RowAccess::of(data.matrix());
    std::vector<std::uint32_t> every(data.rows());
    std::iota(every.begin(), every.end(), 0U);
    rows_.emplace(*access, every, data.features(), form_for(data, kernel), run.threads,
                  std::span<const std::uint32_t>(), false);
    place_.assign(data.rows(), not_kept);
    walk_.planes.resize(planes_);
    active_.resize(planes_);
  }

  OnlineWalk walk() {
    const bool whole = has_whole_weights(data_);
    std::vector<std::uint32_t> visits = visits_of_pass(data_, setup_.rows, 0);
    walk_.visits = visits.size();
    const double wanted =
        setup_.passes.until_clean ? static_cast<double>(setup_.max_passes) : setup_.passes.count;
    const std::uint64_t total = visits_in_passes(data_, setup_.rows, wanted);
    walk_.stop = setup_.passes.until_clean ? Stop::Limit : Stop::Passes;
    std::uint64_t done = 0;
    double passes = 0;
    bool go_on = true;
    for (std::uint64_t pass = 0; done < total && go_on && walk_.stop != Stop::Clean; ++pass) {
      if (!whole && pass > 0) visits = visits_of_pass(data_, setup_.rows, pass);
      if (setup_.order == Order::Shuffled || (setup_.order == Order::Content && (pass == 0 || !whole)))
        Random(run_.seed, pass).shuffle(visits);
      std::vector<std::uint32_t> order = visits;
      if (setup_.order == Order::Random) {
        Random random(run_.seed, pass);
        for (std::uint32_t& i : order) i = visits[random.below(visits.size())];
      }
      const auto take = static_cast<std::size_t>(std::min<std::uint64_t>(order.size(), total - done));
      pass_ = pass + 1;
      const std::uint64_t before = done;
      try {
        go_on = one_pass(std::span(order).first(take), pass == 0, done, total);
      } catch (const Stopped& stopped) {  // before the steps of a block: while kernel values were computed
        walk_.stop = stop_of(stopped);
        go_on = false;
      }
      if (!order.empty()) passes += static_cast<double>(done - before) / static_cast<double>(order.size());
      if (go_on && take == order.size() && setup_.order != Order::Random && whole) end_pass();
    }
    walk_.passes = passes;
    return std::move(walk_);
  }

 private:
  // Rows with a coefficient in one plane, in the order in which they came.
  struct Active {
    std::vector<std::uint32_t> rows;
  };

  [[nodiscard]] double y_of(std::uint32_t row, std::size_t k) const {
    return data_.labels()[row] == (planes_ == 1 ? 1 : k) ? 1.0 : -1.0;
  }

  bool one_pass(std::span<const std::uint32_t> order, bool first, std::uint64_t& done, std::uint64_t total) {
    changed_.assign(planes_, 0);
    for (std::size_t at = 0; at < order.size(); at += block_rows) {
      const Progress progress{static_cast<double>(done) / static_cast<double>(total),
                              done / std::max<std::uint64_t>(1, walk_.visits), std::nan(""), "passes"};
      if (!clock_.go_on(progress, walk_.stop)) return false;
      const auto block = order.subspan(at, std::min(block_rows, order.size() - at));
      one_block(block, first);
      done += block.size();
    }
    return true;
  }

  // Rows that have left every plane cost nothing any more: with a budget, time and memory are bounded by it.
  void forget() {
    std::size_t left = 0;
    for (std::size_t r = 0; r < kept_.size(); ++r) {
      const auto from = coefficient_.begin() + static_cast<std::ptrdiff_t>(r * planes_);
      const auto end = from + static_cast<std::ptrdiff_t>(planes_);
      if (std::all_of(from, end, [](double c) { return c == 0; })) {
        place_[kept_[r]] = not_kept;
        continue;
      }
      std::copy(from, end, coefficient_.begin() + static_cast<std::ptrdiff_t>(left * planes_));
      kept_[left] = kept_[r];
      place_[kept_[left]] = static_cast<std::uint32_t>(left);
      ++left;
    }
    kept_.resize(left);
    coefficient_.resize(left * planes_);
  }

  void one_block(std::span<const std::uint32_t> block, bool first) {
    if (budget_ > 0) forget();
    const KernelRows<double> right(*rows_, block);
    const std::size_t stride = right.padded();
    const std::size_t kept = kept_.size();
    std::vector<double> score(planes_ * stride, 0.0);
    std::vector<double> earlier;  // values of the kept rows, needed only when they may leave
    if (kept > 0) {
      const LeftRows<double> left(*rows_, kept_);
      std::vector<double> weights(planes_ * kept);
      for (std::size_t k = 0; k < planes_; ++k) {
        double sum = 0;
        for (std::size_t r = 0; r < kept; ++r) {
          weights[k * kept + r] = coefficient_[r * planes_ + k];
          sum += weights[k * kept + r];
        }
        std::fill_n(score.begin() + static_cast<std::ptrdiff_t>(k * stride), stride, constant_ * sum);
      }
      add_kernel_sums(kernel_, left, right, LeftWeights<double>(weights, planes_), score.data(),
                      run_.threads);
      if (budget_ > 0) {
        earlier.resize(kept * stride);
        kernel_block(kernel_, left, right, earlier.data(), stride, run_.threads);
      }
    }
    std::vector<std::uint32_t> local(block.size());
    std::iota(local.begin(), local.end(), 0U);
    std::vector<double> within(block.size() * stride);
    kernel_block(kernel_, LeftRows<double>(right, local), right, within.data(), stride, run_.threads);
    for (std::size_t t = 0; t < block.size(); ++t) {
      for (std::size_t k = 0; k < planes_; ++k) {
        PlaneWalk& plane = walk_.planes[k];
        if (plane.clean) continue;
        ++plane.steps;
        const double y = y_of(block[t], k);
        const double margin = y * score[k * stride + t];
        if (margin > 0) continue;
        ++plane.mistakes;
        if (first) ++plane.first_mistakes;
        ++changed_[k];
        if (budget_ > 0) make_room(block, k, earlier, within, stride, kept, score);
        add(block[t], k, y);
        for (std::size_t u = t; u < block.size(); ++u)
          score[k * stride + u] += y * (within[t * stride + u] + constant_);
        if (setup_.observer != nullptr)
          show(block[t], y, margin, y * score[k * stride + t], within[t * stride + t]);
      }
    }
  }

  void add(std::uint32_t row, std::size_t k, double y) {
    if (place_[row] == not_kept) {
      place_[row] = static_cast<std::uint32_t>(kept_.size());
      kept_.push_back(row);
      coefficient_.resize(coefficient_.size() + planes_, 0.0);
    }
    double& coefficient = coefficient_[place_[row] * planes_ + k];
    if (coefficient == 0) active_[k].rows.push_back(row);
    coefficient += y;
    walk_.planes[k].record.push_back({walk_.planes[k].steps, row, y > 0});
  }

  // For an observer, which has one plane: f has no weights, only a length, and the counts of its rows.
  void show(std::uint32_t row, double y, double before, double after, double own) {
    const double theta0 = constant_ * sum_;
    norm2_ += 2 * (before - y * theta0) + own;
    sum_ += y;
    ++seen_;
    if ((seen_ - 1) % setup_.observer->every != 0 || shown_ >= setup_.observer->most) return;
    ++shown_;
    const MovingRow moving{row, y > 0 ? 1 : -1, before, after, std::max(0.0, -before), 1};
    Update update{
        seen_, pass_, row, moving.y, before, after, constant_ * sum_, std::sqrt(std::max(0.0, norm2_)), {}};
    update.step = walk_.planes[0].steps;
    update.theta0_before = theta0;
    update.rows = std::span(&moving, 1);
    update.counted = true;
    update.alpha = std::abs(coefficient_[place_[row]]);
    setup_.observer->see(update);
  }

  // A row drawn at random leaves plane k when its budget is full.
  void make_room(std::span<const std::uint32_t> block, std::size_t k, const std::vector<double>& earlier,
                 const std::vector<double>& within, std::size_t stride, std::size_t kept,
                 std::vector<double>& score) {
    std::vector<std::uint32_t>& rows = active_[k].rows;
    if (rows.size() < budget_) return;
    const std::size_t drawn = removals_.below(rows.size());
    const std::uint32_t row = rows[drawn];
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(drawn));
    double& coefficient = coefficient_[place_[row] * planes_ + k];
    // Rows that were kept before the block have their values in `earlier`, the others are in the block.
    const double* values = nullptr;
    if (place_[row] < kept) {
      values = earlier.data() + place_[row] * stride;
    } else {
      const auto at = std::find(block.begin(), block.end(), row) - block.begin();
      values = within.data() + static_cast<std::size_t>(at) * stride;
    }
    for (std::size_t u = 0; u < block.size(); ++u)
      score[k * stride + u] -= coefficient * (values[u] + constant_);
    const bool positive = coefficient < 0;  // taking it back is adding it with the other sign
    for (double left = std::abs(coefficient); left > 0.5; --left)
      walk_.planes[k].record.push_back({walk_.planes[k].steps, row, positive});
    coefficient = 0;
  }

  void end_pass() {
    bool all = true;
    for (std::size_t k = 0; k < planes_; ++k) {
      if (changed_[k] == 0) walk_.planes[k].clean = true;
      all = all && walk_.planes[k].clean;
    }
    if (all) walk_.stop = Stop::Clean;
  }

  const Dataset& data_;
  const OnlineSetup& setup_;
  KernelFunction kernel_;
  std::size_t budget_;
  const Run& run_;
  Clock clock_;
  std::size_t planes_;
  double constant_;
  Random removals_;
  std::optional<KernelRows<double>> rows_;
  OnlineWalk walk_;
  std::vector<std::uint32_t> kept_;   // rows that were ever mistaken; with a budget, those still in a plane
  std::vector<std::uint32_t> place_;  // of a row among them
  std::vector<double> coefficient_;   // [kept][plane]
  std::vector<Active> active_;
  std::vector<std::uint64_t> changed_;
  std::uint64_t pass_ = 1, seen_ = 0, shown_ = 0;  // what an observer is told
  double sum_ = 0, norm2_ = 0;                     // of the signs; of f without its offset
};

// The sum of the planes of the walk, each times the share of the steps (after `from`) that it lived; the last
// one only when `last`.
KernelModel machine_of(const Dataset& data, const OnlineWalk& walk, const KernelFunction& kernel, bool lifted,
                       bool last, bool last_half) {
  KernelModel model{.features = data.features(), .kernel = kernel};
  std::vector<std::vector<double>> coefficients;
  std::vector<bool> used(data.rows(), false);
  for (const PlaneWalk& plane : walk.planes) {
    const std::uint64_t from = last_half ? plane.steps / 2 : 0;
    const auto steps = static_cast<double>(std::max<std::uint64_t>(1, plane.steps - from));
    std::vector<double>& coefficient = coefficients.emplace_back(data.rows(), 0.0);
    double offset = 0;
    for (const Mistake& mistake : plane.record) {
      const auto lived = static_cast<double>(plane.steps + 1 - std::max(mistake.step, from + 1));
      const double amount = (mistake.positive ? 1.0 : -1.0) * (last ? 1.0 : lived / steps);
      coefficient[mistake.row] += amount;
      if (lifted) offset += amount;
    }
    for (std::size_t i = 0; i < data.rows(); ++i) used[i] = used[i] || coefficient[i] != 0;
    model.offsets.push_back(offset);
  }
  std::vector<std::uint32_t> place(data.rows(), not_kept);
  const auto access = RowAccess::of(data.matrix());
  std::vector<std::uint32_t> index(access->cols());
  std::vector<double> value(access->cols());
  for (std::size_t i = 0; i < data.rows(); ++i) {
    if (!used[i]) continue;
    place[i] = static_cast<std::uint32_t>(model.vectors());
    const std::size_t count = access->copy_entries(i, index.data(), value.data());
    model.index.insert(model.index.end(), index.begin(), index.begin() + static_cast<std::ptrdiff_t>(count));
    model.value.insert(model.value.end(), value.begin(), value.begin() + static_cast<std::ptrdiff_t>(count));
    model.start.push_back(model.index.size());
  }
  for (const std::vector<double>& coefficient : coefficients) {
    for (std::size_t i = 0; i < data.rows(); ++i) {
      if (coefficient[i] == 0) continue;
      model.vector.push_back(place[i]);
      model.coefficient.push_back(coefficient[i]);
    }
    model.first.push_back(model.vector.size());
  }
  return model;
}

// From the record of the mistakes, how often each row was one.
void count_mistakes(Fit& fit, OnlineWalk& walk, std::size_t rows) {
  for (PlaneWalk& plane : walk.planes) {
    std::vector<std::uint32_t>& counts = walk.planes.size() == 1 ? fit.trace.counts : plane.counts;
    counts.assign(rows, 0);
    for (const Mistake& mistake : plane.record) ++counts[mistake.row];
  }
}

}  // namespace

Fit solve_kernel_perceptron(const Dataset& data, const OnlineSetup& setup, OnlineToBatch which,
                            bool last_half, const KernelFunction& kernel, std::int64_t budget,
                            const Run& given) {
  const Run run = begin_run(given);
  if (setup.order == Order::Worst)
    throw UsageError("--order worst is for planes; kernels take cyclic, shuffled, random or content");
  if (which == OnlineToBatch::Longest || which == OnlineToBatch::All)
    throw UsageError("--online-to-batch with a kernel: last, average, last-half or vote");
  if (kernel.kind == KernelKind::Precomputed) throw UsageError("--kernel precomputed is for svm and nu-svm");
  const KernelFunction own = kernel.for_features(data.features());
  const bool lifted = setup.offset == Offset::Lifted;
  check_kernel(data, own, largest_in_double);
  KernelWalk walker(data, setup, own, budget, run);
  OnlineWalk walk = walker.walk();
  Fit fit = online_fit(walk, setup);
  if (which == OnlineToBatch::Vote) {
    VotedModel model = voted_model(data, walk, lifted, last_half);
    model.kernel = own;
    fit.trace.support_vectors = model.constant.size();
    fit.model().form = std::move(model);
  } else {
    KernelModel model =
        machine_of(data, walk, own, lifted, which == OnlineToBatch::Last, which == OnlineToBatch::LastHalf);
    fit.trace.support_vectors = model.vectors();
    fit.model().form = std::move(model);
  }
  fit.words.summary.push_back(fmt::format(
      "kernel {}, made of {} rows", OptionType<KernelFunction>::print(own), *fit.trace.support_vectors));
  if (budget == 0 && own.semidefinite() && can_count(data)) {
    count_mistakes(fit, walk, data.rows());
    try {
      add_mistake_bounds(fit, data, walk, lifted, own, closing_team(run));
    } catch (const Stopped&) {
      fit.words.notes.emplace_back(no_time_for_bounds);
    }
  }
  return fit;
}

}  // namespace halfspace
