// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/data/encoding.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace halfspace {

std::uint32_t Column::features() const { return value_features() + (missing_feature ? 1 : 0); }

std::uint32_t Column::value_features() const {
  const auto size = static_cast<std::uint32_t>(categories.size());
  switch (kind) {
    case ColumnKind::Number: return 1;
    case ColumnKind::Category: return reference && size > 0 ? size - 1 : size;
    case ColumnKind::Words: break;
  }
  return hash_bits > 0 ? std::uint32_t{1} << hash_bits : static_cast<std::uint32_t>(categories.size());
}

std::optional<std::uint32_t> Column::category_feature(std::uint32_t k) const {
  if (!reference) return k;
  return k == 0 ? std::nullopt : std::optional(k - 1);
}

std::uint32_t Encoding::features() const {
  return columns.empty() ? 0 : columns.back().first_feature + columns.back().features();
}

std::string Encoding::feature_name(std::uint32_t feature) const {
  // Columns lie one after the other; a column without features shares its first feature with the next one.
  const auto after = std::upper_bound(columns.begin(), columns.end(), feature,
                                      [](std::uint32_t f, const Column& c) { return f < c.first_feature; });
  if (after == columns.begin()) return std::to_string(feature + 1);
  const Column& column = *(after - 1);
  const std::uint32_t within = feature - column.first_feature;
  if (within >= column.features()) return std::to_string(feature + 1);
  if (within >= column.value_features()) return column.name + " missing";
  switch (column.kind) {
    case ColumnKind::Number: return column.name;
    case ColumnKind::Category:
      return column.name + "=" + column.categories[within + (column.reference ? 1 : 0)];
    case ColumnKind::Words: break;
  }
  if (column.hash_bits > 0) return fmt::format("{}:#{}", column.name, within);
  return column.name + ":" + column.categories[within];
}

}  // namespace halfspace
