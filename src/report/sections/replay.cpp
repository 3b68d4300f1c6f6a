// SPDX-License-Identifier: BSD-3-Clause
// The walk of an online learner, update by update, seen on two columns or from two directions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "halfspace/core/error.hpp"
#include "halfspace/solve/algorithm.hpp"
#include "model/file/strict_json.hpp"
#include "report/sections/projection.hpp"
#include "report/sections/sections.hpp"

namespace halfspace::report {
namespace {

constexpr std::size_t most_replayed = 400;
constexpr std::size_t replayed_rows = 600;
constexpr std::size_t few_weights = 8;  // theta is shown in full
constexpr double most_replayed_entries = 2e8;
constexpr std::size_t most_projected = 5000;            // columns; of more the picture is of two
constexpr std::size_t most_replayed_weights = 4000000;  // of the updates together

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

// A sheet through the mean of the rows on which they are seen: two columns, or two directions of length 1 at right angles. A
// plane cuts it in the line a x + b y + c = 0.
class Sheet {
 public:
  Sheet(std::pair<std::uint32_t, std::uint32_t> pair, const std::vector<double>& mean)
      : pair_(pair), mean_(mean) {}
  Sheet(std::vector<double> across, std::vector<double> up, const std::vector<double>& mean)
      : across_(std::move(across)), up_(std::move(up)), mean_(mean) {}

  [[nodiscard]] bool columns() const { return across_.empty(); }
  [[nodiscard]] Json line(const std::vector<double>& theta, double theta0) const {
    double c = theta0;
    if (columns()) {
      for (std::uint32_t j = 0; j < std::min(theta.size(), mean_.size()); ++j)
        if (j != pair_.first && j != pair_.second) c += theta[j] * mean_[j];
      return Json::array({number(theta[pair_.first]), number(theta[pair_.second]), number(c)});
    }
    const double a = product(theta, across_), b = product(theta, up_);
    c += product(theta, mean_) - a * product(mean_, across_) - b * product(mean_, up_);
    return Json::array({number(a), number(b), number(c)});
  }
  [[nodiscard]] std::pair<double, double> place(const Entries& row) const {
    if (!columns()) return {product(row, across_), product(row, up_)};
    std::pair<double, double> at{0, 0};
    for (const auto& [j, value] : row) {
      if (j == pair_.first) at.first = value;
      if (j == pair_.second) at.second = value;
    }
    return at;
  }

 private:
  std::pair<std::uint32_t, std::uint32_t> pair_{0, 1};
  std::vector<double> across_, up_;
  const std::vector<double>& mean_;
};

// The normal of the last plane, and the direction at right angles to it in which the rows spread most.
Sheet sheet_of(const Context& context, const ColumnStatistics& columns, std::vector<double> last) {
  const Dataset& data = context.input.data;
  const double length = std::sqrt(product(last, last));
  if (context.input.columns || data.features() == 2 || data.features() > most_projected || !(length > 0) ||
      !std::isfinite(length))
    return {replay_columns(context, columns), columns.mean};
  for (double& w : last) w /= length;
  std::vector<Entries> rows;
  for (const std::uint32_t row : sampled_rows(context.data, replayed_rows))
    rows.push_back(entries_of(data, row));
  const std::vector<std::vector<double>> others = {last};
  std::vector<double> up = widest_direction(rows, columns.mean, others);
  if (!(product(up, up) > 0)) return {replay_columns(context, columns), columns.mean};
  return {std::move(last), std::move(up), columns.mean};
}

// Sees an update and the number of rows that made it: one, or more of a batch.
using Watcher = std::function<void(const Update&, std::uint64_t)>;

// An update with what it takes to draw it on a sheet that is known only at the end.
struct Replayed {
  Json words;
  std::vector<double> before, after, mean;
  double before0 = 0, after0 = 0, mean0 = 0;
};

Json list_of(std::span<const double> theta) {
  Json out = Json::array();
  for (const double w : theta) out.push_back(number(w));
  return out;
}

Replayed replayed(const Update& update, std::uint64_t moved) {
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
              {"theta0_before", number(update.theta0_before)},
              {"theta0", number(update.theta0)}};
  if (moved > 1) out["batch"] = moved;
  if (update.theta.size() <= few_weights) {
    out["theta_before"] = list_of(update.theta_before);
    out["theta"] = list_of(update.theta);
  }
  if (update.voted) out["votes"] = update.votes;
  const auto copy = [](std::span<const double> x) { return std::vector<double>(x.begin(), x.end()); };
  return {std::move(out),    copy(update.theta_before), copy(update.theta),
          copy(update.mean), update.theta0_before,      update.theta0,
          update.mean0};
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
Json replayed_points(const Context& context, const std::set<std::uint32_t>& spoken_of, const Sheet& sheet) {
  std::set<std::uint32_t> rows = spoken_of;
  for (const std::uint32_t row : sampled_rows(context.data, replayed_rows)) rows.insert(row);
  Json out = Json::array();
  for (const std::uint32_t row : rows) {
    const auto [x, y] = sheet.place(entries_of(context.input.data, row));
    out.push_back({row + 1, context.data.truth[row], number(x), number(y)});
  }
  return out;
}

// What a trace on these rows has said, line by line.
class TraceLines {
 public:
  explicit TraceLines(const Context& context) : context_(context) {}

  void read(const Watcher& see) {
    std::string_view rest = context_.input.trace_lines;
    for (std::uint64_t line = 1; !rest.empty(); ++line) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      place_ = {.file = context_.input.trace_name, .line = line};
      if (end > 0) one(rest.substr(0, end), see);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

 private:
  using Object = halfspace::detail::Json;

  [[noreturn]] void refuse(const std::string& found) const {
    throw InputError(place_, found, "a line of halfspace trace on these rows, with theta (--theta always)");
  }
  [[nodiscard]] double value(const Object& object, const char* key) const {
    const auto at = object.find(key);
    if (at == object.end() || !at->is_number()) refuse(fmt::format("no number \"{}\"", key));
    return at->get<double>();
  }
  [[nodiscard]] std::uint64_t whole(const Object& object, const char* key, double most) const {
    const double x = value(object, key);
    if (!(x >= 1 && x <= most && x == std::floor(x))) refuse(fmt::format("\"{}\" {:g}", key, x));
    return static_cast<std::uint64_t>(x);
  }
  [[nodiscard]] std::vector<double> weights(const Object& object, const char* key) const {
    const auto at = object.find(key);
    if (at == object.end() || !at->is_array() || at->size() != context_.input.data.features())
      refuse(fmt::format("no \"{}\" of {} weights", key, context_.input.data.features()));
    std::vector<double> out;
    out.reserve(at->size());
    for (const Object& x : *at) {
      if (!x.is_number()) refuse(fmt::format("a weight of \"{}\" that is no number", key));
      out.push_back(x.get<double>());
    }
    return out;
  }

  void one(std::string_view line, const Watcher& see) {
    const halfspace::detail::JsonText text(line, place_);
    const Object object = halfspace::detail::parse_strict(text, "trace", {4, 10'000'000});
    if (!object.is_object()) refuse("no object");
    const std::vector<double> theta = weights(object, "theta"), before = weights(object, "theta_before");
    std::vector<double> mean;
    Update update;
    update.number = whole(object, "k", 9e15);
    update.step = whole(object, "step", 9e15);
    update.pass = whole(object, "pass", 9e15);
    update.row =
        static_cast<std::uint32_t>(whole(object, "row", static_cast<double>(context_.input.data.rows())) - 1);
    update.y = value(object, "y") > 0 ? 1 : -1;
    update.margin_before = value(object, "margin_before");
    update.margin_after = value(object, "margin_after");
    update.theta0 = value(object, "theta0");
    update.theta0_before = value(object, "theta0_before");
    update.norm = value(object, "norm");
    update.rate = value(object, "rate");
    update.keep = value(object, "shrink");
    update.theta = theta;
    update.theta_before = before;
    const MovingRow row{
        update.row, update.y, update.margin_before, update.margin_after, value(object, "loss"), 0};
    update.rows = std::span(&row, 1);
    const std::uint64_t moved = object.contains("batch") ? whole(object, "batch", 1e9) : 1;
    if (object.contains("mean")) {
      mean = weights(object, "mean");
      update.averaged = true;
      update.mean = mean;
      update.mean0 = value(object, "mean0");
    }
    if (object.contains("votes")) {
      update.voted = true;
      update.votes = static_cast<std::uint64_t>(std::clamp(value(object, "votes"), 0.0, 9e15));
    }
    see(update, moved);
  }

  const Context& context_;
  Place place_;
};

// The walk of the model once more; false when it cannot be shown, or not quickly.
bool walk_again_watched(const Context& context, const Watcher& see, const std::function<bool()>& enough) {
  const Model& model = context.input.model;
  const Dataset& data = context.input.data;
  if (!is_online(model) || !context.training || has_preparation(model) || model.unit_rows ||
      !fact_of(model, "scale").empty() || !fact_of(model, "from").empty())
    return false;
  const auto algorithm = learner_of(model, static_cast<double>(data.nonzeros()));
  if (!algorithm) return false;
  const std::string seed = fact_of(model, "seed");
  Run run;
  run.seed = seed.empty() ? 1 : static_cast<std::uint64_t>(OptionType<std::int64_t>::parse("seed", seed, {}));
  run.threads = context.run.threads;
  run.stop = context.run.stop.within(2);
  try {
    const Fit fit = algorithm->trace(
        data, run, {1, UINT64_MAX, [&](const Update& update) { see(update, update.rows.size()); }});
    return fit.answer.stop != Stop::Time || enough();
  } catch (const Stopped& stopped) {
    if (stopped.cause() != StopCause::Time) throw;
    return false;
  }
}

}  // namespace

Json replay_section(const Context& context, const ColumnStatistics& columns) {
  const Model& model = context.input.model;
  const Dataset& data = context.input.data;
  if (model.classes.size() != 2 || data.features() < 2) return nullptr;
  std::vector<Replayed> updates;
  std::vector<double> last;
  std::set<std::uint32_t> rows;
  std::uint64_t seen = 0;
  const std::size_t most = std::min<std::size_t>(most_replayed, most_replayed_weights / data.features());
  const auto see = [&](const Update& update, std::uint64_t moved) {
    seen = update.number;
    if (update.theta.size() < 2) return;
    last.assign(update.theta.begin(), update.theta.end());
    if (updates.size() >= most) return;
    updates.push_back(replayed(update, moved));
    rows.insert(update.row);
  };
  const bool given = !context.input.trace_lines.empty();
  if (given) {
    TraceLines(context).read(see);
  } else if (!walk_again_watched(context, see, [&] { return updates.size() >= most; })) {
    return nullptr;
  }
  if (updates.empty()) return nullptr;
  const auto pair = replay_columns(context, columns);
  const Sheet sheet = sheet_of(context, columns, std::move(last));
  Json shown = Json::array();
  for (Replayed& update : updates) {
    update.words["before"] = sheet.line(update.before, update.before0);
    update.words["after"] = sheet.line(update.after, update.after0);
    if (!update.mean.empty()) update.words["mean"] = sheet.line(update.mean, update.mean0);
    shown.push_back(std::move(update.words));
  }
  return {{"algorithm", given ? "trace" : model.algorithm},
          {"projected", !sheet.columns()},
          {"x", sheet.columns() ? name_of_feature(model, pair.first) : "along the normal of the last plane"},
          {"y", sheet.columns() ? name_of_feature(model, pair.second) : "where the rows spread most"},
          {"others", data.features() - 2},
          {"classes", {name_of_class(model, 0), name_of_class(model, 1)}},
          {"updates", seen},
          {"shown", shown},
          {"rows", data.rows()},
          {"points", replayed_points(context, rows, sheet)}};
}

}  // namespace halfspace::report
