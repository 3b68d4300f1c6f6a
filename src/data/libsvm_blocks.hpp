// SPDX-License-Identifier: BSD-3-Clause
// libsvm text from a source without random access: some pieces at a time, parsed in parallel.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "data/libsvm_piece.hpp"
#include "data/number.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/parallel.hpp"

namespace halfspace {

inline constexpr std::size_t libsvm_piece_bytes =
    std::size_t{1} << 18U;  // text and working memory stay in the second-level cache
inline constexpr std::size_t libsvm_line_limit = std::size_t{64} << 20U;

// Text that ends with a line end, followed by padding.
struct LibsvmText {
  std::vector<char> bytes;
  std::size_t size = 0;
  void close() {
    if (size > 0 && bytes[size - 1] != '\n') bytes[size++] = '\n';
    std::memset(bytes.data() + size, 0, text_padding);
  }
  void reserve(std::size_t n) {
    if (bytes.size() < n + text_padding + 1) bytes.resize(n + text_padding + 1);
  }
};
[[noreturn]] void libsvm_line_too_long(const std::string& name);

class LibsvmBlocks {
 public:
  LibsvmBlocks(ByteSource& source, std::string name, bool zero_based, const Threads& threads);
  // Appends the next pieces; false when there were none left. A piece may have a fault; then there are no
  // more.
  [[nodiscard]] bool next(std::vector<LibsvmPiece>& pieces);

 private:
  void fill(LibsvmText& text);

  ByteSource& source_;
  std::string name_;
  bool zero_based_;
  const Threads& threads_;
  std::vector<LibsvmText> texts_;
  std::vector<char> rest_;  // the beginning of a line whose end has not been read
  bool more_ = true;
  bool first_ = true;
};

}  // namespace halfspace
