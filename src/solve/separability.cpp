// SPDX-License-Identifier: BSD-3-Clause
// Separable, touching or overlapping: see docs/separability.md for the stages and what each proves. The
// stages are in solve/separation/.
#include "halfspace/solve/separability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "data/row_access.hpp"
#include "solve/clock.hpp"
#include "solve/separation/decide.hpp"
#include "solve/separation/widest_margin.hpp"

namespace halfspace {
namespace {

constexpr std::size_t quick_size = 1500;  // features or rows up to which Newton steps take milliseconds

Values meant(const Dataset& data, const SeparabilityOptions& options) {
  if (options.values) return *options.values;
  const bool stored = std::visit(
      [](const auto& view) { return std::is_same_v<typename std::decay_t<decltype(view)>::Value, Decimal>; },
      data.matrix());
  return data.from_text() || stored ? Values::Decimals : Values::Doubles;
}

void check(Separability& answer, const Dataset& data) {
  const auto start = std::chrono::steady_clock::now();
  answer.check = verify(answer.proof, data);
  answer.check_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool wanted(const SeparabilityOptions& options, const Dataset& data, std::span<const std::int8_t> y) {
  if (options.margin == MarginWork::None) return false;
  const auto positive = static_cast<std::size_t>(std::count(y.begin(), y.end(), 1));
  const auto negative = static_cast<std::size_t>(std::count(y.begin(), y.end(), -1));
  // Of one class the margin grows without limit when the offset is free.
  if (positive + negative == 0 || (options.offset == Offset::Free && (positive == 0 || negative == 0)))
    return false;
  return options.margin == MarginWork::Full || std::min(data.features(), positive + negative) <= quick_size;
}

// The bounds by floating point, made a little wider until the checker proves them.
void add_margin(Separability& answer, const Dataset& data, std::span<const std::int8_t> y,
                const SeparabilityOptions& options, const Run& run) {
  const auto rows = RowAccess::of(data.matrix());
  const Clock clock(run);
  const separation::WidestMargin found =
      separation::widest_margin(*rows, y, options.offset, options.margin_gap / 4, run.threads, clock);
  if (!(found.lower > 0) || !std::isfinite(found.upper)) return;
  answer.newton_steps = found.steps;
  SeparationProof& proof = answer.proof;
  const SeparationProof before = proof;
  proof.margin_plane = {};
  for (std::uint32_t j = 0; j < found.theta.size(); ++j) {
    if (found.theta[j] == 0) continue;
    proof.margin_plane.columns.push_back(j);
    proof.margin_plane.weights.push_back(fmt::format("{}", found.theta[j]));
  }
  proof.margin_plane.offset = fmt::format("{}", found.theta0);
  for (std::uint32_t i = 0; i < found.alpha.size(); ++i) {
    if (found.alpha[i] == 0) continue;
    proof.hull.rows.push_back(i);
    proof.hull.weights.push_back(fmt::format("{}", found.alpha[i]));
  }
  double radius2 = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (y[i] != 0) radius2 = std::max(radius2, rows->norm2(i));
  MarginBounds bounds;
  for (const double slack : {1e-10, 1e-8, 1e-7, 1e-6, 1e-4, 1e-2}) {
    bounds.lower = found.lower * (1 - slack);
    bounds.upper = found.upper * (1 + slack);
    bounds.radius = std::sqrt(radius2 + (options.offset == Offset::Lifted ? 1 : 0)) * (1 + 1e-12);
    proof.margin_lower = fmt::format("{:.15g}", bounds.lower);
    proof.margin_upper = fmt::format("{:.15g}", bounds.upper);
    proof.radius = fmt::format("{}", bounds.radius);
    check(answer, data);
    if (!answer.check.holds) continue;
    // (R / margin)^2 in the space where the perceptron walks; a free offset is a lifted one there, with a
    // plane that is longer by its offset.
    const double length2 =
        std::inner_product(found.theta.begin(), found.theta.end(), found.theta.begin(), 0.0);
    const double lifted = 1 + found.theta0 * found.theta0 / length2;
    bounds.mistakes = options.offset == Offset::Free ? (radius2 + 1) * lifted / (bounds.lower * bounds.lower)
                                                     : std::pow(bounds.radius / bounds.lower, 2);
    answer.margin = bounds;
    return;
  }
  proof = before;
}

}  // namespace

Separability separability(const Dataset& data, std::vector<std::string> positive,
                          std::vector<std::string> negative, const SeparabilityOptions& options,
                          const Run& run) {
  Separability out;
  SeparationProof& proof = out.proof;
  proof.fingerprint = data.fingerprint();
  proof.rows = data.rows();
  proof.features = data.features();
  proof.values = meant(data, options);
  proof.positive = std::move(positive);
  proof.negative = std::move(negative);
  proof.offset = options.offset;
  const std::vector<std::int8_t> y = sides(data, proof.positive, proof.negative);
  {
    const separation::IntegerRows rows =
        separation::integer_rows(data, y, proof.values, options.offset != Offset::None);
    separation::Decision decision(rows, run.seed, run.threads);
    out.decided = decision.decide();
    out.method = decision.method();
    out.pivots = decision.pivots();
    if (decision.core() != nullptr) {
      out.core_rows = decision.core()->rows();
      out.core_columns = decision.core()->columns();
    }
    if (out.decided) decision.write(proof);
  }
  if (!out.decided) return out;
  if (proof.verdict == Separation::Separable && wanted(options, data, y))
    add_margin(out, data, y, options, run);
  if (!out.margin) check(out, data);
  // Nothing is said that the checker, which shares no code with the solver, does not confirm.
  if (!out.check.holds) throw std::logic_error("the proof was refused by the checker: " + out.check.why);
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
