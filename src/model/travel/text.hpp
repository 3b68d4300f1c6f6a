// SPDX-License-Identifier: BSD-3-Clause
// Numbers and names in other languages.
#pragma once

#include <string>
#include <string_view>

namespace halfspace::travel {

// The shortest decimals that mean this very double, with a point or an exponent: a double in every language.
[[nodiscard]] std::string number(double x);

// Literals, quotes and all. Nothing that a name may hold ends them: bytes other than plain ASCII are escaped.
[[nodiscard]] std::string c_string(std::string_view text);
[[nodiscard]] std::string json_string(std::string_view text);  // of JSON and JavaScript, also inside a page
// Quotes are doubled, which is all that SQL knows. Throws UsageError for a zero byte.
[[nodiscard]] std::string sql_name(std::string_view text);    // "..."
[[nodiscard]] std::string sql_string(std::string_view text);  // '...'

}  // namespace halfspace::travel
