// SPDX-License-Identifier: BSD-3-Clause
// libsvm text from a source without random access: some pieces at a time, parsed in parallel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/libsvm/piece.hpp"
#include "data/text/lines.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/parallel.hpp"

namespace halfspace {

class LibsvmBlocks {
 public:
  // `stop`: that of the source. Once it asks, what has come is all there is, up to the end of a line.
  LibsvmBlocks(ByteSource& source, std::string name, bool zero_based, const Threads& threads,
               std::size_t piece_bytes = text_piece_bytes, StopHandle stop = {});
  // Appends the next pieces; false when there were none left. A piece may have a fault; then there are no
  // more.
  [[nodiscard]] bool next(std::vector<LibsvmPiece>& pieces);

 private:
  void fill(TextLines& lines);

  ByteSource& source_;
  std::string name_;
  bool zero_based_;
  const Threads& threads_;
  std::size_t piece_bytes_;
  StopHandle stop_;
  std::vector<TextLines> texts_;
  std::vector<char> rest_;  // the beginning of a line whose end has not been read
  bool more_ = true;
  bool first_ = true;
  bool at_beginning_ = true;
  std::optional<LineFault> head_fault_;  // of a file that is something else
};

}  // namespace halfspace
