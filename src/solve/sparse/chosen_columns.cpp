// SPDX-License-Identifier: BSD-3-Clause
#include "solve/sparse/chosen_columns.hpp"

#include <algorithm>
#include <numeric>

#include "core/row_sums.hpp"

namespace halfspace {
ChosenColumns::ChosenColumns(const RowAccess& rows, std::span<const std::uint32_t> ids,
                             std::vector<std::uint32_t> chosen, const Team& team)
    : team_(team), chosen_(std::move(chosen)), list_(team.stretch(ids.size())) {
  if (chosen_.size() == rows.cols()) {
    rows_ = &rows;
    ids_ = ids;
    in_order_ = ids.size() == rows.rows();
  } else {
    gather(rows, ids, chosen_);
  }
  measure();
}

ChosenColumns::ChosenColumns(const ChosenColumns& wider, std::vector<std::uint32_t> chosen)
    : team_(wider.team_), chosen_(std::move(chosen)), list_(wider.list_) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(chosen_.size());
  for (std::uint32_t c = 0, k = 0; k < chosen_.size(); ++c) {
    if (wider.chosen_[c] != chosen_[k]) continue;
    numbers.push_back(c);
    ++k;
  }
  gather(*wider.rows_, wider.ids_, numbers);
  measure();
}

void ChosenColumns::gather(const RowAccess& rows, std::span<const std::uint32_t> ids,
                           std::span<const std::uint32_t> numbers) {
  std::vector<std::uint32_t> place(rows.cols(), RowAccess::no_column);
  for (std::size_t c = 0; c < numbers.size(); ++c) place[numbers[c]] = static_cast<std::uint32_t>(c);
  own_ = rows.select(ids, place, numbers.size(), team_.threads());
  rows_ = own_.get();
  own_ids_.resize(ids.size());
  std::iota(own_ids_.begin(), own_ids_.end(), 0U);
  ids_ = own_ids_;
  in_order_ = true;
}

void ChosenColumns::measure() {
  for (const std::uint32_t i : ids_) {
    const auto e = static_cast<double>(rows_->entries(i));
    entries_ += e;
    squares_ += e * e;
  }
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
  add_list(team_, list_, rows_->cols(), out, part_, [&](std::size_t begin, std::size_t end, double* to) {
    if (in_order_) {
      rows_->axpys(begin, end, a + begin, to);
    } else {
      rows_->axpys(ids_.subspan(begin, end - begin), a + begin, to);
    }
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
