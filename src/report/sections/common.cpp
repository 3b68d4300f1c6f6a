// SPDX-License-Identifier: BSD-3-Clause
// What several parts of the report need: rows with their scores, planes in units of the columns, names.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "halfspace/core/error.hpp"
#include "halfspace/data/read.hpp"
#include "report/sections/sections.hpp"

namespace halfspace::report {

double Judged::margin(std::size_t row) const {
  const std::span<const double> f = scores_of(row);
  const std::uint32_t label = truth[row];
  if (f.size() == 1) return label == 1 ? f[0] : -f[0];
  double other = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < f.size(); ++k)
    if (k != label) other = std::max(other, f[k]);
  return f[label] - other;
}

Judged judge(const Model& model, const Dataset& data, const Threads& threads) {
  if (!data.labelled()) throw InputError({.file = data.name()}, "no labels", "a report needs labelled rows");
  Judged out{model, data, scores(model, data, threads), labels_for(model, data), {}};
  check_scores(model, out.scores, data);
  out.weights.resize(data.rows());
  for (std::size_t i = 0; i < data.rows(); ++i)
    out.weights[i] = out.truth[i] < model.classes.size() ? data.weight(i) : 0;
  return out;
}

std::vector<std::uint32_t> sampled_rows(const Judged& judged, std::size_t most) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < judged.weights.size(); ++i)
    if (judged.known(i)) rows.push_back(i);
  if (rows.size() <= most) return rows;
  std::vector<std::uint32_t> out;
  for (std::size_t k = 0; k < most; ++k) out.push_back(rows[k * rows.size() / most]);
  return out;
}

std::optional<Planes> planes_of(const Model& model) {
  const auto* linear = std::get_if<LinearModel>(&model.form);
  if (linear == nullptr || model.map != nullptr || model.unit_rows || model.scaling.kind == ScaleKind::Unit)
    return std::nullopt;
  Planes out{linear->features, linear->weights, linear->offsets};
  if (model.scaling.kind == ScaleKind::None) return out;
  for (std::size_t k = 0; k < linear->planes; ++k) {
    for (std::size_t j = 0; j < out.features; ++j) {
      double& w = out.weights[k * out.features + j];
      w *= model.scaling.factor[j];
      out.offsets[k] -= w * model.scaling.shift[j];
    }
  }
  return out;
}

namespace {

// Sums over a fixed number of pieces: a piece holds a number per column.
constexpr std::size_t statistics_pieces = 16;

struct ColumnSums {
  double weight = 0;
  std::vector<double> sum, seen, low, high;
  std::vector<std::uint8_t> fraction;
  ColumnSums& operator+=(const ColumnSums& other) {
    if (other.sum.empty()) return *this;
    if (sum.empty()) return *this = other;
    weight += other.weight;
    for (std::size_t j = 0; j < sum.size(); ++j) {
      sum[j] += other.sum[j];
      seen[j] += other.seen[j];
      low[j] = std::min(low[j], other.low[j]);
      high[j] = std::max(high[j], other.high[j]);
      fraction[j] = static_cast<std::uint8_t>(fraction[j] | other.fraction[j]);
    }
    return *this;
  }
};

template <class View>
ColumnSums sums_of(const Dataset& data, const View& view, std::size_t begin, std::size_t end) {
  ColumnSums s;
  s.sum.assign(view.cols, 0);
  s.seen = s.sum;
  s.low.assign(view.cols, std::numeric_limits<double>::infinity());
  s.high.assign(view.cols, -std::numeric_limits<double>::infinity());
  s.fraction.assign(view.cols, 0);
  for (std::size_t i = begin; i < end; ++i) {
    const double weight = data.weight(i);
    if (weight == 0) continue;
    s.weight += weight;
    for_entries(view.row(i), [&](std::uint32_t j, double x) {
      s.sum[j] += weight * x;
      s.seen[j] += weight;
      s.low[j] = std::min(s.low[j], x);
      s.high[j] = std::max(s.high[j], x);
      if (x != std::floor(x)) s.fraction[j] = 1;
    });
  }
  return s;
}

// Sums of squares about the mean, of the entries that are not zero.
struct SquareSums {
  std::vector<double> squares;
  SquareSums& operator+=(const SquareSums& other) {
    if (squares.empty()) squares.resize(other.squares.size());
    for (std::size_t j = 0; j < other.squares.size(); ++j) squares[j] += other.squares[j];
    return *this;
  }
};

}  // namespace

ColumnStatistics column_statistics(const Dataset& data, const Threads& threads) {
  const std::size_t block = std::max(row_block, (data.rows() + statistics_pieces - 1) / statistics_pieces);
  return std::visit(
      [&](const auto& view) {
        const ColumnSums s = sum_blocks(threads, data.rows(), block, ColumnSums{}, [&](auto begin, auto end) {
          return sums_of(data, view, begin, end);
        });
        ColumnStatistics out;
        const std::size_t columns = view.cols;
        out.mean.resize(columns);
        for (std::size_t j = 0; j < s.sum.size(); ++j) out.mean[j] = s.weight > 0 ? s.sum[j] / s.weight : 0;
        const SquareSums q = sum_blocks(threads, data.rows(), block, SquareSums{}, [&](auto begin, auto end) {
          SquareSums part{std::vector<double>(columns, 0.0)};
          for (std::size_t i = begin; i < end; ++i) {
            const double weight = data.weight(i);
            if (weight == 0) continue;
            for_entries(view.row(i), [&](std::uint32_t j, double x) {
              part.squares[j] += weight * (x - out.mean[j]) * (x - out.mean[j]);
            });
          }
          return part;
        });
        out.deviation.assign(columns, 0);
        out.low.assign(columns, 0);
        out.high.assign(columns, 0);
        out.whole.assign(columns, 1);
        for (std::size_t j = 0; j < s.sum.size(); ++j) {
          const double zeros = s.weight - s.seen[j];
          out.deviation[j] = std::sqrt((q.squares[j] + zeros * out.mean[j] * out.mean[j]) / s.weight);
          out.low[j] = zeros > 0 ? std::min(0.0, s.low[j]) : s.low[j];
          out.high[j] = zeros > 0 ? std::max(0.0, s.high[j]) : s.high[j];
          out.whole[j] = s.fraction[j] == 0 ? 1 : 0;
        }
        return out;
      },
      data.matrix());
}

Entries entries_of(const Dataset& data, std::size_t row) {
  Entries out;
  std::visit(
      [&](const auto& view) {
        for_entries(view.row(row), [&](std::uint32_t j, double x) { out.emplace_back(j, x); });
      },
      data.matrix());
  return out;
}

std::string name_of_feature(const Model& model, std::uint32_t feature) {
  if (model.encoding != nullptr && feature < model.encoding->features())
    return printable(model.encoding->feature_name(feature));
  return fmt::format("x{}", feature + 1);
}

std::string name_of_class(const Model& model, std::size_t k) {
  return k < model.classes.size() ? printable(model.classes[k]) : "other";
}

std::string plane_name(const Model& model, std::size_t k) {
  return name_of_class(model, model.planes() == 1 ? model.classes.size() - 1 : k);
}

std::string fact_of(const Model& model, std::string_view key) {
  for (const auto& [name, value] : model.facts)
    if (name == key) return value;
  return {};
}

// Of images and their labels, IMAGES,LABELS, the images.
std::string short_name(const std::string& path) {
  const std::size_t comma = path.rfind(',');
  const auto in_folder = [](std::string_view part) { return part.find('/') != std::string_view::npos; };
  std::string_view name = path;
  if (comma != std::string::npos && in_folder(name.substr(0, comma)) && in_folder(name.substr(comma)))
    name = name.substr(0, comma);
  const std::size_t slash = name.find_last_of('/');
  if (slash != std::string_view::npos && slash + 1 != name.size()) name = name.substr(slash + 1);
  return printable(name, 120);
}

}  // namespace halfspace::report
