// SPDX-License-Identifier: BSD-3-Clause
#include "solve/systems/present_columns.hpp"

#include <utility>

namespace halfspace {

namespace {

constexpr std::size_t few = 10000, share = 3;  // what is small anyway, and the part that must be absent

// 1 for every column that is there; nothing when most of them are.
std::vector<std::uint32_t> columns_here(const RowAccess& rows) {
  const std::size_t d = rows.cols();
  std::vector<std::uint32_t> there(d, 0), index(d);
  std::vector<double> value(d);
  std::size_t present = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const std::size_t size = rows.copy_entries(i, index.data(), value.data());
    for (std::size_t e = 0; e < size; ++e) present += std::exchange(there[index[e]], 1) == 0 ? 1 : 0;
    if (present * share > d) return {};
  }
  return there;
}

// Those of all members, a bit each on the way.
std::vector<std::uint32_t> columns_anywhere(const Team& team, std::vector<std::uint32_t> here) {
  if (team.alone()) return here;
  std::vector<std::byte> bits((here.size() + 7) / 8, std::byte{0});
  for (std::size_t j = 0; j < here.size(); ++j)
    if (here[j] != 0) bits[j / 8] |= std::byte{1} << (j % 8);
  const auto all = team.gather(bits);
  std::size_t present = 0;
  for (const Members::Bytes& one : all) {
    if (one.size() != bits.size() || one.empty()) return {};
    for (std::size_t j = 0; j < here.size(); ++j)
      if ((one[j / 8] >> (j % 8) & std::byte{1}) != std::byte{0}) here[j] = 1;
  }
  for (const std::uint32_t one : here) present += one;
  return present * share > here.size() ? std::vector<std::uint32_t>() : here;
}

}  // namespace

std::unique_ptr<PresentColumns> PresentColumns::worth_while(const RowAccess& rows, const Team& team,
                                                            const std::shared_ptr<Spill>& spill) {
  const std::size_t d = rows.cols();
  if (!rows.sparse() || d < few) return nullptr;
  std::vector<std::uint32_t> number = columns_anywhere(team, columns_here(rows)), index(d);
  if (number.empty()) return nullptr;
  std::vector<double> value(d);
  std::size_t entries = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) entries += rows.entries(i);
  std::unique_ptr<PresentColumns> out(new PresentColumns);
  out->all_ = d;
  for (std::size_t j = 0; j < d; ++j) {
    if (number[j] == 0) continue;
    number[j] = static_cast<std::uint32_t>(out->columns_.size());
    out->columns_.push_back(static_cast<std::uint32_t>(j));
  }
  out->start_ = Pages<std::uint64_t>(rows.rows() + 1, spill, rows.rows() + 1);
  out->index_ = Pages<std::uint32_t>(entries, spill, entries);
  out->value_ = Pages<double>(entries, spill, entries);
  std::size_t at = 0;
  out->start_[0] = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const std::size_t size = rows.copy_entries(i, index.data(), value.data());
    for (std::size_t e = 0; e < size; ++e, ++at) {
      out->index_[at] = number[index[e]];
      out->value_[at] = value[e];
    }
    out->start_[i + 1] = at;
  }
  out->copies_ = RowAccess::of(CsrView<double>{rows.rows(), out->columns_.size(), out->start_.get(),
                                               out->index_.get(), out->value_.get(), 1});
  return out;
}

std::vector<double> PresentColumns::gather(const std::vector<double>& of_all) const {
  std::vector<double> out;
  out.reserve(columns_.size());
  for (const std::uint32_t j : columns_) out.push_back(of_all[j]);
  return out;
}

std::vector<double> PresentColumns::scatter(const std::vector<double>& of_present) const {
  std::vector<double> out(all_, 0.0);
  for (std::size_t k = 0; k < columns_.size(); ++k) out[columns_[k]] = of_present[k];
  return out;
}

}  // namespace halfspace
