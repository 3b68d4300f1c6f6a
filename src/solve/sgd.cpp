// SPDX-License-Identifier: BSD-3-Clause
// (Sub)gradient descent, one row, a batch or all rows a step (Robbins and Monro 1951; Bottou 2012).
//
// Problem  lambda/2 |theta|^2 + 1/n sum loss(m_i); a lifted offset is penalised with theta, a free one is
//          not.
// Update   theta <- (1 - eta lambda) theta - eta/B sum over the batch of loss'(m) y x.
// Cost     a product per row and a sum per row with a slope; --keep best: one more product per row and
//          pass.
// Proof    none; the objective told is that of the plane kept, by the full loss.
#include "halfspace/solve/sgd.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "halfspace/core/error.hpp"
#include "halfspace/objective/losses.hpp"
#include "solve/online/fit.hpp"

namespace halfspace {
namespace {

constexpr std::string_view harmonic = "1/(k+1)", harmonic_updates = "1/(k+1):updates";

template <class L>
class SgdRule final : public StepRule {
 public:
  explicit SgdRule(const Sgd& options) : lambda_(options.lambda), rate_(options.rate), tie_(options.tie) {
    if (!(lambda_ > 0)) idle_above = L::margin;  // with a penalty every step shrinks
  }
  [[nodiscard]] Step step(const Seen& seen) const override {
    // With a penalty every step is an update.
    const double eta = rate_.at(rate_.updates && !(lambda_ > 0) ? seen.updates : seen.t - 1);
    const double slope = slope_at(seen.margin);
    return {1 - eta * lambda_, slope == 0 ? 0.0 : -eta * slope, eta};
  }
  [[nodiscard]] double loss(double margin) const override { return L::value(margin); }

 private:
  [[nodiscard]] double slope_at(double margin) const {
    if constexpr (!L::smooth)
      if (margin == L::margin && tie_ == AtKink::Update)
        return L::slope(std::nextafter(margin, -std::numeric_limits<double>::infinity()));
    return L::slope(margin);
  }
  double lambda_;
  Rate rate_;
  AtKink tie_;
};

double rate_number(std::string_view name, std::string_view text, std::string_view whole) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !(value >= 0) || !(value <= 1e300)) {
    throw UsageError(
        fmt::format("--{}: '{}' is none of 1/(k+1), 1/(k+1):updates, constant:ETA, inverse:ETA0[,DECAY]",
                    name, printable(whole)));
  }
  return value;
}

}  // namespace

Rate OptionType<Rate>::parse(std::string_view name, std::string_view text, Range) {
  constexpr std::string_view constant = "constant:";
  constexpr std::string_view inverse = "inverse:";
  if (text == harmonic) return {};
  if (text == harmonic_updates) return {Rate::Kind::Harmonic, 1, 1, true};
  if (text.starts_with(constant)) {
    return {Rate::Kind::Constant, rate_number(name, text.substr(constant.size()), text), 1};
  }
  if (!text.starts_with(inverse)) (void)rate_number(name, "", text);
  const std::string_view values = text.substr(inverse.size());
  const std::size_t comma = values.find(',');
  const double eta = rate_number(name, values.substr(0, comma), text);
  return {Rate::Kind::Inverse, eta,
          comma == std::string_view::npos ? 1 : rate_number(name, values.substr(comma + 1), text)};
}
std::string OptionType<Rate>::print(const Rate& rate) {
  if (rate.kind == Rate::Kind::Harmonic) return std::string(rate.updates ? harmonic_updates : harmonic);
  if (rate.kind == Rate::Kind::Constant) return fmt::format("constant:{}", rate.eta);
  return fmt::format("inverse:{},{}", rate.eta, rate.decay);
}

Batch OptionType<Batch>::parse(std::string_view name, std::string_view text, Range range) {
  if (text == "all") return {0};
  try {
    return {static_cast<std::uint64_t>(OptionType<std::int64_t>::parse(name, text, range))};
  } catch (const UsageError&) {
    throw UsageError(
        fmt::format("--{}: '{}' is neither a number of rows from 1 nor all", name, printable(text)));
  }
}
std::string OptionType<Batch>::print(const Batch& batch) {
  return batch.rows == 0 ? "all" : fmt::format("{}", batch.rows);
}

namespace {

Fit walk_or_watch(const Dataset& data, const Sgd& options, const Run& run, const UpdateObserver* observer) {
  OnlineSetup setup;
  setup.observer = observer;
  setup.start = run.start.get();
  setup.passes = {options.passes, false};
  setup.order = options.order;
  setup.rows = rows_for(options.order, data, run.threads);
  setup.offset = options.offset;
  setup.batch = options.batch.rows;
  // All rows together have no order.
  if (options.batch.rows == 0) setup.order = Order::Cyclic;
  setup.average = options.keep == Keep::Average;
  setup.count = data.classes().size() == 2;
  double total = 0;
  for_walked(data, setup.rows, [&](std::uint32_t i, std::size_t) { total += data.weight(i); });
  setup.objective = [&](std::span<const double> margins, double theta_norm2) {
    const double sum = std::visit(
        [&](auto loss) {
          double out = 0;
          for_walked(data, setup.rows, [&](std::uint32_t i, std::size_t) {
            if (data.weight(i) > 0) out += data.weight(i) * loss.value(margins[i]);
          });
          return out;
        },
        options.loss);
    return options.lambda / 2 * theta_norm2 + sum / total;
  };
  if (options.keep != Keep::Best && options.batch.rows != 0) setup.objective = nullptr;
  OnlineWalk walk = std::visit([&]<class L>(L) { return walk_online(data, SgdRule<L>(options), setup, run); },
                               options.loss);
  Fit fit = online_fit(walk, setup);
  std::vector<ChosenPlane> planes;
  if (options.keep == Keep::Average) {
    planes = mean_planes(walk);
  } else {
    for (const PlaneWalk& plane : walk.planes) {
      const bool best = options.keep == Keep::Best && !plane.best.empty();
      planes.push_back(best ? ChosenPlane{plane.best, plane.best0} : ChosenPlane{plane.theta, plane.theta0});
    }
  }
  if (options.keep == Keep::Best) {
    double least = 0;
    for (const PlaneWalk& plane : walk.planes) least += plane.best_value;
    fit.trace.figures.emplace_back("objective", least);
    fit.words.summary.push_back(
        fmt::format("least objective at the end of a pass: {:.8g} = lambda/2 |theta|^2 + mean {} loss", least,
                    name_of(options.loss)));
  }
  fit.model().form = linear_model(std::move(planes));
  return fit;
}

}  // namespace

Fit solve(const Dataset& data, const Sgd& options, const Run& run) {
  return walk_or_watch(data, options, run, nullptr);
}
Fit trace(const Dataset& data, const Sgd& options, const Run& run, const UpdateObserver& observer) {
  check_watchable(data);
  return walk_or_watch(data, options, run, &observer);
}

// After a single pass the best plane at the end of a pass is the last one.
Fit solve_stream(RowStream& stream, const Sgd& options, const Run& run) {
  check_streamable(options.order == Order::Cyclic, {options.passes, false});
  if (options.batch.rows != 1) throw UsageError("--stream: one row a step", "--batch 1");
  OnlineSetup setup;
  setup.start = run.start.get();
  setup.offset = options.offset;
  setup.average = options.keep == Keep::Average;
  StreamedWalk streamed = std::visit(
      [&]<class L>(L) { return walk_stream(stream, SgdRule<L>(options), setup, run); }, options.loss);
  return streamed_fit(streamed, setup, false);
}

}  // namespace halfspace
