// SPDX-License-Identifier: BSD-3-Clause
// LIBSVM's text models, read.
#pragma once

#include <string>
#include <string_view>

#include "halfspace/model/model.hpp"

namespace halfspace::detail {

[[nodiscard]] bool is_libsvm_model(std::string_view bytes);
// Throws InputError with line and column.
[[nodiscard]] Model model_from_libsvm(std::string_view text, const std::string& name);

}  // namespace halfspace::detail
