// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/core/kernel_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

constexpr std::array<std::string_view, 5> kind_names = {"linear", "poly", "rbf", "sigmoid", "precomputed"};

double power(double base, std::int64_t exponent) {
  double out = 1;
  for (; exponent > 0; exponent /= 2, base *= base)
    if (exponent % 2 == 1) out *= base;
  return out;
}

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    out.push_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return out;
}

}  // namespace

double KernelFunction::operator()(double product, double length2_a, double length2_b) const {
  switch (kind) {
    case KernelKind::Poly: return power(gamma * product + coef, degree);
    case KernelKind::Rbf: return std::exp(-gamma * std::max(0.0, length2_a + length2_b - 2 * product));
    case KernelKind::Sigmoid: return std::tanh(gamma * product + coef);
    case KernelKind::Linear:
    case KernelKind::Precomputed: break;
  }
  return product;
}

// poly: sums and products of kernels are kernels, and so are constants that are not negative. rbf: Schoenberg. tanh is none
// for any parameters but those that make it constant.
bool KernelFunction::semidefinite() const {
  const bool scaled = gamma >= 0 && std::isfinite(gamma);
  switch (kind) {
    case KernelKind::Linear: return true;
    case KernelKind::Rbf: return scaled;
    case KernelKind::Poly: return scaled && coef >= 0 && std::isfinite(coef) && degree >= 1;
    case KernelKind::Sigmoid:
    case KernelKind::Precomputed: break;
  }
  return false;
}

KernelFunction KernelFunction::for_features(std::size_t features) const {
  KernelFunction out = *this;
  if (out.gamma == 0) out.gamma = 1 / static_cast<double>(std::max<std::size_t>(1, features));
  return out;
}

double KernelFunction::largest(double length_a, double length_b) const {
  switch (kind) {
    case KernelKind::Poly: return power(std::abs(gamma) * length_a * length_b + std::abs(coef), degree);
    case KernelKind::Rbf:
    case KernelKind::Sigmoid: return 1;
    case KernelKind::Linear:
    case KernelKind::Precomputed: break;
  }
  return length_a * length_b;
}

double KernelFunction::value_error(double error, double length_a, double length_b, double unit) const {
  const double few_units = 16 * unit;
  const double product = length_a * length_b;
  switch (kind) {
    // t exp(-t) <= 1/e, and the slope of exp(-t) is at most 1.
    case KernelKind::Rbf: return gamma * error * (length_a + length_b) * (length_a + length_b) + few_units;
    case KernelKind::Poly: {
      const double base = std::abs(gamma) * product + std::abs(coef);
      const auto times = static_cast<double>(degree);
      const double size = power(base, degree - 1);
      return times * size * std::abs(gamma) * error * product + (times + 2) * few_units * size * base;
    }
    case KernelKind::Sigmoid:
      return std::abs(gamma) * error * product + few_units * (1 + std::abs(gamma) * product + std::abs(coef));
    case KernelKind::Linear: return error * product;
    case KernelKind::Precomputed: break;
  }
  return 0;
}

KernelFunction OptionType<KernelFunction>::parse(std::string_view name, std::string_view text, Range) {
  const std::size_t colon = text.find(':');
  KernelFunction out;
  out.kind = static_cast<KernelKind>(parse_word(name, text.substr(0, colon), kind_names));
  const std::vector<std::string_view> numbers =
      colon == std::string_view::npos ? std::vector<std::string_view>() : parts_of(text.substr(colon + 1));
  constexpr std::array<std::size_t, 5> most = {0, 3, 1, 2, 0};
  const bool bare_colon = colon != std::string_view::npos && numbers.empty();
  if (bare_colon || numbers.size() > most[static_cast<std::size_t>(out.kind)]) {
    throw UsageError(fmt::format("--{} '{}': numbers that {} does not take", name, printable(text),
                                 kind_names[static_cast<std::size_t>(out.kind)]),
                     "linear, poly:DEGREE[,GAMMA,COEF], rbf[:GAMMA], sigmoid[:GAMMA,COEF], precomputed");
  }
  std::size_t at = 0;
  if (out.kind == KernelKind::Poly && !numbers.empty())
    out.degree = OptionType<std::int64_t>::parse(name, numbers[at++], {1, 64});
  const double smallest = out.kind == KernelKind::Rbf ? 1e-300 : -1e300;
  if (at < numbers.size()) {
    out.gamma = OptionType<double>::parse(name, numbers[at++], {smallest, 1e300});
    if (out.gamma == 0) throw UsageError(fmt::format("--{} '{}': gamma is 0", name, printable(text)));
  }
  if (at < numbers.size()) out.coef = OptionType<double>::parse(name, numbers[at++], {-1e300, 1e300});
  return out;
}

std::string OptionType<KernelFunction>::print(const KernelFunction& kernel) {
  std::string name(kind_names[static_cast<std::size_t>(kernel.kind)]);
  const bool own = kernel.gamma != 0;
  switch (kernel.kind) {
    case KernelKind::Poly:
      return own || kernel.coef != 0
                 ? fmt::format("{}:{},{},{}", name, kernel.degree, kernel.gamma, kernel.coef)
                 : fmt::format("{}:{}", name, kernel.degree);
    case KernelKind::Rbf: return own ? fmt::format("{}:{}", name, kernel.gamma) : name;
    case KernelKind::Sigmoid: return own ? fmt::format("{}:{},{}", name, kernel.gamma, kernel.coef) : name;
    case KernelKind::Linear:
    case KernelKind::Precomputed: break;
  }
  return name;
}

}  // namespace halfspace
