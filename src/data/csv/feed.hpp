// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a table in blocks of whole rows. Where blocks are cut depends on the bytes alone, so that
// everything computed block by block is the same for any number of threads.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "halfspace/core/bytes.hpp"

namespace halfspace {

class CsvFeed {
 public:
  // Blocks have about `block_bytes` bytes, and some of them are handed out at a time.
  CsvFeed(ByteSource& source, std::size_t block_bytes) : source_(source), block_bytes_(block_bytes) {}

  // The first bytes of the input, at least one whole line of them when it has one below the limit of lines.
  [[nodiscard]] std::string_view head();
  // Passes over the first bytes (a byte order mark).
  void skip(std::size_t bytes) { begin_ += bytes; }

  // Some blocks of whole rows, each ending in a newline and followed by text_padding bytes; good until the
  // next call. Empty at the end of the input, and when the next row is longer than a line may be: see
  // overlong().
  [[nodiscard]] std::vector<std::string_view> next(char delimiter);
  // The beginning of the row that was too long, closed by a newline; empty when there is none.
  [[nodiscard]] std::string_view overlong() const { return overlong_; }

 private:
  void reserve(std::size_t bytes);
  void fill(std::size_t wanted);
  void close();
  // Cuts [begin_, end_) at row ends into blocks and moves begin_ behind the last one.
  std::vector<std::string_view> cut(bool quotes, char delimiter);

  ByteSource& source_;
  std::size_t block_bytes_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0, end_ = 0;  // bytes not handed out yet
  bool ended_ = false;
  std::string_view overlong_;
};

}  // namespace halfspace
