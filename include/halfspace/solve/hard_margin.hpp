// SPDX-License-Identifier: BSD-3-Clause
// The plane with the widest margin between classes that can be separated; where they cannot, the proof of it.
#pragma once

#include <array>
#include <string_view>

#include "halfspace/core/kernel_function.hpp"
#include "halfspace/core/options.hpp"
#include "halfspace/objective/problem.hpp"
#include "halfspace/solve/fit.hpp"

namespace halfspace {

struct HardMargin {
  static constexpr std::string_view name = "hard-margin";
  static constexpr std::string_view summary =
      "the plane with the widest margin, or the proof that no plane separates the classes";

  Offset offset = Offset::Free;
  double gap = 1e-6;
  KernelFunction kernel;
  double cache = 256;

  static constexpr auto fields() {
    return std::array{
        field<&HardMargin::offset>("offset", "OFFSET",
                                   "free: not penalised; lifted: penalised like a weight; none"),
        field<&HardMargin::gap>("gap", "G", "stop when the margin is within this of the widest, certified",
                                {1e-9, 1}),
        field<&HardMargin::kernel>("kernel", "KERNEL", detail::kernel_help),
        field<&HardMargin::cache>("cache", "MB", "kernels: megabytes for rows of the kernel matrix",
                                  {1, 1e6})};
  }
};

// Not separable: the answer is no, without a model; proof.separation proves it, and with a kernel the reason says what
// is proved.
[[nodiscard]] Fit solve(const Dataset& data, const HardMargin& options, const Run& run);

}  // namespace halfspace
