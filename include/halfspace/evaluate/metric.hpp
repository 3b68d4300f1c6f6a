// SPDX-License-Identifier: BSD-3-Clause
// One number for how good a model is on some rows, to choose by.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "halfspace/core/options.hpp"
#include "halfspace/core/parallel.hpp"
#include "halfspace/evaluate/ranking.hpp"
#include "halfspace/model/errors.hpp"
#include "halfspace/model/model.hpp"

namespace halfspace {

// Error: share of the weight that is wrong; balanced: mean over the classes; cost: mean over the rows of what a mistake
// costs, at the threshold 0.
enum class MetricKind { Error, LogLoss, Auc, BalancedError, Cost };
namespace detail {
inline constexpr std::string_view metric_words[] = {"error", "log-loss", "auc", "balanced-error", "cost"};
}
template <>
inline constexpr std::span<const std::string_view> enum_words<MetricKind> = detail::metric_words;

struct Metric {
  MetricKind kind = MetricKind::Error;
  Costs costs;  // of MetricKind::Cost

  [[nodiscard]] bool larger_is_better() const { return kind == MetricKind::Auc; }
  // Below 0: a is better than b.
  [[nodiscard]] double loss(double value) const { return larger_is_better() ? -value : value; }
};

struct JudgedRows {
  double value = 0;   // of the metric
  ErrorCount errors;  // by the rule of gets_right()
};
// The model on some rows of the data that it was trained on part of: classes and features are those of the model. Rows are
// scored some at a time. Throws UsageError for a metric that the model has not, or that the rows do not allow.
[[nodiscard]] JudgedRows judge_rows(const Model& model, const Dataset& data,
                                    std::span<const std::uint32_t> rows, const Metric& metric,
                                    const Threads& threads);

// "FP:FN"; throws UsageError.
[[nodiscard]] Costs parse_costs(std::string_view text);

}  // namespace halfspace
