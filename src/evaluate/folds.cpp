// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/folds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "halfspace/core/error.hpp"
#include "halfspace/data/builder.hpp"
#include "halfspace/data/refill.hpp"
#include "halfspace/data/split.hpp"

namespace halfspace {
namespace {

void check_classes(const Dataset& data) {
  if (!data.labelled()) throw InputError({.file = data.name()}, "no labels", "labelled rows for folds");
  std::vector<std::uint64_t> rows(data.classes().size(), 0);
  for (std::size_t i = 0; i < data.rows(); ++i)
    if (data.weight(i) > 0) ++rows[data.labels()[i]];
  const auto known = std::count_if(rows.begin(), rows.end(), [](std::uint64_t n) { return n > 0; });
  if (known == 1) {
    const auto only = static_cast<std::size_t>(
        std::find_if(rows.begin(), rows.end(), [](std::uint64_t n) { return n > 0; }) - rows.begin());
    throw InputError(
        {.file = data.name()},
        fmt::format("only one class ({}) in {} rows", printable(data.classes()[only]), rows[only]),
        "choosing and judging need at least two");
  }
  for (std::size_t c = 0; c < rows.size(); ++c) {
    if (rows[c] == 1)
      throw UsageError(
          fmt::format("class {} has one row: held out, it could not be learned",
                      printable(data.classes()[c])),
          rows.size() > 20 && 2 * data.rows() < 20 * rows.size()
              ? fmt::format("{} classes in {} rows look like numbers to predict: --label NAME for "
                            "another column, or make classes of them first",
                            rows.size(), data.rows())
              : "at least two rows of every class");
  }
}

// Fills of a cache were learned from all rows, and nobody knows any more where they are.
void check_fills(const Dataset& data) {
  if (data.encoding() == nullptr || data.knows_holes()) return;
  const Missing missing = data.encoding()->missing;
  if (missing == Missing::Error || missing == Missing::Drop) return;
  throw UsageError(fmt::format("{}: its missing values were filled in before, from the rows held out too",
                               printable(data.name(), 200)),
                   "the table itself, or --missing drop when it is converted");
}

// Features that stand for a word of a vocabulary.
std::vector<bool> word_features(const Dataset& data) {
  std::vector<bool> out;
  if (data.encoding() == nullptr) return out;
  for (const Column& column : data.encoding()->columns) {
    if (column.kind != ColumnKind::Words || column.hash_bits != 0) continue;
    out.resize(data.features(), false);
    for (std::uint32_t j = 0; j < column.features(); ++j) out[column.first_feature + j] = true;
  }
  return out;
}

// The words that too few of the rows of positive weight have to be features; empty: none.
std::vector<bool> rare_words(const Dataset& data) {
  constexpr double least_rows = 2;  // as the reader of tables has it
  const std::vector<bool> word = word_features(data);
  if (word.empty()) return {};
  std::vector<double> rows(data.features(), 0.0);
  std::visit(
      [&](const auto& view) {
        for (std::size_t i = 0; i < data.rows(); ++i) {
          const double weight = data.weight(i);
          if (weight > 0) for_entries(view.row(i), [&](std::uint32_t j, double) { rows[j] += weight; });
        }
      },
      data.matrix());
  std::vector<bool> rare(data.features(), false);
  bool any = false;
  for (std::size_t j = 0; j < rare.size(); ++j) {
    rare[j] = word[j] && rows[j] > 0 && rows[j] < least_rows;
    any = any || rare[j];
  }
  return any ? rare : std::vector<bool>();
}

// A copy without these features; rows of weight 0 become empty.
Dataset without_features(const Dataset& data, const std::vector<bool>& out) {
  MatrixBuilder builder;
  std::visit(
      [&](const auto& view) {
        for (std::size_t i = 0; i < data.rows(); ++i) {
          if (data.weight(i) > 0) {
            for_entries(view.row(i), [&](std::uint32_t j, double x) {
              if (!out[j]) builder.add(j, x);
            });
          }
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
  parts.encoding = data.encoding();
  parts.from_text = data.from_text();
  parts.name = data.name();
  if (data.knows_holes())
    parts.holes = std::make_shared<const std::vector<Hole>>(data.holes().begin(), data.holes().end());
  return Dataset::make(std::move(parts), false);
}

}  // namespace

FoldPlan plan_folds(const Dataset& data, const FoldOptions& options) {
  check_classes(data);
  check_fills(data);
  if (options.folds < 2 || options.repeats < 1 || options.folds > 1'000'000)
    throw UsageError(
        fmt::format("{} folds, {} repeats; wanted 2 or more and 1 or more", options.folds, options.repeats));
  FoldPlan plan;
  plan.folds = static_cast<std::uint32_t>(options.folds);
  plan.repeats = static_cast<std::uint32_t>(options.repeats);
  for (std::uint32_t repeat = 0; repeat < plan.repeats; ++repeat) {
    // Seeds of repeats are far apart, so that another --seed gives other folds everywhere.
    const std::uint64_t seed = options.seed + (std::uint64_t{repeat} << 40U);
    const std::vector<std::uint32_t> fold =
        options.groups.empty() ? stratified_folds(data, plan.folds, seed, options.deal)
                               : grouped_folds(data, options.groups, plan.folds, seed, options.deal);
    std::vector<std::vector<std::uint32_t>> rows(plan.folds);
    for (std::uint32_t i = 0; i < data.rows(); ++i)
      if (data.weight(i) > 0) rows[fold[i]].push_back(i);
    for (auto& one : rows) plan.held_out.push_back(std::move(one));
  }
  return plan;
}

Dataset without_rare_words(const Dataset& data) {
  const std::vector<bool> rare = rare_words(data);
  return rare.empty() ? data : without_features(data, rare);
}

FoldRows fold_rows(const Dataset& data, std::span<const std::uint32_t> held_out) {
  std::vector<double> weights(data.rows(), 1.0);
  std::copy(data.weights().begin(), data.weights().end(), weights.begin());
  FoldRows out;
  const bool holes = !data.holes().empty();
  const std::vector<double> all = holes ? weights : std::vector<double>();
  for (const std::uint32_t row : held_out) weights[row] = 0;
  out.training = data.reweighted(std::move(weights));
  if (holes) out.training = refilled(out.training);
  out.judged = holes ? out.training.reweighted(all) : data;
  out.training = without_rare_words(out.training);
  return out;
}

FoldRows split_rows(const Dataset& data, std::span<const std::uint32_t> train,
                    std::span<const std::uint32_t> test) {
  check_fills(data);
  if (data.holes().empty()) return {without_rare_words(data.subset(train)), data.subset(test)};
  const Dataset filled = refilled(data.subset(train));
  return {without_rare_words(filled), filled_as(data.subset(test), filled)};
}

}  // namespace halfspace
