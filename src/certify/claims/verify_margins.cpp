// SPDX-License-Identifier: BSD-3-Clause
#include "certify/claims/verify_margins.hpp"

#include <fmt/format.h>
#include <gmpxx.h>

#include <algorithm>
#include <cmath>

#include "halfspace/certify/separation.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace::detail {
namespace {

// The very number, as a fraction.
std::string exact_text(double value) { return mpq_class(value).get_str(); }

// 1e-12: the last digits of the claim.
SeparationProof proof_of(const LinearModel& linear, std::size_t k, const DualPoint& dual,
                         const DualityGap& claim) {
  SeparationProof proof;
  for (std::uint32_t j = 0; j < linear.features; ++j) {
    if (linear.plane(k)[j] == 0) continue;
    proof.plane.columns.push_back(j);
    proof.plane.weights.push_back(exact_text(linear.plane(k)[j]));
  }
  proof.plane.offset = exact_text(linear.offsets[k]);
  proof.margin_plane = proof.plane;
  proof.margin_lower = fmt::format("{:.17g}", std::sqrt(0.5 / claim.primal) * (1 - 1e-12));
  proof.margin_upper = fmt::format("{:.17g}", std::sqrt(0.5 / claim.dual) * (1 + 1e-12));
  proof.hull.rows = dual.rows;
  for (const double alpha : dual.alpha) proof.hull.weights.push_back(fmt::format("{}", alpha));
  return proof;
}

}  // namespace

void verify_margins(const Model& model, const LinearModel& linear, const Dataset& data,
                    const StatedOptions& options, const std::string& file, const Threads& threads,
                    ModelCheck& out) {
  const std::vector<DualityGap> claims = stated_gaps(model, linear.planes, file);
  if (model.dual.size() != linear.planes) {
    out.lines.emplace_back("not one dual point for every plane");
    return;
  }
  out.holds = true;
  for (std::size_t k = 0; k < linear.planes; ++k) {
    const DualityGap& claim = claims[k];
    const std::string& label = model.classes[linear.planes == 1 ? 1 : k];
    // What the file says is a number; roots of it must be ones that doubles can hold.
    const bool usable =
        claim.primal >= 1e-300 && claim.dual >= 1e-300 && claim.primal <= 1e300 && claim.dual <= claim.primal;
    Verdict verdict{false, "no bounds are claimed"};
    if (usable) {
      SeparationProof proof = proof_of(linear, k, model.dual[k], claim);
      proof.fingerprint = data.fingerprint();
      proof.rows = data.rows();
      proof.features = data.features();
      proof.values = Values::Doubles;
      proof.offset = options.offset;
      for (const std::string& name : data.classes())
        (name == label ? proof.positive : proof.negative).push_back(name);
      const bool there = std::all_of(proof.hull.rows.begin(), proof.hull.rows.end(),
                                     [&](std::uint32_t row) { return row < data.rows(); });
      verdict =
          there ? verify(proof, data, threads) : Verdict{false, "a dual value of a row that is not there"};
    }
    if (verdict.holds) out.gaps.push_back(claim);
    out.lines.push_back(fmt::format("{}: {}", printable(label), verdict.why));
    out.holds = out.holds && verdict.holds;
  }
}

}  // namespace halfspace::detail
