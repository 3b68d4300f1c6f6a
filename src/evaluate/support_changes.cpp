// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/support_changes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "certify/duality_gap.hpp"
#include "halfspace/evaluate/folds.hpp"
#include "halfspace/objective/class_weights.hpp"
#include "halfspace/prepare/scaling.hpp"

namespace halfspace {
namespace {

// A machine that is found in a closed form is as exact as rounding allows; one that is not shows that rounding took over.
constexpr double largest_gap = 1e-6;
constexpr std::size_t most_numbers = 4'000'000;

std::string option_of(const Facts& options, std::string_view name) {
  for (const auto& [key, value] : options)
    if (key == name) return value;
  return {};
}

class Follower {
 public:
  Follower(const Dataset& training, const Split& split, const SearchSpace& space, const Run& run)
      : split_(split), threads_(run.threads.until(run.stop)), nu_(space.axes.front().option == "nu") {
    const Facts options = space.at({space.axes.front().values.front()}).make().values();
    const Offset offset =
        nu_ ? Offset::Free : OptionType<Offset>::parse("offset", option_of(options, "offset"), {});
    const std::vector<double> weights =
        nu_ ? std::vector<double>() : class_weights(training, option_of(options, "class-weight"));
    problem_ = make_problem(training, 1, Hinge{}, offset, 1.0, weights);
    cost_ = problem_.cost;
    total_ = std::accumulate(cost_.begin(), cost_.end(), 0.0);
    const auto [low, high] =
        std::minmax_element(space.axes.front().values.begin(), space.axes.front().values.end());
    low_ = *low;
    high_ = *high;
  }

  SupportChanges follow(double most_work) {
    // Nearly every row comes onto the margin at some place.
    const auto rows = static_cast<double>(problem_.rows());
    if (2 * rows * (static_cast<double>(problem_.data->nonzeros()) + rows) > most_work) {
      out_.end = PathEnd::Work;
      out_.reached = nu_ ? high_ : low_;
      return std::move(out_);
    }
    const double endless = std::numeric_limits<double>::infinity();
    try {
      const HingeWalk walk = walk_hinge_path(problem_, nu_ ? 0 : low_, nu_ ? endless : high_, most_work,
                                             threads_, [&](const HingePlace& place) { return take(place); });
      const bool all = walk.end == PathEnd::Reached || (walk.end == PathEnd::Left && !inexact_);
      out_.end = all ? PathEnd::Reached : inexact_ ? PathEnd::Ties : walk.end;
      out_.reached = all   ? (nu_ ? low_ : high_)
                     : nu_ ? std::clamp(last_nu_, low_, high_)
                           : std::max(low_, walk.C);
    } catch (const Stopped&) {
      out_.stopped = true;
      out_.end = PathEnd::Left;
      out_.reached = out_.places.empty() ? (nu_ ? high_ : low_) : out_.places.back().value;
    }
    return std::move(out_);
  }

 private:
  bool take(const HingePlace& place) {
    double value = place.C;
    if (nu_) {
      value = std::accumulate(place.dual.alpha.begin(), place.dual.alpha.end(), 0.0) / (place.C * total_);
      last_nu_ = value;
      if (value > high_) return true;
      if (value < low_) return false;
    }
    for (std::size_t i = 0; i < cost_.size(); ++i) problem_.cost[i] = place.C * cost_[i];
    const DualityGap gap = duality_gap(problem_, place.theta, place.theta0, place.dual, Team(threads_));
    inexact_ = !(gap.relative() <= largest_gap);
    if (inexact_) return false;
    SupportChange one{.value = value, .C = place.C, .moves = place.moves, .theta0 = place.theta0};
    for (MarginMove& move : one.moves) move.row = split_.train[move.row];
    for (const double w : place.theta) one.norm += w * w;
    one.norm = std::sqrt(one.norm);
    one.relative_gap = gap.relative();
    one.support_vectors = place.vectors;
    one.on_margin = place.on_margin;
    numbers_ += place.theta.size();
    if (numbers_ <= most_numbers) one.theta.assign(place.theta.begin(), place.theta.end());
    out_.places.push_back(std::move(one));
    if (numbers_ > most_numbers && numbers_ - place.theta.size() <= most_numbers)
      for (SupportChange& before : out_.places) before.theta = {};
    return true;
  }

  const Split& split_;
  Threads threads_;
  bool nu_, inexact_ = false;
  Problem problem_;
  std::vector<double> cost_;  // at C = 1
  double total_ = 0, low_ = 0, high_ = 0, last_nu_ = 1;
  std::size_t numbers_ = 0;
  SupportChanges out_;
};

}  // namespace

bool has_support_changes(const Dataset& data, const SearchSpace& space) {
  if (space.axes.size() != 1 || space.fixed.preparation.map || data.classes().size() != 2) return false;
  const Axis& axis = space.axes.front();
  const Facts options = space.at({axis.values.front()}).make().values();
  if (option_of(options, "kernel") != "linear") return false;
  if (space.fixed.algorithm == "nu-svm") return axis.option == "nu";
  return space.fixed.algorithm == "svm" && axis.option == "C" && option_of(options, "loss") == "hinge" &&
         option_of(options, "penalty") == "l2";
}

SupportChanges support_changes(const Dataset& data, const Split& split, const SearchSpace& space,
                               double most_work, const Run& run) {
  const Dataset rows = split_rows(data, split.train, split.test).training;
  const Dataset training =
      apply_scaling(rows, learn_scaling(rows, space.fixed.preparation.scale, run.threads), run.threads);
  return Follower(training, split, space, run).follow(most_work);
}

}  // namespace halfspace
