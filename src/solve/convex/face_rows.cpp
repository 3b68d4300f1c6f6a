// SPDX-License-Identifier: BSD-3-Clause
#include "solve/convex/face_rows.hpp"

#include <algorithm>

#include "core/simd/row_loops.hpp"

namespace halfspace {

// The old arrays go before the new ones come: there is no need for both.
void FaceRows::Order::resize(std::size_t entries, std::size_t indices) {
  narrow = {};
  wide = {};
  value = {};
  if (indices <= std::size_t{UINT16_MAX} + 1) {
    narrow.resize(entries);
  } else {
    wide.resize(entries);
  }
  value.resize(entries);
}

double FaceRows::Order::dot(std::size_t i, const double* from) const {
  const std::uint64_t begin = start[i];
  const std::size_t size = start[i + 1] - begin;
  if (wide.empty())
    return halfspace::dot(
        SparseRow<float, std::uint16_t>{narrow.data() + begin, value.data() + begin, size, 1}, from);
  return halfspace::dot(SparseRow<float, std::uint32_t>{wide.data() + begin, value.data() + begin, size, 1},
                        from);
}

void FaceRows::build(const RowAccess& rows, const Problem& p, std::vector<std::uint32_t> chosen) {
  ids = std::move(chosen);
  const std::size_t count = ids.size();
  y.resize(count);
  diagonal_.assign(count, 0.0);
  free.assign(count, 1);
  std::size_t longest = 0;
  for (const std::uint32_t i : ids) longest = std::max(longest, rows.entries(i));
  std::vector<std::uint32_t> index(longest);
  std::vector<double> value(longest);
  std::vector<std::uint32_t> seen(rows.cols(), 0);
  for (std::size_t k = 0; k < count; ++k) {
    y[k] = p.y[ids[k]];
    const std::size_t entries = rows.copy_entries(ids[k], index.data(), value.data());
    for (std::size_t e = 0; e < entries; ++e) ++seen[index[e]];
  }
  // Columns by falling frequency, through a count of counts; `seen` becomes the new number, or none.
  constexpr std::uint32_t none = UINT32_MAX;
  std::vector<std::uint32_t> at(count + 2, 0);
  for (const std::uint32_t c : seen) ++at[count - std::min<std::size_t>(c, count) + 1];
  for (std::size_t k = 0; k + 1 < at.size(); ++k) at[k + 1] += at[k];
  std::size_t columns = 0;
  std::uint64_t kept = 0;
  std::vector<std::uint32_t> sizes;
  for (const std::uint32_t c : seen) {
    columns += c >= 2 ? 1 : 0;
    kept += c >= 2 ? c : 0;
  }
  sizes.assign(columns + 1, 0);
  for (std::uint32_t& c : seen) {
    if (c < 2) {
      c = none;
      continue;
    }
    const std::uint32_t number = at[count - c]++;
    sizes[number] = c;
    c = number;
  }
  by_row_.resize(kept, columns);
  by_column_.resize(kept, count);
  by_row_.start.assign(count + 1, 0);
  by_column_.start.assign(columns + 1, 0);
  for (std::size_t j = 0; j < columns; ++j) by_column_.start[j + 1] = by_column_.start[j] + sizes[j];
  std::vector<std::uint64_t> next(by_column_.start.begin(), by_column_.start.end());
  std::uint64_t put = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t entries = rows.copy_entries(ids[k], index.data(), value.data());
    for (std::size_t e = 0; e < entries; ++e) {
      const std::uint32_t j = seen[index[e]];
      if (j == none) {
        diagonal_[k] += value[e] * value[e];
        continue;
      }
      const auto v = static_cast<float>(value[e] * y[k]);
      by_row_.put(put++, j, v);
      by_column_.put(next[j]++, static_cast<std::uint32_t>(k), v);
    }
    by_row_.start[k + 1] = put;
  }
  t_.assign(columns, 0.0);
}

double FaceRows::multiply(const std::vector<double>& x, std::vector<double>& out, const Threads& threads) {
  // Tasks of about the same number of entries: bounds by binary search in the starts.
  const auto split = [&](const std::vector<std::uint64_t>& start, const auto& work) {
    const std::size_t tasks =
        threads.count() == 1 ? 1 : std::clamp<std::size_t>(start.back() / 100000, 1, 16);
    threads.run(tasks, [&](std::size_t k) {
      const auto place = [&](std::size_t task) {
        const std::uint64_t entry = start.back() / tasks * task;
        return task == tasks ? start.size() - 1
                             : static_cast<std::size_t>(
                                   std::lower_bound(start.begin(), start.end() - 1, entry) - start.begin());
      };
      for (std::size_t i = place(k); i < place(k + 1); ++i) work(i);
    });
  };
  split(by_column_.start, [&](std::size_t j) { t_[j] = by_column_.dot(j, x.data()); });
  split(by_row_.start, [&](std::size_t k) {
    if (free[k] != 0) out[k] = by_row_.dot(k, t_.data()) + diagonal_[k] * x[k];
  });
  double square = norm2(t_.data(), t_.size());
  for (std::size_t k = 0; k < x.size(); ++k) square += diagonal_[k] * x[k] * x[k];
  return square;
}

}  // namespace halfspace
