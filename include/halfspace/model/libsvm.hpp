// SPDX-License-Identifier: BSD-3-Clause
// LIBSVM's text form of a kernel model. load() reads it; this writes it.
#pragma once

#include <string>

#include "halfspace/model/model.hpp"

namespace halfspace {

// A text from which svm-predict gives the labels that this model gives. Throws UsageError for what LIBSVM
// cannot say: models that are not kernel machines, several classes each against the rest, rows scaled to unit
// length, class names that are not integers, kernels with a constant of their own.
[[nodiscard]] std::string to_libsvm_text(const Model& model);

}  // namespace halfspace
