// SPDX-License-Identifier: BSD-3-Clause
// Writing data sets; the form follows the name: .hsd, .csv, .tsv, .npy (X.npy,y.npy), otherwise libsvm text.
// A name that also ends in .gz, .bz2, .xz or .zst is compressed.
#pragma once

#include <cstdint>
#include <string>

#include "halfspace/data/dataset.hpp"
#include "halfspace/data/read.hpp"

namespace halfspace {

void write(const Dataset& data, const std::string& path, Format format = Format::Auto,
           bool zero_based = false);

// The binary cache. Opening maps the file and checks the header only; nothing is read before a row is used.
// check_cache() then checks every index and value once, in parallel; read() does both.
[[nodiscard]] Dataset open_cache(const std::string& path);
void check_cache(const Dataset& data, const Threads& threads);

}  // namespace halfspace
