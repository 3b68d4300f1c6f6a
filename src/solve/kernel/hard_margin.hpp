// SPDX-License-Identifier: BSD-3-Clause
// The widest margin with a kernel.
#pragma once

#include "halfspace/solve/hard_margin.hpp"

namespace halfspace {

// Classes that this kernel does not separate, as far as can be shown: a refusal that says what is proved.
[[nodiscard]] Fit solve_kernel_hard_margin(const Dataset& data, const HardMargin& options, const Run& run);

}  // namespace halfspace
