// SPDX-License-Identifier: BSD-3-Clause
#include "certify/claims/verify_planes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "certify/duality_gap.hpp"
#include "certify/softmax_gap.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace::detail {
namespace {

void refuse(const std::string& name, const std::string& why, ModelCheck& out) {
  out.lines.push_back(fmt::format("{}: {}", name, why));
  out.holds = false;
}

void take(const std::string& name, const DualityGap& found, const DualityGap& stated, ModelCheck& out) {
  out.gaps.push_back(found);
  const bool holds = as_stated(found, stated);
  out.lines.push_back(gap_line(name, found, stated, holds));
  out.holds = out.holds && holds;
}

// The dual values of the rows of this member, by their numbers here; the last member has those of rows that nobody has.
DualPoint part_here(const DualPoint& point, const Stretch& rows) {
  if (rows.size == rows.total) return point;
  DualPoint out;
  const bool last = rows.first + rows.size == rows.total;
  for (std::size_t k = 0; k < std::min(point.rows.size(), point.alpha.size()); ++k) {
    const std::size_t row = point.rows[k];
    if (row < rows.first || (!last && row >= rows.first + rows.size)) continue;
    out.rows.push_back(static_cast<std::uint32_t>(row - rows.first));
    out.alpha.push_back(point.alpha[k]);
  }
  return out;
}

void verify_softmax(const Model& model, const LinearModel& linear, const Dataset& data,
                    const StatedOptions& options, const std::vector<double>& weights, const std::string& file,
                    const Team& team, ModelCheck& out) {
  const DualityGap stated = stated_gaps(model, 1, file)[0];
  const SoftmaxProblem problem =
      make_softmax_problem(data, options.offset, options.C, weights, options.penalty);
  check_costs(data, problem.cost, file);
  if (options.debias) return refuse("all classes", "fitted again, which softmax is not", out);
  // Its dual point follows from the planes.
  if (!model.dual.empty()) return refuse("all classes", "a dual point that softmax does not have", out);
  if (options.offset == Offset::None &&
      std::any_of(linear.offsets.begin(), linear.offsets.end(), [](double b) { return b != 0; }))
    return refuse("all classes", "an offset, where the options say there is none", out);
  take("all classes", softmax_gap(problem, linear, team), stated, out);
}

}  // namespace

void verify_planes(const Model& model, const LinearModel& linear, const Dataset& data,
                   const StatedOptions& options, const std::string& file, const Team& team, ModelCheck& out) {
  const std::vector<double> weights = stated_class_weights(data, options.class_weight, file, team);
  out.holds = true;
  if (linear.planes > 1 && options.several == Several::Softmax)
    return verify_softmax(model, linear, data, options, weights, file, team, out);
  const std::vector<DualityGap> stated = stated_gaps(model, linear.planes, file);
  const Stretch rows = team.stretch(data.rows());
  if (!model.dual.empty() && model.dual.size() != linear.planes)
    return refuse("the dual points", "not one for every plane", out);
  for (std::size_t k = 0; k < linear.planes; ++k) {
    const auto positive = static_cast<std::uint32_t>(linear.planes == 1 ? 1 : k);
    const std::string name = printable(model.classes[positive]);
    Problem problem =
        make_problem(data, positive, options.loss, options.offset, options.C, weights, options.penalty);
    // Fitted again: among the planes that have a weight where this one has.
    if (options.debias) {
      problem.penalty = L2{};
      for (const double w : linear.plane(k)) problem.usable.push_back(w != 0 ? 1 : 0);
    }
    check_costs(data, problem.cost, file);
    std::optional<DualPoint> point;
    if (!model.dual.empty() && !model.dual[k].rows.empty()) point = part_here(model.dual[k], rows);
    const std::string fault = point ? fault_of(*point, problem) : std::string();
    if (team.any(!fault.empty())) {
      refuse(name, fault, out);
    } else if (options.offset == Offset::None && linear.offsets[k] != 0) {
      refuse(name, "an offset, where the options say there is none", out);
    } else {
      take(name, duality_gap(problem, linear.plane(k), linear.offsets[k], point, team), stated[k], out);
    }
  }
}

}  // namespace halfspace::detail
