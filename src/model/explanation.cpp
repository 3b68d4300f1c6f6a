// SPDX-License-Identifier: BSD-3-Clause
// With the label given by f = w.x + b (of two classes their only plane, of more the difference of the first two), the nearest
// point with f = 0 is x - f w / |w|^2. In units of standard deviations s_j the shortest move within a set S of columns has
// the length |f| / sqrt(sum over S of w_j^2 s_j^2) and moves column j by -f w_j s_j^2 / that sum: among all sets of k columns
// it is shortest for the k largest |w_j| s_j. A move ends on the plane, where no label is given, so it goes a little
// further, until the model itself says another label.
#include "halfspace/model/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "halfspace/core/error.hpp"
#include "halfspace/data/builder.hpp"
#include "model/row_scores.hpp"

namespace halfspace {
namespace {

constexpr std::size_t columns_moved = 3;  // at most so many together
constexpr std::size_t categories_offered = 5;

std::vector<double> values_of_row(const Dataset& data, std::size_t row, std::size_t features) {
  std::vector<double> out(features);
  std::visit(
      [&](const auto& view) {
        for_entries(view.row(row), [&](std::uint32_t j, double x) {
          if (j < features) out[j] = x;
        });
      },
      data.matrix());
  return out;
}

Dataset one_row(const std::vector<double>& values) {
  MatrixBuilder builder;
  for (std::uint32_t j = 0; j < values.size(); ++j)
    if (values[j] != 0) builder.add(j, values[j]);
  builder.end_row();
  StoredMatrix stored = builder.finish(values.size(), Threads(1));
  DatasetParts parts;
  parts.matrix = stored.matrix;
  parts.storage = stored.storage;
  parts.name = "a row";
  return Dataset::make(std::move(parts));
}

std::uint32_t label_of(const Model& model, const std::vector<double>& values) {
  const Dataset row = one_row(values);
  return labels_from_scores(model, scores(model, row, Threads(1))).front();
}

// f = weights . x + offset for rows as they are read; f > 0 while the label is the one given.
struct Decision {
  std::vector<double> weights;
  double value = 0;    // f of the row
  bool linear = true;  // not so where rows are divided by their length
};

class Explainer {
 public:
  Explainer(const Model& model, const Dataset& data, std::size_t row, std::span<const std::uint32_t> fixed,
            const Threads& threads)
      : model_(model),
        linear_(std::get<LinearModel>(model.form)),
        raw_(values_of_row(data, row, model.features())) {
    fixed_.assign(model.features(), false);
    for (const std::uint32_t j : fixed) fixed_.at(j) = true;
    const std::uint32_t rows[] = {static_cast<std::uint32_t>(row)};
    const Dataset one = data.subset(rows);
    all_scores_ = scores(model, one, threads);
    out_.given = labels_from_scores(model, all_scores_).front();
    const bool scaled = model.scaling.kind != ScaleKind::None;
    seen_ = scaled ? values_of_row(prepared_rows(model, one, 0, 1, threads), 0, model.features()) : raw_;
    if (model.unit_rows) detail::row_norms(one, threads, std::span(&divisor_, 1));
    if (!(divisor_ > 0)) divisor_ = 1;
  }

  Explanation explain() {
    choose_planes();
    contribute();
    measure();
    if (decision_.linear && decision_.value != 0 && out_.given != abstained) {
      move_numbers();
      move_categories();
    }
    return std::move(out_);
  }

 private:
  void choose_planes() {
    const std::size_t planes = linear_.planes;
    if (planes == 1) {
      decision_.weights.assign(linear_.plane(0).begin(), linear_.plane(0).end());
      decision_.value = all_scores_[0];
    } else {
      out_.plane = out_.given;
      std::size_t second = out_.plane == 0 ? 1 : 0;
      for (std::size_t k = 0; k < planes; ++k)
        if (k != out_.plane && all_scores_[k] > all_scores_[second]) second = k;
      out_.rival = static_cast<std::uint32_t>(second);
      for (std::size_t j = 0; j < linear_.features; ++j)
        decision_.weights.push_back(linear_.plane(out_.plane)[j] - linear_.plane(second)[j]);
      decision_.value = all_scores_[out_.plane] - all_scores_[second];
    }
    decision_.linear = !model_.unit_rows;
  }

  void contribute() {
    const std::span<const double> weights = linear_.plane(out_.plane);
    for (std::uint32_t j = 0; j < weights.size(); ++j) {
      const double product = seen_[j] * weights[j];
      if (product != 0) out_.contributions.push_back({j, seen_[j], weights[j], product});
    }
    out_.offset = linear_.offsets[out_.plane];
    out_.score = all_scores_[out_.plane];
    out_.divisor = divisor_;
  }

  // Among the rows as the planes see them.
  void measure() {
    double norm2_of_weights = 0;
    for (const double w : decision_.weights) norm2_of_weights += w * w;
    const double norm = std::sqrt(norm2_of_weights);
    if (!(norm > 0) || !std::isfinite(norm)) return;
    out_.distance = decision_.value / norm;
    for (std::uint32_t j = 0; j < decision_.weights.size(); ++j) {
      const double w = decision_.weights[j];
      const double from = seen_[j] / divisor_;
      if (w != 0) out_.nearest.push_back({j, from, from - decision_.value * (w / norm) / norm});
    }
    std::stable_sort(out_.nearest.begin(), out_.nearest.end(),
                     [](const MovedFeature& a, const MovedFeature& b) {
                       return std::abs(a.to - a.from) > std::abs(b.to - b.from);
                     });
  }

  // The weight of a feature of the row as it was read.
  [[nodiscard]] double raw_weight(std::uint32_t j) const {
    const double w = decision_.weights[j];
    return model_.scaling.kind == ScaleKind::None ? w : w * model_.scaling.factor[j];
  }
  [[nodiscard]] double deviation(std::uint32_t j) const {
    return j < model_.deviations.size() ? model_.deviations[j] : 1;
  }

  // Columns of numbers that may move, those that move the score most first.
  [[nodiscard]] std::vector<std::uint32_t> movable() const {
    std::vector<std::uint32_t> out;
    const auto consider = [&](std::uint32_t j) {
      if (!fixed_[j] && raw_weight(j) != 0 && deviation(j) > 0) out.push_back(j);
    };
    if (model_.encoding == nullptr) {
      for (std::uint32_t j = 0; j < fixed_.size(); ++j) consider(j);
    } else {
      for (const Column& column : model_.encoding->columns)
        if (column.kind == ColumnKind::Number) consider(column.first_feature);
    }
    std::stable_sort(out.begin(), out.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::abs(raw_weight(a)) * deviation(a) > std::abs(raw_weight(b)) * deviation(b);
    });
    return out;
  }

  void move_numbers() {
    const std::vector<std::uint32_t> columns = movable();
    std::vector<LabelChange> found;
    for (std::size_t k = 1; k <= std::min(columns.size(), columns_moved); ++k)
      if (auto change = moved_together(std::span(columns).first(k))) found.push_back(std::move(*change));
    // One column each for the next ones too: which of them a person can change is not for us to say.
    for (std::size_t k = 1; k < std::min(columns.size(), columns_moved); ++k)
      if (auto change = moved_together(std::span(columns).subspan(k, 1))) found.push_back(std::move(*change));
    std::stable_sort(found.begin(), found.end(), [](const LabelChange& a, const LabelChange& b) {
      return a.moved.size() != b.moved.size() ? a.moved.size() < b.moved.size()
                                              : *a.deviations < *b.deviations;
    });
    out_.changes.insert(out_.changes.end(), found.begin(), found.end());
  }

  [[nodiscard]] std::optional<LabelChange> moved_together(std::span<const std::uint32_t> columns) const {
    double reach = 0;  // of the score by a move of one deviation
    for (const std::uint32_t j : columns) reach += std::pow(raw_weight(j) * deviation(j), 2);
    if (!(reach > 0) || !std::isfinite(reach)) return std::nullopt;
    // Just beyond the plane: further while rounding keeps the row on this side.
    for (double beyond = 1e-9; beyond < 1; beyond *= 16) {
      std::vector<double> values = raw_;
      LabelChange change;
      double length2 = 0;
      for (const std::uint32_t j : columns) {
        const double step =
            -(1 + beyond) * decision_.value * raw_weight(j) * deviation(j) * deviation(j) / reach;
        values[j] += step;
        length2 += std::pow((values[j] - raw_[j]) / deviation(j), 2);
        change.moved.push_back({j, raw_[j], values[j]});
        if (!std::isfinite(values[j])) return std::nullopt;
      }
      change.label = label_of(model_, values);
      change.deviations = std::sqrt(length2);
      if (change.label != out_.given) return change;
    }
    return std::nullopt;
  }

  // Another category in one column: what moves the score far enough, the shortest way first, until enough of them did turn
  // the label.
  void move_categories() {
    if (model_.encoding == nullptr) return;
    struct Choice {
      const Column* column;
      std::optional<std::uint32_t> feature;  // that becomes 1; none for the reference
      double score_moved;
    };
    std::vector<Choice> choices;
    for (const Column& column : model_.encoding->columns) {
      if (column.kind != ColumnKind::Category || is_fixed(column)) continue;
      double now = 0;  // what the column adds to the score
      for (std::uint32_t f = 0; f < column.features(); ++f)
        now += raw_weight(column.first_feature + f) * raw_[column.first_feature + f];
      for (std::uint32_t k = 0; k < column.categories.size(); ++k) {
        auto feature = column.category_feature(k);
        if (feature) *feature += column.first_feature;
        const double moved = (feature ? raw_weight(*feature) : 0) - now;
        const bool far = decision_.value > 0 ? moved <= -decision_.value : moved >= -decision_.value;
        if (far) choices.push_back({&column, feature, moved});
      }
    }
    std::stable_sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) {
      return std::abs(a.score_moved) < std::abs(b.score_moved);
    });
    std::size_t found = 0;
    for (std::size_t k = 0; k < choices.size() && found < categories_offered; ++k) {
      std::vector<double> other = raw_;
      LabelChange change;
      for (std::uint32_t f = 0; f < choices[k].column->features(); ++f) {
        const std::uint32_t j = choices[k].column->first_feature + f;
        other[j] = choices[k].feature == j ? 1 : 0;
        if (other[j] != raw_[j]) change.moved.push_back({j, raw_[j], other[j]});
      }
      change.label = label_of(model_, other);
      if (change.moved.empty() || change.label == out_.given) continue;
      out_.changes.push_back(std::move(change));
      ++found;
    }
  }
  [[nodiscard]] bool is_fixed(const Column& column) const {
    for (std::uint32_t f = 0; f < column.features(); ++f)
      if (fixed_[column.first_feature + f]) return true;
    return false;
  }

  const Model& model_;
  const LinearModel& linear_;
  std::vector<double> raw_;   // the row as it was read
  std::vector<double> seen_;  // and as the planes see it, before the division by its length
  std::vector<bool> fixed_;
  std::vector<double> all_scores_;
  double divisor_ = 1;
  Decision decision_;
  Explanation out_;
};

}  // namespace

Explanation explain(const Model& model, const Dataset& data, std::size_t row,
                    std::span<const std::uint32_t> fixed, const Threads& threads) {
  if (!std::holds_alternative<LinearModel>(model.form) || model.map != nullptr)
    throw UsageError(
        "explain: this model has no planes among its rows: no feature has a part of its own in the score",
        "a linear algorithm without --kernel and feature maps");
  if (row >= data.rows())
    throw UsageError(fmt::format("--row {}: the data have {} rows", row + 1, data.rows()));
  return Explainer(model, data, row, fixed, threads).explain();
}

std::vector<std::uint32_t> features_named(const Model& model, const std::string& name) {
  std::vector<std::uint32_t> out;
  std::vector<std::string> names;
  for (const Column& column : model.encoding ? model.encoding->columns : std::vector<Column>{}) {
    names.push_back(column.name);
    if (column.name != name) continue;
    out.resize(column.features());
    std::iota(out.begin(), out.end(), column.first_feature);
    return out;
  }
  const std::size_t features = model.features();
  for (std::uint32_t j = 0; model.encoding && j < std::min<std::size_t>(features, model.encoding->features());
       ++j)
    if (model.encoding->feature_name(j) == name) return {j};
  std::size_t number = 0;
  const std::string digits = name.starts_with('x') ? name.substr(1) : name;
  for (const char c : digits)
    number = c >= '0' && c <= '9' && number < 1e9 ? number * 10 + static_cast<std::size_t>(c - '0') : 0;
  if (!digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos && number >= 1 &&
      number <= features)
    return {static_cast<std::uint32_t>(number - 1)};
  const std::string near = nearest_name(name, names);
  throw UsageError(fmt::format("no column or feature '{}'", printable(name)),
                   near.empty() ? fmt::format("the model has {} features", features)
                                : fmt::format("did you mean {}?", near));
}

}  // namespace halfspace
