// SPDX-License-Identifier: BSD-3-Clause
// The walk of an online learner, update by update, seen on two columns.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "halfspace/core/error.hpp"
#include "halfspace/solve/algorithm.hpp"
#include "report/sections/sections.hpp"

namespace halfspace::report {
namespace {

constexpr std::size_t most_replayed = 400;
constexpr std::size_t replayed_rows = 600;
constexpr std::size_t few_weights = 8;  // theta is shown in full
constexpr double most_replayed_entries = 2e8;

bool is_online(const Model& model) {
  static const std::set<std::string_view> names = {
      "perceptron", "averaged-perceptron", "voted-perceptron", "passive-aggressive", "pegasos", "sgd"};
  return names.contains(model.algorithm);
}

// The two columns to look at: those asked for, the only two, or the two that move the score most.
std::pair<std::uint32_t, std::uint32_t> replay_columns(const Context& context,
                                                       const ColumnStatistics& columns) {
  if (context.input.columns) return *context.input.columns;
  std::vector<double> weight = columns.deviation;
  if (const auto planes = planes_of(context.input.model))
    for (std::size_t j = 0; j < std::min(weight.size(), planes->features); ++j)
      weight[j] *= std::abs(planes->plane(0)[j]);
  std::uint32_t first = 0, second = 1;
  if (weight[second] > weight[first]) std::swap(first, second);
  for (std::uint32_t j = 2; j < weight.size(); ++j) {
    if (weight[j] > weight[first]) {
      second = first;
      first = j;
    } else if (weight[j] > weight[second]) {
      second = j;
    }
  }
  return std::minmax(first, second);
}

// theta over the two columns, the others at their mean: a x + b y + c.
class Slice {
 public:
  Slice(std::pair<std::uint32_t, std::uint32_t> pair, const std::vector<double>& mean)
      : pair_(pair), mean_(mean) {}

  [[nodiscard]] Json line(std::span<const double> theta, double theta0) const {
    double c = theta0;
    for (std::uint32_t j = 0; j < std::min(theta.size(), mean_.size()); ++j)
      if (j != pair_.first && j != pair_.second) c += theta[j] * mean_[j];
    return Json::array({number(theta[pair_.first]), number(theta[pair_.second]), number(c)});
  }

 private:
  std::pair<std::uint32_t, std::uint32_t> pair_;
  const std::vector<double>& mean_;
};

Json list_of(std::span<const double> theta) {
  Json out = Json::array();
  for (const double w : theta) out.push_back(number(w));
  return out;
}

Json update_json(const Update& update, const Slice& slice) {
  Json out = {{"k", update.number},
              {"step", update.step},
              {"pass", update.pass},
              {"row", update.row + 1},
              {"y", update.y},
              {"margin_before", number(update.margin_before)},
              {"margin_after", number(update.margin_after)},
              {"loss", number(update.rows.empty() ? 0 : update.rows.front().loss)},
              {"rate", number(update.rate)},
              {"keep", number(update.keep)},
              {"norm", number(update.norm)},
              {"before", slice.line(update.theta_before, update.theta0_before)},
              {"after", slice.line(update.theta, update.theta0)},
              {"theta0_before", number(update.theta0_before)},
              {"theta0", number(update.theta0)}};
  if (update.rows.size() > 1) out["batch"] = update.rows.size();
  if (update.theta.size() <= few_weights) {
    out["theta_before"] = list_of(update.theta_before);
    out["theta"] = list_of(update.theta);
  }
  if (update.averaged) out["mean"] = slice.line(update.mean, update.mean0);
  if (update.voted) out["votes"] = update.votes;
  return out;
}

// An algorithm with the options of the model; nothing when the walk cannot be shown.
std::optional<Algorithm> learner_of(const Model& model, double entries) {
  Algorithm algorithm = Algorithm::by_name(model.algorithm);
  for (const auto& [name, value] : model.options) {
    if (name == "kernel" && value != "linear") return std::nullopt;
    if (name == "last-half" && value != "false" && value != "no") return std::nullopt;
    if (name == "online-to-batch" && value == "all") continue;
    double passes = 0;
    if (name == "passes" && value != "until-clean") passes = OptionType<double>::parse(name, value, {});
    if (passes * entries > most_replayed_entries) return std::nullopt;
    try {
      algorithm.set(name, value);
    } catch (const UsageError&) {  // a default that no text stands for
    }
  }
  return algorithm;
}

// Rows that updates speak of, and others evenly taken, each once: row, class, place.
Json replayed_points(const Context& context, const std::set<std::uint32_t>& spoken_of,
                     std::pair<std::uint32_t, std::uint32_t> pair) {
  std::set<std::uint32_t> rows = spoken_of;
  for (const std::uint32_t row : sampled_rows(context.data, replayed_rows)) rows.insert(row);
  Json out = Json::array();
  for (const std::uint32_t row : rows) {
    double x = 0, y = 0;
    for (const auto& [j, value] : entries_of(context.input.data, row)) {
      if (j == pair.first) x = value;
      if (j == pair.second) y = value;
    }
    out.push_back({row + 1, context.data.truth[row], number(x), number(y)});
  }
  return out;
}

}  // namespace

Json replay_section(const Context& context, const ColumnStatistics& columns) {
  const Model& model = context.input.model;
  const Dataset& data = context.input.data;
  if (!is_online(model) || !context.training || model.classes.size() != 2 || has_preparation(model) ||
      model.unit_rows || !fact_of(model, "scale").empty() || !fact_of(model, "from").empty() ||
      data.features() < 2)
    return nullptr;
  const auto algorithm = learner_of(model, static_cast<double>(data.nonzeros()));
  if (!algorithm) return nullptr;
  const auto pair = replay_columns(context, columns);
  const Slice slice(pair, columns.mean);
  Json updates = Json::array();
  std::set<std::uint32_t> rows;
  std::uint64_t seen = 0;
  const UpdateObserver observer{1, UINT64_MAX, [&](const Update& update) {
                                  seen = update.number;
                                  if (updates.size() >= most_replayed || update.theta.size() < 2) return;
                                  updates.push_back(update_json(update, slice));
                                  rows.insert(update.row);
                                }};
  const std::string seed = fact_of(model, "seed");
  Run run;
  run.seed = seed.empty() ? 1 : static_cast<std::uint64_t>(OptionType<std::int64_t>::parse("seed", seed, {}));
  run.threads = context.run.threads;
  run.stop = context.run.stop.within(2);
  try {
    const Fit fit = algorithm->trace(data, run, observer);
    if (fit.answer.stop == Stop::Time && updates.size() < most_replayed) return nullptr;
  } catch (const Stopped& stopped) {
    if (stopped.cause() != StopCause::Time) throw;
    return nullptr;
  }
  if (updates.empty()) return nullptr;
  return {{"algorithm", model.algorithm},
          {"x", name_of_feature(model, pair.first)},
          {"y", name_of_feature(model, pair.second)},
          {"others", data.features() - 2},
          {"classes", {name_of_class(model, 0), name_of_class(model, 1)}},
          {"updates", seen},
          {"shown", updates},
          {"rows", data.rows()},
          {"points", replayed_points(context, rows, pair)}};
}

}  // namespace halfspace::report
