// SPDX-License-Identifier: BSD-3-Clause
// The parts of the report's object (docs/report.md), one function each. A part that has no data is null.
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "halfspace/evaluate/evaluation.hpp"
#include "halfspace/evaluate/ranking.hpp"
#include "halfspace/report/report.hpp"

namespace halfspace::report {

using Json = nlohmann::ordered_json;

inline constexpr std::size_t most_points = 2000;  // rows in a picture

// Labelled rows with what the model says of them.
struct Judged {
  const Model& model;
  const Dataset& data;
  std::vector<double> scores;        // planes() a row
  std::vector<std::uint32_t> truth;  // classes().size() for a class that the model does not know
  std::vector<double> weights;       // 0 for such rows

  [[nodiscard]] std::span<const double> scores_of(std::size_t row) const {
    return std::span(scores).subspan(row * model.planes(), model.planes());
  }
  [[nodiscard]] bool known(std::size_t row) const { return weights[row] > 0; }
  // The score signed by the class; for more classes how far that of the right class lies above the best other.
  [[nodiscard]] double margin(std::size_t row) const;
};
[[nodiscard]] Judged judge(const Model& model, const Dataset& data, const Threads& threads);
// Every k-th row that counts, at most `most` of them.
[[nodiscard]] std::vector<std::uint32_t> sampled_rows(const Judged& judged, std::size_t most);

// The planes of a linear model in units of the columns, where the score is one affine function of the row; nothing when
// rows are divided by their length or turned into other features.
struct Planes {
  std::size_t features = 0;
  std::vector<double> weights;  // planes x features
  std::vector<double> offsets;
  [[nodiscard]] std::span<const double> plane(std::size_t k) const {
    return std::span(weights).subspan(k * features, features);
  }
};
[[nodiscard]] std::optional<Planes> planes_of(const Model& model);

struct ColumnStatistics {
  std::vector<double> mean, deviation, low, high;  // by weight; zeros count
  std::vector<std::uint8_t> whole;                 // all values are whole numbers
};
[[nodiscard]] ColumnStatistics column_statistics(const Dataset& data, const Threads& threads);
using Entries = std::vector<std::pair<std::uint32_t, double>>;
[[nodiscard]] Entries entries_of(const Dataset& data, std::size_t row);

[[nodiscard]] std::string name_of_feature(const Model& model, std::uint32_t feature);
[[nodiscard]] std::string name_of_class(const Model& model, std::size_t k);  // "other" beyond the last
[[nodiscard]] std::string plane_name(const Model& model, std::size_t k);     // the class it speaks for
[[nodiscard]] std::string fact_of(const Model& model, std::string_view key);
[[nodiscard]] std::string short_name(const std::string& path);  // without its folders

// What every part may look at.
struct Context {
  const ReportInput& input;
  const Run& run;
  const Judged& data;       // the rows of DATA
  const Judged& judged;     // the test rows, or the same
  std::string fingerprint;  // of DATA
  bool training = false;    // DATA are what the model was trained on
  [[nodiscard]] bool test() const { return &data != &judged; }
};

[[nodiscard]] Json model_section(const Context& context);
[[nodiscard]] Json data_section(const Context& context);
[[nodiscard]] Json quality_section(const Context& context, const Evaluation& evaluation);
[[nodiscard]] Json solved_section(const Context& context);
[[nodiscard]] Json plane_section(const Context& context, const ColumnStatistics& columns);
[[nodiscard]] Json separability_section(const Context& context);
[[nodiscard]] Json weights_section(const Context& context, const ColumnStatistics& columns);
[[nodiscard]] Json nomogram_section(const Context& context, const ColumnStatistics& columns);
[[nodiscard]] Json thresholds_section(const Context& context);
[[nodiscard]] Json calibration_section(const Context& context, const Evaluation& evaluation);
[[nodiscard]] Json margins_section(const Context& context);
[[nodiscard]] Json rows_section(const Context& context, const ColumnStatistics& columns);
[[nodiscard]] Json perceptron_section(const Context& context);
[[nodiscard]] Json replay_section(const Context& context, const ColumnStatistics& columns);
[[nodiscard]] Json path_section(const Context& context, const ColumnStatistics& columns);
[[nodiscard]] Json curve_section(const Context& context);
// [iteration, relative gap] of the training, made again.
[[nodiscard]] Json progress_points(const Context& context);
[[nodiscard]] Json reproduce_section(const Context& context);
[[nodiscard]] std::vector<std::string> verdict_sentences(const Context& context, const Json& report);

[[nodiscard]] inline Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }
// 12, not 12.0: sums of weights are mostly counts.
[[nodiscard]] inline Json amount(double x) {
  return x == std::floor(x) && std::abs(x) < 0x1p53 ? Json(static_cast<std::int64_t>(x)) : number(x);
}
[[nodiscard]] inline Json optional_number(const std::optional<double>& x) {
  return x ? number(*x) : Json(nullptr);
}
[[nodiscard]] inline Json interval_pair(const std::optional<Interval>& x) {
  return x ? Json::array({number(x->low), number(x->high)}) : Json(nullptr);
}

}  // namespace halfspace::report
