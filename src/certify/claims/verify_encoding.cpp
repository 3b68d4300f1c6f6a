// SPDX-License-Identifier: BSD-3-Clause
// Two encodings of the same table, column by column.
#include <fmt/format.h>

#include <algorithm>

#include "certify/claims/verify_preparation.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace::detail {
namespace {

constexpr std::string_view kinds[] = {"numbers", "categories", "words"};

std::string number_or_none(const std::optional<double>& fill) {
  return fill ? fmt::format("{}", *fill) : std::string("none");
}

std::string text_difference(const Column& stored, const Column& learned, std::string_view what) {
  const auto [a, b] = std::mismatch(stored.categories.begin(), stored.categories.end(),
                                    learned.categories.begin(), learned.categories.end());
  if (a == stored.categories.end() && b == learned.categories.end()) return {};
  const std::string says = a == stored.categories.end() ? "no more" : fmt::format("'{}'", printable(*a, 40));
  const std::string has = b == learned.categories.end() ? "no more" : fmt::format("'{}'", printable(*b, 40));
  return fmt::format("{} {} of column {} is {} in the table, the model says {}", what,
                     a - stored.categories.begin() + 1, printable(learned.name, 40), has, says);
}

std::string column_difference(const Column& stored, const Column& learned) {
  const std::string name = printable(learned.name, 40);
  if (stored.name != learned.name)
    return fmt::format("column {} of the table is {} in the model", name, printable(stored.name, 40));
  if (stored.kind != learned.kind)
    return fmt::format("column {} holds {}, the model says {}", name,
                       kinds[static_cast<std::size_t>(learned.kind)],
                       kinds[static_cast<std::size_t>(stored.kind)]);
  if (stored.hash_bits != learned.hash_bits)
    return fmt::format("the words of column {} are hashed to {} bits, the model says {}", name,
                       learned.hash_bits, stored.hash_bits);
  if (stored.missing_feature != learned.missing_feature)
    return fmt::format("column {} has {} feature for missing values, the model says it has {}", name,
                       learned.missing_feature ? "a" : "no", stored.missing_feature ? "one" : "none");
  if (stored.fill != learned.fill && stored.kind != ColumnKind::Words)
    return fmt::format("what stands for a missing value of column {} is {}, the model says {}", name,
                       number_or_none(learned.fill), number_or_none(stored.fill));
  return text_difference(stored, learned, stored.kind == ColumnKind::Words ? "word" : "category");
}

}  // namespace

std::string difference(const Encoding& stored, const Encoding& learned) {
  const auto differ = [](std::string_view what, std::string_view has, std::string_view says) {
    return fmt::format("the {} of the table is '{}', the model says '{}'", what, printable(has, 40),
                       printable(says, 40));
  };
  if (stored.label_column != learned.label_column)
    return differ("label column", learned.label_column, stored.label_column);
  if (stored.weight_column != learned.weight_column)
    return differ("weight column", learned.weight_column, stored.weight_column);
  if (stored.header != learned.header)
    return differ("header", learned.header ? "yes" : "no", stored.header ? "yes" : "no");
  if (stored.delimiter != learned.delimiter)
    return differ("delimiter", std::string(1, learned.delimiter), std::string(1, stored.delimiter));
  if (stored.ignored != learned.ignored || stored.missing_words != learned.missing_words ||
      stored.missing != learned.missing || stored.one_hot != learned.one_hot ||
      stored.decimal != learned.decimal)
    return "what was left out of the table is not what the model says";
  for (std::size_t c = 0; c < std::min(stored.columns.size(), learned.columns.size()); ++c) {
    std::string found = column_difference(stored.columns[c], learned.columns[c]);
    if (!found.empty()) return found;
  }
  if (stored.columns.size() == learned.columns.size()) return {};
  return fmt::format("the table has {} columns of features, the model {}", learned.columns.size(),
                     stored.columns.size());
}

}  // namespace halfspace::detail
