// SPDX-License-Identifier: BSD-3-Clause
// The layout of a .hsd file, all numbers little-endian, every section at a multiple of 64 bytes:
//   CacheHeader | words | start | index | value | labels | weights
// start holds rows + 1 numbers of 64 bits and index one of 16 or 32 bits per entry (sparse kinds only); value is in
// the storage of the kind; labels are numbers of 32 bits, weights doubles; a section that a set does not have
// is empty. words is a sequence of numbers (64 bits) and texts (length, bytes): name of the source (for
// people who look into the file), fingerprint, number of classes and their names, 1 and the encoding or 0.
// The offsets follow from the other fields and are checked against them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "halfspace/core/bytes.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace {

struct CacheSection {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  bool operator==(const CacheSection&) const = default;
};

enum CacheSectionName : std::size_t { Words, Start, Index, Value, Labels, Weights };
inline constexpr std::size_t section_count = 6;

struct CacheHeader {
  std::array<char, 8> magic{'H', 'A', 'L', 'F', 'S', 'P', 'C', 'E'};
  std::uint32_t version = 1;
  std::uint32_t byte_order = 0x01020304;
  std::uint64_t file_bytes = 0;
  std::uint64_t kind = 0;  // place in the list of types of Matrix
  double divisor = 1;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t nonzeros = 0;
  std::array<CacheSection, section_count> sections{};
  std::array<char, 32> checksum{};  // Fingerprint of everything before it and of words
};
static_assert(sizeof(CacheHeader) == 192);

// Sets offsets and the size of the file from what each section needs; false when that is beyond 64 bits.
[[nodiscard]] bool lay_out(CacheHeader& header, std::uint64_t words_bytes, bool labelled, bool weighted);

[[nodiscard]] std::string cache_checksum(const CacheHeader& header, std::string_view words);

// What is not an array, both ways. Reading throws InputError; it sets name, fingerprint, classes and
// encoding.
[[nodiscard]] std::string cache_words(const Dataset& data);
void read_cache_words(std::string_view words, const std::string& file, DatasetParts& parts);

}  // namespace halfspace
