// SPDX-License-Identifier: BSD-3-Clause
// Data of two columns, or two that were asked for, with what the model makes of them: where each class wins, the margin.
#include <nlohmann/json.hpp>

#include "report/sections/sections.hpp"

namespace halfspace::report {
namespace {

constexpr std::size_t drawn_rows = 1000;
constexpr std::size_t most_classes = 6;  // shapes that can be told apart

bool has_margin(const Model& model) {
  return model.planes() == 1 && (model.algorithm == "svm" || model.algorithm == "hard-margin" ||
                                 model.algorithm == "nu-svm" || model.algorithm == "pegasos");
}

// [row, class, x, y, margin]
Json drawn_points(const Context& context, std::pair<std::uint32_t, std::uint32_t> pair) {
  Json out = Json::array();
  for (const std::uint32_t row : sampled_rows(context.data, drawn_rows)) {
    double x = 0, y = 0;
    for (const auto& [j, value] : entries_of(context.input.data, row)) {
      if (j == pair.first) x = value;
      if (j == pair.second) y = value;
    }
    out.push_back({row + 1, context.data.truth[row], number(x), number(y), number(context.data.margin(row))});
  }
  return out;
}

}  // namespace

Json plane_section(const Context& context, const ColumnStatistics& columns) {
  const Model& model = context.input.model;
  const Dataset& data = context.input.data;
  if ((data.features() != 2 && !context.input.columns) || model.classes.size() > most_classes) return nullptr;
  const auto planes = planes_of(model);
  if (!planes || planes->features != data.features()) return nullptr;
  const auto pair = context.input.columns.value_or(std::pair<std::uint32_t, std::uint32_t>{0, 1});
  if (pair.first == pair.second) return nullptr;
  Json lines = Json::array(), names = Json::array();
  for (std::size_t k = 0; k < planes->offsets.size(); ++k) {
    const std::span<const double> theta = planes->plane(k);
    double c = planes->offsets[k];
    for (std::size_t j = 0; j < theta.size(); ++j)
      if (j != pair.first && j != pair.second) c += theta[j] * columns.mean[j];
    lines.push_back({number(theta[pair.first]), number(theta[pair.second]), number(c)});
  }
  for (std::size_t k = 0; k < model.classes.size(); ++k) names.push_back(name_of_class(model, k));
  return {{"x", name_of_feature(model, pair.first)},
          {"y", name_of_feature(model, pair.second)},
          {"others", data.features() - 2},
          {"classes", names},
          {"lines", lines},
          {"margin", has_margin(model)},
          {"rows", data.rows()},
          {"points", drawn_points(context, pair)}};
}

}  // namespace halfspace::report
