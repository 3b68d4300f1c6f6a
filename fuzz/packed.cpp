// SPDX-License-Identifier: BSD-3-Clause
// Compressed streams: the same bytes, or the same error, whether they are asked for at once or a few at a time.
#include <algorithm>

#include "halfspace/core/error.hpp"
#include "oracle.hpp"

namespace {

using namespace halfspace;

constexpr std::size_t most = std::size_t{1} << 16U;  // what is looked at of a stream that never ends

// Everything up to `most` bytes, then what went wrong, if anything.
std::string unpacked(std::string_view bytes, std::size_t at_a_time) {
  std::string out;
  try {
    const auto source = memory_source(bytes, "input");
    std::string part(at_a_time, '\0');
    while (out.size() < most) {
      const std::size_t got = source->read(std::span(part).first(std::min(at_a_time, most - out.size())));
      out.append(part, 0, got);
      if (got < part.size()) break;
    }
  } catch (const InputError& error) {
    return error.what();
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text(data, size);
  fuzz::require(unpacked(bytes, most) == unpacked(bytes, 1 + fuzz::choice(bytes) % 4096),
                "a stream is the same however much of it is asked for at a time");
  return 0;
}
