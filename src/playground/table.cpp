// SPDX-License-Identifier: BSD-3-Clause
// Two columns of a table as points on the board.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "data/readers.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/prepare/scaling.hpp"
#include "playground/answers.hpp"
#include "report/sections/projection.hpp"
#include "report/sections/sections.hpp"

namespace halfspace::playground {
namespace {

constexpr std::size_t shown_rows = 1000;           // of a longer table
constexpr std::size_t listed_names = 1000;         // of columns and classes
constexpr std::size_t most_scaled_columns = 4000;  // whose zeros move

// The column of this name, or of this number from 1.
std::uint32_t column_of(const Dataset& data, const std::string& name, std::uint32_t fallback) {
  if (name.empty()) return fallback;
  for (std::uint32_t j = 0; j < data.features(); ++j)
    if (data.feature_name(j) == name) return j;
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (code == std::errc() && end == name.data() + name.size() && number >= 1 && number <= data.features())
    return static_cast<std::uint32_t>(number - 1);
  throw UsageError(fmt::format("no column '{}'", printable(name)));
}

std::uint32_t class_of(const Dataset& data, const std::string& name) {
  if (name.empty()) return static_cast<std::uint32_t>(data.classes().size() - 1);
  const auto found = std::find(data.classes().begin(), data.classes().end(), name);
  if (found == data.classes().end()) throw UsageError(fmt::format("no class '{}'", printable(name)));
  return static_cast<std::uint32_t>(found - data.classes().begin());
}

std::vector<std::uint32_t> rows_shown(const Dataset& data) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < data.rows(); ++i)
    if (data.weight(i) > 0) rows.push_back(i);
  if (rows.size() <= shown_rows) return rows;
  std::vector<std::uint32_t> out;
  for (std::size_t k = 0; k < shown_rows; ++k) out.push_back(rows[k * rows.size() / shown_rows]);
  return out;
}

// Where the rows fall on the two directions in which they spread most: principal components, of the rows shown.
std::vector<std::array<double, 2>> principal_places(const std::vector<report::Entries>& rows,
                                                    std::size_t features) {
  std::vector<double> center(features, 0.0);
  for (const report::Entries& row : rows)
    for (const auto& [j, value] : row) center[j] += value / static_cast<double>(rows.size());
  std::vector<std::vector<double>> axes;
  axes.reserve(2);
  for (int k = 0; k < 2; ++k) axes.push_back(report::widest_direction(rows, center, axes));
  std::vector<std::array<double, 2>> out;
  out.reserve(rows.size());
  for (const report::Entries& row : rows)
    out.push_back({report::product(row, axes[0]) - report::product(center, axes[0]),
                   report::product(row, axes[1]) - report::product(center, axes[1])});
  return out;
}

// The rows shown as they are seen: scaled, and in two columns or two directions.
std::vector<std::array<double, 2>> places_of(const Dataset& data, const std::vector<std::uint32_t>& rows,
                                             ScaleKind scale, std::array<std::uint32_t, 2> columns,
                                             bool principal) {
  const Scaling scaling = learn_scaling(data, scale, Threads(1));
  std::vector<report::Entries> entries;
  for (const std::uint32_t row : rows) {
    report::Entries dense;
    const report::Entries own = report::entries_of(data, row);
    if (scale == ScaleKind::None) {
      dense = own;
    } else {  // zeros move as well
      std::vector<double> values(data.features(), 0.0);
      for (const auto& [j, value] : own) values[j] = value;
      for (std::uint32_t j = 0; j < data.features(); ++j)
        if (principal || j == columns[0] || j == columns[1])
          dense.emplace_back(j, (values[j] - scaling.shift[j]) * scaling.factor[j]);
    }
    entries.push_back(std::move(dense));
  }
  if (principal) return principal_places(entries, data.features());
  std::vector<std::array<double, 2>> out;
  for (const report::Entries& row : entries) {
    std::array<double, 2> at = {0, 0};
    for (const auto& [j, value] : row)
      for (std::size_t side = 0; side < 2; ++side)
        if (j == columns[side]) at[side] = value;
    out.push_back(at);
  }
  return out;
}

Json columns_json(const Dataset& data) {
  Json columns = Json::array();
  for (std::uint32_t j = 0; j < std::min(data.features(), listed_names); ++j)
    columns.push_back(printable(data.feature_name(j)));
  return columns;
}

}  // namespace

Dataset pasted_table(const std::string& text) {
  const std::string name = "pasted table";
  if (text.starts_with("BZh")) throw InputError({.file = name}, "packed bytes", "a table as text");
  const auto source = memory_source(text, name);
  ReadOptions options;
  options.format = Format::Csv;
  return Dataset::make(read_csv(*source, name, options));
}

Json pick_columns(const Dataset& data, const Fields& request) {
  if (!data.labelled()) throw InputError({.file = data.name()}, "no labels", "labelled rows");
  if (data.features() == 0)
    throw InputError({.file = data.name()}, "no columns beside the label", "at least one");
  const std::uint32_t x = column_of(data, request.text("x"), 0);
  const std::uint32_t y = column_of(data, request.text("y"), data.features() > 1 ? 1 : 0);
  const std::uint32_t positive = class_of(data, request.text("positive"));
  const auto scale = OptionType<ScaleKind>::parse("scale", request.text("scale", "none"), {});
  if (scale == ScaleKind::Unit) throw UsageError("scale: none, standard or minmax for two columns");
  constexpr std::string_view axes_words[] = {"columns", "principal"};
  const bool principal = parse_word("axes", request.text("axes", "columns"), axes_words) == 1;
  if (principal && data.features() < 2) throw UsageError("principal directions need two columns");
  if (principal && scale != ScaleKind::None && data.features() > most_scaled_columns)
    throw UsageError(
        fmt::format("principal directions of scaled columns: at most {} columns", most_scaled_columns),
        "scale: none");
  Points points;
  const std::vector<std::uint32_t> rows = rows_shown(data);
  const std::vector<std::array<double, 2>> places = places_of(data, rows, scale, {x, y}, principal);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::array<double, 2>& at = places[i];
    if (!(std::abs(at[0]) <= most_coordinate && std::abs(at[1]) <= most_coordinate))
      throw UsageError("values beyond a billion do not fit the board", "scale: standard");
    points.values.insert(points.values.end(), at.begin(), at.end());
    points.labels.push_back(data.labels()[rows[i]] == positive ? 1 : -1);
  }
  Json classes = Json::array();
  for (std::size_t k = 0; k < std::min(data.classes().size(), listed_names); ++k)
    classes.push_back(printable(data.classes()[k]));
  const std::string& first = data.classes().front();
  return {{"points", points_json(points)},
          {"columns", columns_json(data)},
          {"column_count", data.features()},
          {"classes", std::move(classes)},
          {"x", principal ? "most spread" : printable(data.feature_name(x))},
          {"y", principal ? "second most" : printable(data.feature_name(y))},
          {"axes", principal ? "principal" : "columns"},
          {"positive", printable(data.classes()[positive])},
          {"negative", data.classes().size() == 2 ? printable(positive == 0 ? data.classes().back() : first)
                                                  : "the rest"},
          {"scale", OptionType<ScaleKind>::print(scale)},
          {"rows", data.rows()},
          {"shown", rows.size()}};
}

}  // namespace halfspace::playground
