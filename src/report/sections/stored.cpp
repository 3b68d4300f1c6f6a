// SPDX-License-Identifier: BSD-3-Clause
#include "report/sections/stored.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/file/strict_json.hpp"

namespace halfspace::report {
namespace {

using halfspace::detail::JsonText;
using StrictJson = halfspace::detail::Json;

constexpr std::size_t most_stored = 2000;

[[noreturn]] void refuse_stored(const Place& place, std::string_view expected) {
  throw InputError(place, "another object", std::string(expected));
}

std::optional<double> number_in(const StrictJson& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || !at->is_number()) return std::nullopt;
  const auto x = at->get<double>();
  return std::isfinite(x) ? std::optional(x) : std::nullopt;
}
std::string text_in(const StrictJson& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? printable(at->get<std::string>()) : std::string();
}
std::vector<double> numbers_in(const StrictJson& object, const char* key) {
  std::vector<double> out;
  const auto at = object.find(key);
  if (at == object.end() || !at->is_array()) return out;
  for (const StrictJson& x : *at) {
    if (!x.is_number() || !std::isfinite(x.get<double>())) return {};
    out.push_back(x.get<double>());
  }
  return out;
}
const StrictJson& list_in(const StrictJson& object, const char* key, const Place& place) {
  const auto at = object.find(key);
  if (at == object.end() || !at->is_array() || at->empty() || at->size() > most_stored)
    refuse_stored(place, fmt::format("a list \"{}\" of 1 to {} entries", key, most_stored));
  for (const StrictJson& one : *at)
    if (!one.is_object()) refuse_stored(place, fmt::format("objects in \"{}\"", key));
  return *at;
}

StrictJson object_of(std::string_view json, const Place& place) {
  const JsonText text(json, place);
  StrictJson object = halfspace::detail::parse_strict(text, "table", {8, 20'000'000});
  if (!object.is_object()) refuse_stored(place, "an object");
  return object;
}

void read_points(StoredPath& path, const StrictJson& object, const Place& place) {
  path.option = text_in(object, "option");
  path.judged_on = "rows held out";
  path.scaled = text_in(object, "scale") != "none";
  for (const StrictJson& one : list_in(object, "points", place)) {
    const std::optional<double> value = number_in(one, path.option.c_str());
    const std::optional<double> judged = number_in(one, "validation_error");
    if (!value || !judged) continue;  // a point that was not finished
    path.points.push_back({*value, number_in(one, "norm"), number_in(one, "margin"),
                           number_in(one, "support_vectors"), number_in(one, "training_error"), judged,
                           std::nullopt, std::nullopt, number_in(one, "relative_gap"),
                           numbers_in(one, "theta"), numbers_in(one, "theta0")});
  }
}

void read_table(StoredPath& path, const StrictJson& object, const Place& place) {
  path.metric = text_in(object, "metric");
  path.judged_on = fmt::format("{:g} folds", number_in(object, "folds").value_or(0));
  for (const StrictJson& one : list_in(object, "table", place)) {
    const auto values = one.find("values");
    if (values == one.end() || !values->is_object() || values->size() != 1)
      refuse_stored(place, "a search along one option");
    path.option = values->begin().key();
    const std::optional<double> value = number_in(*values, path.option.c_str());
    const std::optional<double> mean = number_in(one, "mean");
    if (!value || !mean) continue;
    const double error = number_in(one, "standard_error").value_or(0);
    path.points.push_back({.value = *value, .judged = mean, .low = *mean - error, .high = *mean + error});
  }
  const auto chosen = object.find("chosen");
  if (chosen != object.end() && chosen->is_object()) path.chosen = number_in(*chosen, path.option.c_str());
}

}  // namespace

StoredPath read_path(std::string_view json, const Place& place) {
  const StrictJson object = object_of(json, place);
  StoredPath path;
  const std::string schema = text_in(object, "schema");
  path.algorithm = text_in(object, "algorithm");
  if (schema == "halfspace.path/1") {
    read_points(path, object, place);
  } else if (schema == "halfspace.tune/1") {
    read_table(path, object, place);
  } else {
    refuse_stored(place, "what halfspace path --json or halfspace tune --json prints");
  }
  if (path.points.empty()) refuse_stored(place, "at least one finished point");
  std::stable_sort(path.points.begin(), path.points.end(),
                   [](const StoredPoint& a, const StoredPoint& b) { return a.value < b.value; });
  path.option = printable(path.option);
  return path;
}

StoredCurve read_curve(std::string_view json, const Place& place) {
  const StrictJson object = object_of(json, place);
  if (text_in(object, "schema") != "halfspace.curve/1")
    refuse_stored(place, "what halfspace curve --json prints");
  StoredCurve curve{.algorithm = text_in(object, "algorithm"),
                    .bayes_error = number_in(object, "bayes_error")};
  for (const StrictJson& one : list_in(object, "points", place)) {
    const auto rows = number_in(one, "rows"), training = number_in(one, "training_error"),
               test = number_in(one, "test_error");
    if (!rows || !training || !test || !(*rows > 0)) continue;
    const std::vector<double> ends = numbers_in(one, "interval");
    StoredCurvePoint point{*rows, *training, *test};
    if (ends.size() == 2) {
      point.low = ends[0];
      point.high = ends[1];
    }
    curve.points.push_back(point);
  }
  if (curve.points.empty()) refuse_stored(place, "at least one finished point");
  return curve;
}

}  // namespace halfspace::report
