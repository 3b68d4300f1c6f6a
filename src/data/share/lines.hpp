// SPDX-License-Identifier: BSD-3-Clause
// Pieces of several texts as one text.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "data/share/plan.hpp"
#include "halfspace/core/bytes.hpp"

namespace halfspace {

// The lines of the pieces one after the other; a file whose last line has no end gets one, as it would in a file of its own.
// Without random access when a file is compressed.
[[nodiscard]] std::unique_ptr<ByteSource> open_lines(const SharePlan& plan,
                                                     const std::vector<SharePiece>& pieces);

// Where line `line` of that text (from 1) is: the piece, and its line there.
struct LinePlace {
  std::size_t piece = 0;
  std::uint64_t line = 0;
};
[[nodiscard]] LinePlace find_line(const SharePlan& plan, const std::vector<SharePiece>& pieces,
                                  std::uint64_t line);
// How many lines a piece has.
[[nodiscard]] std::uint64_t count_lines(const SharePlan& plan, const SharePiece& piece);

}  // namespace halfspace
