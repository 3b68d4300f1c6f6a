// SPDX-License-Identifier: BSD-3-Clause
// Models on disk: the safetensors layout, with the model's fields as JSON text in __metadata__. LIBLINEAR's
// text models are read too. Loading is parsing: every size is checked against the file before anything is
// allocated.
#pragma once

#include <string>
#include <string_view>

#include "halfspace/core/parallel.hpp"
#include "halfspace/model/model.hpp"

namespace halfspace {

class ByteSource;

void save(const Model& model, const std::string& path);                                  // atomic
[[nodiscard]] Model load(const std::string& path, const Threads& threads = Threads(1));  // throws InputError

[[nodiscard]] std::string to_bytes(const Model& model);
[[nodiscard]] Model model_from_bytes(std::string_view bytes, const std::string& name);
// The bytes of a model or of a certificate (JSON text), no more than their beginning declares: of something that is
// neither only the beginning, which is enough for a refusal.
[[nodiscard]] std::string read_model_bytes(ByteSource& source, const std::string& name);

}  // namespace halfspace
