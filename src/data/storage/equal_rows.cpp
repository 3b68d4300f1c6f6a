// SPDX-License-Identifier: BSD-3-Clause
// Rows with different squared lengths differ; of the others a hash of the entries is taken, and rows with the
// same hash are compared entry by entry.
#include "data/storage/equal_rows.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace halfspace {
namespace {

std::uint64_t mixed(std::uint64_t h) {
  h ^= h >> 31U;
  h *= 0x9E3779B97F4A7C15ULL;
  return h ^ (h >> 29U);
}

struct Row {
  std::vector<std::uint32_t> index;
  std::vector<double> value;
  std::size_t size = 0;
  explicit Row(std::size_t cols) : index(cols), value(cols) {}
  void take(const RowAccess& rows, std::size_t i) { size = rows.copy_entries(i, index.data(), value.data()); }
  [[nodiscard]] std::uint64_t hash() const {
    std::uint64_t h = size;
    for (std::size_t k = 0; k < size; ++k)
      h = mixed(h + (std::uint64_t{index[k]} << 1U) + std::bit_cast<std::uint64_t>(value[k]) * 3);
    return h;
  }
  [[nodiscard]] bool operator==(const Row& o) const {
    return size == o.size &&
           std::equal(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(size), o.index.begin()) &&
           std::equal(value.begin(), value.begin() + static_cast<std::ptrdiff_t>(size), o.value.begin());
  }
};

}  // namespace

EqualRows find_equal_rows(const RowAccess& rows, std::span<const std::uint32_t> chosen,
                          std::span<const double> length2) {
  const std::size_t n = chosen.size();
  struct Key {
    double length2;
    std::uint64_t hash;
    std::uint32_t at;
  };
  std::vector<Key> keys(n);
  for (std::size_t k = 0; k < n; ++k)
    keys[k] = {length2.empty() ? rows.norm2(chosen[k]) : length2[chosen[k]], 0,
               static_cast<std::uint32_t>(k)};
  const auto before = [](const Key& a, const Key& b) {
    if (a.length2 != b.length2) return a.length2 < b.length2;
    return a.hash != b.hash ? a.hash < b.hash : a.at < b.at;
  };
  std::sort(keys.begin(), keys.end(), before);
  Row a(rows.cols()), b(rows.cols());
  const auto same_length = [&](std::size_t k) {
    return k > 0 && k < n && keys[k].length2 == keys[k - 1].length2;
  };
  bool hashed = false;
  for (std::size_t k = 0; k < n; ++k) {
    if (!same_length(k) && !same_length(k + 1)) continue;
    a.take(rows, chosen[keys[k].at]);
    keys[k].hash = a.hash();
    hashed = true;
  }
  if (hashed) std::sort(keys.begin(), keys.end(), before);

  std::vector<std::uint32_t> leader(n);
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin + 1;
    while (end < n && keys[end].length2 == keys[begin].length2 && keys[end].hash == keys[begin].hash) ++end;
    // Nearly always all of them are equal; if not, each is held against the leaders before it.
    std::vector<std::uint32_t> leaders{keys[begin].at};
    leader[keys[begin].at] = keys[begin].at;
    for (std::size_t k = begin + 1; k < end; ++k) {
      a.take(rows, chosen[keys[k].at]);
      const auto found = std::find_if(leaders.begin(), leaders.end(), [&](std::uint32_t l) {
        b.take(rows, chosen[l]);
        return a == b;
      });
      leader[keys[k].at] = found == leaders.end() ? keys[k].at : *found;
      if (leader[keys[k].at] == keys[k].at) leaders.push_back(keys[k].at);
    }
    begin = end;
  }
  EqualRows out;
  out.group.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    if (leader[k] == k) {
      out.group[k] = static_cast<std::uint32_t>(out.first.size());
      out.first.push_back(static_cast<std::uint32_t>(k));
    } else {
      out.group[k] = out.group[leader[k]];
    }
  }
  return out;
}

EqualRows all_different(std::size_t rows) {
  EqualRows out;
  out.group.resize(rows);
  std::iota(out.group.begin(), out.group.end(), 0U);
  out.first = out.group;
  return out;
}

}  // namespace halfspace
