// SPDX-License-Identifier: BSD-3-Clause
#include "certify/verify_planes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "halfspace/certify/duality_gap.hpp"
#include "halfspace/certify/softmax_gap.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/objective/class_weights.hpp"

namespace halfspace::detail {
namespace {

Loss loss_of(const Model& model) {
  if (model.algorithm == "logistic") return Logistic{};
  return text_of(model.options, "loss") == "squared-hinge" ? Loss(SquaredHinge{}) : Loss(Hinge{});
}

// What is not finite proves nothing, and equals nothing.
bool near(double a, double b, double scale) {
  return std::isfinite(a) && std::isfinite(scale) && std::abs(a - b) <= 1e-9 * std::max(1.0, scale);
}

void compare(const std::string& name, const DualityGap& gap, const GapClaim& claim, bool offset_fits,
             ModelCheck& out) {
  out.gaps.push_back(gap);
  const double scale = std::abs(gap.primal);
  const bool same = near(gap.primal, claim.primal, scale) && near(gap.dual, claim.dual, scale);
  out.holds = out.holds && same && offset_fits;
  out.lines.push_back(
      fmt::format("{}: objective at most {:.10g}, best at least {:.10g}, relative gap {:.3g}{}", name,
                  gap.primal, gap.dual, gap.relative(),
                  same ? "" : fmt::format("; the model says {:.10g} and {:.10g}", claim.primal, claim.dual)));
}

}  // namespace

void verify_planes(const Model& model, const LinearModel& linear, const Dataset& data,
                   const std::vector<GapClaim>& claims, const Threads& threads, ModelCheck& out) {
  const double C = OptionType<double>::parse("C", text_of(model.options, "C"), {0, 1e300});
  const Offset offset = OptionType<Offset>::parse("offset", text_of(model.options, "offset"), {});
  const std::vector<double> weights = class_weights(data, text_of(model.options, "class-weight"));
  out.holds = true;
  if (is_softmax(model)) {
    const DualityGap gap = softmax_gap(make_softmax_problem(data, offset, C, weights), linear, threads);
    const bool offset_fits =
        offset != Offset::None ||
        std::all_of(linear.offsets.begin(), linear.offsets.end(), [](double b) { return b == 0; });
    compare("all classes", gap, claims[0], offset_fits, out);
    return;
  }
  for (std::size_t k = 0; k < linear.planes; ++k) {
    const auto positive = static_cast<std::uint32_t>(linear.planes == 1 ? 1 : k);
    const Problem problem = make_problem(data, positive, loss_of(model), offset, C, weights);
    std::optional<DualPoint> point;
    if (k < model.dual.size() && !model.dual[k].rows.empty()) point = model.dual[k];
    const bool offset_fits = offset != Offset::None || linear.offsets[k] == 0;
    const DualityGap gap = duality_gap(problem, linear.plane(k), linear.offsets[k], point, threads);
    compare(printable(model.classes[positive]), gap, claims[k], offset_fits, out);
  }
}

}  // namespace halfspace::detail
