// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/model/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "halfspace/core/error.hpp"
#include "halfspace/model/errors.hpp"

namespace halfspace {
namespace {

// Zeros are not written, so that the number of columns says little.
bool is_open_ended(const Dataset& data) {
  return data.sparse() || (data.from_text() && data.encoding() == nullptr);
}

void check_columns(const Model& model, const Dataset& data) {
  if (data.features() != model.features() && !is_open_ended(data))
    throw InputError({.file = data.name()}, fmt::format("rows of {} columns", data.features()),
                     fmt::format("the model takes {}", model.features()));
  if (model.encoding == nullptr || data.encoding() == nullptr || model.encoding == data.encoding()) return;
  const auto features = std::max(model.encoding->features(), data.encoding()->features());
  for (std::uint32_t k = 0; k < features; ++k) {
    const std::string own = k < model.encoding->features() ? model.encoding->feature_name(k) : "none";
    const std::string given = k < data.encoding()->features() ? data.encoding()->feature_name(k) : "none";
    if (own == given) continue;
    throw InputError({.file = data.name()}, fmt::format("feature {} is {}", k + 1, printable(given)),
                     fmt::format("that of the model is {}", printable(own)),
                     "read the table the way the training table was read");
  }
}

std::vector<double> checked_scores(const Model& model, const Dataset& data, bool decide,
                                   const Threads& threads) {
  check_columns(model, data);
  std::vector<double> f = decide ? deciding_scores(model, data, threads) : scores(model, data, threads);
  check_scores(model, f, data);
  return f;
}

void check_probabilities(const Model& model) {
  if (has_probabilities(model)) return;
  throw UsageError(fmt::format("a model of {} has no probabilities",
                               model.algorithm.empty() ? "this kind" : printable(model.algorithm)),
                   "it has scores; logistic regression has probabilities");
}

// A data set of one row that borrows the values.
Dataset one_row(const Model& model, std::span<const double> row) {
  if (row.size() != model.features())
    throw InputError({}, fmt::format("a row of {} values", row.size()),
                     fmt::format("the model takes {}", model.features()));
  DatasetParts parts;
  parts.matrix = DenseView<double>{.rows = 1, .cols = row.size(), .value = row.data()};
  parts.name = "the row";
  return Dataset::make(std::move(parts));
}

struct SparseValues {
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  std::array<std::uint64_t, 2> ends{};
};

// The same of a sparse row, of which stored zeros are left out.
Dataset one_row(const Model& model, std::span<const std::uint32_t> columns, std::span<const double> values) {
  if (columns.size() != values.size())
    throw InputError({}, fmt::format("{} columns and {} values", columns.size(), values.size()),
                     "one value for each column");
  auto kept = std::make_shared<SparseValues>();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (columns[k] >= model.features())
      throw InputError({}, fmt::format("column {}", columns[k]),
                       fmt::format("the model has {}, counted from 0", model.features()));
    if (k > 0 && columns[k] <= columns[k - 1])
      throw InputError({}, fmt::format("column {} after {}", columns[k], columns[k - 1]),
                       "ascending columns");
    if (values[k] == 0) continue;
    kept->columns.push_back(columns[k]);
    kept->values.push_back(values[k]);
  }
  kept->ends[1] = kept->columns.size();
  DatasetParts parts;
  parts.matrix = CsrView<double>{.rows = 1,
                                 .cols = model.features(),
                                 .start = kept->ends.data(),
                                 .index = kept->columns.data(),
                                 .value = kept->values.data()};
  parts.storage = kept;
  parts.name = "the row";
  return Dataset::make(std::move(parts));
}

}  // namespace

std::vector<std::uint32_t> predict(const Model& model, const Dataset& data, const Threads& threads) {
  return labels_from_scores(model, checked_scores(model, data, true, threads));
}

std::uint32_t predict(const Model& model, std::span<const double> row) {
  return predict(model, one_row(model, row)).front();
}

std::uint32_t predict(const Model& model, std::span<const std::uint32_t> columns,
                      std::span<const double> values) {
  return predict(model, one_row(model, columns, values)).front();
}

std::vector<double> score(const Model& model, std::span<const double> row) {
  return checked_scores(model, one_row(model, row), false, Threads(1));
}

std::vector<double> score(const Model& model, std::span<const std::uint32_t> columns,
                          std::span<const double> values) {
  return checked_scores(model, one_row(model, columns, values), false, Threads(1));
}

std::vector<double> probabilities(const Model& model, const Dataset& data, const Threads& threads) {
  check_probabilities(model);
  if (!labels_follow_probabilities(model))
    return probabilities_from_scores(model, checked_scores(model, data, false, threads));
  check_columns(model, data);
  return probabilities_from_scores(model, probability_scores(model, data, threads));
}

std::vector<double> probabilities(const Model& model, std::span<const double> row) {
  check_probabilities(model);
  return probabilities(model, one_row(model, row));
}

std::vector<double> probabilities(const Model& model, std::span<const std::uint32_t> columns,
                                  std::span<const double> values) {
  check_probabilities(model);
  return probabilities(model, one_row(model, columns, values));
}

}  // namespace halfspace
