// SPDX-License-Identifier: BSD-3-Clause
// Which rows a proof of separability is about, and which numbers they stand for.
#include <fmt/format.h>

#include <algorithm>

#include "halfspace/certify/separation.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {

Values values_of(const Dataset& data) {
  const bool stored = std::visit(
      [](const auto& view) { return std::is_same_v<typename std::decay_t<decltype(view)>::Value, Decimal>; },
      data.matrix());
  return data.from_text() || stored ? Values::Decimals : Values::Doubles;
}

std::vector<std::int8_t> sides(const Dataset& data, std::span<const std::string> positive,
                               std::span<const std::string> negative) {
  std::vector<std::int8_t> of_class(data.classes().size(), 0);
  const auto mark = [&](std::span<const std::string> names, std::int8_t y) {
    for (const std::string& name : names) {
      const auto found = std::find(data.classes().begin(), data.classes().end(), name);
      if (found == data.classes().end()) {
        throw InputError({.file = data.name()}, fmt::format("no row has the label {}", printable(name)));
      }
      std::int8_t& side = of_class[static_cast<std::size_t>(found - data.classes().begin())];
      if (side != 0)
        throw InputError({.file = data.name()}, fmt::format("the class {} is named twice", printable(name)));
      side = y;
    }
  };
  mark(positive, 1);
  mark(negative, -1);
  std::vector<std::int8_t> out(data.rows(), 0);
  bool has[2] = {false, false};
  for (std::size_t i = 0; i < out.size() && data.labelled(); ++i) {
    if (data.weight(i) > 0) out[i] = of_class[data.labels()[i]];
    if (out[i] != 0) has[out[i] > 0 ? 1 : 0] = true;
  }
  if (!has[0] || !has[1]) {
    throw InputError({.file = data.name()},
                     data.classes().size() == 1
                         ? fmt::format("one class only, {}", printable(data.classes().front()))
                         : fmt::format("no row takes part on the {} side", has[1] ? "negative" : "positive"),
                     "rows of weight above 0 in two classes");
  }
  return out;
}

}  // namespace halfspace
