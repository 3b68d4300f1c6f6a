// SPDX-License-Identifier: BSD-3-Clause
// Scores of a kernel model: the support vectors on the left, the rows in panels on the right, so every kernel
// value is computed once for all functions that use it. The form of the rows follows from the support vectors
// alone, and sums run over the support vectors in their order: a row has the same bits in every storage,
// batch and number of threads.
#include <algorithm>
#include <numeric>
#include <variant>
#include <vector>

#include "data/kernel_rows.hpp"
#include "halfspace/data/scaling.hpp"
#include "model/row_scores.hpp"

namespace halfspace {
namespace {

constexpr std::size_t rows_at_once = 8192;

KernelFunction effective(const KernelModel& model) {
  // The support vectors of a precomputed kernel point at columns: the product with them is the value.
  return model.kernel.kind == KernelKind::Precomputed ? KernelFunction{} : model.kernel;
}

bool all_ones(const KernelModel& model, const Dataset& data) {
  return std::holds_alternative<CsrView<One>>(data.matrix()) &&
         std::all_of(model.value.begin(), model.value.end(), [](double v) { return v == 1; });
}

}  // namespace

std::vector<double> function_values(const KernelModel& model, bool unit_rows, const Dataset& data,
                                    const Threads& threads) {
  if (unit_rows) {
    const Scaling unit{.kind = ScaleKind::Unit};
    return function_values(model, false, apply_scaling(data, unit, threads), threads);
  }
  const std::size_t functions = model.offsets.size();
  const std::size_t vectors = model.vectors();
  std::vector<double> out(data.rows() * functions);
  std::vector<double> weights(functions * vectors, 0.0);
  for (std::size_t k = 0; k < functions; ++k)
    for (std::uint64_t at = model.first[k]; at < model.first[k + 1]; ++at)
      weights[k * vectors + model.vector[at]] = model.coefficient[at];
  const Matrix stored =
      CsrView<double>{vectors, model.features, model.start.data(), model.index.data(), model.value.data(), 1};
  const RowForm form = form_for(vectors, model.features, model.value.size(), all_ones(model, data));
  std::vector<std::uint32_t> all(std::max(vectors, data.rows()));
  std::iota(all.begin(), all.end(), 0U);
  const std::span<const std::uint32_t> every(all);
  const auto left_access = RowAccess::of(stored);
  const auto right_access = RowAccess::of(data.matrix());
  const KernelRows<double> left_rows(*left_access, every.first(vectors), model.features, form, threads);
  const LeftRows<double> left(left_rows, every.first(vectors));
  const KernelFunction kernel = effective(model);
  for (std::size_t begin = 0; begin < data.rows(); begin += rows_at_once) {
    const std::size_t count = std::min(rows_at_once, data.rows() - begin);
    const KernelRows<double> right(*right_access, every.subspan(begin, count), model.features, form, threads);
    std::vector<double> sums(functions * right.padded(), 0.0);
    if (vectors > 0) add_kernel_sums(kernel, left, right, weights, functions, sums.data(), threads);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < functions; ++k)
        out[(begin + i) * functions + k] = sums[k * right.padded() + i] + model.offsets[k];
  }
  return out;
}

namespace detail {

void kernel_scores(const KernelModel& model, bool unit_rows, std::size_t planes, const Dataset& data,
                   const Threads& threads, std::span<double> out) {
  const std::vector<double> values = function_values(model, unit_rows, data, threads);
  if (!model.pairs || planes == 1) {
    std::copy(values.begin(), values.end(), out.begin());
    return;
  }
  const std::size_t functions = model.offsets.size();
  for (std::size_t i = 0; i < data.rows(); ++i) {
    std::size_t k = i * functions;
    for (std::size_t a = 0; a < planes; ++a)
      for (std::size_t b = a + 1; b < planes; ++b, ++k) out[i * planes + (values[k] > 0 ? b : a)] += 1;
  }
}

}  // namespace detail
}  // namespace halfspace
