// SPDX-License-Identifier: BSD-3-Clause
#include "data/text/table.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>

namespace halfspace {
namespace {

std::uint32_t hash_of(std::string_view text) {
  return static_cast<std::uint32_t>(XXH3_64bits(text.data(), text.size()));
}

// Bytes of the sequence that starts at text[at], 0 when it is not valid (Unicode 15, table 3-7).
std::size_t utf8_sequence(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto within = [&](std::size_t i, unsigned low, unsigned high) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(at);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return within(at + 1, 0x80, 0xBF) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = first == 0xED ? 0x9F : 0xBF;
    return within(at + 1, low, high) && within(at + 2, 0x80, 0xBF) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned low = first == 0xF0 ? 0x90 : 0x80;
    const unsigned high = first == 0xF4 ? 0x8F : 0xBF;
    return within(at + 1, low, high) && within(at + 2, 0x80, 0xBF) && within(at + 3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::size_t TextTable::place_of(std::string_view wanted, std::uint32_t hash) const {
  const std::size_t mask = entries_.size() - 1;
  std::size_t at = hash & mask;
  while (entries_[at].id_plus_one != 0 &&
         (entries_[at].hash != hash || text(entries_[at].id_plus_one - 1) != wanted)) {
    at = (at + 1) & mask;
  }
  return at;
}

void TextTable::grow() {
  std::vector<Entry> old = std::move(entries_);
  entries_.assign(std::max<std::size_t>(16, old.size() * 2), Entry{});
  const std::size_t mask = entries_.size() - 1;
  for (const Entry& entry : old) {
    if (entry.id_plus_one == 0) continue;
    std::size_t at = entry.hash & mask;
    while (entries_[at].id_plus_one != 0) at = (at + 1) & mask;
    entries_[at] = entry;
  }
}

std::uint32_t TextTable::intern(std::string_view wanted) {
  if (entries_.size() < 2 * (end_.size() + 1)) grow();
  const std::uint32_t hash = hash_of(wanted);
  Entry& entry = entries_[place_of(wanted, hash)];
  if (entry.id_plus_one == 0) {
    bytes_.append(wanted);
    end_.push_back(bytes_.size());
    entry = {hash, static_cast<std::uint32_t>(end_.size())};
  }
  return entry.id_plus_one - 1;
}

std::optional<std::uint32_t> TextTable::find(std::string_view wanted) const {
  if (entries_.empty()) return std::nullopt;
  const Entry& entry = entries_[place_of(wanted, hash_of(wanted))];
  if (entry.id_plus_one == 0) return std::nullopt;
  return entry.id_plus_one - 1;
}

std::size_t find_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t eight = 0;
    if (text.size() - at >= 8) {  // plain ASCII passes eight bytes at a time
      std::memcpy(&eight, text.data() + at, 8);
      if ((eight & 0x8080808080808080U) == 0) {
        at += 8;
        continue;
      }
    }
    const std::size_t length = utf8_sequence(text, at);
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

}  // namespace halfspace
