// SPDX-License-Identifier: BSD-3-Clause
// Whether a kernel is a product of vectors, so that weak duality holds: proved by its parameters, or, where its values are
// the data, by a factorisation of their matrix.
#pragma once

#include <string>

#include "halfspace/core/kernel_function.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace::detail {

// Empty: it is proved. Else why it is not.
[[nodiscard]] std::string why_not_semidefinite(const KernelFunction& kernel, const Dataset& data);

}  // namespace halfspace::detail
