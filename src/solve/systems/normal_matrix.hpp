// SPDX-License-Identifier: BSD-3-Clause
// G = sum over chosen rows of d_i (x_i, 1)(x_i, 1)', the matrix of every Newton step here, by sparse outer
// products or by dense blocks, whichever is cheaper. The same bits for any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/storage/row_access.hpp"

namespace halfspace {

// What sums of outer products cost, in blocked products of two floats: a scattered update takes as long as a hundred (a core
// with vectors of 512 bits; half as many in double), and a row of a block is filled before it is multiplied.
[[nodiscard]] inline double scattered_cost(bool precise) { return precise ? 50 : 100; }
[[nodiscard]] inline double blocked_cost(std::size_t rows, std::size_t columns) {
  constexpr double filling = 250;
  const auto n = static_cast<double>(columns);
  return static_cast<double>(rows) * n * (n + filling);
}

class NormalMatrix {
 public:
  // with_offset: rows get a last entry 1. precise: dense blocks are multiplied in double, not in float.
  NormalMatrix(const RowAccess& rows, bool with_offset, bool precise, const Team& team);

  [[nodiscard]] std::size_t size() const { return n_; }
  [[nodiscard]] double* lower() { return matrix_.data(); }  // size() x size(), lower triangle
  [[nodiscard]] const double* lower() const { return matrix_.data(); }
  void clear();
  // G += sum d[k] x_{chosen[k]} x_{chosen[k]}'; d may be negative (rows that leave). The rows of all members of the team
  // come to each of them. Where they are many, each forms some rows of G, and all get them from it.
  void add(std::span<const std::uint32_t> chosen, std::span<const double> d);
  template <class Archive>
  void state(Archive& a) {
    a.array(matrix_, n_ * n_);
  }

 private:
  // Rows of G; in dense blocks whole panels.
  struct Share {
    std::size_t begin = 0, end = 0;
  };
  void add(const RowAccess& rows, std::span<const std::uint32_t> chosen, std::span<const double> d);
  [[nodiscard]] std::vector<std::size_t> shares(const RowAccess& rows, std::span<const std::uint32_t> chosen,
                                                bool scattered, double outer) const;
  void add_scattered(const RowAccess& rows, std::span<const std::uint32_t> chosen, std::span<const double> d,
                     Share share);
  void add_sparse(const RowAccess& rows, std::span<const std::uint32_t> chosen, std::span<const double> d,
                  Share share, double* to) const;
  template <class T>
  void add_dense(const RowAccess& rows, std::span<const std::uint32_t> chosen, std::span<const double> d,
                 Share share, std::vector<T>& block);
  template <class T>
  void fill(const RowAccess& rows, std::span<const std::uint32_t> chosen, std::span<const T> root,
            std::size_t begin, std::size_t end, std::size_t panels, T* block) const;
  void give_share(const std::vector<std::size_t>& ends);

  const RowAccess& rows_;
  Team team_;
  bool precise_, with_offset_;
  std::size_t n_;
  std::vector<double> matrix_;
  std::vector<float> blocks_;  // some blocks of rows, in panels of columns
  std::vector<double> precise_blocks_;
  std::vector<double> second_;  // partial sum of the second half of the rows
};

}  // namespace halfspace
