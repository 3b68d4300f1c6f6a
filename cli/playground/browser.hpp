// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace halfspace::cli {

// Asks the desktop to open an address; false when nothing here can. Does not wait for it.
[[nodiscard]] bool open_browser(const std::string& address);

}  // namespace halfspace::cli
