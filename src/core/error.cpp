// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/core/error.hpp"

#include <fmt/format.h>

namespace halfspace {
namespace {

// Length of the valid UTF-8 sequence at the front of `text`, 0 when there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first >= 0x20 && first < 0x7F) return 1;
  if (first >= 0xC2 && first <= 0xDF && follows(1)) return byte(1) < 0xA0 && first == 0xC2 ? 0 : 2;
  if (first >= 0xE0 && first <= 0xEF && follows(1) && follows(2)) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) >= 0xA0;
    return overlong || surrogate ? 0 : 3;
  }
  if (first >= 0xF0 && first <= 0xF4 && follows(1) && follows(2) && follows(3)) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool beyond = first == 0xF4 && byte(1) >= 0x90;
    return overlong || beyond ? 0 : 4;
  }
  return 0;
}

// Characters that look like others, or like nothing: blanks that are not the blank, joiners, marks of order and
// direction, line separators, the minus sign. Whoever reads a message must see that they are there.
bool is_deceptive(std::string_view sequence) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned>(static_cast<unsigned char>(sequence[i]));
  };
  if (sequence.size() == 2) {
    const unsigned point = (byte(0) & 0x1FU) << 6U | (byte(1) & 0x3FU);
    return point == 0xA0 || point == 0xAD || point == 0x34F || point == 0x61C;
  }
  if (sequence.size() == 3) {
    const unsigned point = (byte(0) & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
    const bool filler = point == 0x115F || point == 0x1160 || point == 0x3164 || point == 0xFFA0;
    return (point >= 0x2000 && point <= 0x206F) || (point >= 0x180B && point <= 0x180F) || point == 0x2212 ||
           point == 0x3000 || (point >= 0xFE00 && point <= 0xFE0F) || point == 0xFEFF ||
           (point >= 0xFFF9 && point <= 0xFFFB) || filler;
  }
  return sequence.size() == 4 && byte(0) == 0xF3 && byte(1) == 0xA0;  // tags and variation selectors
}

std::string compose(const Place& place, const std::string& message, const std::string& hint) {
  const std::string where = place.text();
  return fmt::format("{}{}error: {}{}", where, where.empty() ? "" : ": ", message,
                     hint.empty() ? "" : fmt::format(" (hint: {})", hint));
}

}  // namespace

bool is_printable(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] >= 0x20 && text[at] < 0x7F) {
      ++at;
      continue;
    }
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0 || is_deceptive(text.substr(at, length))) return false;
    at += length;
  }
  return true;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size() && at < limit) {
    const std::size_t length = utf8_length(text.substr(at));
    const std::size_t taken = length == 0 ? 1 : length;
    const std::string_view sequence = text.substr(at, taken);
    if (length == 0 || is_deceptive(sequence)) {
      for (const char c : sequence) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out.append(sequence);
    }
    at += taken;
  }
  if (at < text.size()) out += "...";
  return out;
}

std::string Place::text() const {
  std::string name = printable(file, 4096);
  if (byte) return fmt::format("{}: byte {}", name, *byte);
  if (line > 0) return fmt::format("{}:{}:{}", name, line, column);
  return name;
}

std::string without_dashes(std::string_view text) {
  const auto letter = [&](std::size_t at) {
    return at < text.size() && ((text[at] >= 'a' && text[at] <= 'z') || (text[at] >= 'A' && text[at] <= 'Z'));
  };
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == '(';
    if (begins && text.substr(at).starts_with("--") && letter(at + 2)) at += 2;
    out += text[at];
  }
  return out;
}

namespace {

std::string joined(const std::string& found, const std::string& expected) {
  return expected.empty() ? found : found + "; " + expected;
}

}  // namespace

// The place is no text of ours: a file may be called anything.
InputError::InputError(Place place, const std::string& found, const std::string& expected,
                       const std::string& hint)
    : std::runtime_error(compose(place, without_dashes(joined(found, expected)), without_dashes(hint))),
      place_(std::move(place)),
      said_{compose(place_, joined(found, expected), hint), joined(found, expected), hint},
      message_(without_dashes(said_.message)),
      hint_(without_dashes(hint)) {}

UsageError::UsageError(const std::string& message, const std::string& hint)
    : std::runtime_error(without_dashes(message)),
      said_{compose({}, message, hint), message, hint},
      hint_(without_dashes(hint)) {}

SystemError::SystemError(const std::string& message, std::string file)
    : std::runtime_error(file.empty() ? message : compose({.file = file}, message, {})),
      message_(message),
      file_(std::move(file)) {}

}  // namespace halfspace
