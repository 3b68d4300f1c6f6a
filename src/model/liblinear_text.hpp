// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "halfspace/core/parallel.hpp"
#include "halfspace/model/model.hpp"

namespace halfspace::detail {

// The model in LIBLINEAR's text. Throws InputError with line and column.
[[nodiscard]] Model model_from_liblinear(std::string_view text, const std::string& name, const Threads& threads);

}  // namespace halfspace::detail
