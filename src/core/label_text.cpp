// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/core/label_text.hpp"

#include <fmt/format.h>

#include <charconv>

#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

bool is_number(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

// A sign alone is none.
bool is_formula(std::string_view text) {
  if (text.starts_with('=') || text.starts_with('@')) return true;
  return text.size() > 1 && (text[0] == '+' || text[0] == '-') && !is_number(text);
}

}  // namespace

std::string label_line(std::string_view name) {
  std::string guarded;
  for (std::size_t at = 0; at < name.size(); ++at) {
    guarded += name[at];
    if (name[at] == '\\' && at + 1 < name.size() && name[at + 1] == 'x') guarded += "x5c";
  }
  return printable(guarded, guarded.size());
}

std::string label_from_line(std::string_view line) {
  std::string out;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const bool escape = at + 3 < line.size() && line[at] == '\\' && line[at + 1] == 'x' &&
                        digit(line[at + 2]) >= 0 && digit(line[at + 3]) >= 0;
    if (!escape) {
      out += line[at];
      continue;
    }
    out += static_cast<char>(digit(line[at + 2]) * 16 + digit(line[at + 3]));
    at += 3;
  }
  return out;
}

std::string label_cell(std::string_view name, char delimiter) {
  std::string text = label_line(name);
  const bool formula = is_formula(name);
  if (formula) text = fmt::format("\\x{:02x}", static_cast<unsigned char>(name[0])) + text.substr(1);
  if (delimiter == '\t') return text;
  const bool spaces = text.starts_with(' ') || text.ends_with(' ');
  const bool special = text.find(delimiter) != std::string::npos || text.find('"') != std::string::npos;
  if (!formula && !spaces && !special) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::optional<double> label_number(std::string_view name) {
  if (name.starts_with('+')) name.remove_prefix(1);
  double value = 0;
  const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), value);
  if (code != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return value;
}

}  // namespace halfspace
