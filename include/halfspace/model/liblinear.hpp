// SPDX-License-Identifier: BSD-3-Clause
// LIBLINEAR's text form of a model. load() reads it; this writes it.
#pragma once

#include <string>

#include "halfspace/model/model.hpp"

namespace halfspace {

// A text from which liblinear-predict gives the labels that this model gives. Two classes under Tie::Abstain:
// LIBLINEAR has no abstention, a score of exactly zero becomes the first class. Throws UsageError for what
// LIBLINEAR cannot say: models that are not linear, rows scaled to unit length, class names that are not
// integers.
[[nodiscard]] std::string to_liblinear_text(const Model& model);

}  // namespace halfspace
