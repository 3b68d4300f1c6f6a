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

// Entries of a row of small whole numbers, two columns in each: 16 bits for the even one, 16 for the odd one.
struct PairEntries {
  const std::uint32_t* index = nullptr;
  const std::uint32_t* value = nullptr;
  std::size_t size = 0;
};

// Kernel values of rows of ones, by the number of ones that two rows share or in which they differ: at most 254, so the
// values are all known beforehand.
inline constexpr std::size_t ones_values = 256;
inline constexpr std::size_t longest_ones = 127;  // entries of a row; sums of two lengths fit a byte
template <class T>
struct OnesTable {
  bool by_distance = false;
  alignas(64) T value[ones_values] = {};
  // Where the value is a power (rbf): the distance written in digits of as many values as a vector has lanes, a factor
  // for every digit; the value is their product. 0: there are none.
  std::size_t digits = 0;
  alignas(64) T factor[4 * widest_panel] = {};
};

// tile[r * width + c]: left row r, right row c of the panel.
template <class T>
struct TileOperations {
  // left [depth][tile_rows], panel [depth][width]
  void (*dense)(const T* left, const T* panel, std::size_t depth, T* tile) = nullptr;
  // panel [columns][width]; column j of the rows is at place[j] of the panel (null: at j)
  void (*sparse)(const Entries<T>* left, std::size_t rows, const std::uint32_t* place, const T* panel,
                 T* tile) = nullptr;
  // As dense, but minus half of the squared distance in place of the product.
  void (*differences)(const T* left, const T* panel, std::size_t depth, T* tile) = nullptr;
  // Rows of whole numbers, panel [pairs of columns][width]: products times unit2.
  void (*multiples)(const PairEntries* left, std::size_t rows, const std::uint32_t* panel, T unit2,
                    T* tile) = nullptr;
  // Rows of ones, two panels in one of bytes 0 or 1, [columns][2 width], so that it fills a vector: kernel values at once,
  // the tile of the second panel after that of the first (tile_rows x width).
  void (*ones)(const Entries<T>* left, std::size_t rows, const std::uint8_t* panel,
               const std::uint8_t* right_length, const OnesTable<T>& table, T* tiles) = nullptr;
  // As dense, for one left row against panels that follow each other; its numbers are `step` apart.
  void (*dense_row)(const T* left, std::size_t step, const T* panel, std::size_t depth, std::size_t panels,
                    T* out) = nullptr;
  // products -> kernel values, in place
  void (*apply)(const KernelFunction& kernel, const T* left_length2, std::size_t rows, const T* right_length2,
                T* tile) = nullptr;
  // The same for one left row against panels that follow each other.
  void (*apply_row)(const KernelFunction& kernel, T left_length2, std::size_t panels, const T* right_length2,
                    T* out) = nullptr;
  // sums[c] += sum over r of weight[r] tile[r][c]
  void (*add)(const T* tile, std::size_t rows, const T* weight, double* sums) = nullptr;
  // sums[r] += sum over all c of weight[c] tile[r][c]
  void (*add_rows)(const T* tile, std::size_t rows, const T* weight, double* sums) = nullptr;
  std::size_t lanes = 0;
};
// Entries (and columns of a sparse row) are added up in this many chains, which are then added in order.
inline constexpr std::size_t sparse_chains = 4;

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
