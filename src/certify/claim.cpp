// SPDX-License-Identifier: BSD-3-Clause
#include "certify/claim.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace halfspace::detail {

std::string text_of(const Facts& facts, std::string_view key) {
  const auto found =
      std::find_if(facts.begin(), facts.end(), [&](const auto& fact) { return fact.first == key; });
  return found == facts.end() ? std::string() : found->second;
}

std::vector<GapClaim> gap_claims(const Model& model) {
  std::vector<GapClaim> out;
  const auto json = nlohmann::json::parse(model.certificate, nullptr, false);
  if (!json.is_array()) return out;
  for (const auto& item : json) {
    GapClaim claim;
    if (item.is_object() && item.contains("kind") && item["kind"] == "duality-gap") {
      if (item.contains("primal") && item["primal"].is_number()) claim.primal = item["primal"].get<double>();
      if (item.contains("dual") && item["dual"].is_number()) claim.dual = item["dual"].get<double>();
    }
    out.push_back(claim);
  }
  return out;
}

}  // namespace halfspace::detail
