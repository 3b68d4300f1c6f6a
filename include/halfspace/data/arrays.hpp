// SPDX-License-Identifier: BSD-3-Clause
// Arrays in memory that Dataset::dense() and Dataset::csr() make a set of. std::vector, std::array and std::span of the
// types named here are taken as they are.
//
// Lifetimes: with Hold::Copy the arrays may go as soon as the call returns. With the others the set and its copies read
// them, and they must neither change nor go while one of those exists: either the caller sees to that, or `owner`, which
// the set keeps, does. Labels, weights and names are always copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "halfspace/core/parallel.hpp"

namespace halfspace {

using ValueArray = std::variant<std::span<const double>, std::span<const float>>;
using IndexArray = std::variant<std::span<const std::int32_t>, std::span<const std::int64_t>,
                                std::span<const std::uint32_t>, std::span<const std::uint64_t>>;

// Copy: into the storage that a file with these rows would have, so that training gives the bits that it gives on the file.
// Borrow: values are read where they are if the set can use them there (dense rows one after the other, unless three quarters
// or more are zeros; sparse rows whose columns ascend, without stored zeros), and copied like above if not.
// BorrowOnly: what would have to be copied is an InputError that says why.
enum class Hold { Copy, Borrow, BorrowOnly };

enum class Layout { RowMajor, ColumnMajor };

// Labels given as a class number for every row and the names of all classes, which are brought into the order of classes.
struct ClassLabels {
  std::span<const std::uint32_t> numbers;
  std::vector<std::string> names;
};
// Numbers get the names and the order that they would have in a file; so do words, which are numbers when all of them are.
using RowLabels = std::variant<std::monostate, std::span<const double>, std::span<const float>,
                               std::span<const std::int32_t>, std::span<const std::int64_t>,
                               std::span<const std::string>, ClassLabels>;

struct ArrayOptions {
  Hold hold = Hold::Copy;
  std::shared_ptr<const void> owner = {};  // kept as long as borrowed arrays are read
  // Dense only. The distance between the beginnings of two rows (of two columns if column-major), in values; 0: no gaps.
  Layout layout = Layout::RowMajor;
  std::size_t stride = 0;
  RowLabels labels = {};
  std::span<const double> weights = {};
  std::vector<std::string> names = {};  // of the columns; with them the model is one of a table
  std::string label_name = {};          // of the columns of labels and weights in that table
  std::string weight_name = {};
  bool decimals = false;         // 0.1 stands for 1/10, as in a text file, where proofs are exact
  std::string name = "arrays";   // what messages call the set
  Threads threads = Threads(0);  // check and copy; a stop is a Stopped
};

}  // namespace halfspace
