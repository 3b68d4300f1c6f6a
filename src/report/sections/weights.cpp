// SPDX-License-Identifier: BSD-3-Clause
// The weights of planes, per unit and per standard deviation, and the nomogram: scales whose points add up to the score.
#include <algorithm>
#include <numeric>

#include "halfspace/core/error.hpp"
#include "report/sections/sections.hpp"

namespace halfspace::report {
namespace {

constexpr std::size_t shown_weights = 40;
constexpr std::size_t shown_scales = 12;
constexpr std::size_t most_planes = 30;
constexpr std::size_t nomogram_rows = 200;

// The first `count` features by `size`, larger first, equal ones in their order; those of size 0 left out.
std::vector<std::uint32_t> largest(const std::vector<double>& size, std::size_t count) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t j = 0; j < size.size(); ++j)
    if (size[j] > 0) order.push_back(j);
  const std::size_t kept = std::min(count, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
      [&](std::uint32_t a, std::uint32_t b) { return size[a] != size[b] ? size[a] > size[b] : a < b; });
  order.resize(kept);
  return order;
}

double of_column(const std::vector<double>& figures, std::size_t j) {
  return j < figures.size() ? figures[j] : 0;
}

std::vector<double> value_per_column(const Entries& entries, std::span<const std::uint32_t> features) {
  std::vector<double> out(features.size(), 0.0);
  for (std::size_t k = 0; k < features.size(); ++k) {
    const auto found = std::lower_bound(entries.begin(), entries.end(), features[k],
                                        [](const auto& entry, std::uint32_t j) { return entry.first < j; });
    if (found != entries.end() && found->first == features[k]) out[k] = found->second;
  }
  return out;
}

std::string probability_rule(const Model& model) {
  if (!has_probabilities(model)) return "none";
  if (model.calibrator.on()) return model.calibrator.kind == CalibrationKind::Isotonic ? "isotonic" : "platt";
  if (model.planes() == 1) return "logistic";
  return is_softmax(model) ? "softmax" : "one-vs-rest";
}

// What the calibrator learned, for the page to follow: probabilities are those of the model for every score.
Json calibrator_json(const Calibrator& calibrator) {
  if (!calibrator.on()) return nullptr;
  if (calibrator.kind == CalibrationKind::Isotonic)
    return {{"scores", calibrator.scores}, {"probabilities", calibrator.probabilities}};
  return {{"slope", number(calibrator.slope)}, {"shift", number(calibrator.shift)}};
}

Json scales_of(const Model& model, const ColumnStatistics& columns, std::span<const std::uint32_t> shown) {
  Json out = Json::array();
  for (const std::uint32_t j : shown)
    out.push_back({{"name", name_of_feature(model, j)},
                   {"low", number(columns.low[j])},
                   {"high", number(columns.high[j])},
                   {"mean", number(columns.mean[j])},
                   {"whole", columns.whole[j] != 0}});
  return out;
}

// score = base + unit * points + rest for every plane.
Json scale_planes(const Model& model, const Planes& planes, const ColumnStatistics& columns,
                  std::span<const std::uint32_t> shown) {
  Json out = Json::array();
  for (std::size_t k = 0; k < planes.offsets.size(); ++k) {
    Json weights = Json::array();
    double longest = 0, base = planes.offsets[k];
    for (const std::uint32_t j : shown) {
      const double w = planes.plane(k)[j];
      weights.push_back(number(w));
      longest = std::max(longest, std::abs(w) * (columns.high[j] - columns.low[j]));
      base += std::min(w * columns.low[j], w * columns.high[j]);
    }
    double rest = 0;
    std::vector<bool> is_shown(planes.features, false);
    for (const std::uint32_t j : shown) is_shown[j] = true;
    for (std::size_t j = 0; j < planes.features; ++j)
      if (!is_shown[j]) rest += planes.plane(k)[j] * of_column(columns.mean, j);
    out.push_back({{"class", plane_name(model, k)},
                   {"weights", weights},
                   {"offset", number(planes.offsets[k])},
                   {"base", number(base)},
                   {"unit", number(longest > 0 ? longest / 100 : 1)},
                   {"rest", number(rest)}});
  }
  return out;
}

}  // namespace

Json weights_section(const Context& context, const ColumnStatistics& columns) {
  const Model& model = context.input.model;
  const std::optional<Planes> planes = planes_of(model);
  if (!planes) return nullptr;
  Json list = Json::array();
  for (std::size_t k = 0; k < std::min(planes->offsets.size(), most_planes); ++k) {
    std::vector<double> size(planes->features, 0.0);
    double norm2 = 0;
    std::size_t zeros = 0;
    for (std::size_t j = 0; j < size.size(); ++j) {
      const double w = planes->plane(k)[j];
      norm2 += w * w;
      zeros += w == 0 ? 1 : 0;
      size[j] = std::abs(w) * of_column(columns.deviation, j);
    }
    const std::vector<std::uint32_t> shown = largest(size, shown_weights);
    Json weights = Json::array();
    for (const std::uint32_t j : shown) {
      const double w = planes->plane(k)[j];
      weights.push_back({{"feature", j + 1},
                         {"name", name_of_feature(model, j)},
                         {"weight", number(w)},
                         {"per_deviation", number(w * columns.deviation[j])},
                         {"mean", number(columns.mean[j])},
                         {"deviation", number(columns.deviation[j])},
                         {"low", number(columns.low[j])},
                         {"high", number(columns.high[j])}});
    }
    list.push_back({{"class", plane_name(model, k)},
                    {"offset", number(planes->offsets[k])},
                    {"norm", number(std::sqrt(norm2))},
                    {"zeros", zeros},
                    {"left_out", planes->features - shown.size()},
                    {"weights", weights}});
  }
  return {{"features", planes->features},
          {"planes_left_out", planes->offsets.size() - list.size()},
          {"planes", list}};
}

Json nomogram_section(const Context& context, const ColumnStatistics& columns) {
  const Model& model = context.input.model;
  const std::optional<Planes> planes = planes_of(model);
  if (!planes || planes->offsets.size() > most_planes) return nullptr;
  std::vector<double> size(std::min(planes->features, columns.low.size()), 0.0);
  for (std::size_t j = 0; j < size.size(); ++j)
    for (std::size_t k = 0; k < planes->offsets.size(); ++k)
      size[j] = std::max(size[j], std::abs(planes->plane(k)[j]) * (columns.high[j] - columns.low[j]));
  const std::vector<std::uint32_t> shown = largest(size, shown_scales);
  if (shown.empty()) return nullptr;
  Json rows = Json::array();
  for (const std::uint32_t i : sampled_rows(context.data, nomogram_rows)) {
    const std::vector<double> values = value_per_column(entries_of(context.input.data, i), shown);
    Json x = Json::array(), f = Json::array();
    for (const double value : values) x.push_back(number(value));
    for (const double score : context.data.scores_of(i)) f.push_back(number(score));
    rows.push_back({{"row", i + 1},
                    {"label", name_of_class(model, context.data.truth[i])},
                    {"values", x},
                    {"scores", f}});
  }
  return {{"probability", probability_rule(model)},
          {"calibrator", calibrator_json(model.calibrator)},
          {"classes", {name_of_class(model, 0), name_of_class(model, model.classes.size() - 1)}},
          {"features", scales_of(model, columns, shown)},
          {"left_out", planes->features - shown.size()},
          {"planes", scale_planes(model, *planes, columns, shown)},
          {"rows", rows}};
}

}  // namespace halfspace::report
