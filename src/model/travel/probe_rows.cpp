// SPDX-License-Identifier: BSD-3-Clause
// Rows for comparing an export with its model. A model file keeps no training rows for this: rows may be nobody else's business, and drawn ones
// find more, since they can be put where labels turn. Kernel machines have rows in them anyway, their support vectors.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "halfspace/core/random.hpp"
#include "halfspace/data/builder.hpp"
#include "halfspace/model/export.hpp"

namespace halfspace {
namespace {

constexpr std::size_t probes = 20, kept_probes = 8;
constexpr std::size_t many_features = 2000, some_features = 200;  // of rows with many, only some are not zero

using ProbeRow = std::map<std::uint32_t, double>;

class Prober {
 public:
  explicit Prober(const Model& model) : model_(model) {}

  std::vector<ProbeRow> rows() {
    std::vector<ProbeRow> out(1);  // all zeros
    if (const auto* kernel = std::get_if<KernelModel>(&model_.form)) add_vectors(*kernel, out);
    while (out.size() < probes) {
      ProbeRow row = drawn(out.size());
      if (out.size() % 2 == 1) move_to_plane(row);
      out.push_back(std::move(row));
    }
    return out;
  }

 private:
  double center(std::size_t j) const { return model_.scaling.shift.empty() ? 0 : model_.scaling.shift[j]; }
  double spread(std::size_t j) const {
    if (j < model_.deviations.size()) return model_.deviations[j];
    if (model_.scaling.factor.empty()) return 1;
    return model_.scaling.factor[j] == 0 ? 0 : 1 / model_.scaling.factor[j];
  }

  // Some of the support vectors, as rows before scaling.
  void add_vectors(const KernelModel& kernel, std::vector<ProbeRow>& out) const {
    const std::size_t count = std::min(kept_probes, kernel.vectors());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t r = i * kernel.vectors() / count;
      ProbeRow row;
      for (std::uint64_t at = kernel.start[r]; at < kernel.start[r + 1]; ++at)
        row[kernel.index[at]] = kernel.value[at];
      if (!model_.scaling.factor.empty()) {
        ProbeRow raw;
        for (std::uint32_t j = 0; j < model_.features(); ++j) {
          const auto found = row.find(j);
          const double z = found == row.end() || model_.scaling.factor[j] == 0
                               ? 0
                               : found->second / model_.scaling.factor[j];
          raw[j] = z + center(j);
        }
        row = std::move(raw);
      }
      out.push_back(std::move(row));
    }
  }

  ProbeRow drawn(std::size_t number) {
    ProbeRow row;
    const std::uint32_t known = model_.encoding == nullptr ? 0 : model_.encoding->features();
    if (known > 0)
      for (const Column& column : model_.encoding->columns) draw_cell(column, number, row);
    const std::size_t features = model_.features();
    if (features <= many_features) {
      for (auto j = known; j < features; ++j) row[j] = center(j) + spread(j) * random_.normal();
      return row;
    }
    if (known > 0) return row;
    const std::vector<std::uint32_t> weighted = with_weight();
    for (std::size_t i = 0; i < some_features; ++i) {
      const auto j = i % 2 == 0 || weighted.empty() ? static_cast<std::uint32_t>(random_.below(features))
                                                    : weighted[random_.below(weighted.size())];
      row[j] = center(j) + spread(j) * random_.normal();
    }
    return row;
  }

  void draw_cell(const Column& column, std::size_t number, ProbeRow& row) {
    const std::uint32_t first = column.first_feature;
    const bool missing = column.missing_feature && number % 5 == 0;
    if (missing) row[first + column.value_features()] = 1;
    if (column.kind == ColumnKind::Number) {
      row[first] = missing ? column.fill.value_or(0)
                           : column.fill.value_or(center(first)) + spread(first) * random_.normal();
    } else if (column.kind == ColumnKind::Category) {
      const std::uint64_t k = random_.below(column.categories.size() + 1);  // the last: none that is known
      if (missing || k == column.categories.size()) return;
      if (const auto within = column.category_feature(static_cast<std::uint32_t>(k)))
        row[first + *within] = 1;
    } else {
      constexpr std::size_t words = 8;
      for (std::size_t i = 0; i < words && column.features() > 0; ++i)
        row[first + static_cast<std::uint32_t>(random_.below(column.features()))] += 1;
    }
  }

  std::vector<std::uint32_t> with_weight() const {
    std::vector<std::uint32_t> out;
    const auto* linear = std::get_if<LinearModel>(&model_.form);
    for (std::uint32_t j = 0; linear != nullptr && j < linear->features; ++j)
      if (linear->plane(0)[j] != 0) out.push_back(j);
    return out;
  }

  bool is_number(std::uint32_t j) const {
    if (model_.encoding == nullptr || j >= model_.encoding->features()) return true;
    const auto& columns = model_.encoding->columns;
    const auto after = std::upper_bound(columns.begin(), columns.end(), j,
                                        [](std::uint32_t f, const Column& c) { return f < c.first_feature; });
    return (after - 1)->kind == ColumnKind::Number && j == (after - 1)->first_feature;
  }

  // Numbers of the row are moved to where the two best scores meet, or the only one is 0: there every rounding counts.
  void move_to_plane(ProbeRow& row) const {
    const auto* linear = std::get_if<LinearModel>(&model_.form);
    if (linear == nullptr || model_.unit_rows || has_preparation(model_)) return;
    std::vector<double> f = linear->offsets;
    for (std::size_t k = 0; k < f.size(); ++k)
      for (const auto& [j, x] : row) f[k] += x * linear->plane(k)[j];
    std::size_t best = 0, second = f.size();
    for (std::size_t k = 1; k < f.size(); ++k) {
      if (f[k] > f[best]) {
        second = best;
        best = k;
      } else if (second == f.size() || f[k] > f[second]) {
        second = k;
      }
    }
    const auto weight = [&](std::uint32_t j) {
      return linear->plane(best)[j] - (second < f.size() ? linear->plane(second)[j] : 0);
    };
    double slope = 0;
    for (const auto& [j, x] : row)
      if (is_number(j)) slope += weight(j) * spread(j) * weight(j) * spread(j);
    const double step = (f[best] - (second < f.size() ? f[second] : 0)) / slope;
    if (!std::isfinite(step)) return;
    for (auto& [j, x] : row)
      if (is_number(j)) x -= step * weight(j) * spread(j) * spread(j);
  }

  const Model& model_;
  Random random_{1};
};

}  // namespace

Dataset probe_rows(const Model& model) {
  MatrixBuilder builder;
  for (const ProbeRow& row : Prober(model).rows()) {
    for (const auto& [j, x] : row) builder.add(j, std::isfinite(x) ? x : 0);
    builder.end_row();
  }
  StoredMatrix stored = builder.finish(model.features(), Threads(1));
  DatasetParts parts;
  parts.matrix = stored.matrix;
  parts.storage = std::move(stored.storage);
  parts.encoding = model.encoding;
  parts.name = "rows drawn from the model";
  return Dataset::make(std::move(parts));
}

}  // namespace halfspace
