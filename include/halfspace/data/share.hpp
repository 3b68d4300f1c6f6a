// SPDX-License-Identifier: BSD-3-Clause
// Rows in several files, and rows that several members share out: what each of them reads.
//
// DATA is a path, or a pattern as a shell has it ('part-*.svm'): its files in the order of their names (by bytes), as if
// joined by cat. All of them are libsvm text, compressed or not, or all are .hsd.
#pragma once

#include <string>

#include "halfspace/core/team.hpp"
#include "halfspace/data/read.hpp"

namespace halfspace {

// Whether `data` is a pattern (*, ?, [...]) and no file of this name.
[[nodiscard]] bool is_pattern(const std::string& data);

// The rows of this member, as part_of_whole() has them; alone: all of them. Members have equal shares of the bytes, one
// after the other in their order: libsvm text is cut between two lines, .hsd between two rows, and a compressed file is
// read by the member in whose share its middle lies. All members see the same files. All call it with the same words, and what
// one finds wrong all of them throw: lines count in the whole file, whoever has read them. UsageError for formats that one
// process has to read (tables, arrays).
[[nodiscard]] Dataset read_share(const std::string& data, const ReadOptions& options, const Team& team);

}  // namespace halfspace
