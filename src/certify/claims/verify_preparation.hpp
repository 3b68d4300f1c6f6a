// SPDX-License-Identifier: BSD-3-Clause
// What a model has learned from its training rows before it was trained (how a table becomes features, the
// scaling of columns, landmarks and frequencies) is learned from them once more and compared.
#pragma once

#include <optional>

#include "halfspace/certify/verify_model.hpp"

namespace halfspace::detail {

// The model without preparation, and the rows as it sees them.
struct Unprepared {
  Model model;
  Dataset rows;
};

// `data`: read by training_read(). Nothing when something differs, which is then the last line of `out`; else
// one line says what was chosen and what was learned again.
[[nodiscard]] std::optional<Unprepared> check_preparation(const Model& model, const Dataset& data,
                                                          const Threads& threads, ModelCheck& out);

// What an encoding that was learned again has else than the one of the model; empty: nothing.
[[nodiscard]] std::string difference(const Encoding& stored, const Encoding& learned);

}  // namespace halfspace::detail
