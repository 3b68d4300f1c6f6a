// SPDX-License-Identifier: BSD-3-Clause
// The classifier along C, nu or lambda, certified at every point where the algorithm has a certificate.
#include "halfspace/evaluate/path.hpp"

#include <fmt/format.h>

#include <numeric>

#include "halfspace/core/error.hpp"
#include "playground/answers.hpp"

namespace halfspace::playground {
namespace {

struct Way {
  std::string_view option, values;
};
// Ranges in which something happens for points on a board; four values for a factor of ten.
constexpr Way ways[] = {{"C", "0.001:1000"}, {"nu", "0.05:0.95:19"}, {"lambda", "0.0001:10"}};

}  // namespace

Json path_json(const Plan& plan, const Dataset& data, const Run& given) {
  for (const Way& way : ways) {
    if (option_value(plan.algorithm, way.option).empty()) continue;
    SearchSpace space;
    space.fixed.algorithm = std::string(plan.algorithm.name());
    for (const auto& [name, value] : plan.options)
      if (name != way.option) space.fixed.options.emplace_back(name, value);
    space.axes.push_back(*parse_axis(plan.algorithm, std::string(way.option), way.values, 4));
    Split split;
    split.train.resize(data.rows());
    std::iota(split.train.begin(), split.train.end(), 0U);
    split.test = split.train;
    Run run = given;
    run.seed = plan.seed;
    Json points = Json::array();
    for (const PathPoint& point : path_points(data, split, space, run)) {
      Json one = {{"value", point.value}, {"finished", point.finished}};
      if (point.finished) {
        const auto known = [](const auto& value) {
          return value ? finite(static_cast<double>(*value)) : Json(nullptr);
        };
        one["norm"] = known(point.norm);
        one["margin"] = known(point.margin);
        one["support_vectors"] = known(point.support_vectors);
        one["error"] = finite(point.training.share());
        one["relative_gap"] = known(point.relative_gap);
        if (point.theta.size() == 2)
          one["plane"] = {finite(point.theta[0]), finite(point.theta[1]), finite(point.theta0[0])};
      } else {
        one["refusal"] = point.refusal;
      }
      points.push_back(std::move(one));
    }
    return {{"option", way.option}, {"points", std::move(points)}};
  }
  throw UsageError(fmt::format("{} has no C, nu or lambda to go along", plan.algorithm.name()));
}

}  // namespace halfspace::playground
