// SPDX-License-Identifier: BSD-3-Clause
#include "solve/sparse/chosen_columns.hpp"

#include <algorithm>
#include <numeric>

#include "core/row_sums.hpp"

namespace halfspace {
namespace {

// Entries of the rows of one block that lie in chosen columns.
struct BlockEntries {
  std::vector<std::uint64_t> count;
  std::vector<std::uint32_t> index;
  std::vector<double> value;
};

}  // namespace

ChosenColumns::ChosenColumns(const RowAccess& rows, std::span<const std::uint32_t> ids,
                             std::vector<std::uint32_t> chosen, const Team& team)
    : team_(team), chosen_(std::move(chosen)), list_(team.stretch(ids.size())) {
  if (chosen_.size() == rows.cols()) {
    rows_ = &rows;
    ids_ = ids;
    in_order_ = ids.size() == rows.rows();
  } else {
    gather(rows, ids);
  }
  for (const std::uint32_t i : ids_) {
    const auto e = static_cast<double>(rows_->entries(i));
    entries_ += e;
    squares_ += e * e;
  }
}

void ChosenColumns::gather(const RowAccess& rows, std::span<const std::uint32_t> ids) {
  constexpr std::uint32_t none = UINT32_MAX;
  std::vector<std::uint32_t> place(rows.cols(), none);
  for (std::size_t c = 0; c < chosen_.size(); ++c) place[chosen_[c]] = static_cast<std::uint32_t>(c);
  const std::size_t blocks = (ids.size() + row_block - 1) / row_block;
  std::vector<BlockEntries> block(blocks);
  for_blocks(team_.threads(), ids.size(), row_block, [&](std::size_t begin, std::size_t end) {
    BlockEntries& out = block[begin / row_block];
    std::size_t longest = 0;
    for (std::size_t k = begin; k < end; ++k) longest = std::max<std::size_t>(longest, rows.entries(ids[k]));
    std::vector<std::uint32_t> index(longest);
    std::vector<double> value(longest);
    for (std::size_t k = begin; k < end; ++k) {
      if (k + 4 < end) rows.prefetch(ids[k + 4]);
      const std::size_t size = rows.copy_entries(ids[k], index.data(), value.data());
      std::size_t kept = 0;
      for (std::size_t e = 0; e < size; ++e) {
        const std::uint32_t c = place[index[e]];
        index[kept] = c;
        value[kept] = value[e];
        kept += c != none ? 1 : 0;
      }
      out.index.insert(out.index.end(), index.begin(), index.begin() + static_cast<std::ptrdiff_t>(kept));
      out.value.insert(out.value.end(), value.begin(), value.begin() + static_cast<std::ptrdiff_t>(kept));
      out.count.push_back(kept);
    }
  });
  start_.assign(1, 0);
  start_.reserve(ids.size() + 1);
  bool ones = true;
  for (const BlockEntries& one : block) {
    for (const std::uint64_t count : one.count) start_.push_back(start_.back() + count);
    ones = ones && std::all_of(one.value.begin(), one.value.end(), [](double x) { return x == 1; });
  }
  index_.reserve(start_.back());
  if (!ones) value_.reserve(start_.back());
  for (BlockEntries& one : block) {
    index_.insert(index_.end(), one.index.begin(), one.index.end());
    if (!ones) value_.insert(value_.end(), one.value.begin(), one.value.end());
    one = {};
  }
  if (ones) {
    own_ = RowAccess::of(CsrView<One>{ids.size(), chosen_.size(), start_.data(), index_.data(), nullptr, 1});
  } else {
    own_ = RowAccess::of(
        CsrView<double>{ids.size(), chosen_.size(), start_.data(), index_.data(), value_.data(), 1});
  }
  rows_ = own_.get();
  own_ids_.resize(ids.size());
  std::iota(own_ids_.begin(), own_ids_.end(), 0U);
  ids_ = own_ids_;
  in_order_ = true;
}

void ChosenColumns::products(const double* w, double* out) const {
  if (in_order_) {
    row_products(*rows_, w, out, team_.threads());
    return;
  }
  for_blocks(team_.threads(), ids_.size(), row_block, [&](std::size_t begin, std::size_t end) {
    rows_->dots(ids_.subspan(begin, end - begin), w, out + begin);
  });
}

void ChosenColumns::add_sums(const double* a, double* out) {
  if (in_order_) {
    add_row_sum(*rows_, a, out, team_, list_);
    return;
  }
  add_list(team_, list_, rows_->cols(), out, part_, [&](std::size_t begin, std::size_t end, double* to) {
    rows_->axpys(ids_.subspan(begin, end - begin), a + begin, to);
  });
}

const ChosenColumns::Walk& ChosenColumns::walk() {
  if (!walk_.start.empty()) return walk_;
  const std::size_t columns = chosen_.size();
  std::vector<std::uint32_t> index(rows_->cols());
  std::vector<double> value(rows_->cols());
  walk_.start.assign(columns + 1, 0);
  for (const std::uint32_t i : ids_) {
    const std::size_t size = rows_->copy_entries(i, index.data(), value.data());
    for (std::size_t e = 0; e < size; ++e) ++walk_.start[index[e] + 1];
  }
  std::partial_sum(walk_.start.begin(), walk_.start.end(), walk_.start.begin());
  walk_.row.resize(walk_.start.back());
  walk_.value.resize(walk_.start.back());
  std::vector<std::uint64_t> at(walk_.start.begin(), walk_.start.end() - 1);
  for (std::size_t k = 0; k < ids_.size(); ++k) {
    const std::size_t size = rows_->copy_entries(ids_[k], index.data(), value.data());
    for (std::size_t e = 0; e < size; ++e) {
      const std::uint64_t to = at[index[e]]++;
      walk_.row[to] = static_cast<std::uint32_t>(k);
      walk_.value[to] = static_cast<float>(value[e]);
    }
  }
  return walk_;
}

}  // namespace halfspace
