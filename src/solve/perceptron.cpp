// SPDX-License-Identifier: BSD-3-Clause
// The perceptron (Rosenblatt 1958), one class against the rest for more than two classes.
//
// Update   on m = y (theta . x + theta0) <= 0: theta += y x, and theta0 += y when the offset is lifted.
// Cost     one dot product per row and pass, one axpy per mistake; memory d doubles per class.
// Proof    theta = sum of counts_i y_i x_i, so |theta| / k bounds every plane's margin from above
// (Cauchy-Schwarz);
//          a clean pass makes theta a separator, and then k <= (R / margin)^2 (Novikoff 1962).
#include "halfspace/solve/perceptron.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"
#include "solve/clock.hpp"

namespace halfspace {

Passes OptionType<Passes>::parse(std::string_view name, std::string_view text, Range range) {
  if (text == "until-clean") return {0, true};
  try {
    return {OptionType<double>::parse(name, text, range), false};
  } catch (const UsageError&) {
    throw UsageError(
        fmt::format("--{}: '{}' is neither a number of at least 0 nor until-clean", name, printable(text)));
  }
}
std::string OptionType<Passes>::print(const Passes& passes) {
  return passes.until_clean ? "until-clean" : OptionType<double>::print(passes.count);
}

namespace {

// The rows in the order of one pass, a row of weight k standing k times.
std::vector<std::uint32_t> visits_of(const Dataset& data) {
  std::vector<std::uint32_t> visits;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const double weight = data.weight(i);
    if (weight != std::floor(weight) || weight > 1e6) {
      throw InputError({.file = data.name()}, fmt::format("weight {} of row {}", weight, i + 1),
                       "the perceptron takes whole weights: a weight of k means k copies");
    }
    visits.insert(visits.end(), static_cast<std::size_t>(weight), static_cast<std::uint32_t>(i));
  }
  return visits;
}

struct Plane {
  std::vector<double> theta;
  double theta0 = 0;
  std::uint64_t mistakes = 0;
  bool clean = false;
  double passes = 0;
  Stop stop = Stop::Passes;
};

template <class View>
class Walk {
 public:
  Walk(const View& view, const Dataset& data, const Perceptron& options, const Run& run,
       std::uint32_t positive)
      : view_(view), data_(data), options_(options), run_(run), clock_(run), positive_(positive) {}

  Plane train(std::vector<std::uint32_t> visits) {
    plane_.theta.assign(view_.cols, 0.0);
    const double wanted =
        options_.passes.until_clean ? static_cast<double>(options_.max_passes) : options_.passes.count;
    const auto total = static_cast<std::uint64_t>(std::llround(wanted * static_cast<double>(visits.size())));
    plane_.stop = options_.passes.until_clean ? Stop::Limit : Stop::Passes;
    std::uint64_t done = 0;
    for (std::uint64_t pass = 0; done < total; ++pass) {
      const Progress progress{static_cast<double>(done) / static_cast<double>(total), pass,
                              std::numeric_limits<double>::quiet_NaN(), "passes"};
      if (!clock_.go_on(progress, plane_.stop)) break;
      if (options_.order == Order::Shuffled) Random(run_.seed, pass).shuffle(visits);
      const auto take = static_cast<std::size_t>(std::min<std::uint64_t>(visits.size(), total - done));
      const std::uint64_t before = plane_.mistakes;
      for (std::size_t t = 0; t < take; ++t) visit(visits[t]);
      done += take;
      if (take == visits.size() && plane_.mistakes == before) {
        plane_.clean = true;
        plane_.stop = Stop::Clean;
        break;
      }
    }
    plane_.passes = static_cast<double>(done) / static_cast<double>(visits.size());
    return std::move(plane_);
  }

 private:
  void visit(std::uint32_t i) {
    const auto x = view_.row(i);
    const double y = data_.labels()[i] == positive_ ? 1.0 : -1.0;
    const double score = dot(x, plane_.theta.data()) + plane_.theta0;
    if (y * score > 0) return;
    axpy(y, x, plane_.theta.data());
    if (options_.offset == LiftedOffset::Lifted) plane_.theta0 += y;
    ++plane_.mistakes;
  }

  const View& view_;
  const Dataset& data_;
  const Perceptron& options_;
  const Run& run_;
  Clock clock_;
  std::uint32_t positive_;
  Plane plane_;
};

// Largest row norm and smallest signed margin of the plane over the rows that count.
template <class View>
MistakeBound bound_of(const View& view, const Dataset& data, std::uint32_t positive, const Plane& plane,
                      bool lifted) {
  MistakeBound bound{.mistakes = plane.mistakes, .lifted = lifted};
  double radius2 = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < view.rows; ++i) {
    if (data.weight(i) == 0) continue;
    radius2 = std::max(radius2, norm2(view.row(i)) + (lifted ? 1.0 : 0.0));
    const double score = dot(view.row(i), plane.theta.data()) + plane.theta0;
    least = std::min(least, data.labels()[i] == positive ? score : -score);
  }
  const double length =
      std::sqrt(norm2(plane.theta.data(), plane.theta.size()) + (lifted ? plane.theta0 * plane.theta0 : 0.0));
  bound.radius = std::sqrt(radius2);
  bound.margin_upper = plane.mistakes == 0 ? std::numeric_limits<double>::infinity()
                                           : length / static_cast<double>(plane.mistakes);
  bound.margin_lower = plane.clean && least > 0 ? least / length : 0.0;
  return bound;
}

// Worst ending over the classes: what the fit as a whole may claim.
Stop worse(Stop a, Stop b) {
  const auto rank = [](Stop s) {
    return s == Stop::Clean ? 0 : s == Stop::Passes ? 1 : s == Stop::Limit ? 2 : s == Stop::Time ? 3 : 4;
  };
  return rank(a) >= rank(b) ? a : b;
}

}  // namespace

Fit solve(const Dataset& data, const Perceptron& options, const Run& run) {
  const std::size_t classes = data.classes().size();
  const std::size_t planes = classes == 2 ? 1 : classes;
  const std::vector<std::uint32_t> visits = visits_of(data);
  const bool lifted = options.offset == LiftedOffset::Lifted;
  std::vector<Plane> trained(planes);
  std::vector<MistakeBound> bounds(planes);
  std::visit(
      [&](const auto& view) {
        using View = std::decay_t<decltype(view)>;
        run.threads.run(planes, [&](std::size_t k) {
          const auto positive = static_cast<std::uint32_t>(classes == 2 ? 1 : k);
          trained[k] = Walk<View>(view, data, options, run, positive).train(visits);
          bounds[k] = bound_of(view, data, positive, trained[k], lifted);
        });
      },
      data.matrix());
  Fit fit;
  LinearModel linear{.features = data.features(), .planes = planes};
  fit.stop = trained[0].stop;
  fit.mistakes = 0;
  double passes = 0;
  for (std::size_t k = 0; k < planes; ++k) {
    const Plane& plane = trained[k];
    for (const double w : plane.theta) {
      if (!std::isfinite(w)) {
        throw InputError({.file = data.name()}, "values so large that the weights overflow",
                         "values below 1e150", "scale the data: --scale standard or --scale unit");
      }
    }
    linear.weights.insert(linear.weights.end(), plane.theta.begin(), plane.theta.end());
    linear.offsets.push_back(plane.theta0);
    *fit.mistakes += plane.mistakes;
    fit.stop = worse(fit.stop, plane.stop);
    passes = std::max(passes, plane.passes);
    fit.certificates.emplace_back(bounds[k]);
  }
  fit.iterations = static_cast<std::uint64_t>(std::ceil(passes));
  fit.model.form = std::move(linear);
  return fit;
}

}  // namespace halfspace
