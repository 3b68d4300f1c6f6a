// SPDX-License-Identifier: BSD-3-Clause
// The functions of the model must be made of the very rows and dual values that the certificate is computed
// from: every support vector is held against its training row, every coefficient against y alpha.
#include "certify/verify_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "halfspace/certify/kernel_gap.hpp"
#include "halfspace/certify/kernel_margin.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/objective/class_weights.hpp"

namespace halfspace::detail {
namespace {

// The support vector as the training row it came from.
template <class View>
bool same_row(const View& view, std::size_t i, const KernelModel& model, std::size_t vector) {
  std::uint64_t at = model.start[vector];
  bool same = true;
  for_entries(view.row(i), [&](std::uint32_t j, double x) {
    same = same && at < model.start[vector + 1] && model.index[at] == j && model.value[at] == x;
    ++at;
  });
  return same && at == model.start[vector + 1];
}
bool is_row(const Dataset& data, std::size_t i, const KernelModel& model, std::size_t vector) {
  if (model.kernel.kind == KernelKind::Precomputed) {
    const std::size_t column = i + (data.features() == data.rows() + 1 ? 1 : 0);
    return model.start[vector + 1] - model.start[vector] == 1 && model.index[model.start[vector]] == column &&
           model.value[model.start[vector]] == 1;
  }
  return std::visit([&](const auto& view) { return same_row(view, i, model, vector); }, data.matrix());
}

std::string mismatch(const Dataset& data, const KernelModel& model, const Problem& problem,
                     const DualPoint& dual, std::size_t k) {
  const std::uint64_t first = model.first[k];
  if (dual.rows.size() != model.first[k + 1] - first) return "dual values and coefficients differ in number";
  for (std::size_t t = 0; t < dual.rows.size(); ++t) {
    const std::uint32_t i = dual.rows[t];
    if (i >= data.rows()) return "a dual value of a row that is not there";
    if (!is_row(data, i, model, model.vector[first + t]))
      return fmt::format("a support vector is not training row {}", i + 1);
    if (model.coefficient[first + t] != problem.y[i] * dual.alpha[t])
      return fmt::format("the coefficient of row {} is not its dual value", i + 1);
    if (dual.alpha[t] > problem.cost[i])
      return fmt::format("the dual value of row {} is above its bound", i + 1);
  }
  return {};
}

void verify_gaps(const Model& model, const KernelModel& kernel, const Dataset& data,
                 const std::vector<double>& C, const std::vector<double>& class_weights,
                 const std::vector<GapClaim>& claims, const Threads& threads, ModelCheck& out) {
  if (model.dual.size() != kernel.offsets.size()) {
    out.lines.emplace_back("the model carries no dual point: nothing to verify");
    return;
  }
  out.holds = true;
  if (kernel.kernel.kind == KernelKind::Precomputed)
    out.lines.emplace_back("if the kernel matrix is positive semidefinite, which is not checked:");
  const std::size_t classes = model.classes.size();
  std::size_t k = 0;
  const auto check = [&](const Problem& problem) {
    const std::string name = printable(function_name(model, k));
    const std::string wrong = mismatch(data, kernel, problem, model.dual[k], k);
    if (!wrong.empty()) {
      out.lines.push_back(fmt::format("{}: {}", name, wrong));
      out.holds = false;
      ++k;
      return;
    }
    const DualityGap gap = KernelGap(problem, kernel.kernel, model.dual[k], threads).at(kernel.offsets[k]);
    out.gaps.push_back(gap);
    const double scale = 1e-9 * std::max(1.0, std::abs(gap.primal));
    const bool same = std::isfinite(gap.primal) && std::abs(gap.primal - claims[k].primal) <= scale &&
                      std::abs(gap.dual - claims[k].dual) <= scale;
    out.holds = out.holds && same;
    out.lines.push_back(fmt::format(
        "{}: objective at most {:.10g}, best at least {:.10g}, relative gap {:.3g}{}", name, gap.primal,
        gap.dual, gap.relative(),
        same ? "" : fmt::format("; the model says {:.10g} and {:.10g}", claims[k].primal, claims[k].dual)));
    ++k;
  };
  if (!kernel.pairs) {
    for (std::uint32_t c = 0; c < kernel.offsets.size(); ++c)
      check(make_problem(data, classes == 2 ? 1 : c, Hinge{}, Offset::Free, C[k], class_weights));
    return;
  }
  for (std::uint32_t a = 0; a < classes; ++a) {
    for (std::uint32_t b = a + 1; b < classes; ++b) {
      Problem problem = make_problem(data, b, Hinge{}, Offset::Free, C[k], class_weights);
      for (std::size_t i = 0; i < data.rows(); ++i)
        if (data.labels()[i] != a && data.labels()[i] != b) problem.cost[i] = 0;
      check(problem);
    }
  }
}

}  // namespace

// svm has one C for all functions among its options, nu-svm one for each among its facts.
void verify_machines(const Model& model, const KernelModel& kernel, const Dataset& data,
                     const std::vector<GapClaim>& claims, const Threads& threads, ModelCheck& out) {
  std::string text = text_of(model.algorithm == "svm" ? model.options : model.facts, "C") + ",";
  std::vector<double> C;
  for (std::size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',')) {
    C.push_back(OptionType<double>::parse("C", text.substr(0, comma), {0, 1e300}));
    text.erase(0, comma + 1);
  }
  if (C.size() == 1) C.resize(kernel.offsets.size(), C[0]);
  if (C.size() != kernel.offsets.size()) {
    out.lines.emplace_back("not one C for every function");
    return;
  }
  const std::vector<double> weights = class_weights(data, text_of(model.options, "class-weight"));
  verify_gaps(model, kernel, data, C, weights, claims, threads, out);
  if (model.algorithm != "nu-svm" || !out.holds) return;
  // The dual values add up to nu times all bounds.
  const double nu = OptionType<double>::parse("nu", text_of(model.options, "nu"), {0, 1});
  for (std::size_t k = 0; k < model.dual.size(); ++k) {
    double sum = 0, bounds = 0;
    const auto classes = static_cast<std::uint32_t>(model.classes.size());
    std::vector<bool> counted(classes, !kernel.pairs);
    if (kernel.pairs) {
      std::size_t left = k;
      std::uint32_t a = 0;
      for (; left >= classes - 1 - a; ++a) left -= classes - 1 - a;
      counted[a] = counted[a + 1 + left] = true;
    }
    for (const double alpha : model.dual[k].alpha) sum += alpha;
    for (std::size_t i = 0; i < data.rows(); ++i)
      if (counted[data.labels()[i]]) bounds += C[k] * data.weight(i);
    if (std::abs(sum - nu * bounds) <= 1e-9 * bounds) continue;
    out.lines.push_back(fmt::format("{}: the dual values add up to nu = {:.10g}, the model says {}",
                                    printable(function_name(model, k)), sum / bounds, nu));
    out.holds = false;
  }
}

void verify_kernel_margins(const Model& model, const KernelModel& kernel, const Dataset& data,
                           const std::vector<GapClaim>& claims, const Threads& threads, ModelCheck& out) {
  if (model.dual.size() != kernel.offsets.size() || kernel.pairs) {
    out.lines.emplace_back("the model carries no dual point: nothing to verify");
    return;
  }
  out.holds = true;
  for (std::uint32_t k = 0; k < kernel.offsets.size(); ++k) {
    const std::string name = printable(function_name(model, k));
    Problem problem = make_problem(data, model.classes.size() == 2 ? 1 : k, Hinge{}, Offset::Free, 1, {});
    for (double& cost : problem.cost)
      if (cost > 0) cost = std::numeric_limits<double>::infinity();
    const std::string wrong = mismatch(data, kernel, problem, model.dual[k], k);
    if (!wrong.empty()) {
      out.lines.push_back(fmt::format("{}: {}", name, wrong));
      out.holds = false;
      continue;
    }
    const KernelMargin margin =
        kernel_margin(problem, kernel.kernel, model.dual[k], kernel.offsets[k], threads);
    const DualityGap gap{0.5 / (margin.lower * margin.lower), 0.5 / (margin.upper * margin.upper)};
    out.gaps.push_back(gap);
    const double scale = 1e-9 * std::abs(gap.primal);
    const bool same = std::isfinite(gap.primal) && std::abs(gap.primal - claims[k].primal) <= scale &&
                      std::abs(gap.dual - claims[k].dual) <= scale;
    out.holds = out.holds && margin.lower > 0 && same;
    out.lines.push_back(fmt::format("{}: margin at least {:.10g}, that of any function at most {:.10g}{}",
                                    name, margin.lower, margin.upper,
                                    same ? "" : "; the model says otherwise"));
  }
}

}  // namespace halfspace::detail
