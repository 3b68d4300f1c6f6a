// SPDX-License-Identifier: BSD-3-Clause
#include "model/travel/text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "halfspace/core/error.hpp"

namespace halfspace::travel {
namespace {

void refuse_zero_byte(std::string_view text, std::string_view language) {
  if (text.find('\0') != std::string_view::npos)
    throw UsageError(
        fmt::format("the name '{}' has a zero byte, which {} cannot say", printable(text), language));
}

std::string doubled(std::string_view text, char quote) {
  refuse_zero_byte(text, "SQL");
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote) out += quote;
    out += c;
  }
  return out + quote;
}

}  // namespace

std::string number(double x) {
  std::string out = fmt::format("{}", x);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

// Three octal digits end where they end; question marks would begin trigraphs.
std::string c_string(std::string_view text) {
  refuse_zero_byte(text, "C");
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '?') {
      out += '\\';
      out += c;
    } else if (c >= 0x20 && c < 0x7F) {
      out += c;
    } else {
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    }
  }
  return out + "\"";
}

std::string json_string(std::string_view text) {
  const std::string plain =
      nlohmann::json(std::string(text)).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  std::string out;
  for (const char c : plain) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string sql_name(std::string_view text) { return doubled(text, '"'); }
std::string sql_string(std::string_view text) { return doubled(text, '\''); }

}  // namespace halfspace::travel
