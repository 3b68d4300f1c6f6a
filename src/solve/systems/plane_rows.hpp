// SPDX-License-Identifier: BSD-3-Clause
// One row against many planes at once, by the processor's vectors. Weights lie feature after feature,
// w[feature * stride + plane], with stride a multiple of `plane_group`; planes beyond the last one are zero.
#pragma once

#include <cstddef>
#include <cstdint>

namespace halfspace {

inline constexpr std::size_t plane_group = 8;

struct Entries {
  const std::uint32_t* index = nullptr;
  const double* value = nullptr;
  std::size_t size = 0;
};

// out[k] = sum value_e w[index_e * stride + k]
void planes_dot(const Entries& row, const double* w, std::size_t stride, double* out) noexcept;
void planes_dot(const Entries& row, const float* w, std::size_t stride, float* out) noexcept;
// w[index_e * stride + k] += value_e a[k]
void planes_add(const Entries& row, const double* a, double* w, std::size_t stride) noexcept;
void planes_add(const Entries& row, const float* a, float* w, std::size_t stride) noexcept;
// v = exp(v)
void exp_all(double* v, std::size_t size) noexcept;

}  // namespace halfspace
