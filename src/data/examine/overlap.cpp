// SPDX-License-Identifier: BSD-3-Clause
// Rows are hashed, those of equal hash compared: O(entries), and the storage of the two sets may differ.
#include <algorithm>
#include <bit>
#include <unordered_map>

#include "halfspace/core/error.hpp"
#include "halfspace/data/doctor.hpp"

namespace halfspace {
namespace {

std::uint64_t mix_in(std::uint64_t hash, std::uint64_t word) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{hash ^ word} * 0x9E3779B97F4A7C15ULL + 0xD1B54A32D192ED03ULL;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

using Entries = std::vector<std::pair<std::uint32_t, double>>;

Entries entries_of(const Dataset& data, std::size_t row) {
  Entries out;
  std::visit(
      [&](const auto& view) {
        for_entries(view.row(row), [&](std::uint32_t j, double x) {
          if (x != 0) out.emplace_back(j, x);
        });
      },
      data.matrix());
  return out;
}

std::vector<std::uint64_t> hashes_of(const Dataset& data, const Threads& threads) {
  std::vector<std::uint64_t> out(data.rows());
  for_blocks(threads, data.rows(), row_block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::uint64_t hash = 0x243F6A8885A308D3ULL;
      for (const auto& [j, x] : entries_of(data, i))
        hash = mix_in(mix_in(hash, j), std::bit_cast<std::uint64_t>(x));
      out[i] = hash;
    }
  });
  return out;
}

}  // namespace

Overlap overlap(const Dataset& training, const Dataset& test, const Threads& threads) {
  const std::vector<std::uint64_t> known = hashes_of(training, threads), asked = hashes_of(test, threads);
  std::unordered_multimap<std::uint64_t, std::uint32_t> rows;  // looked up only
  rows.reserve(known.size());
  for (std::uint32_t i = 0; i < known.size(); ++i)
    if (training.weight(i) > 0) rows.emplace(known[i], i);
  Overlap out;
  for (std::uint32_t i = 0; i < asked.size(); ++i) {
    const auto [begin, end] = rows.equal_range(asked[i]);
    if (begin == end || !(test.weight(i) > 0)) continue;
    const Entries wanted = entries_of(test, i);
    std::uint32_t first = UINT32_MAX;
    for (auto at = begin; at != end; ++at)
      if (at->second < first && entries_of(training, at->second) == wanted) first = at->second;
    if (first == UINT32_MAX) continue;
    if (out.rows++ == 0) {
      out.training_row = first;
      out.test_row = i;
    }
    if (training.labelled() && test.labelled() &&
        training.classes()[training.labels()[first]] == test.classes()[test.labels()[i]])
      ++out.same_label;
  }
  return out;
}

const Finding* gravest(const Examination& found) {
  for (const char* kind : {"leak", "contradiction", "row-number", "imbalance"}) {
    const auto one = std::find_if(found.findings.begin(), found.findings.end(),
                                  [&](const Finding& finding) { return finding.kind == kind; });
    if (one != found.findings.end()) return &*one;
  }
  return nullptr;
}

}  // namespace halfspace
