// SPDX-License-Identifier: BSD-3-Clause
// The help of the program and of a verb, and the manual page: three views of the same tables.
#pragma once

#include <string>
#include <vector>

#include "app.hpp"

namespace halfspace::cli {

[[nodiscard]] std::string program_help();
[[nodiscard]] std::string verb_help(const Verb& verb, const std::vector<std::string>& args);
[[nodiscard]] std::string manual_page();  // roff

}  // namespace halfspace::cli
