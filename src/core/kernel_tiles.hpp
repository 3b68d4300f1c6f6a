// SPDX-License-Identifier: BSD-3-Clause
// Blocks of kernel values: up to six left rows against a panel of right rows, in float or double. First the
// products (a tile in memory), then the kernel applied to them, then what becomes of the values. Compiled per
// instruction set; the width of a panel is that of two vectors of floats.
#pragma once

#include <cstddef>
#include <cstdint>

#include "halfspace/core/kernel_function.hpp"

namespace halfspace::detail {

inline constexpr std::size_t tile_rows = 6;
inline constexpr std::size_t widest_panel = 32;

// Entries of one sparse row.
template <class T>
struct Entries {
  const std::uint32_t* index = nullptr;
  const T* value = nullptr;
  std::size_t size = 0;
};

// tile[r * width + c]: left row r, right row c of the panel.
template <class T>
struct TileOperations {
  // left [depth][tile_rows], panel [depth][width]
  void (*dense)(const T* left, const T* panel, std::size_t depth, T* tile) = nullptr;
  // panel [columns][width]; column j of the rows is at place[j] of the panel (null: at j)
  void (*sparse)(const Entries<T>* left, std::size_t rows, const std::uint32_t* place, const T* panel,
                 T* tile) = nullptr;
  // left [rows][words], panel [words][width]: rows of bits
  void (*bits)(const std::uint32_t* left, std::size_t rows, std::size_t words, const std::uint32_t* panel,
               T* tile) = nullptr;
  // products -> kernel values, in place
  void (*apply)(const KernelFunction& kernel, const T* left_length2, std::size_t rows, const T* right_length2,
                T* tile) = nullptr;
  // sums[c] += sum over r of weight[r] tile[r][c]
  void (*add)(const T* tile, std::size_t rows, const T* weight, double* sums) = nullptr;
};

struct TileTable {
  std::size_t width = 0;
  TileOperations<float> in_float;
  TileOperations<double> in_double;
  template <class T>
  [[nodiscard]] const TileOperations<T>& of() const {
    if constexpr (sizeof(T) == sizeof(float)) {
      return in_float;
    } else {
      return in_double;
    }
  }
};
[[nodiscard]] const TileTable& tiles();

}  // namespace halfspace::detail
