// SPDX-License-Identifier: BSD-3-Clause
#include "witness_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "halfspace/core/error.hpp"
#include "output.hpp"

namespace halfspace::cli {
namespace {

constexpr std::size_t shown_rows = 6, shown_values = 8, shown_weights = 12, short_number = 12;

bool whole(const std::string& text, std::int64_t& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

// mantissa * 10^exponent of a long whole number.
struct Long {
  double mantissa = 0;
  double exponent = 0;
};
Long approximate(const std::string& text) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  const std::size_t kept = std::min<std::size_t>(17, text.size() - sign);
  return {std::stod(text.substr(0, sign + kept)), static_cast<double>(text.size() - sign - kept)};
}

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

std::vector<std::string> shares(const Combination& witness) {
  std::vector<std::string> out;
  std::int64_t sum = 0;
  std::vector<std::int64_t> numbers;
  bool fits = true;
  for (const std::string& text : witness.weights) {
    std::int64_t number = 0;
    fits = fits && text.size() <= short_number && whole(text, number);
    numbers.push_back(number);
    sum += fits ? number : 0;
  }
  if (fits && sum > 0) {
    for (const std::int64_t number : numbers) {
      const std::int64_t common = std::gcd(number, sum);
      out.push_back(sum == common ? fmt::format("{}", number / common)
                                  : fmt::format("{}/{}", number / common, sum / common));
    }
    return out;
  }
  std::vector<Long> parts;
  double top = 0;
  for (const std::string& text : witness.weights) {
    parts.push_back(approximate(text));
    top = std::max(top, parts.back().exponent);
  }
  double total = 0;
  for (const Long& part : parts) total += part.mantissa * std::pow(10, part.exponent - top);
  for (const Long& part : parts)
    out.push_back(fmt::format("{:.6g}", part.mantissa * std::pow(10, part.exponent - top) / total));
  return out;
}

std::vector<std::string> proof_lines(const SeparationProof& proof, const Dataset& data) {
  std::vector<std::string> out;
  if (proof.verdict != Separation::Separable) {
    const Combination& witness = proof.witnesses.front();
    const std::vector<std::string> weights = shares(witness);
    out.push_back(fmt::format("no plane separates them: the hulls of the classes meet in a point of {}",
                              counted(witness.rows.size(), "row")));
    for (std::size_t k = 0; k < std::min(witness.rows.size(), shown_rows); ++k) {
      const std::uint32_t row = witness.rows[k];
      out.push_back(fmt::format("  row {} ({}), weight {}:{}", row + 1,
                                printable(data.classes()[data.labels()[row]]), weights[k],
                                row_text(data, row)));
    }
    if (witness.rows.size() > shown_rows)
      out.push_back(fmt::format("  ... and {} more", witness.rows.size() - shown_rows));
  }
  if (proof.verdict != Separation::Overlapping) out.push_back(plane_text(proof.plane, data));
  return out;
}

}  // namespace halfspace::cli
