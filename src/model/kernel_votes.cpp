// SPDX-License-Identifier: BSD-3-Clause
// Votes of a perceptron's walk with a kernel: the values of a few rows with all kept rows, then one walk over
// the mistakes of each plane for all of these rows at once.
#include <algorithm>
#include <numeric>
#include <vector>

#include "data/kernel/rows.hpp"
#include "halfspace/prepare/scaling.hpp"
#include "model/row_scores.hpp"

namespace halfspace::detail {
namespace {

constexpr std::size_t rows_at_once = 32;

// The votes of plane k for `count` rows; values[kept row * stride + row].
void vote(const VotedModel& model, std::size_t k, const double* values, std::size_t stride, std::size_t count,
          double* shares) {
  double score[rows_at_once] = {};
  double votes[rows_at_once] = {};
  double all = 0;
  for (std::uint64_t r = model.first[k]; r < model.first[k + 1]; ++r) {
    const double* const value = values + model.row[r] * stride;
    const double sign = model.positive[r] != 0 ? 1.0 : -1.0;
    const double constant = model.constant[model.row[r]];
    const auto weight = static_cast<double>(model.survived[r]);
    all += weight;
    for (std::size_t t = 0; t < count; ++t) {
      score[t] += sign * (value[t] + constant);
      votes[t] += (score[t] > 0 ? weight : 0.0) - (score[t] < 0 ? weight : 0.0);
    }
  }
  for (std::size_t t = 0; t < count; ++t) shares[t] = all > 0 ? votes[t] / all : 0;
}

}  // namespace

void kernel_votes(const VotedModel& model, bool unit_rows, const Dataset& data, const Threads& threads,
                  std::span<double> out) {
  if (unit_rows) {
    const Scaling unit{.kind = ScaleKind::Unit};
    kernel_votes(model, false, apply_scaling(data, unit, threads), threads, out);
    return;
  }
  const std::size_t kept = model.constant.size();
  const Matrix stored =
      CsrView<double>{kept, model.features, model.start.data(), model.index.data(), model.value.data(), 1};
  const auto left_access = RowAccess::of(stored);
  const auto right_access = RowAccess::of(data.matrix());
  const RowForm form =
      form_of_both(*left_access, *right_access, stores_ones(data.matrix()) && all_ones(model.value));
  std::vector<std::uint32_t> all(std::max(kept, data.rows()));
  std::iota(all.begin(), all.end(), 0U);
  const std::span<const std::uint32_t> every(all);
  const Threads alone(1);
  const KernelRows<double> left_rows(*left_access, every.first(kept), model.features, form, threads, {},
                                     false);
  const LeftRows<double> left(left_rows, every.first(kept));
  for_blocks(threads, data.rows(), rows_at_once, [&](std::size_t begin, std::size_t end) {
    const KernelRows<double> right(*right_access, every.subspan(begin, end - begin), model.features, form,
                                   alone);
    std::vector<double> values(kept * right.padded());
    kernel_block(model.kernel, left, right, values.data(), right.padded(), alone);
    for (std::size_t k = 0; k < model.planes; ++k) {
      double share[rows_at_once];
      vote(model, k, values.data(), right.padded(), end - begin, share);
      for (std::size_t i = begin; i < end; ++i) out[i * model.planes + k] = share[i - begin];
    }
  });
}

}  // namespace halfspace::detail
