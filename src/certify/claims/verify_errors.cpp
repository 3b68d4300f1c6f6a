// SPDX-License-Identifier: BSD-3-Clause
#include "certify/claims/verify_errors.hpp"

#include <fmt/format.h>
#include <gmpxx.h>

#include "certify/errors/check_bound.hpp"
#include "certify/errors/error_rows.hpp"
#include "certify/separation/refusal.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace::detail {
namespace {

constexpr std::size_t longest_bound = 700;  // characters; weights of 1e-300 have as many digits below

// A bound that is claimed, in units of weight.
std::int64_t units(const std::string& text, const WholeWeights& weights) {
  require(text.size() <= longest_bound, "a bound is longer than weights can be");
  mpq_class value;
  require(exact_number(text, value), "a bound is no number");
  value /= weights.unit;
  require(value.get_den() == 1 && value >= 0 && bits_of(value.get_num()) <= 41,
          "a bound is no sum of weights of these rows");
  return value.get_num().get_si();
}

std::string check_plane(const ErrorBounds& claim, const LinearModel& linear, std::size_t k,
                        const std::vector<std::int8_t>& y, const Dataset& data, bool offset,
                        const Threads& threads) {
  const Values values = values_of(data);
  const WholeWeights weights = whole_weights(data, y, values);
  const std::int64_t upper = units(claim.upper, weights), lower = units(claim.lower, weights);
  require(lower <= upper, "the lower bound is above the upper one");
  require(offset || linear.offsets[k] == 0, "an offset, where the options say there is none");
  const std::vector<std::uint32_t> wrong =
      rows_in_error(data, y, values, linear.plane(k), linear.offsets[k], threads);
  std::int64_t sum = 0;
  for (const std::uint32_t i : wrong) sum += weights.of[i];
  if (sum != upper || wrong != claim.errors)
    throw Refused{fmt::format("{} rows are errors, of weight {}; the model says something else", wrong.size(),
                              weights.value(sum).get_str())};
  const ErrorRows rows = error_rows(data, y, offset, values, weights, threads);
  check_bound(rows, claim.proof, lower, threads);
  return lower == upper ? fmt::format("errors {}, and no plane has fewer", claim.upper)
                        : fmt::format("errors {}, and no plane has fewer than {}", claim.upper, claim.lower);
}

}  // namespace

void verify_errors(const Model& model, const LinearModel& linear, const Dataset& data,
                   const StatedOptions& options, const std::string& file, const Threads& threads,
                   ModelCheck& out) {
  const Place place{.file = file};
  const std::vector<Certificate> claims = certificates_from_json(model.certificate, place);
  if (claims.size() != linear.planes)
    throw InputError(place, fmt::format("the model has {} certificates", claims.size()),
                     fmt::format("{} expected", linear.planes));
  if (!model.dual.empty()) {
    out.lines.emplace_back("a dual point that planes of fewest errors do not have");
    return;
  }
  out.holds = true;
  for (std::size_t k = 0; k < linear.planes; ++k) {
    const auto* const claim = std::get_if<ErrorBounds>(&claims[k]);
    if (claim == nullptr)
      throw InputError(place, "the model has a certificate of another kind", "error-bounds");
    const std::uint32_t positive = linear.planes == 1 ? 1 : static_cast<std::uint32_t>(k);
    std::vector<std::int8_t> y(data.rows(), 0);
    for (std::size_t i = 0; i < y.size(); ++i)
      if (data.weight(i) > 0) y[i] = data.labels()[i] == positive ? 1 : -1;
    std::string line;
    try {
      line = check_plane(*claim, linear, k, y, data, options.offset != Offset::None, threads);
      out.found.emplace_back(ErrorBounds{claim->upper, claim->lower, claim->errors, {}});
    } catch (const Refused& refused) {
      line = refused.why;
      out.holds = false;
    }
    out.lines.push_back(fmt::format("{}: {}", printable(model.classes[positive]), line));
  }
}

}  // namespace halfspace::detail
