// SPDX-License-Identifier: BSD-3-Clause
#include "solve/systems/gathered_rows.hpp"

#include <cstring>
#include <numeric>

namespace halfspace {
namespace {

struct RowEntry {
  std::uint32_t index;
  std::uint32_t row;  // of those that the member gave
  double value;
};

}  // namespace

GatheredRows::GatheredRows(const Team& team, const RowAccess& rows, std::span<const std::uint32_t> chosen)
    : rows_(&rows), chosen_(chosen) {
  if (team.alone()) return;
  const std::size_t d = rows.cols();
  std::vector<std::uint32_t> index(d);
  std::vector<double> value(d);
  std::vector<RowEntry> mine;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const std::size_t entries = rows.copy_entries(chosen[k], index.data(), value.data());
    for (std::size_t e = 0; e < entries; ++e)
      mine.push_back({index[e], static_cast<std::uint32_t>(k), value[e]});
  }
  mine.push_back(
      {0, static_cast<std::uint32_t>(chosen.size()), 0});  // how many rows there are, also empty ones
  start_.push_back(0);
  std::size_t all = 0;
  for (const Members::Bytes& bytes : team.gather(std::as_bytes(std::span(mine)))) {
    std::vector<RowEntry> entries(bytes.size() / sizeof(RowEntry));
    std::memcpy(entries.data(), bytes.data(), bytes.size());
    const std::size_t count = entries.back().row;
    entries.pop_back();
    if (rows.sparse()) {
      start_.resize(all + count + 1, 0);
      for (const RowEntry& e : entries) {
        ++start_[all + e.row + 1];
        index_.push_back(e.index);
        value_.push_back(e.value);
      }
    } else {
      value_.resize((all + count) * d, 0.0);
      for (const RowEntry& e : entries) value_[(all + e.row) * d + e.index] = e.value;
    }
    all += count;
  }
  numbers_.resize(all);
  std::iota(numbers_.begin(), numbers_.end(), 0U);
  chosen_ = numbers_;
  if (rows.sparse()) {
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    copies_ = RowAccess::of(CsrView<double>{all, d, start_.data(), index_.data(), value_.data(), 1});
  } else {
    copies_ = RowAccess::of(DenseView<double>{all, d, value_.data(), 1});
  }
  rows_ = copies_.get();
}

}  // namespace halfspace
