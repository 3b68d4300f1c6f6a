// SPDX-License-Identifier: BSD-3-Clause
// libsvm text: plain or compressed, as the magic bytes say.
#include "data/readers.hpp"
#include "oracle.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text(data, size);
  fuzz::check_reader(
      [&](const halfspace::ReadOptions& options) {
        const auto source = halfspace::memory_source(bytes, "input");
        return halfspace::read_libsvm(*source, "input", options);
      },
      {.zero_based = size % 2 == 1});
  return 0;
}
