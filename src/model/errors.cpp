// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/model/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "halfspace/core/error.hpp"
#include "halfspace/prepare/against_rest.hpp"

namespace halfspace {

namespace {

bool right_side(double score, std::uint32_t truth) {
  return truth == 1 ? score > 0 : truth == 0 && score < 0;
}

}  // namespace

bool gets_right(std::span<const double> scores_of_row, std::uint32_t given, std::uint32_t truth) {
  if (scores_of_row.size() > 1) return given == truth;
  return right_side(scores_of_row[0], truth);
}

void ErrorCount::add(const ErrorCount& other) {
  rows += other.rows;
  wrong += other.wrong;
  weight += other.weight;
  wrong_weight += other.wrong_weight;
  weighted = weighted || other.weighted;
}

std::vector<std::uint32_t> labels_for(const Model& model, const Dataset& data) {
  const std::vector<std::string>& known = model.classes;
  const std::string positive = fact(model, "positive");
  const bool against_rest = known.size() == 2 && !positive.empty();
  const std::string meant = class_meant(data.classes(), positive);
  std::vector<std::uint32_t> number;
  for (const std::string& name : data.classes()) {
    const auto found = std::find(known.begin(), known.end(), name) - known.begin();
    number.push_back(against_rest ? (name == meant ? 1U : 0U) : static_cast<std::uint32_t>(found));
  }
  std::vector<std::uint32_t> out(data.labels().size());
  std::transform(data.labels().begin(), data.labels().end(), out.begin(),
                 [&](std::uint32_t y) { return number[y]; });
  return out;
}

ErrorCount count_errors(const Model& model, std::span<const double> scores, const Dataset& data,
                        std::span<const std::uint32_t> truth, const ErrorCount& before) {
  const std::size_t planes = model.planes();
  const std::vector<std::uint32_t> given =
      planes == 1 ? std::vector<std::uint32_t>() : labels_from_scores(model, scores);
  ErrorCount out = before;
  if (planes == 1 && data.weights().empty() && !before.weighted) {
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) wrong += right_side(scores[i], truth[i]) ? 0 : 1;
    out.rows += truth.size();
    out.wrong += wrong;
    out.weight += static_cast<double>(truth.size());
    out.wrong_weight += static_cast<double>(wrong);
    return out;
  }
  for (std::size_t i = 0; i < truth.size(); ++i)
    out.add(data.weight(i),
            gets_right(scores.subspan(i * planes, planes), planes == 1 ? 0 : given[i], truth[i]));
  return out;
}

std::vector<std::uint32_t> rows_with_zero_score(const Model& model, std::span<const double> scores) {
  std::vector<std::uint32_t> rows;
  if (model.planes() != 1) return rows;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (scores[i] == 0) rows.push_back(static_cast<std::uint32_t>(i));
  return rows;
}

std::optional<std::size_t> overflowed_row(const Model& model, std::span<const double> scores) {
  for (std::size_t k = 0; k < scores.size(); ++k)
    if (!std::isfinite(scores[k])) return k / model.planes();
  return std::nullopt;
}

void refuse_overflow(const std::string& file, std::uint64_t row) {
  throw InputError({.file = file}, fmt::format("row {}: its score leaves the range of numbers", row + 1),
                   "values and weights whose products stay below 1e308", "scale the data before training");
}

void check_scores(const Model& model, std::span<const double> scores, const Dataset& data) {
  if (const auto row = overflowed_row(model, scores)) refuse_overflow(data.name(), *row);
}

}  // namespace halfspace
