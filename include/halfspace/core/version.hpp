// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string_view>
namespace halfspace {
[[nodiscard]] std::string_view version();
}
