// SPDX-License-Identifier: BSD-3-Clause
// What the tests of CSV and TSV share: a table from its text, its rows, names and labels, and how it was
// refused.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "data/readers.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace::testing {

inline Dataset table(std::string_view bytes, ReadOptions options = {}, const std::string& name = "t.csv") {
  const auto source = memory_source(bytes, name);
  return Dataset::make(read_csv(*source, name, options));
}

inline std::vector<double> row(const Dataset& data, std::size_t r) {
  std::vector<double> out(data.features());
  std::visit(
      [&](const auto& view) { for_entries(view.row(r), [&](std::uint32_t j, double x) { out[j] = x; }); },
      data.matrix());
  return out;
}
using Row = std::vector<double>;
using Texts = std::vector<std::string>;

inline Texts features(const Dataset& data) {
  Texts out;
  for (std::uint32_t j = 0; j < data.features(); ++j) out.push_back(data.feature_name(j));
  return out;
}
inline Texts labels(const Dataset& data) {
  Texts out;
  for (const std::uint32_t y : data.labels()) out.push_back(data.classes()[y]);
  return out;
}

struct Refusal {
  std::string place, message, hint;
};
inline Refusal refusal(std::string_view bytes, ReadOptions options = {}, const std::string& name = "t.csv") {
  try {
    static_cast<void>(table(bytes, options, name));
  } catch (const InputError& e) {
    return {fmt::format("{}:{}", e.place().line, e.place().column), e.message(), e.said().hint};
  }
  return {"accepted", "", ""};
}
inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace halfspace::testing
