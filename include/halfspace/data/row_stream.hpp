// SPDX-License-Identifier: BSD-3-Clause
// Labelled rows that come block after block and are gone after it: training in constant memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "halfspace/core/parallel.hpp"
#include "halfspace/data/dataset.hpp"
#include "halfspace/data/matrix.hpp"

namespace halfspace {

struct StreamBlock {
  Matrix matrix;  // always sparse; its number of columns is only a bound
  std::shared_ptr<const void> storage;
  std::vector<std::uint32_t> labels;  // classes of the rows
  std::vector<std::uint32_t>
      visits;                // the rows in their order, one of weight k standing k times; empty: each once
  std::size_t features = 0;  // seen up to the end of this block
};

class RowStream {
 public:
  virtual ~RowStream() = default;
  RowStream() = default;
  RowStream(const RowStream&) = delete;
  RowStream& operator=(const RowStream&) = delete;

  // The next rows, at least one; false at the end. Throws InputError with the line.
  [[nodiscard]] virtual bool next(StreamBlock& block) = 0;
  [[nodiscard]] virtual const std::string& name() const = 0;
  // Known after the first block, sorted, the last one positive.
  [[nodiscard]] virtual const std::vector<std::string>& classes() const = 0;
};

struct StreamOptions {
  bool zero_based = false;
  std::uint32_t features = 0;  // at least this many
  std::string positive;        // this label against the rest; empty: the classes are those of the first block
  Threads threads{1};
};

// libsvm text, plain or compressed, from a file or "-".
[[nodiscard]] std::unique_ptr<RowStream> open_stream(const std::string& path, const StreamOptions& options);

// Rows that are in memory, in blocks of a few thousand. Throws InputError for weights that are no whole numbers.
[[nodiscard]] std::unique_ptr<RowStream> stream_of(const Dataset& data);

}  // namespace halfspace
