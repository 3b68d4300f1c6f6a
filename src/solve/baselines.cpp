// SPDX-License-Identifier: BSD-3-Clause
// Three baselines. Each sees a feature as the list of its distinct values with the weight of every class
// there; rows without an entry hold the value 0. Cost: sorting every column once, O(nonzeros log nonzeros).
#include "halfspace/solve/baselines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/radix_sort.hpp"
#include "data/storage/columns.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

std::vector<double> class_weights(const Dataset& data) {
  std::vector<double> total(data.classes().size(), 0.0);
  for (std::size_t i = 0; i < data.rows(); ++i) total[data.labels()[i]] += data.weight(i);
  return total;
}

std::uint32_t largest(std::span<const double> weights) {
  return static_cast<std::uint32_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
}

// Distinct values of one feature, ascending, with the weight of every class at each (values x classes).
struct ValueTable {
  std::vector<double> values;
  std::vector<double> weights;
};

ValueTable table_of(const Dataset& data, const Columns& columns, std::size_t feature,
                    const std::vector<double>& total) {
  const std::size_t classes = total.size();
  std::vector<ColumnEntry> entries(
      columns.entries.begin() + static_cast<std::ptrdiff_t>(columns.start[feature]),
      columns.entries.begin() + static_cast<std::ptrdiff_t>(columns.start[feature + 1]));
  std::erase_if(entries, [&](const ColumnEntry& e) { return data.weight(e.row) == 0; });
  std::vector<ColumnEntry> room;
  radix_sort(entries, room, [](const ColumnEntry& e) { return order_key(e.value); });
  std::vector<double> rest = total;
  for (const ColumnEntry& e : entries) rest[data.labels()[e.row]] -= data.weight(e.row);
  const bool zeros =
      entries.size() < data.rows() && std::any_of(rest.begin(), rest.end(), [](double w) { return w > 0; });
  ValueTable table;
  bool zero_placed = !zeros;
  const auto begin_value = [&](double value) {
    table.values.push_back(value);
    table.weights.resize(table.weights.size() + classes, 0.0);
  };
  const auto place_zero = [&] {
    begin_value(0);
    std::copy(rest.begin(), rest.end(), table.weights.end() - static_cast<std::ptrdiff_t>(classes));
    zero_placed = true;
  };
  for (const ColumnEntry& e : entries) {
    if (!zero_placed && e.value > 0) place_zero();
    if (table.values.empty() || table.values.back() != e.value) begin_value(e.value);
    table.weights[table.weights.size() - classes + data.labels()[e.row]] += data.weight(e.row);
  }
  if (!zero_placed) place_zero();
  return table;
}

// Columns that one task sorts: many short ones, or a long one.
std::size_t columns_in_task(const Columns& columns) {
  constexpr std::uint64_t entries_in_task = 100'000;
  const std::uint64_t each = columns.entries.size() / std::max<std::size_t>(1, columns.start.size() - 1) + 1;
  return std::clamp<std::size_t>(entries_in_task / each, 1, 64);
}

struct Cut {
  double error = std::numeric_limits<double>::infinity();
  std::size_t feature = 0;
  double sign = 0;  // 0: the same side for every row, given by `threshold` (+1 or -1)
  double threshold = 0;
};

// Best threshold on one feature for one class against the rest.
Cut best_cut(const ValueTable& table, std::size_t classes, std::size_t positive, std::size_t feature,
             double all_positive, double all) {
  Cut best;
  double positive_below = 0, below = 0;
  for (std::size_t v = 0; v + 1 < table.values.size(); ++v) {
    for (std::size_t c = 0; c < classes; ++c) below += table.weights[v * classes + c];
    positive_below += table.weights[v * classes + positive];
    const double negative_below = below - positive_below;
    const double negative_above = (all - all_positive) - negative_below;
    const double rising = positive_below + negative_above;                    // positive above the threshold
    const double falling = negative_below + (all_positive - positive_below);  // positive below it
    const double error = std::min(rising, falling);
    if (error < best.error) {
      const double low = table.values[v];
      const double high = table.values[v + 1];
      best = {error, feature, rising <= falling ? 1.0 : -1.0, low / 2 + high / 2};
      if (!(best.threshold > low && best.threshold < high)) best.threshold = best.sign > 0 ? low : high;
    }
  }
  return best;
}

}  // namespace

Fit solve(const Dataset& data, const Majority&, const Run&) {
  const std::vector<double> total = class_weights(data);
  const std::uint32_t winner = largest(total);
  Fit fit{.answer = {.model = Model{}}};
  const std::size_t planes = total.size() == 2 ? 1 : total.size();
  LinearModel linear{.features = data.features(), .planes = planes};
  linear.weights.assign(planes * data.features(), 0.0);
  for (std::size_t k = 0; k < planes; ++k) {
    const bool wins = planes == 1 ? winner == 1 : winner == k;
    linear.offsets.push_back(wins ? 1.0 : -1.0);
  }
  fit.model().form = std::move(linear);
  return fit;
}

Fit solve(const Dataset& data, const Stump&, const Run& run) {
  const std::vector<double> total = class_weights(data);
  double all = 0;
  for (const double w : total) all += w;
  const std::size_t classes = total.size();
  const std::size_t planes = classes == 2 ? 1 : classes;
  const Columns columns = columns_of(data);
  std::vector<Cut> cuts(data.features() * planes);
  for_blocks(run.threads, data.features(), columns_in_task(columns), [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) {
      const ValueTable table = table_of(data, columns, j, total);
      for (std::size_t k = 0; k < planes; ++k) {
        const std::size_t positive = planes == 1 ? 1 : k;
        cuts[j * planes + k] = best_cut(table, classes, positive, j, total[positive], all);
      }
    }
  });
  Fit fit{.answer = {.model = Model{}}};
  LinearModel linear{.features = data.features(), .planes = planes};
  linear.weights.assign(planes * data.features(), 0.0);
  for (std::size_t k = 0; k < planes; ++k) {
    const double positive = total[planes == 1 ? 1 : k];
    Cut best{std::min(positive, all - positive), 0, 0, positive > all - positive ? 1.0 : -1.0};
    for (std::size_t j = 0; j < data.features(); ++j)
      if (cuts[j * planes + k].error < best.error) best = cuts[j * planes + k];
    if (best.sign != 0) linear.weights[k * data.features() + best.feature] = best.sign;
    linear.offsets.push_back(best.sign != 0 ? -best.sign * best.threshold : best.threshold);
  }
  fit.model().form = std::move(linear);
  return fit;
}

Fit solve(const Dataset& data, const Lookup& options, const Run& run) {
  if (options.feature > static_cast<std::int64_t>(data.features())) {
    throw UsageError(
        fmt::format("--feature {}: the data have {} features", options.feature, data.features()));
  }
  const std::vector<double> total = class_weights(data);
  const std::size_t classes = total.size();
  const Columns columns = columns_of(data);
  std::size_t feature = 0;
  if (options.feature > 0) {
    feature = static_cast<std::size_t>(options.feature - 1);
  } else {
    std::vector<double> error(data.features());
    for_blocks(run.threads, data.features(), columns_in_task(columns),
               [&](std::size_t begin, std::size_t end) {
                 for (std::size_t j = begin; j < end; ++j) {
                   const ValueTable table = table_of(data, columns, j, total);
                   for (std::size_t v = 0; v < table.values.size(); ++v) {
                     const std::span<const double> here(table.weights.data() + v * classes, classes);
                     for (const double w : here) error[j] += w;
                     error[j] -= here[largest(here)];
                   }
                 }
               });
    feature = static_cast<std::size_t>(std::min_element(error.begin(), error.end()) - error.begin());
  }
  const ValueTable table = table_of(data, columns, feature, total);
  LookupModel lookup{.features = data.features(),
                     .feature = static_cast<std::uint32_t>(feature),
                     .fallback = largest(total)};
  lookup.values = table.values;
  for (std::size_t v = 0; v < table.values.size(); ++v) {
    lookup.labels.push_back(largest(std::span<const double>(table.weights.data() + v * classes, classes)));
  }
  Fit fit{.answer = {.model = Model{}}};
  fit.model().form = std::move(lookup);
  return fit;
}

}  // namespace halfspace
