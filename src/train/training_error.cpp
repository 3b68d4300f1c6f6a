// SPDX-License-Identifier: BSD-3-Clause
#include "train/training_error.hpp"

#include "core/row_sums.hpp"

namespace halfspace {
namespace {

// Nothing when it was stopped.
std::optional<std::vector<double>> scores_in_time(const Model& model, const Dataset& data,
                                                  const Threads& threads) {
  try {
    return deciding_scores(model, data, threads);
  } catch (const Stopped&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<ErrorCount> detail::training_error(const Fit& fit, const Dataset& data, const Team& team) {
  const Model& model = fit.model();
  constexpr double most_products = 1e10;  // some seconds
  if (const auto* voted = std::get_if<VotedModel>(&model.form)) {
    if (static_cast<double>(data.rows()) * static_cast<double>(voted->index.size()) > most_products)
      return {};
  }
  constexpr double most_values = 2e7;  // of a kernel, for votes of pairs that no certificate has computed
  if (const auto* kernel = std::get_if<KernelModel>(&model.form); kernel != nullptr && kernel->pairs) {
    if (static_cast<double>(data.rows()) * static_cast<double>(kernel->vectors()) > most_values) return {};
  }
  const std::optional<std::vector<double>> found =
      fit.trace.scores.empty() ? scores_in_time(model, data, team.threads()) : fit.trace.scores;
  if (!found) return {};
  const std::vector<double>& values = *found;
  if (fit.trace.scores.empty() || std::holds_alternative<LinearModel>(model.form))
    check_scores(model, values, data);
  // Where there are several members, the sum is where they stop.
  try {
    ErrorCount out;
    add_in_turn(team, out,
                [&](ErrorCount& to) { to = count_errors(model, values, data, data.labels(), to); });
    return out;
  } catch (const Stopped&) {
    return {};
  }
}

}  // namespace halfspace
