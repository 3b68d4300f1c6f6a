// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/data/categories.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "data/text/table.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

void check_values(const TableColumn& column, const std::string& name) {
  const std::vector<std::string>& values = column.categories;
  for (std::size_t k = 0; k < values.size(); ++k)
    if (values[k].empty() || find_invalid_utf8(values[k]) != std::string_view::npos ||
        (k > 0 && values[k] <= values[k - 1]))
      throw InputError(
          {.file = name},
          fmt::format("category '{}' of column '{}'", printable(values[k], 40), printable(column.name, 40)),
          "values in UTF-8 that are not empty, sorted, each once");
}

}  // namespace

Dataset with_columns(const Dataset& data, const std::vector<TableColumn>& columns,
                     const std::string& label_name) {
  auto encoding = std::make_shared<Encoding>();
  std::set<std::string_view> different;
  const auto add = [&](const std::string& name) {
    if (find_invalid_utf8(name) != std::string_view::npos || !different.insert(name).second)
      throw InputError({.file = data.name()}, fmt::format("a column called '{}'", printable(name, 40)),
                       "different names in UTF-8");
  };
  std::size_t features = 0;
  for (const TableColumn& column : columns) {
    add(column.name);
    check_values(column, data.name());
    Column& made = encoding->columns.emplace_back();
    made.name = column.name;
    made.first_feature = static_cast<std::uint32_t>(features);
    made.kind = column.categories.empty() ? ColumnKind::Number : ColumnKind::Category;
    made.categories = column.categories;
    features += made.features();
  }
  if (features != data.features())
    throw InputError({.file = data.name()},
                     fmt::format("columns of {} features for {}", features, data.features()));
  if (!label_name.empty()) add(label_name);
  encoding->label_column = label_name;
  DatasetParts parts;
  parts.matrix = data.matrix();
  parts.storage = std::make_shared<const Dataset>(data);
  parts.labels.assign(data.labels().begin(), data.labels().end());
  parts.classes = data.classes();
  parts.weights.assign(data.weights().begin(), data.weights().end());
  parts.encoding = std::move(encoding);
  parts.from_text = data.from_text();
  parts.name = data.name();
  parts.nonzeros = data.nonzeros();
  return Dataset::make(std::move(parts), false);
}

}  // namespace halfspace
