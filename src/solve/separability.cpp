// SPDX-License-Identifier: BSD-3-Clause
// Separable, touching or overlapping: see docs/separability.md for the stages and what each proves. The
// stages are in solve/separation/.
#include "halfspace/solve/separability.hpp"

#include <stdexcept>

#include "solve/separation/decide.hpp"

namespace halfspace {
namespace {

Values meant(const Dataset& data, const SeparabilityOptions& options) {
  if (options.values) return *options.values;
  const bool decimals = data.from_text() || std::holds_alternative<CsrView<Decimal>>(data.matrix()) ||
                        std::holds_alternative<DenseView<Decimal>>(data.matrix());
  return decimals ? Values::Decimals : Values::Doubles;
}

}  // namespace

Separability separability(const Dataset& data, std::vector<std::string> positive,
                          std::vector<std::string> negative, const SeparabilityOptions& options,
                          const Run& run) {
  Separability out;
  SeparationProof& proof = out.proof;
  proof.fingerprint = data.fingerprint();
  proof.rows = data.rows();
  proof.features = data.features();
  proof.values = meant(data, options);
  proof.positive = std::move(positive);
  proof.negative = std::move(negative);
  proof.offset = options.offset;
  const std::vector<std::int8_t> y = sides(data, proof.positive, proof.negative);
  const separation::IntegerRows rows =
      separation::integer_rows(data, y, proof.values, options.offset != Offset::None);
  separation::Decision decision(rows, run.seed, run.threads);
  out.decided = decision.decide();
  out.method = decision.method();
  out.pivots = decision.pivots();
  if (decision.core() != nullptr) {
    out.core_rows = decision.core()->rows();
    out.core_columns = decision.core()->columns();
  }
  if (out.decided) decision.write(proof);
  return out;
}

Separability separability(const Dataset& data, const SeparabilityOptions& options, const Run& run) {
  std::vector<std::string> negative = data.classes();
  std::vector<std::string> positive;
  if (!negative.empty()) {
    positive.push_back(negative.back());
    negative.pop_back();
  }
  return separability(data, std::move(positive), std::move(negative), options, run);
}

}  // namespace halfspace
