// SPDX-License-Identifier: BSD-3-Clause
// The perceptron's walk with any inner product: theta is known by the rows that were mistaken.
#pragma once

#include <cstdint>

#include "halfspace/core/kernel_function.hpp"
#include "halfspace/solve/perceptron.hpp"
#include "solve/online/loop.hpp"

namespace halfspace {

// Walks, and keeps what `which` says. budget > 0: no plane is made of more rows than that.
[[nodiscard]] Fit solve_kernel_perceptron(const Dataset& data, const OnlineSetup& setup, OnlineToBatch which,
                                          bool last_half, const KernelFunction& kernel, std::int64_t budget,
                                          const Run& run);

}  // namespace halfspace
