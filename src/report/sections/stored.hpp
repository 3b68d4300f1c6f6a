// SPDX-License-Identifier: BSD-3-Clause
// What other commands have written as JSON and a picture or the report shows again: paths, tables of a search, learning
// curves.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halfspace/core/error.hpp"

namespace halfspace::report {

struct StoredPoint {
  double value = 0;  // of the option
  std::optional<double> norm, margin, support_vectors, training, judged, low, high, gap;
  std::vector<double> theta, theta0;
};
struct StoredPath {
  std::string algorithm, option, judged_on;  // "rows held out", "5 folds"
  std::string metric = "error";
  std::optional<double> chosen;
  bool scaled = false;              // theta is among scaled columns
  std::vector<StoredPoint> points;  // by value
};
// Of `halfspace path --json` or `halfspace tune --json` along one option. Throws InputError.
[[nodiscard]] StoredPath read_path(std::string_view json, const Place& place);

struct StoredCurvePoint {
  double rows = 0, training = 0, test = 0;
  std::optional<double> low, high;
};
struct StoredCurve {
  std::string algorithm;
  std::optional<double> bayes_error;
  std::vector<StoredCurvePoint> points;
};
[[nodiscard]] StoredCurve read_curve(std::string_view json, const Place& place);  // halfspace curve --json

}  // namespace halfspace::report
