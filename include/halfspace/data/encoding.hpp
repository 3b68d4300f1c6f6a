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
enum class Missing { Error, Mean, Median, Drop, Indicator };
enum class OneHot { Full, Reference };
enum class DecimalMark { Point, Comma };

struct Column {
  std::string name;
  ColumnKind kind = ColumnKind::Number;
  std::vector<std::string> categories;  // Category: sorted values, one feature each; Words: sorted vocabulary
  std::uint32_t hash_bits = 0;          // Words: 2^hash_bits features by hashing instead of a vocabulary
  // Stands for a missing number (--missing mean|median|indicator); 0 for a category. Empty: missing values are refused.
  std::optional<double> fill;
  // A last feature that is 1 where the value is missing: of a category that was missing in training, and of such a number
  // with --missing indicator. Without it a missing category is none of them.
  bool missing_feature = false;
  bool reference = false;  // Category: the first one has no feature, and the others are told from it
  std::uint32_t first_feature = 0;

  [[nodiscard]] std::uint32_t features() const;
  // Features of what is not missing.
  [[nodiscard]] std::uint32_t value_features() const;
  // Of category k, within the column; nothing for the reference.
  [[nodiscard]] std::optional<std::uint32_t> category_feature(std::uint32_t k) const;
};

struct Encoding {
  // Without the label, weight and ignored columns, in the order of the file. Without a header columns are called c1,
  // c2, ... by their place.
  std::vector<Column> columns;
  std::string label_column;  // empty: the table had none
  std::string weight_column;
  bool header = true;
  char delimiter = ',';
  // What else was chosen when the table was read, so that all of the above can be learned from it once more.
  std::vector<std::string> ignored;  // in the order of the file
  Missing missing = Missing::Error;
  std::vector<std::string> missing_words;
  OneHot one_hot = OneHot::Full;
  DecimalMark decimal = DecimalMark::Point;

  [[nodiscard]] std::uint32_t features() const;
  [[nodiscard]] std::string feature_name(
      std::uint32_t feature) const;  // "age", "color=red", "text:free", "age missing"
};

}  // namespace halfspace
