// SPDX-License-Identifier: BSD-3-Clause
#include "model/travel/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <span>

#include "halfspace/core/error.hpp"

namespace halfspace::travel {
namespace {

// By how much two lists differ at most; nothing where the model's numbers are none.
double largest_difference(std::span<const double> a, std::span<const double> b) {
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart = std::abs(a[i] - b[i]);
    if (std::isfinite(a[i]) && !(apart <= out)) out = apart;
  }
  return out;
}

// A row between two classes whose scores are nearer to each other than rounding.
bool is_close(std::span<const double> row, double rounding) {
  if (row.size() == 1) return !(std::abs(row[0]) > rounding);
  std::vector<double> sorted(row.begin(), row.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  return !(sorted[0] - sorted[1] > 2 * rounding);
}

[[noreturn]] void refuse(Target target, std::size_t row, const std::string& what) {
  throw InputError({},
                   fmt::format("as {} the model gives another answer for row {}: {}",
                               OptionType<Target>::print(target), row + 1, what),
                   "nothing was written");
}

}  // namespace

ExportCheck compare(const Model& model, const Answers& theirs, const Dataset& data, Target target,
                    const Threads& threads) {
  // Of what was added up: far more than rounding, far less than a mistake.
  constexpr double small = 1e-9;
  const std::vector<double> own = scores(model, data, threads);
  const std::vector<std::uint32_t> labels = labels_from_scores(model, own);
  ExportCheck out;
  out.rows = data.rows();
  if (theirs.scores.size() != own.size()) refuse(target, 0, "another number of scores");
  out.score = largest_difference(own, theirs.scores);
  double size = std::max(1.0, theirs.size);
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (!std::isfinite(own[i])) continue;
    size = std::max(size, std::abs(own[i]));
    const double zero = 0;  // a zero has two signs, which nothing depends on
    out.same_bits = out.same_bits && std::bit_cast<std::uint64_t>(own[i] + zero) ==
                                         std::bit_cast<std::uint64_t>(theirs.scores[i] + zero);
  }
  // Votes of pairs are whole numbers: one that rounding turned is no mistake.
  const auto* kernel = std::get_if<KernelModel>(&model.form);
  const bool votes = kernel != nullptr && kernel->pairs && model.planes() > 1;
  if (!votes && !(out.score <= small * size))
    refuse(target, 0, fmt::format("scores differ by {:.3g}", out.score));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == theirs.labels[i]) continue;
    ++out.other_labels;
    const auto row = std::span(own).subspan(i * model.planes(), model.planes());
    if (!is_close(row, votes ? 1 : small * size))
      refuse(target, i, fmt::format("class {}, not {}", theirs.labels[i], labels[i]));
  }
  if (!theirs.probabilities.empty()) {
    const std::vector<double> p = probabilities_from_scores(model, own);
    out.probabilities = true;
    out.probability = largest_difference(p, theirs.probabilities);
    if (!(out.probability <= 1e-6))
      refuse(target, 0, fmt::format("probabilities differ by {:.3g}", out.probability));
  }
  return out;
}

}  // namespace halfspace::travel
