// SPDX-License-Identifier: BSD-3-Clause
// How memory goes back to the system.
#pragma once

#include <cstdint>

namespace halfspace::cli {

// While a file is being read: at once, so that the pieces of the file do not make the heap twice as large as the data.
void return_memory();
// Once the data are there: late, for solvers and scores ask for the same working memory again and again, and fresh pages
// cost more than what is done with them.
void keep_memory();

// The most bytes that were resident so far; 0 where the system does not say.
[[nodiscard]] std::uint64_t peak_memory();

}  // namespace halfspace::cli
