// SPDX-License-Identifier: BSD-3-Clause
// What rows must be for a kernel machine.
#pragma once

#include "halfspace/core/kernel_function.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace {

inline constexpr double largest_in_float =
    1e30;  // room for sums of such values, and for their products with dual values
inline constexpr double largest_in_double = 1e150;

// Throws InputError unless kernel values stay below `largest` and, if they are given, are a symmetric matrix
// with no negative number on its diagonal.
void check_kernel(const Dataset& data, const KernelFunction& kernel, double largest);

}  // namespace halfspace
