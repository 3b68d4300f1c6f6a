// SPDX-License-Identifier: BSD-3-Clause
// What a request may say, and its limits. Everything here is written by a stranger.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halfspace/core/stop.hpp"
#include "halfspace/data/dataset.hpp"
#include "halfspace/solve/algorithm.hpp"

namespace halfspace::playground {

using Json = nlohmann::ordered_json;

inline constexpr std::size_t most_rows = 2000;        // points on the board
inline constexpr std::size_t most_steps = 2000;       // updates in an answer
inline constexpr std::size_t most_runs = 2;           // side by side
inline constexpr double most_visits = 4e6;            // rows times passes
inline constexpr double most_coordinate = 1e9;        // of a point
inline constexpr std::size_t most_text_bytes = 4096;  // of a name or an option
inline constexpr double seconds_allowed = 2;          // for an answer
inline constexpr double training_seconds =
    0.6;  // for each of two plans: the best so far, and time to show it

// One object of a request; every look at it is checked, and throws InputError.
class Fields {
 public:
  explicit Fields(const Json& object);
  [[nodiscard]] bool has(const char* name) const;
  [[nodiscard]] std::string text(const char* name, std::string fallback = {},
                                 std::size_t most = most_text_bytes) const;
  [[nodiscard]] double number(const char* name, double low, double high, double fallback) const;
  [[nodiscard]] const Json& list(const char* name, std::size_t most) const;
  [[nodiscard]] const Json& at(const char* name) const;

 private:
  const Json& object_;
};

// The request as an object; refuses what is nested too deeply.
[[nodiscard]] Json parse_request(std::string_view text);

// Points of two classes with y = -1 and +1.
struct Points {
  std::vector<double> values;  // x, y, x, y, ...
  std::vector<std::int32_t> labels;
  [[nodiscard]] std::size_t rows() const { return labels.size(); }
  [[nodiscard]] bool two_classes() const;
  // As a table with these rows would be read: decimals, classes -1 and 1. Needs points of both classes.
  [[nodiscard]] Dataset data() const;
};
[[nodiscard]] Points points_of(const Fields& request);

// What is seen of the plane: where curved boundaries are computed.
struct View {
  double left = -5, right = 5, bottom = -5, top = 5;
};
[[nodiscard]] View view_of(const Fields& request);

// An algorithm with its options, its start, and the seed of its order.
struct Plan {
  Algorithm algorithm;
  std::string from = "zero";
  std::uint64_t seed = 1;
  std::vector<std::pair<std::string, std::string>> options;  // as given
};
[[nodiscard]] Plan plan_of(const Json& run, std::size_t rows);
[[nodiscard]] std::string option_value(const Algorithm& algorithm, std::string_view name);  // empty: none
// Zero, or two weights and perhaps theta0. Never a file, unlike --from.
[[nodiscard]] std::shared_ptr<const StartPlane> start_of(const Plan& plan);

[[nodiscard]] inline Json finite(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

}  // namespace halfspace::playground
