// SPDX-License-Identifier: BSD-3-Clause
// What stands for a missing number: the mean or the median of the filled cells of its column. A weight of k
// counts as k rows.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/csv/table.hpp"

namespace halfspace {
namespace {

double weight_of(const CsvTable& table, std::uint64_t row) {
  return table.weights.empty() ? 1.0 : table.weights[row];
}

// f(slot, value, weight) for every stored entry of a slot of numbers in [first, last), block after block.
template <class F>
void for_numbers(const CsvTable& table, std::uint32_t first, std::uint32_t last, F&& f) {
  for (const StoredBlock& block : table.blocks) {
    for (std::size_t r = 0; r < block.rows.rows(); ++r) {
      const double weight = weight_of(table, block.first_row + r);
      for (std::size_t k = block.rows.start[r]; k < block.rows.start[r + 1]; ++k) {
        const std::uint32_t slot = block.rows.index[k];
        if (slot >= first && slot < last && table.kinds[slot] == SlotKind::Number)
          f(slot, value_of(block.rows, k), weight);
      }
    }
  }
}

// Weight of the rows in which the slot is filled.
std::vector<double> filled_weight(const CsvTable& table) {
  double all = 0;
  for (std::uint64_t r = 0; r < table.rows; ++r) all += weight_of(table, r);
  std::vector<double> missing = missing_weights(table);
  for (double& m : missing) m = std::max(0.0, all - m);
  return missing;
}

struct Weighed {
  double value, weight;
};

// The value at half of the weight; midway between two when the halves part exactly there.
double weighted_median(std::vector<Weighed>& cells) {
  std::sort(cells.begin(), cells.end(), [](const Weighed& a, const Weighed& b) { return a.value < b.value; });
  double all = 0;
  for (const Weighed& cell : cells) all += cell.weight;
  double below = 0;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    below += cells[k].weight;
    if (2 * below > all || k + 1 == cells.size()) return cells[k].value;
    if (2 * below == all) return std::midpoint(cells[k].value, cells[k + 1].value);
  }
  return 0;
}

}  // namespace

std::vector<double> missing_weights(const CsvTable& table) {
  std::vector<double> missing(table.kinds.size());
  for (const StoredBlock& block : table.blocks) {
    for (const MissingCell& cell : block.missing)
      missing[cell.slot] += weight_of(table, block.first_row + cell.row);
  }
  return missing;
}

std::vector<double> column_means(const CsvTable& table) {
  const std::vector<double> filled = filled_weight(table);
  const auto slots = static_cast<std::uint32_t>(table.kinds.size());
  std::vector<double> mean(slots);
  for_numbers(table, 0, slots,
              [&](std::uint32_t slot, double x, double weight) { mean[slot] += weight * x; });
  for (std::uint32_t s = 0; s < slots; ++s) mean[s] = filled[s] > 0 ? mean[s] / filled[s] : 0;
  if (std::all_of(mean.begin(), mean.end(), [](double m) { return std::isfinite(m); })) return mean;
  // A sum overflowed: add shares instead, which stay within the range of the values.
  std::fill(mean.begin(), mean.end(), 0.0);
  for_numbers(table, 0, slots, [&](std::uint32_t slot, double x, double weight) {
    if (filled[slot] > 0) mean[slot] += x * (weight / filled[slot]);
  });
  for (double& m : mean)
    m = std::clamp(m, std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max());
  return mean;
}

std::vector<double> column_medians(const CsvTable& table) {
  const std::vector<double> filled = filled_weight(table);
  const auto slots = static_cast<std::uint32_t>(table.kinds.size());
  std::vector<double> median(slots);
  // A few columns at a time, so that this takes no more memory than a few columns.
  constexpr std::uint64_t cells_at_once = std::uint64_t{1} << 22;
  const auto width = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(cells_at_once / std::max<std::uint64_t>(1, table.rows), 1, slots));
  for (std::uint32_t first = 0; first < slots; first += width) {
    const std::uint32_t last = std::min(slots, first + width);
    std::vector<std::vector<Weighed>> cells(last - first);
    for_numbers(table, first, last, [&](std::uint32_t slot, double x, double weight) {
      if (weight > 0) cells[slot - first].push_back({x, weight});
    });
    for (std::uint32_t s = first; s < last; ++s) {
      std::vector<Weighed>& column = cells[s - first];
      double zeros = filled[s];  // entries that are 0 are not stored
      for (const Weighed& cell : column) zeros -= cell.weight;
      if (zeros > 0) column.push_back({0, zeros});
      median[s] = weighted_median(column);
    }
  }
  return median;
}

}  // namespace halfspace
