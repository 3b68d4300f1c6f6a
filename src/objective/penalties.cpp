// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/objective/penalties.hpp"

#include <fmt/format.h>

namespace halfspace {

std::string ElasticNet::formula(const std::string& theta) const {
  return fmt::format("{0} |{2}|_1 + {1} |{2}|^2/2", ratio, 1 - ratio, theta);
}
std::string ElasticNet::term(const std::string& w) const {
  return fmt::format("{0} |{2}| + {1} {2}^2/2", ratio, 1 - ratio, w);
}

PenaltyParts parts_of(const Penalty& penalty) {
  if (std::holds_alternative<L1>(penalty)) return {1, 0};
  if (const auto* net = std::get_if<ElasticNet>(&penalty)) return {net->ratio, 1 - net->ratio};
  return {0, std::holds_alternative<L2>(penalty) ? 1.0 : 0.0};
}

Penalty penalty_of(const Penalty& named, double l1_ratio) {
  if (!std::holds_alternative<ElasticNet>(named)) return named;
  if (l1_ratio >= 1) return L1{};
  if (l1_ratio <= 0) return L2{};
  return ElasticNet{l1_ratio};
}

}  // namespace halfspace
