// SPDX-License-Identifier: BSD-3-Clause
#include "certify/verify_margins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "halfspace/certify/separation.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace::detail {

void verify_margins(const Model& model, const LinearModel& linear, const Dataset& data,
                    const std::vector<GapClaim>& claims, const Threads& threads, ModelCheck& out) {
  if (model.dual.size() != linear.planes) {
    out.lines.emplace_back("not one dual point for every plane");
    return;
  }
  out.holds = true;
  for (std::size_t k = 0; k < linear.planes; ++k) {
    const GapClaim& claim = claims[k];
    const std::string& label = model.classes[linear.planes == 1 ? 1 : k];
    SeparationProof proof;
    proof.fingerprint = data.fingerprint();
    proof.rows = data.rows();
    proof.features = data.features();
    proof.values = Values::Doubles;
    proof.offset = OptionType<Offset>::parse("offset", text_of(model.options, "offset"), {});
    for (const std::string& name : data.classes())
      (name == label ? proof.positive : proof.negative).push_back(name);
    for (std::uint32_t j = 0; j < linear.features; ++j) {
      if (linear.plane(k)[j] == 0) continue;
      proof.plane.columns.push_back(j);
      proof.plane.weights.push_back(fmt::format("{}", linear.plane(k)[j]));
    }
    proof.plane.offset = fmt::format("{}", linear.offsets[k]);
    proof.margin_plane = proof.plane;
    proof.margin_lower = fmt::format("{:.17g}", std::sqrt(0.5 / claim.primal) * (1 - 1e-9));
    proof.margin_upper = fmt::format("{:.17g}", std::sqrt(0.5 / claim.dual) * (1 + 1e-9));
    proof.hull.rows = model.dual[k].rows;
    for (const double alpha : model.dual[k].alpha) proof.hull.weights.push_back(fmt::format("{}", alpha));
    const bool usable = claim.primal > 0 && claim.dual > 0 &&
                        std::all_of(proof.hull.rows.begin(), proof.hull.rows.end(),
                                    [&](std::uint32_t row) { return row < data.rows(); });
    const Verdict verdict = usable ? verify(proof, data, threads) : Verdict{false, "no bounds are claimed"};
    out.gaps.push_back({claim.primal, claim.dual});
    out.lines.push_back(fmt::format("{}: {}", printable(label), verdict.why));
    out.holds = out.holds && verdict.holds;
  }
}

}  // namespace halfspace::detail
