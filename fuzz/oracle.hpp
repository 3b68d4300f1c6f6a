// SPDX-License-Identifier: BSD-3-Clause
// What must hold for any bytes at all, beyond "no crash": the number of threads changes nothing, and what was
// read can be written and read back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "halfspace/core/bytes.hpp"
#include "halfspace/data/dataset.hpp"
#include "halfspace/data/read.hpp"

namespace fuzz {

// Reads the input with the given number of threads; InputError and UsageError are the only exceptions
// allowed.
using Reader = std::function<halfspace::DatasetParts(halfspace::ReadOptions)>;

// Aborts unless the reader gives the same data, or the same message, with 1 and 3 threads, and unless the
// data come back unchanged from the binary cache.
void check_reader(const Reader& reader, const halfspace::ReadOptions& options);

// The same for whole data sets.
void check(const std::function<halfspace::Dataset(halfspace::ReadOptions)>& read,
           const halfspace::ReadOptions& options);

// Aborts with a message that shows in the log.
void require(bool holds, const std::string& message);

// A path in $TMPDIR (fuzz/smoke sets it to a memory file system), one for this process and name.
std::string scratch_path(const std::string& name);

inline std::string_view text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Two files in one input: a length in two bytes, that many bytes (or as many as there are), the rest.
struct Pair {
  std::string_view first, second;
};
Pair split(std::string_view bytes);

// check_reader for a file of rows with a file of labels; without a second one there are no labels.
using PairReader = halfspace::DatasetParts (*)(halfspace::ByteSource& rows, const std::string& name,
                                               halfspace::ByteSource* labels, const std::string& labels_name,
                                               const halfspace::ReadOptions& options);
void check_pair(std::string_view bytes, PairReader read);

}  // namespace fuzz
