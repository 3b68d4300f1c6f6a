// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "halfspace/core/bytes.hpp"
#include "halfspace/core/parallel.hpp"
#include "halfspace/model/model.hpp"

namespace halfspace::detail {

[[nodiscard]] bool is_liblinear_model(std::string_view head);

// The model in LIBLINEAR's text. Throws InputError with line and column.
[[nodiscard]] Model model_from_liblinear(std::string_view text, const std::string& name);
// The same piece by piece from a source with random access, all threads reading the weights. Nothing: the source has
// none, or the text is not quite as LIBLINEAR writes it, and all of it must be looked at.
[[nodiscard]] std::optional<Model> model_from_plain_liblinear(const ByteSource& source,
                                                              const std::string& name,
                                                              const Threads& threads);

}  // namespace halfspace::detail
