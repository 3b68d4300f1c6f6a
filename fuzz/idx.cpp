// SPDX-License-Identifier: BSD-3-Clause
// IDX: two files in one input; without a second one there are no labels.
#include "data/readers.hpp"
#include "oracle.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::check_pair(fuzz::text(data, size), halfspace::read_idx);
  return 0;
}
