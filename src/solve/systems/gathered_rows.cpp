// SPDX-License-Identifier: BSD-3-Clause
// A message is a head and arrays one after the other: weights, lengths of sparse rows, values, indices. Numbers that
// floats hold travel as floats, ones not at all, and indices in two bytes where that is enough: the network is what it
// takes.
#include "solve/systems/gathered_rows.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>

namespace halfspace {
namespace {

struct Head {
  std::uint64_t rows = 0, values = 0;
  std::uint64_t value_bytes = sizeof(double);  // 4: floats; 0: all are 1
};

template <class T>
void append(Members::Bytes& to, const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

// Arrays in the order in which they were appended.
class Arrays {
 public:
  explicit Arrays(std::span<const std::byte> bytes) : at_(bytes.data()) {}
  // `count` numbers of type From, at the end of `to`.
  template <class From, class T>
  void read(std::size_t count, std::vector<T>& to) {
    const std::size_t before = to.size();
    to.resize(before + count);
    if constexpr (std::is_same_v<From, T>) {
      if (count > 0) std::memcpy(to.data() + before, at_, count * sizeof(T));
    } else {
      for (std::size_t k = 0; k < count; ++k) {
        From value;
        std::memcpy(&value, at_ + k * sizeof value, sizeof value);
        to[before + k] = static_cast<T>(value);
      }
    }
    at_ += count * sizeof(From);
  }

 private:
  const std::byte* at_;
};

bool as_floats(const std::vector<double>& values, std::vector<float>& floats) {
  constexpr double most = std::numeric_limits<float>::max();
  floats.reserve(values.size());
  for (const double v : values) {
    if (!(v >= -most && v <= most)) return false;
    floats.push_back(static_cast<float>(v));
    if (static_cast<double>(floats.back()) != v) return false;
  }
  return true;
}

bool short_indices(std::size_t columns) { return columns <= std::size_t{1} << 16U; }

Members::Bytes message_of(const RowAccess& rows, std::span<const std::uint32_t> chosen,
                          std::span<const double> weight) {
  const std::size_t d = rows.cols();
  std::vector<std::uint32_t> index, length;
  std::vector<double> value;
  std::size_t entries = 0;
  for (const std::uint32_t row : chosen) entries += rows.sparse() ? rows.entries(row) : d;
  value.resize(entries + d);  // a row may have room for all columns
  if (rows.sparse()) index.resize(entries + d);
  std::size_t count = 0;
  for (const std::uint32_t row : chosen) {
    if (!rows.sparse()) {
      rows.expand(row, 1.0, value.data() + count);
      count += d;
      continue;
    }
    length.push_back(
        static_cast<std::uint32_t>(rows.copy_entries(row, index.data() + count, value.data() + count)));
    count += length.back();
  }
  value.resize(count);
  index.resize(rows.sparse() ? count : 0);
  std::vector<float> floats;
  const bool ones = std::all_of(value.begin(), value.end(), [](double v) { return v == 1; });
  const bool exact = !ones && as_floats(value, floats);
  const std::size_t value_bytes = ones ? 0 : exact ? sizeof(float) : sizeof(double);
  Members::Bytes out;
  out.reserve(sizeof(Head) + weight.size_bytes() + 4 * length.size() + count * value_bytes +
              4 * index.size());
  const Head head{chosen.size(), count, value_bytes};
  const auto bytes = std::as_bytes(std::span(&head, 1));
  out.insert(out.end(), bytes.begin(), bytes.end());
  const auto weights = std::as_bytes(weight);
  out.insert(out.end(), weights.begin(), weights.end());
  append(out, length);
  if (!ones) exact ? append(out, floats) : append(out, value);
  if (short_indices(d)) {
    append(out, std::vector<std::uint16_t>(index.begin(), index.end()));
  } else {
    append(out, index);
  }
  return out;
}

}  // namespace

void GatheredRows::add(const Members::Bytes& message, std::size_t columns, bool weighed) {
  Head head;
  std::memcpy(&head, message.data(), sizeof head);
  const auto count = static_cast<std::size_t>(head.rows), values = static_cast<std::size_t>(head.values);
  Arrays arrays(std::span<const std::byte>(message).subspan(sizeof head));
  if (weighed) arrays.read<double>(count, weights_);
  std::vector<std::uint32_t> length;
  if (!start_.empty()) arrays.read<std::uint32_t>(count, length);
  if (head.value_bytes == 0) {
    value_.resize(value_.size() + values, 1.0);
  } else {
    head.value_bytes == sizeof(float) ? arrays.read<float>(values, value_)
                                      : arrays.read<double>(values, value_);
  }
  if (!start_.empty())
    short_indices(columns) ? arrays.read<std::uint16_t>(values, index_)
                           : arrays.read<std::uint32_t>(values, index_);
  for (const std::uint32_t one : length) start_.push_back(start_.back() + one);
  numbers_.resize(numbers_.size() + count);
}

GatheredRows::GatheredRows(const Team& team, const RowAccess& rows, std::span<const std::uint32_t> chosen)
    : GatheredRows(team, rows, chosen, {}, false) {}

GatheredRows::GatheredRows(const Team& team, const RowAccess& rows, std::span<const std::uint32_t> chosen,
                           std::span<const double> weight)
    : GatheredRows(team, rows, chosen, weight, true) {}

GatheredRows::GatheredRows(const Team& team, const RowAccess& rows, std::span<const std::uint32_t> chosen,
                           std::span<const double> weight, bool weighed)
    : rows_(&rows), chosen_(chosen), weight_(weight) {
  if (team.alone()) return;
  const std::size_t d = rows.cols();
  if (rows.sparse()) start_.push_back(0);
  for (const Members::Bytes& message : team.gather(message_of(rows, chosen, weight)))
    add(message, d, weighed);
  std::iota(numbers_.begin(), numbers_.end(), 0U);
  chosen_ = numbers_;
  weight_ = weights_;
  const std::size_t all = numbers_.size();
  if (rows.sparse()) {
    copies_ = RowAccess::of(CsrView<double>{all, d, start_.data(), index_.data(), value_.data(), 1});
  } else {
    copies_ = RowAccess::of(DenseView<double>{all, d, value_.data(), 1});
  }
  rows_ = copies_.get();
}

}  // namespace halfspace
