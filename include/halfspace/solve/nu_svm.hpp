// SPDX-License-Identifier: BSD-3-Clause
// The nu-SVM (Scholkopf, Smola, Williamson, Bartlett, Neural Computation 12, 2000): nu in place of C bounds
// the share of margin errors from above and the share of support vectors from below.
#pragma once

#include <array>
#include <string_view>

#include "halfspace/core/kernel_function.hpp"
#include "halfspace/core/options.hpp"
#include "halfspace/solve/fit.hpp"
#include "halfspace/solve/penalised.hpp"

namespace halfspace {

struct NuSvm {
  static constexpr std::string_view name = "nu-svm";
  static constexpr std::string_view summary =
      "support vector machine with nu, the share of margin errors, in place of C";

  double nu = 0.5;
  double gap = 1e-3;
  KernelFunction kernel;
  ManyClasses multiclass = ManyClasses::Auto;
  double cache = 256;
  bool no_certificate = false;

  static constexpr auto fields() {
    return std::array{
        field<&NuSvm::nu>("nu", "NU",
                          "margin errors are at most this share of the rows, support vectors at least",
                          {1e-12, 1}),
        field<&NuSvm::gap>("gap", "G",
                           "stop when (primal - dual) / max(1, primal) <= G for the equivalent C, certified",
                           {1e-12, 1}),
        field<&NuSvm::kernel>("kernel", "KERNEL", detail::kernel_help),
        field<&NuSvm::multiclass>("multiclass", "HOW",
                                  "more than two classes: in pairs (auto) or each against the rest"),
        field<&NuSvm::cache>("cache", "MB", detail::cache_help, {1, 1e6}),
        field<&NuSvm::no_certificate>("no-certificate", "",
                                      "leave certificate and dual point out of the model file"),
    };
  }
};

// Throws UsageError with the largest nu when nu is too large for the sizes of the classes.
[[nodiscard]] Fit solve(const Dataset& data, const NuSvm& options, const Run& run);

}  // namespace halfspace
