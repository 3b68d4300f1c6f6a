// SPDX-License-Identifier: BSD-3-Clause
// The binary cache. The checksum of its header is made right, so that what stands behind it is reached.
#include <cstddef>
#include <cstring>

#include "data/cache/layout.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/write.hpp"
#include "oracle.hpp"

namespace {

using namespace halfspace;

std::string repaired(std::string_view bytes) {
  std::string out(bytes);
  CacheHeader header;
  if (out.size() < sizeof header) return out;
  std::memcpy(&header, out.data(), sizeof header);
  const CacheSection& words = header.sections[Words];
  if (words.offset > out.size() || words.bytes > out.size() - words.offset) return out;
  const std::string sum = cache_checksum(header, std::string_view(out).substr(words.offset, words.bytes));
  std::memcpy(out.data() + offsetof(CacheHeader, checksum), sum.data(), header.checksum.size());
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = repaired(fuzz::text(data, size));
  fuzz::Plain source(bytes, fuzz::Plain::File);
  try {
    const Dataset cached = read_cache(source, "input", Threads(1));
    check_cache(cached, Threads(1));
    fuzz::check_cache_of(cached);
  } catch (const InputError&) {
  }
  return 0;
}
