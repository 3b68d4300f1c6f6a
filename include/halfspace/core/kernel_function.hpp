// SPDX-License-Identifier: BSD-3-Clause
// Inner products other than x . z: a kernel is a function of the product and the two squared lengths.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "halfspace/core/options.hpp"

namespace halfspace {

// linear x.z, poly (gamma x.z + coef)^degree, rbf exp(-gamma |x - z|^2), sigmoid tanh(gamma x.z + coef);
// precomputed: the features of a row are its kernel values with the training rows.
enum class KernelKind { Linear, Poly, Rbf, Sigmoid, Precomputed };

struct KernelFunction {
  KernelKind kind = KernelKind::Linear;
  double gamma = 0;  // 0: one over the number of features, once that is known
  double coef = 0;
  std::int64_t degree = 3;

  [[nodiscard]] double operator()(double product, double length2_a, double length2_b) const;
  // Every matrix of its values is positive semidefinite, whatever the rows.
  [[nodiscard]] bool semidefinite() const;
  [[nodiscard]] KernelFunction for_features(std::size_t features) const;
  // A bound on the error of a value computed with rounding unit `unit` (2^-53: double), when the product and the squared
  // lengths are each off by at most `error` times the product of lengths bounds `length_a` and `length_b`.
  [[nodiscard]] double value_error(double error, double length_a, double length_b,
                                   double unit = 0x1.0p-53) const;
  // A bound on the size of a value.
  [[nodiscard]] double largest(double length_a, double length_b) const;

  [[nodiscard]] bool operator==(const KernelFunction&) const = default;
};

// linear | poly:DEGREE[,GAMMA,COEF] | rbf[:GAMMA] | sigmoid[:GAMMA,COEF] | precomputed
template <>
struct OptionType<KernelFunction> {
  static KernelFunction parse(std::string_view name, std::string_view text, Range range);
  static std::string print(const KernelFunction& kernel);
  static std::string choices() { return {}; }
  static constexpr bool number = false;
};

namespace detail {
inline constexpr std::string_view kernel_help =
    "inner product: linear, poly:DEGREE[,GAMMA,COEF], rbf[:GAMMA], sigmoid[:GAMMA,COEF], precomputed; GAMMA "
    "is 1 / "
    "features unless given";
}

}  // namespace halfspace
