// SPDX-License-Identifier: BSD-3-Clause
// Writing data sets; the form follows the name: .hsd, .csv, .tsv, .npy (X.npy,y.npy), otherwise libsvm text.
// A name that also ends in .gz, .bz2, .xz or .zst is compressed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halfspace/core/bytes.hpp"
#include "halfspace/data/dataset.hpp"
#include "halfspace/data/read.hpp"

namespace halfspace {

// Reading the file back gives the same fingerprint, with these limits, each a UsageError or a rule:
// libsvm text   labels are numbers: classes whose names are different numbers are written as these, all others as
//               their places 0, 1, ... in the sorted list of classes. No weights. When the last feature is in no
//               row, the first row gets a 0 for it, so that the number of features is kept.
// csv, tsv      one column per feature (f1, f2, ... without a table's names), then weight if there are any, then label
// npy           "X.npy,y.npy", or "X.npy" for rows without labels; texts as labels unless all are numbers. No weights.
// hsd           everything, also the encoding of a table
// The format that a name asks for, unless one is given.
[[nodiscard]] Format written_format(std::string_view path, Format format = Format::Auto);
void write(const Dataset& data, const std::string& path, Format format = Format::Auto,
           bool zero_based = false);

// The binary cache: a private copy of its bytes, of which only the header is checked. check_cache() then checks every
// index and value once, in parallel, and that they are the ones that were written; read() does both. With `spill` the copy
// lies in a file of its own (ReadOptions::spill).
inline constexpr std::string_view cache_magic = "HALFSPCE";  // how such a file begins
[[nodiscard]] Dataset read_cache(ByteSource& source, const std::string& name, const Threads& threads,
                                 const std::shared_ptr<Spill>& spill = nullptr);
void check_cache(const Dataset& data, const Threads& threads);
// The rows [first, last) of one that is not compressed, checked like that but for the fingerprint, which is that of all rows.
[[nodiscard]] Dataset read_cache_rows(ByteSource& source, const std::string& name, std::uint64_t first,
                                      std::uint64_t last, const Threads& threads);

// What the header of a cache says; no row is looked at.
struct CacheFacts {
  std::uint64_t rows = 0, features = 0, nonzeros = 0;
  std::string storage;               // as Dataset::storage_name() has it
  std::uint64_t bytes = 0;           // of the arrays
  std::vector<std::string> classes;  // empty: the rows have no labels
  bool weighted = false;
  std::string fingerprint;
};
[[nodiscard]] CacheFacts cache_facts(ByteSource& source, const std::string& name);

}  // namespace halfspace
