// SPDX-License-Identifier: BSD-3-Clause
// The parts of a model that are not numbers in bulk, as JSON text with a closed schema.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "halfspace/core/error.hpp"
#include "halfspace/model/model.hpp"

namespace halfspace::detail {

// Everything but the tensors, the encoding and the certificate. Throws InputError when a text is not UTF-8.
[[nodiscard]] std::string fields_to_json(const Model& model);
// The same back, quoted in the header at `place`; weights, offsets, values and labels of the form stay empty. Checks every field and their
// relations.
[[nodiscard]] Model fields_from_json(std::string_view text, const Place& place);

[[nodiscard]] std::string encoding_to_json(const Encoding& encoding);
[[nodiscard]] std::shared_ptr<const Encoding> encoding_from_json(std::string_view text, const Place& place);

}  // namespace halfspace::detail
