// SPDX-License-Identifier: BSD-3-Clause
// Votes of the planes of a perceptron's walk. The products of a row with all kept rows come from lists of the
// kept rows per feature; then one walk over the mistakes adds them up: after r mistakes the sum is the score
// of plane r. Cost per row: the entries of the kept rows at the row's features, plus one addition per
// mistake.
#include <algorithm>
#include <variant>
#include <vector>

#include "halfspace/core/kernels.hpp"
#include "model/row_scores.hpp"

namespace halfspace::detail {
namespace {

constexpr std::size_t rows_per_task = 32;

// The kept rows feature by feature.
struct Lists {
  std::vector<std::uint64_t> start;
  std::vector<std::uint32_t> row;
  std::vector<double> value;
};

Lists lists_of(const VotedModel& model) {
  Lists lists;
  lists.start.assign(model.features + 1, 0);
  for (const std::uint32_t j : model.index) ++lists.start[j + 1];
  for (std::size_t j = 0; j < model.features; ++j) lists.start[j + 1] += lists.start[j];
  lists.row.resize(model.index.size());
  lists.value.resize(model.index.size());
  std::vector<std::uint64_t> next(lists.start.begin(), lists.start.end() - 1);
  for (std::size_t r = 0; r + 1 < model.start.size(); ++r) {
    for (std::uint64_t at = model.start[r]; at < model.start[r + 1]; ++at) {
      const std::uint64_t to = next[model.index[at]]++;
      lists.row[to] = static_cast<std::uint32_t>(r);
      lists.value[to] = model.value[at];
    }
  }
  return lists;
}

double vote_share(const VotedModel& model, std::size_t plane, const std::vector<double>& product) {
  double score = 0;
  double votes = 0;
  double all = 0;
  for (std::uint64_t r = model.first[plane]; r < model.first[plane + 1]; ++r) {
    const double p = product[model.row[r]];
    score += model.positive[r] != 0 ? p : -p;
    const auto weight = static_cast<double>(model.survived[r]);
    all += weight;
    votes += score > 0 ? weight : score < 0 ? -weight : 0.0;
  }
  return all > 0 ? votes / all : 0;
}

}  // namespace

void voted_scores(const VotedModel& model, bool unit_rows, const Dataset& data, const Threads& threads,
                  std::span<double> out) {
  const Lists lists = lists_of(model);
  const std::size_t kept = model.constant.size();
  std::vector<double> norms(unit_rows ? data.rows() : 0);
  if (unit_rows) row_norms(data, threads, norms);
  std::visit(
      [&](const auto& x) {
        for_blocks(threads, data.rows(), rows_per_task, [&](std::size_t begin, std::size_t end) {
          std::vector<double> product(kept);
          for (std::size_t i = begin; i < end; ++i) {
            std::fill(product.begin(), product.end(), 0.0);
            for_entries(x.row(i), [&](std::uint32_t j, double value) {
              if (j >= model.features) return;
              const std::uint64_t from = lists.start[j];
              const auto size = static_cast<std::size_t>(lists.start[j + 1] - from);
              if (size == kept) {  // every kept row has the feature
                axpy(value, lists.value.data() + from, product.data(), size);
              } else {
                axpy(value, SparseRow<double>{lists.row.data() + from, lists.value.data() + from, size, 1},
                     product.data());
              }
            });
            const double factor = unit_rows && norms[i] > 0 ? norms[i] : 1;
            for (std::size_t r = 0; r < kept; ++r) product[r] = product[r] / factor + model.constant[r];
            for (std::size_t k = 0; k < model.planes; ++k)
              out[i * model.planes + k] = vote_share(model, k, product);
          }
        });
      },
      data.matrix());
}

}  // namespace halfspace::detail
