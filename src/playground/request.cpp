// SPDX-License-Identifier: BSD-3-Clause
#include "playground/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "halfspace/core/error.hpp"
#include "halfspace/core/kernel_function.hpp"

namespace halfspace::playground {
namespace {

constexpr int deepest = 8;

[[noreturn]] void refuse_request(const std::string& found, const std::string& expected) {
  throw InputError({.file = "request"}, found, expected);
}

double finite_number(const Json& value, const char* what, double low, double high) {
  if (!value.is_number()) refuse_request(fmt::format("{}: no number", what), "a number");
  const auto number = value.get<double>();
  if (!(number >= low && number <= high))
    refuse_request(fmt::format("{}: {} is out of range", what, number), fmt::format("{} to {}", low, high));
  return number;
}

}  // namespace

Fields::Fields(const Json& object) : object_(object) {
  if (!object.is_object()) refuse_request("no object", "an object with named fields");
}

bool Fields::has(const char* name) const { return object_.contains(name); }

const Json& Fields::at(const char* name) const {
  const auto found = object_.find(name);
  if (found == object_.end()) refuse_request(fmt::format("no field {}", name), "one");
  return *found;
}

std::string Fields::text(const char* name, std::string fallback, std::size_t most) const {
  if (!has(name)) return fallback;
  const Json& value = at(name);
  if (!value.is_string()) refuse_request(fmt::format("{}: no text", name), "text in quotes");
  auto text = value.get<std::string>();
  if (text.size() > most)
    refuse_request(fmt::format("{}: {} bytes", name, text.size()), fmt::format("at most {}", most));
  return text;
}

double Fields::number(const char* name, double low, double high, double fallback) const {
  return has(name) ? finite_number(at(name), name, low, high) : fallback;
}

const Json& Fields::list(const char* name, std::size_t most) const {
  const Json& value = at(name);
  if (!value.is_array()) refuse_request(fmt::format("{}: no list", name), "a list");
  if (value.size() > most)
    refuse_request(fmt::format("{}: {} entries", name, value.size()), fmt::format("at most {}", most));
  return value;
}

Json parse_request(std::string_view text) {
  // Called at every value; the parser itself keeps no stack of the machine for what is nested.
  const Json::parser_callback_t shallow = [](int depth, Json::parse_event_t event, Json&) {
    const bool opens =
        event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    if (opens && depth >= deepest)
      refuse_request("too deeply nested", fmt::format("at most {} levels", deepest));
    return true;
  };
  try {
    return Json::parse(text, shallow);
  } catch (const Json::exception&) {
    refuse_request("no JSON", "one object");
  }
}

bool Points::two_classes() const {
  return std::find(labels.begin(), labels.end(), -1) != labels.end() &&
         std::find(labels.begin(), labels.end(), 1) != labels.end();
}

Dataset Points::data() const {
  return Dataset::dense(std::span<const double>(values), rows(), 2,
                        {.labels = std::span<const std::int32_t>(labels),
                         .decimals = true,
                         .name = "points",
                         .threads = Threads(1)});
}

Points points_of(const Fields& request) {
  Points out;
  for (const Json& point : request.list("points", most_rows)) {
    if (!point.is_array() || point.size() != 3) refuse_request("a point that is no triple", "[x, y, class]");
    for (const std::size_t j : {0U, 1U})
      out.values.push_back(finite_number(point[j], "a coordinate", -most_coordinate, most_coordinate));
    if (point[2] != 1 && point[2] != -1) refuse_request("a point of another class", "-1 or 1");
    out.labels.push_back(point[2].get<std::int32_t>());
  }
  return out;
}

View view_of(const Fields& request) {
  if (!request.has("view")) return {};
  const Json& corners = request.list("view", 4);
  if (corners.size() != 4) refuse_request("view: not four numbers", "[left, right, bottom, top]");
  double side[4];
  for (std::size_t k = 0; k < 4; ++k)
    side[k] = finite_number(corners[k], "view", -4 * most_coordinate, 4 * most_coordinate);
  if (!(side[0] < side[1]) || !(side[2] < side[3]))
    refuse_request("view: empty", "left < right, bottom < top");
  return {side[0], side[1], side[2], side[3]};
}

std::string option_value(const Algorithm& algorithm, std::string_view name) {
  for (const auto& [key, value] : algorithm.values())
    if (key == name) return value;
  return {};
}

Plan plan_of(const Json& run, std::size_t rows) {
  const Fields fields(run);
  Plan plan{Algorithm::by_name(fields.text("algorithm", "perceptron")), "zero", 1, {}};
  plan.from = fields.text("from", "zero");
  plan.seed = static_cast<std::uint64_t>(fields.number("seed", 0, 1e15, 1));
  if (fields.has("options")) {
    const Json& options = fields.at("options");
    if (!options.is_object() || options.size() > 50) refuse_request("options: no object", "names and values");
    for (const auto& [name, value] : options.items()) {
      if (!value.is_string())
        refuse_request(fmt::format("option {}: no text", printable(name)), "text in quotes");
      if (value.get_ref<const std::string&>().size() > most_text_bytes)
        refuse_request(fmt::format("option {}: too long", printable(name)),
                       fmt::format("at most {} bytes", most_text_bytes));
      plan.algorithm.set(name, value.get<std::string>());
      plan.options.emplace_back(name, value.get<std::string>());
    }
  }
  if (option_value(plan.algorithm, "kernel") == "precomputed")
    throw UsageError("kernel: precomputed is for tables of kernel values, not for points");
  // What walks keep on the way grows with the rows that they visit.
  const std::string passes = option_value(plan.algorithm, "passes");
  const std::string given = passes == "until-clean" ? option_value(plan.algorithm, "max-passes") : passes;
  double count = 0;
  std::from_chars(given.data(), given.data() + given.size(), count);
  if (count * static_cast<double>(rows) > most_visits)
    throw UsageError(fmt::format("passes: at most {:.0f} over {} points here",
                                 most_visits / static_cast<double>(rows), rows));
  return plan;
}

std::shared_ptr<const StartPlane> start_of(const Plan& plan) {
  if (plan.from == "zero" || plan.from.empty()) return nullptr;
  std::vector<double> numbers;
  std::string_view rest = plan.from;
  while (true) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view word = rest.substr(0, comma);
    while (word.starts_with(' ') || word.starts_with('+')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    double value = 0;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (code != std::errc() || end != word.data() + word.size() || !(std::abs(value) <= 1e100))
      throw UsageError(fmt::format("from: '{}' is no number", printable(word)),
                       "zero, or weights with commas: 1,-2 or 1,-2,0.5 with theta0");
    numbers.push_back(value);
    if (comma == rest.size()) break;
    rest.remove_prefix(comma + 1);
  }
  if (numbers.size() != 2 && numbers.size() != 3)
    throw UsageError(fmt::format("from: {} numbers", numbers.size()),
                     "two weights, or three numbers with theta0 as the last");
  if (numbers.size() == 3 && numbers[2] != 0 && option_value(plan.algorithm, "offset") == "none")
    throw UsageError("from: theta0 without an offset", "two weights, or another offset rule");
  auto start = std::make_shared<StartPlane>();
  start->planes.features = 2;
  start->planes.weights = {numbers[0], numbers[1]};
  start->planes.offsets = {numbers.size() == 3 ? numbers[2] : 0.0};
  start->name = printable(plan.from);
  return start;
}

}  // namespace halfspace::playground
