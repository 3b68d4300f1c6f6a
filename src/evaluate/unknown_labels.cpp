// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/unknown_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "halfspace/core/error.hpp"
#include "halfspace/core/options.hpp"
#include "halfspace/data/read.hpp"
#include "halfspace/model/errors.hpp"

namespace halfspace {
namespace {

constexpr std::size_t unknown_listed = 5;

std::optional<double> number_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string nearest_class(const std::string& label, const std::vector<std::string>& classes) {
  if (const auto wanted = number_in(label)) {
    // A number is never near another one: 10 is not a misspelt 1.
    for (const std::string& name : classes)
      if (number_in(name) == wanted) return name;
    return {};
  }
  return nearest_name(label, classes);
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t k = 0; k < std::min(names.size(), unknown_listed); ++k)
    out += fmt::format("{}'{}'", k == 0 ? "" : ", ", printable(names[k], 40));
  if (names.size() > unknown_listed) out += fmt::format(" and {} more", names.size() - unknown_listed);
  return out;
}

}  // namespace

std::vector<UnknownLabel> unknown_labels(const Model& model, const Dataset& data) {
  const std::vector<std::string>& classes = model.classes;
  const std::vector<std::uint32_t> known = labels_for(model, data);
  std::vector<std::uint64_t> rows(data.classes().size());
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i] >= classes.size() && data.weight(i) > 0) ++rows[data.labels()[i]];
  std::vector<UnknownLabel> out;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k] == 0) continue;
    out.push_back({data.classes()[k], rows[k], nearest_class(data.classes()[k], classes)});
  }
  return out;
}

std::string unknown_words(const std::vector<UnknownLabel>& unknown) {
  std::string out;
  for (std::size_t k = 0; k < std::min(unknown.size(), unknown_listed); ++k) {
    const UnknownLabel& one = unknown[k];
    out += fmt::format(
        "{}'{}' ({} row{}{})", k == 0 ? "" : ", ", printable(one.label, 40), one.rows,
        one.rows == 1 ? "" : "s",
        one.nearest.empty() ? "" : fmt::format("; did you mean '{}'?", printable(one.nearest, 40)));
  }
  if (unknown.size() > unknown_listed) out += fmt::format(" and {} more", unknown.size() - unknown_listed);
  return out;
}

std::string rename_hint(const std::vector<UnknownLabel>& unknown) {
  std::string out;
  for (std::size_t k = 0; k < std::min(unknown.size(), unknown_listed); ++k) {
    const UnknownLabel& one = unknown[k];
    if (one.nearest.empty()) continue;
    out += fmt::format("{}{}={}", out.empty() ? "--rename '" : ",", printable(one.label, 40),
                       printable(one.nearest, 40));
  }
  return out.empty() ? out : out + "'";
}

void check_some_known(const Model& model, const Dataset& data) {
  const std::vector<std::string>& classes = model.classes;
  const std::vector<std::uint32_t> known = labels_for(model, data);
  bool any = false;
  for (std::size_t i = 0; i < known.size(); ++i) {
    any = any || data.weight(i) > 0;
    if (known[i] < classes.size() && data.weight(i) > 0) return;
  }
  if (!any) return;
  const std::vector<UnknownLabel> unknown = unknown_labels(model, data);
  throw InputError({.file = data.name()},
                   fmt::format("no label is one of the model's: {}", unknown_words(unknown)),
                   fmt::format("labels among {}", quoted_list(classes)), rename_hint(unknown));
}

}  // namespace halfspace
