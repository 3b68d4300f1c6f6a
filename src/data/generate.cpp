// SPDX-License-Identifier: BSD-3-Clause
// Row i is drawn from a stream of its own, so the first rows of a longer set are those of a shorter one.
#include "halfspace/data/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/data/builder.hpp"
#include "halfspace/data/law.hpp"

namespace halfspace {
namespace {

double normal_below(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

double sum_of_squares(const std::vector<double>& x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return sum;
}

// A uniformly random direction.
std::vector<double> unit_vector(std::size_t features, Random& random) {
  std::vector<double> u(features);
  double squares = 0;
  while (squares == 0) {
    for (double& x : u) x = random.normal();
    squares = sum_of_squares(u);
  }
  for (double& x : u) x /= std::sqrt(squares);
  return u;
}

// Integral of f over [0, length] by the five-point Gauss-Legendre rule on equal panels.
template <class F>
double integrate(double length, int panels, const F& f) {
  const double inner = std::sqrt(5 - 2 * std::sqrt(10.0 / 7)) / 3,
               outer = std::sqrt(5 + 2 * std::sqrt(10.0 / 7)) / 3;
  const double inner_weight = (322 + 13 * std::sqrt(70.0)) / 900,
               outer_weight = (322 - 13 * std::sqrt(70.0)) / 900;
  const double half = length / panels / 2;
  double sum = 0;
  for (int p = 0; p < panels; ++p) {
    const double middle = (2 * p + 1) * half;
    sum += 128.0 / 225 * f(middle) + inner_weight * (f(middle - inner * half) + f(middle + inner * half)) +
           outer_weight * (f(middle - outer * half) + f(middle + outer * half));
  }
  return sum * half;
}

// Error of the threshold between two normal laws `distance` apart that weighs them by their shares.
double gaussians_error(double distance, double positive) {
  if (distance == 0) return std::min(positive, 1 - positive);
  const double cut =
      std::log((1 - positive) / positive) / distance;  // from the middle towards the positive mean
  return positive * normal_below(cut - distance / 2) + (1 - positive) * normal_below(-cut - distance / 2);
}

// E min(s, 1 - s) for s = 1 / (1 + exp(-length z)), z standard normal. Beyond `reach` less than 1e-17 is
// left.
double logistic_error(double length) {
  const double reach = std::min(9.0, length > 0 ? 45 / length : 9.0);
  return integrate(reach, 400, [&](double z) {
    return 2 / std::sqrt(2 * std::numbers::pi) * std::exp(-z * z / 2) / (1 + std::exp(length * z));
  });
}

// The distance t >= margin from the middle plane of a point of the unit ball: density (1 - t^2)^a, a = (d -
// 1) / 2. Its logarithm is concave and falls, so it lies below its value at the margin and below every
// tangent. Rejection under these two (the tangent where the density has fallen by e) accepts more than half,
// in any dimension.
class SlabDistance {
 public:
  SlabDistance(std::size_t features, double margin)
      : margin_(margin), a_((static_cast<double>(features) - 1) / 2) {
    if (a_ == 0) return;
    const double rest = 1 - margin * margin;
    const double touch = std::sqrt(margin * margin - rest * std::expm1(-1 / a_));
    slope_ = 2 * a_ * touch / (1 - touch * touch);
    bend_ = std::min(touch - 1 / slope_, 1.0);
    tail_ = -std::expm1(-slope_ * (1 - bend_)) / slope_;
  }
  double draw(Random& random) const {
    if (a_ == 0) return margin_ + (1 - margin_) * random.uniform();
    for (;;) {
      const double at = random.uniform() * (bend_ - margin_ + tail_);
      const bool flat = at < bend_ - margin_;
      double t = margin_ + at;
      if (!flat)
        t = bend_ - std::log1p((at - (bend_ - margin_)) / tail_ * std::expm1(-slope_ * (1 - bend_))) / slope_;
      t = std::min(t, 1.0);
      const double envelope = flat ? 0 : -slope_ * (t - bend_);
      const double density = a_ * (std::log1p(-t * t) - std::log1p(-margin_ * margin_));
      if (std::log(1 - random.uniform()) <= density - envelope) return t;
    }
  }

 private:
  double margin_, a_;
  double slope_ = 0, bend_ = 1, tail_ = 0;
};

void check(const GeneratorOptions& o, GeneratorKind kind) {
  const auto refuse = [](const char* name, double found, const char* wanted) {
    throw UsageError(fmt::format("{} {}; wanted {}", name, found, wanted));
  };
  const double most = std::numeric_limits<std::uint32_t>::max();
  const auto rows = static_cast<double>(o.rows), features = static_cast<double>(o.features);
  if (rows < 1 || rows > most) refuse("rows", rows, "1 to 4294967295");
  if (features < 1 || features > most) refuse("features", features, "1 to 4294967295");
  if (kind == GeneratorKind::Xor && features < 2) refuse("features", features, "at least 2 for xor");
  if (!(o.distance >= 0 && o.distance <= 1e6)) refuse("distance", o.distance, "0 to 1e6");
  if (!(o.margin >= 0 && o.margin < 1)) refuse("margin", o.margin, "a number from 0 to below 1");
  if (!(o.flip >= 0 && o.flip <= 1)) refuse("flip", o.flip, "a share from 0 to 1");
  if (!(o.positive > 0 && o.positive < 1)) refuse("positive", o.positive, "a share above 0 and below 1");
}

// Draws one row into x (as many as there are features) and says whether its label is the positive one.
struct RowLaw {
  GeneratorKind kind;
  const GeneratorOptions& options;
  std::vector<double> direction;
  SlabDistance slab;

  bool draw(Random& random, std::vector<double>& x) const {
    if (kind == GeneratorKind::Margin) return draw_margin(random, x);
    const bool heads = random.uniform() < (kind == GeneratorKind::Gaussians ? options.positive : 0.5);
    const double level = random.uniform();
    for (double& v : x) v = random.normal();
    switch (kind) {
      case GeneratorKind::Gaussians:
        for (std::size_t j = 0; j < x.size(); ++j)
          x[j] += (heads ? 0.5 : -0.5) * options.distance * direction[j];
        return heads;
      case GeneratorKind::Logistic: {
        double along = 0;
        for (std::size_t j = 0; j < x.size(); ++j) along += direction[j] * x[j];
        return level < 1 / (1 + std::exp(-options.distance * along));
      }
      case GeneratorKind::Xor:
        x[0] = heads ? 1 : -1;
        x[1] = level < 0.5 ? 1 : -1;
        return x[0] * x[1] > 0;
      default: return heads;
    }
  }

  bool draw_margin(Random& random, std::vector<double>& x) const {
    const bool positive = random.uniform() < 0.5;
    const double t = slab.draw(random) * (positive ? 1 : -1);
    const double level = random.uniform();
    double along = 0, squares = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      x[j] = random.normal();
      along += direction[j] * x[j];
    }
    for (std::size_t j = 0; j < x.size(); ++j) {
      x[j] -= along * direction[j];
      squares += x[j] * x[j];
    }
    // The rest is uniform in a ball of one dimension less.
    const bool line = x.size() == 1 || squares == 0;
    const double radius =
        line ? 0
             : std::sqrt((1 - t * t) / squares) * std::pow(level, 1 / (static_cast<double>(x.size()) - 1));
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = t * direction[j] + radius * x[j];
    return positive;
  }
};

double bayes_error(GeneratorKind kind, const GeneratorOptions& o) {
  const double turned = std::min(o.flip, 1 - o.flip);  // turning over most labels is renaming them
  double clean = 0;
  if (kind == GeneratorKind::Gaussians) clean = gaussians_error(o.distance, o.positive);
  if (kind == GeneratorKind::Logistic) clean = logistic_error(o.distance);
  if (kind == GeneratorKind::Noise) clean = 0.5;
  return clean * (1 - 2 * turned) + turned;
}

std::string law_text(GeneratorKind kind, const GeneratorOptions& o) {
  std::string text;
  switch (kind) {
    case GeneratorKind::Gaussians:
      text = fmt::format("x ~ N(y * {:g} u, I) in {} dimensions, |u| = 1, P(y = +1) = {:g}", o.distance / 2,
                         o.features, o.positive);
      break;
    case GeneratorKind::Logistic:
      text = fmt::format("x ~ N(0, I) in {} dimensions, P(y = +1 | x) = 1 / (1 + exp(-{:g} u.x)), |u| = 1",
                         o.features, o.distance);
      break;
    case GeneratorKind::Margin:
      text = fmt::format(
          "x uniform in the unit ball of {} dimensions where |u.x| >= {:g}, |u| = 1, y = sign(u.x)",
          o.features, o.margin);
      break;
    case GeneratorKind::Xor:
      text = fmt::format(
          "x1, x2 = +1 or -1 by fair coins, y = x1 x2, {} more features ~ N(0, 1); the best plane "
          "errs on 1/4",
          o.features - 2);
      break;
    case GeneratorKind::Noise:
      text = fmt::format("x ~ N(0, I) in {} dimensions, y by a fair coin", o.features);
      break;
  }
  if (o.flip > 0) text += fmt::format("; then each label turned over with probability {:g}", o.flip);
  return text;
}

}  // namespace

Law law_of(GeneratorKind kind, const GeneratorOptions& options) {
  check(options, kind);
  Random start(options.law_seed, 0);
  return {kind,
          options.distance,
          options.margin,
          options.flip,
          options.positive,
          unit_vector(static_cast<std::size_t>(options.features), start),
          bayes_error(kind, options)};
}

Generated generate(GeneratorKind kind, const GeneratorOptions& options) {
  check(options, kind);
  const auto features = static_cast<std::size_t>(options.features);
  const auto rows = static_cast<std::uint64_t>(options.rows);
  Random start(options.law_seed, 0);
  const RowLaw law{kind, options, unit_vector(features, start), SlabDistance(features, options.margin)};

  MatrixBuilder builder;
  DatasetParts parts;
  std::vector<double> x(features);
  for (std::uint64_t i = 0; i < rows; ++i) {
    Random random(options.seed, i + 1);
    const bool turned = random.uniform() < options.flip;
    const bool positive = law.draw(random, x) != turned;
    for (std::size_t j = 0; j < features; ++j) builder.add(static_cast<std::uint32_t>(j), x[j]);
    builder.end_row();
    parts.labels.push_back(positive ? 1 : 0);
  }
  StoredMatrix stored = builder.finish(features, Threads(1));
  parts.matrix = stored.matrix;
  parts.storage = std::move(stored.storage);
  parts.classes = {"-1", "1"};
  parts.name = OptionType<GeneratorKind>::print(kind);

  Generated made{
      Dataset::make(std::move(parts), false), bayes_error(kind, options), law_text(kind, options), {}, 0};
  if (const auto best = best_plane(law_of(kind, options))) {
    made.best_weights = best->weights;
    made.best_offset = best->offset;
  }
  return made;
}

}  // namespace halfspace
