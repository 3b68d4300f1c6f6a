// SPDX-License-Identifier: BSD-3-Clause
// Separable, touching or overlapping: see docs/separability.md for the stages and what each proves. The
// stages are in solve/separation/.
#include "halfspace/solve/separability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "data/storage/row_access.hpp"
#include "solve/convex/clock.hpp"
#include "solve/separation/decide.hpp"
#include "solve/separation/margin/widest_margin.hpp"

namespace halfspace {
namespace {

constexpr std::size_t quick_size = 1500;  // features or rows up to which Newton steps take milliseconds

void check(Separability& answer, const Dataset& data, const Threads& threads) {
  const auto start = std::chrono::steady_clock::now();
  answer.check = verify(answer.proof, data, threads);
  answer.check_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool wanted(const SeparabilityOptions& options, const Dataset& data, std::span<const std::int8_t> y) {
  if (options.margin == MarginWork::None) return false;
  const auto positive = static_cast<std::size_t>(std::count(y.begin(), y.end(), 1));
  const auto negative = static_cast<std::size_t>(std::count(y.begin(), y.end(), -1));
  return options.margin == MarginWork::Full || std::min(data.features(), positive + negative) <= quick_size;
}

// Numbers of so many bits, up to a common factor: short texts, and sums that fit two words. Less than what
// the margin can be told apart by.
constexpr int text_bits = 44;
void round_to_bits(std::vector<double>& x, double& last) {
  double largest = std::abs(last);
  for (const double v : x) largest = std::max(largest, std::abs(v));
  if (!(largest > 0) || !std::isfinite(largest)) return;
  const int shift = text_bits - 1 - std::ilogb(largest);
  for (double& v : x) v = std::round(std::ldexp(v, shift));
  last = std::round(std::ldexp(last, shift));
}

// The least margin of a plane over its length.
double margin_of(const RowAccess& rows, std::span<const std::int8_t> y, Offset offset,
                 const std::vector<double>& theta, double theta0, const Threads& threads) {
  std::vector<double> products(y.size());
  row_products(rows, theta.data(), products.data(), threads);
  double least = INFINITY;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (y[i] != 0) least = std::min(least, y[i] * (products[i] + theta0));
  const double length2 = std::inner_product(theta.begin(), theta.end(), theta.begin(), 0.0);
  return least / std::sqrt(length2 + (offset == Offset::Lifted ? theta0 * theta0 : 0));
}

// Half the distance of two points of the hulls (of the origin from a point of the hull of all a_i, unless the
// offset is free): no margin is larger. Rounding is counted.
std::optional<double> hull_distance(const RowAccess& rows, std::span<const std::int8_t> y, Offset offset,
                                    const std::vector<double>& weights) {
  const bool free = offset == Offset::Free;
  const auto side = [&](std::size_t i) { return free && y[i] > 0 ? 1U : 0U; };
  double total[2] = {0, 0}, radius2 = 1;
  for (std::size_t i = 0; i < y.size(); ++i) total[side(i)] += weights[i];
  if (!(total[0] > 0) || (free && !(total[1] > 0))) return std::nullopt;
  std::vector<double> point(rows.cols(), 0.0);
  double constant = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (weights[i] == 0) continue;
    const double share = y[i] * weights[i] / total[side(i)];
    rows.axpy(share, i, point.data());
    constant += share;
    radius2 = std::max(radius2, 1 + rows.norm2(i));
  }
  const double length2 = std::inner_product(point.begin(), point.end(), point.begin(),
                                            offset == Offset::Lifted ? constant * constant : 0.0);
  return std::sqrt(length2) / (free ? 2 : 1) + 1e-13 * static_cast<double>(y.size()) * std::sqrt(radius2);
}

WidestPlane widest_plane(std::vector<double> theta, double theta0, const std::vector<double>& alpha) {
  WidestPlane out{std::move(theta), theta0, {}};
  for (std::uint32_t i = 0; i < alpha.size(); ++i)
    if (alpha[i] != 0) out.hull.emplace_back(i, alpha[i]);
  return out;
}

void write_margin(SeparationProof& proof, const WidestPlane& widest) {
  const auto text = [](double x) {
    return x == std::round(x) && std::abs(x) < 0x1p53 ? fmt::format("{}", static_cast<std::int64_t>(x))
                                                      : fmt::format("{}", x);
  };
  proof.margin_plane = {};
  proof.hull = {};
  for (std::uint32_t j = 0; j < widest.theta.size(); ++j) {
    if (widest.theta[j] == 0) continue;
    proof.margin_plane.columns.push_back(j);
    proof.margin_plane.weights.push_back(text(widest.theta[j]));
  }
  proof.margin_plane.offset = text(widest.theta0);
  for (const auto& [row, weight] : widest.hull) {
    proof.hull.rows.push_back(row);
    proof.hull.weights.push_back(text(weight));
  }
}

// The plane of the proof, unless peeling made it: that one says nothing about which rows are near. Nothing
// where doubles do not hold it.
std::vector<double> hint_of(const Separability& answer, std::size_t features) {
  if (answer.method == "peeling") return {};
  std::vector<double> out(features, 0.0);
  const ExactPlane& plane = answer.proof.plane;
  for (std::size_t k = 0; k < plane.columns.size(); ++k) {
    const std::string& whole = plane.weights[k];
    double& w = out[plane.columns[k]];
    if (std::from_chars(whole.data(), whole.data() + whole.size(), w).ec != std::errc()) return {};
  }
  return out;
}

// The bounds by floating point, made a little wider until the checker proves them.
void add_margin(Separability& answer, const Dataset& data, std::span<const std::int8_t> y,
                const SeparabilityOptions& options, const Run& run) {
  const auto rows = RowAccess::of(data.matrix());
  const Clock clock(run);
  const separation::WidestMargin found = separation::widest_margin(
      *rows, y, options.offset, options.margin_gap / 4, hint_of(answer, data.features()), run.threads, clock);
  if (found.stop == Stop::Time || found.stop == Stop::Cancelled)
    answer.stopped = found.stop == Stop::Time ? StopCause::Time : StopCause::Cancelled;
  if (!(found.lower > 0) || !std::isfinite(found.upper)) return;
  answer.plane = found.theta;
  answer.plane0 = found.theta0;
  const Threads threads = closing_team(run);
  answer.newton_steps = found.steps;
  SeparationProof& proof = answer.proof;
  const SeparationProof before = proof;
  std::vector<double> theta = found.theta, alpha = found.alpha;
  double theta0 = found.theta0, none = 0, lower = found.lower;
  round_to_bits(theta, theta0);
  const double rounded = margin_of(*rows, y, options.offset, theta, theta0, threads);
  if (rounded >= found.lower * (1 - options.margin_gap / 8)) {
    lower = std::min(rounded, lower);
    round_to_bits(alpha, none);
  } else {  // columns of very different size
    theta = found.theta;
    theta0 = found.theta0;
  }
  WidestPlane widest = widest_plane(std::move(theta), theta0, alpha);
  write_margin(proof, widest);
  double radius2 = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (y[i] != 0) radius2 = std::max(radius2, rows->norm2(i));
  MarginBounds bounds;
  for (const double slack : {1e-9, 1e-8, 1e-7, 1e-6, 1e-4, 1e-2}) {
    bounds.lower = lower * (1 - slack);
    bounds.upper = found.upper * (1 + slack);
    bounds.radius = std::sqrt(radius2 + (options.offset == Offset::Lifted ? 1 : 0)) * (1 + 1e-12);
    proof.margin_lower = fmt::format("{:.15g}", bounds.lower);
    proof.margin_upper = fmt::format("{:.15g}", bounds.upper);
    proof.radius = fmt::format("{}", bounds.radius);
    check(answer, data, threads);
    if (!answer.check.holds) continue;
    // (R / margin)^2 in the space where the perceptron walks; a free offset is a lifted one there, with a
    // plane that is longer by its offset.
    const double length2 =
        std::inner_product(found.theta.begin(), found.theta.end(), found.theta.begin(), 0.0);
    const double lifted = 1 + found.theta0 * found.theta0 / length2;
    bounds.mistakes = options.offset == Offset::Free ? (radius2 + 1) * lifted / (bounds.lower * bounds.lower)
                                                     : std::pow(bounds.radius / bounds.lower, 2);
    answer.margin = bounds;
    answer.widest = std::move(widest);
    return;
  }
  proof = before;
}

}  // namespace

namespace {

// What is known so far; throws Stopped between the parts.
void answer_in_time(Separability& out, const Dataset& data, const SeparabilityOptions& options,
                    const Run& run) {
  SeparationProof& proof = out.proof;
  const std::vector<std::int8_t> y = sides(data, proof.positive, proof.negative);
  {
    const separation::IntegerRows rows =
        separation::integer_rows(data, y, proof.values, options.offset != Offset::None, run.threads);
    separation::Decision decision(rows, options.most_columns, run.seed, run.threads);
    out.decided = decision.decide();
    out.method = decision.method();
    out.pivots = decision.pivots();
    if (decision.core() != nullptr) {
      out.core_rows = decision.core()->rows();
      out.core_columns = decision.core()->columns();
    }
    if (out.decided) {
      decision.write(proof);
    } else {
      out.margin_at_most =
          hull_distance(*RowAccess::of(data.matrix()), y, options.offset, decision.near_weights(data.rows()));
    }
  }
  if (!out.decided) return;
  if (proof.verdict == Separation::Separable && wanted(options, data, y))
    add_margin(out, data, y, options, run);
  if (!out.margin) check(out, data, closing_team(run));
  // Nothing is said that the checker, which shares no code with the solver, does not confirm.
  if (!out.check.holds) throw std::logic_error("the proof was refused by the checker: " + out.check.why);
}

}  // namespace

Separability separability(const Dataset& data, std::vector<std::string> positive,
                          std::vector<std::string> negative, const SeparabilityOptions& options,
                          const Run& given) {
  const Run run = begin_run(given);
  Separability out;
  out.proof.fingerprint = data.fingerprint();
  out.proof.rows = data.rows();
  out.proof.features = data.features();
  out.proof.values = options.values.value_or(values_of(data));
  out.proof.positive = std::move(positive);
  out.proof.negative = std::move(negative);
  out.proof.offset = options.offset;
  try {
    answer_in_time(out, data, options, run);
    if (out.decided) out.plane.clear();
  } catch (const Stopped& stopped) {  // a verdict that was not checked is none
    out.decided = false;
    out.stopped = stopped.cause();
    out.margin.reset();
  }
  return out;
}

Separability separability(const Dataset& data, const SeparabilityOptions& options, const Run& run) {
  std::vector<std::string> negative = data.classes();
  std::vector<std::string> positive;
  if (!negative.empty()) {
    positive.push_back(negative.back());
    negative.pop_back();
  }
  return separability(data, std::move(positive), std::move(negative), options, run);
}

}  // namespace halfspace
