// SPDX-License-Identifier: BSD-3-Clause
// Texts numbered in the order in which they were first met: categories, labels, words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halfspace {

class TextTable {
 public:
  // The number of `text`; a text met for the first time gets the next number.
  std::uint32_t intern(std::string_view text);
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view text) const;
  [[nodiscard]] std::string_view text(std::uint32_t id) const {
    const std::uint64_t begin = id == 0 ? 0 : end_[id - 1];
    return std::string_view(bytes_).substr(begin, end_[id] - begin);
  }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(end_.size()); }

 private:
  // Open addressing with linear steps; at most half of the places are taken.
  struct Entry {
    std::uint32_t hash = 0;
    std::uint32_t id_plus_one = 0;
  };
  void grow();
  [[nodiscard]] std::size_t place_of(std::string_view text, std::uint32_t hash) const;

  std::string bytes_;               // all texts one after the other
  std::vector<std::uint64_t> end_;  // where each one ends
  std::vector<Entry> entries_;      // a power of two, or none
};

// Position of the first byte that is not part of a valid UTF-8 sequence; npos when the text is valid.
[[nodiscard]] std::size_t find_invalid_utf8(std::string_view text);

}  // namespace halfspace
