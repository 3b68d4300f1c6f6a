// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/objective/class_weights.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/row_sums.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/options.hpp"

namespace halfspace {

std::vector<double> class_weights(const Dataset& data, const std::string& text, const Team& team) {
  std::vector<double> out(data.classes().size(), 1.0);
  if (text.empty()) return out;
  if (text == "balanced") {
    // Every class weighs the same in total, and the total stays that of the rows.
    std::vector<double> rows(out.size() + 1, 0.0);  // the last one: of all classes
    add_in_turn(team, rows, [&](std::vector<double>& to) {
      for (std::size_t i = 0; i < data.rows(); ++i) {
        to[data.labels()[i]] += data.weight(i);
        to.back() += data.weight(i);
      }
    });
    const double all = rows.back();
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = rows[k] > 0 ? all / (static_cast<double>(out.size()) * rows[k]) : 1.0;
    return out;
  }
  std::vector<bool> given(out.size(), false);
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string item = text.substr(from, comma - from);
    const std::size_t colon = item.rfind(':');
    if (colon == std::string::npos) {
      throw UsageError(fmt::format("--class-weight: '{}' is neither balanced nor LABEL:W", printable(item)));
    }
    const std::string label = item.substr(0, colon);
    const auto found = std::find(data.classes().begin(), data.classes().end(), label);
    if (found == data.classes().end()) {
      const std::string near = nearest_name(label, data.classes());
      throw UsageError(fmt::format("--class-weight: no class '{}'", printable(label)),
                       near.empty() ? "" : fmt::format("did you mean {}?", printable(near)));
    }
    const auto k = static_cast<std::size_t>(found - data.classes().begin());
    if (given[k])
      throw UsageError(fmt::format("--class-weight: two weights for class '{}'", printable(label)));
    given[k] = true;
    out[k] = OptionType<double>::parse("class-weight", item.substr(colon + 1), {1e-300, 1e300});
    from = comma + 1;
  }
  return out;
}

}  // namespace halfspace
