// SPDX-License-Identifier: BSD-3-Clause
#include "witness_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "halfspace/core/error.hpp"
#include "output.hpp"

namespace halfspace::cli {
namespace {

constexpr std::size_t shown_rows = 6, shown_values = 8, shown_weights = 12, shown_on_plane = 20;
constexpr std::size_t long_share = 26;

std::string row_text(const Dataset& data, std::uint32_t row) {
  std::string out;
  std::size_t count = 0;
  std::visit(
      [&](const auto& view) {
        for_entries(view.row(row), [&](std::uint32_t j, double x) {
          if (count++ < shown_values) out += fmt::format(" {}:{}", printable(data.feature_name(j), 30), x);
        });
      },
      data.matrix());
  if (count > shown_values) out += fmt::format(" ... ({} in all)", count);
  return out;
}

std::string plane_text(const ExactPlane& plane, const Dataset& data) {
  std::string out = "plane:";
  for (std::size_t k = 0; k < std::min(plane.columns.size(), shown_weights); ++k) {
    std::string weight = plane.weights[k];
    if (weight.size() > 24) weight = fmt::format("{}...", weight.substr(0, 8));
    const bool negative = weight.starts_with('-');
    if (k > 0 || negative) out += negative ? " -" : " +";
    out += fmt::format(" {} {}", negative ? weight.substr(1) : weight,
                       printable(data.feature_name(plane.columns[k]), 30));
  }
  if (plane.columns.size() > shown_weights)
    out += fmt::format(" ... ({} weights in all)", plane.columns.size());
  const bool negative = plane.offset.starts_with('-');
  if (plane.offset != "0")
    out += fmt::format(" {} {}", negative ? "-" : "+",
                       plane.offset.size() > 24 ? plane.offset.substr(negative ? 1 : 0, 8) + "..."
                                                : plane.offset.substr(negative ? 1 : 0));
  return out;
}

}  // namespace

std::string share_text(const Share& share) {
  return share.exact.size() <= long_share ? share.exact : fmt::format("about {:.6g}", share.rounded);
}

std::string rows_text(const std::vector<std::uint32_t>& rows) {
  std::string out = "rows on the plane: ";
  for (std::size_t k = 0; k < std::min(rows.size(), shown_on_plane); ++k)
    out += fmt::format("{}{}", k == 0 ? "" : ", ", std::uint64_t{rows[k]} + 1);
  return rows.size() > shown_on_plane ? fmt::format("{} and {} more", out, rows.size() - shown_on_plane)
                                      : out;
}

std::vector<std::string> proof_lines(const SeparationProof& proof, const Dataset& data) {
  std::vector<std::string> out;
  if (proof.verdict != Separation::Separable) {
    const Combination& witness = proof.witnesses.front();
    const std::vector<Share> weights = shares(witness);
    const std::string count = counted(witness.rows.size(), "row");
    out.push_back(
        proof.offset != Offset::None
            ? fmt::format("no plane separates them: the hulls of the classes meet in a point of {}", count)
            : fmt::format("no plane through the origin separates them: {}, each with the sign of its class, "
                          "sum to zero",
                          count));
    for (std::size_t k = 0; k < std::min(witness.rows.size(), shown_rows); ++k) {
      const std::uint32_t row = witness.rows[k];
      out.push_back(fmt::format("  row {} ({}), weight {}:{}", row + 1,
                                printable(data.classes()[data.labels()[row]]), share_text(weights[k]),
                                row_text(data, row)));
    }
    if (witness.rows.size() > shown_rows)
      out.push_back(fmt::format("  ... and {} more", witness.rows.size() - shown_rows));
  }
  if (proof.verdict != Separation::Overlapping) out.push_back(plane_text(proof.plane, data));
  return out;
}

}  // namespace halfspace::cli
