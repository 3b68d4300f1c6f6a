// SPDX-License-Identifier: BSD-3-Clause
// The page that web/ builds, as it was compiled in.
#pragma once

#include <string_view>

namespace halfspace::report {
[[nodiscard]] std::string_view built_page();
}
