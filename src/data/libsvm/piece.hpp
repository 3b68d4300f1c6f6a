// SPDX-License-Identifier: BSD-3-Clause
// One piece of a libsvm text: whole lines in, a packed block out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/libsvm/line.hpp"
#include "data/storage/pages.hpp"
#include "data/text/marks.hpp"
#include "halfspace/data/builder.hpp"

namespace halfspace {

struct LibsvmPiece {
  PackedBlock block;                  // set by who wants to keep the rows
  std::vector<std::uint32_t> labels;  // positions in classes
  std::vector<double> classes;        // labels that occur in this piece
  std::uint64_t lines = 0;
  std::uint32_t columns = 0;  // largest index + 1
  std::optional<LineFault> fault;
};

// Working memory of a thread, reused from piece to piece. There is room for the most entries that a text can have; what is
// not written takes no memory.
struct LibsvmScratch {
  TextMarks marks;
  std::vector<std::uint32_t> start;
  Pages<std::uint32_t> index;
  Pages<std::int32_t> digits;    // of plain decimals ...
  Pages<std::uint8_t> decimals;  // ... with their number of decimals,
  Pages<double> value;           // or all values as doubles, once one was not plain
  bool plain = true;
  PackedBlock packed;  // values as they are stored
  // All pieces become one set: once a piece needs doubles the set has them, and smaller storage is not looked for.
  bool one_set = false, doubles = false;
  LibsvmLine line;  // one that needs care
};

// What the beginning of a file (other_file_bytes of it, or all) says against its being libsvm text.
[[nodiscard]] std::optional<LineFault> libsvm_head_fault(std::string_view head);

// `text` ends with a line end and text_padding zero bytes follow it. `first`: the piece begins the file. The
// rows lie in `scratch` until the next call; with a fault there are none.
[[nodiscard]] PackedRows parse_libsvm_piece(std::string_view text, bool first, bool zero_based,
                                            LibsvmScratch& scratch, LibsvmPiece& piece);

}  // namespace halfspace
