// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/data/refill.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <variant>

#include "halfspace/data/builder.hpp"

namespace halfspace {
namespace {

bool fills(const Encoding& encoding) {
  return encoding.missing == Missing::Mean || encoding.missing == Missing::Median ||
         encoding.missing == Missing::Indicator;
}

// f(row, feature, value) for every stored entry that is no hole.
template <class F>
void for_filled(const Dataset& data, const F& f) {
  const std::span<const Hole> holes = data.holes();
  std::visit(
      [&](const auto& view) {
        std::size_t at = 0;
        for (std::size_t i = 0; i < data.rows(); ++i) {
          const std::size_t first = at;
          while (at < holes.size() && holes[at].row == i) ++at;
          for_entries(view.row(i), [&](std::uint32_t j, double x) {
            const auto mine = holes.subspan(first, at - first);
            const bool hole =
                std::any_of(mine.begin(), mine.end(), [j](const Hole& h) { return h.feature == j; });
            if (!hole) f(i, j, x);
          });
        }
      },
      data.matrix());
}

// Weight of the rows in which every column of numbers is there.
std::vector<double> filled_weights(const Dataset& data) {
  double all = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) all += data.weight(i);
  std::vector<double> out(data.features(), all);
  for (const Hole& hole : data.holes())
    out[hole.feature] = std::max(0.0, out[hole.feature] - data.weight(hole.row));
  return out;
}

std::vector<double> means(const Dataset& data) {
  const std::vector<double> filled = filled_weights(data);
  std::vector<double> mean(data.features(), 0.0);
  for_filled(data, [&](std::size_t i, std::uint32_t j, double x) { mean[j] += data.weight(i) * x; });
  for (std::size_t j = 0; j < mean.size(); ++j) mean[j] = filled[j] > 0 ? mean[j] / filled[j] : 0;
  if (std::all_of(mean.begin(), mean.end(), [](double m) { return std::isfinite(m); })) return mean;
  // A sum overflowed: shares stay within the range of the values.
  std::fill(mean.begin(), mean.end(), 0.0);
  for_filled(data, [&](std::size_t i, std::uint32_t j, double x) {
    if (filled[j] > 0) mean[j] += x * (data.weight(i) / filled[j]);
  });
  for (double& m : mean)
    m = std::clamp(m, std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max());
  return mean;
}

// The value at half of the weight, as the reader of tables has it.
double middle(std::vector<std::pair<double, double>>& cells) {
  std::sort(cells.begin(), cells.end());
  double all = 0, below = 0;
  for (const auto& cell : cells) all += cell.second;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    below += cells[k].second;
    if (2 * below > all || k + 1 == cells.size()) return cells[k].first;
    if (2 * below == all) return std::midpoint(cells[k].first, cells[k + 1].first);
  }
  return 0;
}

// Of the columns that have a fill.
std::vector<double> medians(const Dataset& data, const Encoding& encoding) {
  std::vector<double> zeros = filled_weights(data);  // entries that are 0 are not stored
  std::vector<bool> wanted(data.features(), false);
  for (const Column& column : encoding.columns)
    if (column.kind == ColumnKind::Number && column.fill) wanted[column.first_feature] = true;
  std::vector<std::vector<std::pair<double, double>>> cells(data.features());
  for_filled(data, [&](std::size_t i, std::uint32_t j, double x) {
    if (!wanted[j] || !(data.weight(i) > 0)) return;
    cells[j].emplace_back(x, data.weight(i));
    zeros[j] -= data.weight(i);
  });
  std::vector<double> out(data.features(), 0.0);
  for (std::size_t j = 0; j < out.size(); ++j) {
    if (!wanted[j]) continue;
    if (zeros[j] > 0) cells[j].emplace_back(0.0, zeros[j]);
    out[j] = middle(cells[j]);
  }
  return out;
}

// The values of the holes as `fill` has them by feature.
Dataset with_fills(const Dataset& data, const std::vector<double>& fill,
                   std::shared_ptr<const Encoding> encoding) {
  const std::span<const Hole> holes = data.holes();
  MatrixBuilder builder;
  std::visit(
      [&](const auto& view) {
        std::size_t at = 0;
        for (std::size_t i = 0; i < data.rows(); ++i) {
          // A fill of 0 is no entry: holes are merged in by their features.
          for_entries(view.row(i), [&](std::uint32_t j, double x) {
            while (at < holes.size() && holes[at].row == i && holes[at].feature < j) {
              builder.add(holes[at].feature, fill[holes[at].feature]);
              ++at;
            }
            const bool hole = at < holes.size() && holes[at].row == i && holes[at].feature == j;
            builder.add(j, hole ? fill[j] : x);
            if (hole) ++at;
          });
          for (; at < holes.size() && holes[at].row == i; ++at)
            builder.add(holes[at].feature, fill[holes[at].feature]);
          builder.end_row();
        }
      },
      data.matrix());
  StoredMatrix stored = builder.finish(data.features(), Threads(1));
  DatasetParts parts;
  parts.matrix = stored.matrix;
  parts.storage = std::move(stored.storage);
  parts.labels.assign(data.labels().begin(), data.labels().end());
  parts.classes = data.classes();
  parts.weights.assign(data.weights().begin(), data.weights().end());
  parts.encoding = std::move(encoding);
  parts.from_text = data.from_text();
  parts.name = data.name();
  parts.holes = std::make_shared<const std::vector<Hole>>(holes.begin(), holes.end());
  return Dataset::make(std::move(parts), false);
}

}  // namespace

Dataset refilled(const Dataset& data) {
  if (data.encoding() == nullptr || !data.knows_holes() || !fills(*data.encoding())) return data;
  auto encoding = std::make_shared<Encoding>(*data.encoding());
  const std::vector<double> fill =
      encoding->missing == Missing::Median ? medians(data, *encoding) : means(data);
  for (Column& column : encoding->columns)
    if (column.kind == ColumnKind::Number && column.fill) column.fill = fill[column.first_feature];
  return with_fills(data, fill, std::move(encoding));
}

Dataset filled_as(const Dataset& data, const Dataset& other) {
  if (data.encoding() == nullptr || !data.knows_holes() || !fills(*data.encoding())) return data;
  std::vector<double> fill(data.features(), 0.0);
  for (const Column& column : other.encoding()->columns)
    if (column.kind == ColumnKind::Number) fill[column.first_feature] = column.fill.value_or(0);
  return with_fills(data, fill, other.encoding());
}

}  // namespace halfspace
