// SPDX-License-Identifier: BSD-3-Clause
// libsvm text, whole and in pieces, sought in and streamed.
#include "data/readers.hpp"
#include "oracle.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace halfspace;
  fuzz::check_text(fuzz::text(data, size),
                   [](ByteSource& source, const ReadOptions& options, std::size_t piece) {
                     return read_libsvm(source, "input", options, piece);
                   },
                   {.zero_based = size % 2 == 1});
  return 0;
}
