// SPDX-License-Identifier: BSD-3-Clause
// Which bytes of which files a member reads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "halfspace/core/team.hpp"
#include "halfspace/data/read.hpp"

namespace halfspace {

struct PartFile {
  std::string path;
  std::uint64_t bytes = 0;
  std::uint64_t rows = 0;  // of a cache that can be read by rows
  bool whole = false;      // compressed: nobody can begin in the middle
};
struct SharePlan {
  Format format = Format::Libsvm;
  std::vector<PartFile> files;
};

// Lines that begin in [begin, end) of a text; rows [begin, end) of a cache; of a file that is read as a whole, all.
struct SharePiece {
  std::size_t file = 0;
  std::uint64_t begin = 0, end = 0;
};

// The files of a path or a pattern; the first member looks, so that all have the same list.
[[nodiscard]] SharePlan plan_shares(const std::string& data, const ReadOptions& options, const Team& team);
// The pieces of member `number` of `count`, in the order of the rows.
[[nodiscard]] std::vector<SharePiece> pieces_of(const SharePlan& plan, std::size_t number, std::size_t count);

}  // namespace halfspace
