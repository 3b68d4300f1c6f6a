// SPDX-License-Identifier: BSD-3-Clause
// How the columns of a table became features: kept in the model, so that new tables are read the same way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halfspace {

enum class ColumnKind { Number, Category, Words };

struct Column {
  std::string name;
  ColumnKind kind = ColumnKind::Number;
  std::vector<std::string> categories;  // Category: sorted values, one feature each; Words: sorted vocabulary
  std::uint32_t hash_bits = 0;          // Words: 2^hash_bits features by hashing instead of a vocabulary
  std::optional<double> fill;           // Number: stands for a missing value (--missing mean|median)
  std::uint32_t first_feature = 0;

  [[nodiscard]] std::uint32_t features() const;
};

struct Encoding {
  std::vector<Column> columns;  // without the label, weight and ignored columns
  std::string label_column;     // empty: the file had no header, the label is the last column
  std::string weight_column;
  bool header = true;
  char delimiter = ',';

  [[nodiscard]] std::uint32_t features() const;
  [[nodiscard]] std::string feature_name(std::uint32_t feature) const;  // "age", "color=red", "text:free"
};

}  // namespace halfspace
