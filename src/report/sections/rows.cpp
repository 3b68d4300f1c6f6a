// SPDX-License-Identifier: BSD-3-Clause
// Single rows: the margins of all of them, and those that the model finds hardest, with what speaks for and against.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "halfspace/core/error.hpp"
#include "report/sections/sections.hpp"

namespace halfspace::report {
namespace {

constexpr std::size_t histogram_bins = 48;
constexpr std::size_t hardest_rows = 20;
constexpr std::size_t shown_contributions = 8;
constexpr std::size_t shown_support = 25;

// The value at this place of the ascending order; reorders the values.
double at_rank(std::vector<double>& values, std::size_t rank) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}
// Where most margins lie: pictures leave the outermost half per cent on either side to the first and the last bin.
std::pair<double, double> central_range(std::vector<double> margins) {
  const std::size_t cut = margins.size() / 200;
  double low = at_rank(margins, cut), high = at_rank(margins, margins.size() - 1 - cut);
  if (low == high) {
    low -= 1;
    high += 1;
  }
  return {low, high};
}

bool is_svm(const Model& model) {
  return model.algorithm == "svm" || model.algorithm == "hard-margin" || model.algorithm == "nu-svm" ||
         model.algorithm == "pegasos";
}

Json support_rows(const Context& context, const std::vector<double>& margins) {
  const Model& model = context.input.model;
  if (!context.training || model.dual.empty()) return nullptr;
  struct Support {
    std::uint32_t row;
    double alpha;
    std::size_t plane;
  };
  std::vector<Support> all;
  for (std::size_t k = 0; k < model.dual.size(); ++k) {
    for (std::size_t i = 0; i < model.dual[k].rows.size(); ++i) {
      const double alpha = model.dual[k].alpha[i];
      if (alpha != 0 && model.dual[k].rows[i] < margins.size())
        all.push_back({model.dual[k].rows[i], alpha, k});
    }
  }
  const std::size_t count = all.size();
  std::stable_sort(all.begin(), all.end(),
                   [](const Support& a, const Support& b) { return std::abs(a.alpha) > std::abs(b.alpha); });
  all.resize(std::min(all.size(), shown_support));
  Json rows = Json::array();
  for (const Support& one : all)
    rows.push_back({{"row", one.row + 1},
                    {"label", name_of_class(model, context.data.truth[one.row])},
                    {"plane", plane_name(model, std::min(one.plane, model.planes() - 1))},
                    {"alpha", number(one.alpha)},
                    {"margin", number(margins[one.row])}});
  return {{"count", count}, {"rows", rows}};
}

Json margin_histogram(const Judged& judged, const std::vector<double>& margins, double low, double high) {
  const std::size_t classes = judged.model.classes.size();
  std::vector<std::vector<double>> counts(histogram_bins, std::vector<double>(classes, 0.0));
  const double width = (high - low) / static_cast<double>(histogram_bins);
  for (std::size_t i = 0; i < margins.size(); ++i) {
    if (!judged.known(i)) continue;
    const double at = std::clamp((margins[i] - low) / width, 0.0, static_cast<double>(histogram_bins) - 0.5);
    counts[static_cast<std::size_t>(at)][judged.truth[i]] += judged.weights[i];
  }
  Json bins = Json::array();
  for (std::size_t b = 0; b < histogram_bins; ++b) {
    Json by_class = Json::array();
    for (const double value : counts[b]) by_class.push_back(amount(value));
    bins.push_back({{"low", number(low + width * static_cast<double>(b))},
                    {"high", number(low + width * static_cast<double>(b + 1))},
                    {"rows", by_class}});
  }
  return bins;
}

struct Part {
  std::uint32_t feature;
  double value, contribution;
};

// What a row adds to plane `up` less plane `down` (none: beyond the last), feature by feature, against the mean of the
// column: what is unusual about the row, not how the column is measured. `base` is what the mean row has.
std::vector<Part> parts_of(const Planes& planes, const ColumnStatistics& columns, const Entries& entries,
                           std::size_t up, std::size_t down, double& base) {
  const bool two = down >= planes.offsets.size();
  base = planes.offsets[up] - (two ? 0.0 : planes.offsets[down]);
  std::vector<Part> parts;
  std::size_t at = 0;
  for (std::uint32_t j = 0; j < planes.features; ++j) {
    while (at < entries.size() && entries[at].first < j) ++at;
    const double x = at < entries.size() && entries[at].first == j ? entries[at].second : 0;
    const double mean = j < columns.mean.size() ? columns.mean[j] : 0;
    const double w = planes.plane(up)[j] - (two ? 0.0 : planes.plane(down)[j]);
    if (w == 0) continue;
    base += w * mean;
    parts.push_back({j, x, w * (x - mean)});
  }
  return parts;
}

// Two classes: what makes the score. More: what makes the difference between the best class but the true one, and the
// true one.
Json contributions_to(const Context& context, const ColumnStatistics& columns, const Planes& planes,
                      std::size_t row) {
  const Model& model = context.input.model;
  const std::span<const double> f = context.judged.scores_of(row);
  std::size_t up = 0, down = planes.offsets.size();
  if (f.size() > 1) {
    down = context.judged.truth[row];
    up = down == 0 ? 1 : 0;
    for (std::size_t k = 0; k < f.size(); ++k)
      if (k != down && f[k] > f[up]) up = k;
  }
  double base = 0;
  std::vector<Part> parts = parts_of(planes, columns, entries_of(context.judged.data, row), up, down, base);
  const std::size_t shown = std::min(parts.size(), shown_contributions);
  std::partial_sort(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(shown), parts.end(),
                    [](const Part& a, const Part& b) {
                      const double x = std::abs(a.contribution), y = std::abs(b.contribution);
                      return x != y ? x > y : a.feature < b.feature;
                    });
  Json items = Json::array();
  for (std::size_t k = 0; k < shown; ++k)
    items.push_back({{"name", name_of_feature(model, parts[k].feature)},
                     {"value", number(parts[k].value)},
                     {"contribution", number(parts[k].contribution)}});
  double rest = 0;
  for (std::size_t k = shown; k < parts.size(); ++k) rest += parts[k].contribution;
  return {{"towards", plane_name(model, up)}, {"average", number(base)},
          {"contributions", items},           {"rest", number(rest)},
          {"others", parts.size() - shown},   {"score", number(f.size() == 1 ? f[0] : f[up] - f[down])}};
}

}  // namespace

Json margins_section(const Context& context) {
  const Judged& judged = context.data;
  const Model& model = context.input.model;
  std::vector<double> margins(judged.weights.size(), 0.0), present;
  double wrong = 0, inside = 0, slack = 0, total = 0;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    if (!judged.known(i)) continue;
    const double m = margins[i] = judged.margin(i);
    present.push_back(m);
    total += judged.weights[i];
    if (m <= 0) wrong += judged.weights[i];
    if (m < 1) inside += judged.weights[i];
    slack += judged.weights[i] * std::max(0.0, 1 - m);
  }
  if (present.empty()) return nullptr;
  const auto [low, high] = central_range(present);
  const auto [least, greatest] = std::minmax_element(present.begin(), present.end());
  Json out;
  out["rows"] = amount(total);
  out["wrong"] = amount(wrong);
  out["least"] = number(*least);
  out["greatest"] = number(*greatest);
  out["median"] = number(at_rank(present, present.size() / 2));
  const std::optional<Planes> planes = planes_of(model);
  if (planes && model.planes() == 1) {
    double norm2 = 0;
    for (const double w : planes->weights) norm2 += w * w;
    out["norm"] = number(std::sqrt(norm2));
  }
  out["support_margin"] = is_svm(model);
  if (is_svm(model)) {
    out["inside"] = amount(inside);
    out["slack"] = number(slack);
  }
  Json classes = Json::array();
  for (std::size_t k = 0; k < model.classes.size(); ++k) classes.push_back(name_of_class(model, k));
  out["classes"] = classes;
  out["bins"] = margin_histogram(judged, margins, low, high);
  out["support"] = support_rows(context, margins);
  const std::vector<std::uint32_t> rows = sampled_rows(judged, most_points);
  out["sampled"] = present.size() > rows.size();
  Json points = Json::array();
  for (const std::uint32_t i : rows) points.push_back({i + 1, judged.truth[i], number(margins[i])});
  out["points"] = points;  // row, class, margin
  return out;
}

Json rows_section(const Context& context, const ColumnStatistics& columns) {
  const Judged& judged = context.judged;
  const Model& model = context.input.model;
  std::vector<std::uint32_t> order;
  std::vector<double> right;
  std::vector<double> margins(judged.weights.size(), 0.0);
  for (std::uint32_t i = 0; i < margins.size(); ++i) {
    if (!judged.known(i)) continue;
    margins[i] = judged.margin(i);
    order.push_back(i);
    if (margins[i] > 0) right.push_back(margins[i]);
  }
  if (order.empty()) return nullptr;
  const std::size_t count = std::min(order.size(), hardest_rows);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      return margins[a] != margins[b] ? margins[a] < margins[b] : a < b;
                    });
  double typical = 0;
  if (!right.empty()) {
    const auto middle = right.begin() + static_cast<std::ptrdiff_t>(right.size() / 2);
    std::nth_element(right.begin(), middle, right.end());
    typical = *middle;
  }
  std::uint64_t suspicious = 0;
  for (const std::uint32_t i : order)
    if (typical > 0 && margins[i] < -typical) ++suspicious;
  const std::optional<Planes> planes = planes_of(model);
  const bool probable = has_probabilities(model) && !labels_follow_probabilities(model);
  Json list = Json::array();
  for (std::size_t n = 0; n < count; ++n) {
    const std::uint32_t i = order[n];
    const std::span<const double> f = judged.scores_of(i);
    const std::uint32_t given = labels_from_scores(model, f)[0];
    Json row = {{"row", i + 1},
                {"label", name_of_class(model, judged.truth[i])},
                {"given", given == abstained ? "none" : name_of_class(model, given)},
                {"right", margins[i] > 0},
                {"margin", number(margins[i])},
                {"suspicious", typical > 0 && margins[i] < -typical}};
    if (probable) row["probability"] = number(probabilities_from_scores(model, f)[judged.truth[i]]);
    if (planes) {
      row.update(contributions_to(context, columns, *planes, i));
    } else if (f.size() == 1) {
      row["score"] = number(f[0]);
    }
    list.push_back(std::move(row));
  }
  return {{"on", context.test() ? "test" : "data"},
          {"typical", number(typical)},
          {"suspicious", suspicious},
          {"hardest", list}};
}

}  // namespace halfspace::report
