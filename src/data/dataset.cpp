// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/data/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

#include "data/storage/smallest.hpp"
#include "data/write/writers.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/builder.hpp"

namespace halfspace {
namespace {

std::optional<double> as_number(const std::string& text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class View>
void check_rows(const View& view, const std::string& name) {
  const auto refuse = [&](std::size_t row, const std::string& what) {
    throw InputError({.file = name}, fmt::format("row {}: {}", row + 1, what));
  };
  for (std::size_t i = 0; i < view.rows; ++i) {
    if constexpr (is_sparse<View>) {
      if (view.start[i + 1] < view.start[i]) refuse(i, "row starts go backwards");
      const auto row = view.row(i);
      for (std::size_t k = 0; k < row.size; ++k) {
        if (row.index[k] >= view.cols)
          refuse(i, fmt::format("feature {} of {}", row.index[k] + 1, view.cols));
        if (k > 0 && row.index[k] <= row.index[k - 1]) refuse(i, "features are not ascending");
      }
    }
    for_entries(view.row(i), [&](std::uint32_t column, double x) {
      if (!std::isfinite(x)) refuse(i, fmt::format("value of feature {} is not finite", column + 1));
    });
  }
}

template <class View>
std::uint64_t count_nonzeros(const View& view) {
  if constexpr (is_sparse<View>) {
    return view.rows == 0 ? 0 : view.start[view.rows] - view.start[0];
  } else {
    std::uint64_t count = 0;
    for (std::size_t k = 0; k < view.rows * view.cols; ++k)
      count += decode(view.value[k], view.divisor) != 0 ? 1 : 0;
    return count;
  }
}

template <class View>
std::string name_of_storage(const View& view) {
  using V = typename View::Value;
  const char* layout = is_sparse<View> ? "sparse" : "dense";
  if constexpr (std::is_same_v<V, One>) return fmt::format("{} ones", layout);
  if constexpr (std::is_same_v<V, float>) return fmt::format("{} float32", layout);
  if constexpr (std::is_same_v<V, double>) return fmt::format("{} float64", layout);
  return fmt::format("{} decimal/1e{:.0f}", layout, std::log10(view.divisor));
}

}  // namespace

Dataset Dataset::make(DatasetParts parts, bool check_values) {
  Dataset data;
  const InputError none({.file = parts.name}, "no examples");
  std::visit(
      [&](const auto& view) {
        data.rows_ = view.rows;
        data.features_ = view.cols;
        if (check_values) check_rows(view, parts.name);
        data.nonzeros_ = parts.nonzeros ? *parts.nonzeros : count_nonzeros(view);
      },
      parts.matrix);
  if (data.rows_ == 0 && !parts.may_be_empty) throw none;
  const auto refuse = [&](const std::string& what) { throw InputError({.file = parts.name}, what); };
  for (const std::uint32_t label : parts.labels) {
    if (label >= parts.classes.size())
      refuse(fmt::format("label number {} of {} classes", label, parts.classes.size()));
  }
  for (const double w : parts.weights) {
    if (!(w >= 0) || !std::isfinite(w))
      refuse(fmt::format("weight {} is not a finite number of at least 0", w));
  }
  data.parts_ = std::make_shared<const DatasetParts>(std::move(parts));
  const DatasetParts& kept = *data.parts_;
  data.labels_ =
      kept.stored_labels.empty() ? std::span<const std::uint32_t>(kept.labels) : kept.stored_labels;
  data.weights_ = kept.stored_weights.empty() ? std::span<const double>(kept.weights) : kept.stored_weights;
  if (!data.labels_.empty() && data.labels_.size() != data.rows_) {
    throw InputError({.file = kept.name},
                     fmt::format("{} labels for {} rows", data.labels_.size(), data.rows_));
  }
  if (!data.weights_.empty() && data.weights_.size() != data.rows_) {
    throw InputError({.file = kept.name},
                     fmt::format("{} weights for {} rows", data.weights_.size(), data.rows_));
  }
  return data;
}

bool Dataset::sparse() const {
  return std::visit([](const auto& view) { return is_sparse<std::decay_t<decltype(view)>>; }, matrix());
}

std::string storage_name(const Matrix& matrix) {
  return std::visit([](const auto& view) { return name_of_storage(view); }, matrix);
}

std::string Dataset::storage_name() const { return halfspace::storage_name(matrix()); }

std::uint64_t Dataset::storage_bytes() const {
  const std::uint64_t matrix_bytes = std::visit(
      [](const auto& view) -> std::uint64_t {
        using View = std::decay_t<decltype(view)>;
        using V = typename View::Value;
        const std::uint64_t value = std::is_empty_v<V> ? 0 : sizeof(V);
        if constexpr (is_sparse<View>)
          return view.start[view.rows] * (sizeof(typename View::Index) + value) + 8 * (view.rows + 1);
        return view.rows * view.cols * value;
      },
      matrix());
  return matrix_bytes + 4 * labels().size() + 8 * weights().size();
}

std::string Dataset::feature_name(std::uint32_t feature) const {
  if (encoding() && feature < encoding()->features()) return encoding()->feature_name(feature);
  return fmt::format("{}", std::uint64_t{feature} + 1);
}

std::string Dataset::fingerprint() const {
  Fingerprint hash;
  const SmallestStorage storage = smallest_storage(matrix(), nonzeros_);
  const std::uint64_t shape[] = {rows_, features_, nonzeros_, storage.type(), classes().size()};
  hash.add_values(std::span<const std::uint64_t>(shape));
  add_rows(hash, matrix(), storage);
  for (const std::string& name : classes()) {
    const std::uint64_t length = name.size();
    hash.add_values(std::span(&length, 1));
    hash.add(std::as_bytes(std::span(name)));
  }
  hash.add_values(labels());
  hash.add_values(weights());
  return hash.hex();
}

namespace {

// add(hash) by one member after the other.
template <class F>
void hash_in_turn(const Team& team, Fingerprint& hash, const F& add) {
  Members::Bytes state = hash.state();
  team.in_turn(state, [&] {
    hash.resume(state);
    add(hash);
    const Members::Bytes next = hash.state();
    std::copy(next.begin(), next.end(), state.begin());
  });
  hash.resume(state);
}

}  // namespace

std::string Dataset::fingerprint(const Team& team) const {
  if (team.alone()) return fingerprint();
  Fingerprint hash;
  const SmallestStorage storage = smallest_storage(matrix(), nonzeros_, team);
  const Stretch entries = team.stretch(nonzeros_);
  const std::uint64_t shape[] = {team.total(rows_), features_, entries.total, storage.type(),
                                 classes().size()};
  hash.add_values(std::span<const std::uint64_t>(shape));
  const double divisor = storage.divisor();
  hash.add_values(std::span(&divisor, 1));
  if (storage.sparse) {
    const std::uint64_t start = 0;
    hash.add_values(std::span(&start, 1));
    hash_in_turn(team, hash, [&](Fingerprint& to) { add_row_ends(to, matrix(), entries.first); });
    hash_in_turn(team, hash, [&](Fingerprint& to) { add_row_columns(to, matrix(), storage); });
  }
  hash_in_turn(team, hash, [&](Fingerprint& to) { add_row_values(to, matrix(), storage); });
  for (const std::string& name : classes()) {
    const std::uint64_t length = name.size();
    hash.add_values(std::span(&length, 1));
    hash.add(std::as_bytes(std::span(name)));
  }
  hash_in_turn(team, hash, [&](Fingerprint& to) { to.add_values(labels()); });
  hash_in_turn(team, hash, [&](Fingerprint& to) { to.add_values(weights()); });
  return hash.hex();
}

namespace {

// The holes of the chosen rows, by their new numbers.
std::vector<Hole> holes_of(std::span<const Hole> holes, std::span<const std::uint32_t> chosen) {
  std::vector<Hole> out;
  const auto before = [](const Hole& hole, std::uint32_t row) { return hole.row < row; };
  for (std::uint32_t k = 0; k < chosen.size(); ++k) {
    for (auto hole = std::lower_bound(holes.begin(), holes.end(), chosen[k], before);
         hole != holes.end() && hole->row == chosen[k]; ++hole)
      out.push_back({k, hole->feature});
  }
  return out;
}

}  // namespace

Dataset Dataset::subset(std::span<const std::uint32_t> chosen) const {
  DatasetParts parts;
  MatrixBuilder builder;
  std::visit(
      [&](const auto& view) {
        for (const std::uint32_t i : chosen) {
          for_entries(view.row(i), [&](std::uint32_t column, double x) { builder.add(column, x); });
          builder.end_row();
          if (labelled()) parts.labels.push_back(labels()[i]);
          if (!weights().empty()) parts.weights.push_back(weights()[i]);
        }
      },
      matrix());
  StoredMatrix stored = builder.finish(features_, Threads(1));
  parts.matrix = stored.matrix;
  parts.storage = std::move(stored.storage);
  parts.classes = classes();
  parts.encoding = encoding();
  parts.from_text = from_text();
  parts.name = name();
  if (knows_holes()) parts.holes = std::make_shared<const std::vector<Hole>>(holes_of(holes(), chosen));
  return make(std::move(parts), false);
}

Dataset Dataset::part(std::size_t first, std::size_t last) const {
  Dataset out;
  auto parts = std::make_shared<DatasetParts>();
  parts->matrix = matrix();
  std::visit(
      [&](auto& view) {
        view.rows = last - first;
        if constexpr (is_sparse<std::decay_t<decltype(view)>>) {
          view.start += first;
        } else {
          view.value += first * view.cols;
        }
        out.nonzeros_ = count_nonzeros(view);
      },
      parts->matrix);
  parts->storage = parts_;
  parts->classes = classes();
  parts->encoding = encoding();
  parts->from_text = from_text();
  parts->name = name();
  parts->spill = spill();
  if (!labels_.empty()) out.labels_ = labels_.subspan(first, last - first);
  if (!weights_.empty()) out.weights_ = weights_.subspan(first, last - first);
  out.parts_ = std::move(parts);
  out.rows_ = last - first;
  out.features_ = features_;
  return out;
}

Dataset Dataset::relabelled(std::vector<std::uint32_t> labels, std::vector<std::string> classes) const {
  DatasetParts parts;
  parts.matrix = parts_->matrix;
  parts.storage = parts_->storage;
  parts.weights = parts_->weights;
  parts.stored_weights = parts_->stored_weights;
  parts.nonzeros = nonzeros_;
  parts.encoding = encoding();
  parts.from_text = from_text();
  parts.name = name();
  parts.spill = spill();
  parts.holes = parts_->holes;
  parts.labels = std::move(labels);
  parts.classes = std::move(classes);
  parts.may_be_empty = rows_ == 0;
  return make(std::move(parts), false);
}

Dataset Dataset::reweighted(std::vector<double> weights) const {
  DatasetParts parts;
  parts.matrix = parts_->matrix;
  parts.storage = parts_;  // keeps what this set points into, and its labels
  parts.stored_labels = labels_;
  parts.classes = classes();
  parts.nonzeros = nonzeros_;
  parts.encoding = encoding();
  parts.from_text = from_text();
  parts.name = name();
  parts.spill = spill();
  parts.holes = parts_->holes;
  parts.weights = std::move(weights);
  return make(std::move(parts), false);
}

Dataset Dataset::one_against_rest(const std::string& label) const {
  const auto found = std::find(classes().begin(), classes().end(), label);
  if (found == classes().end()) {
    throw InputError(
        {.file = name()}, fmt::format("no row has the label {}", printable(label)),
        fmt::format("labels are {}", printable(fmt::format("{}", fmt::join(classes(), ", ")), 200)));
  }
  const auto positive = static_cast<std::uint32_t>(found - classes().begin());
  std::vector<std::uint32_t> binary(labels().begin(), labels().end());
  for (std::uint32_t& y : binary) y = y == positive ? 1 : 0;
  // A name for all others together that none of the classes has.
  std::string rest = classes().size() == 2 ? classes()[1 - positive] : "rest";
  const auto taken = [&] {
    return classes().size() > 2 && std::find(classes().begin(), classes().end(), rest) != classes().end();
  };
  if (taken()) rest = "others";
  while (taken()) rest += "*";
  return relabelled(std::move(binary), {rest, label});
}

void sort_classes(std::vector<std::string>& classes, std::vector<std::uint32_t>& labels) {
  const bool numbers = std::all_of(classes.begin(), classes.end(),
                                   [](const std::string& c) { return as_number(c).has_value(); });
  std::vector<std::uint32_t> order(classes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return numbers ? *as_number(classes[a]) < *as_number(classes[b]) : classes[a] < classes[b];
  });
  std::vector<std::string> sorted(classes.size());
  std::vector<std::uint32_t> rank(classes.size());
  for (std::uint32_t r = 0; r < order.size(); ++r) {
    sorted[r] = std::move(classes[order[r]]);
    rank[order[r]] = r;
  }
  classes = std::move(sorted);
  for (std::uint32_t& y : labels) y = rank[y];
}

}  // namespace halfspace
