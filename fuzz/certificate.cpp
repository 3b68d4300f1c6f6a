// SPDX-License-Identifier: BSD-3-Clause
// Certificates of separability: what was read is written and read again without a change, and the checker
// takes whatever it is given.
#include "halfspace/certify/separation.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/builder.hpp"
#include "oracle.hpp"

namespace {

halfspace::Dataset xor_data() {
  halfspace::MatrixBuilder builder;
  for (int i = 0; i < 4; ++i) {
    if ((i & 1) != 0) builder.add(0, 1);
    if ((i & 2) != 0) builder.add(1, 0.1);
    builder.end_row();
  }
  halfspace::StoredMatrix stored = builder.finish(2, halfspace::Threads(1));
  halfspace::DatasetParts parts;
  parts.matrix = stored.matrix;
  parts.storage = stored.storage;
  parts.labels = {0, 1, 1, 0};
  parts.classes = {"-1", "1"};
  parts.name = "data";
  return halfspace::Dataset::make(std::move(parts));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const halfspace::Dataset rows = xor_data();
  halfspace::SeparationProof proof;
  try {
    proof = halfspace::separation_from_json(fuzz::text(data, size), "input");
  } catch (const halfspace::InputError&) {
    return 0;
  }
  const std::string saved = halfspace::to_json(proof);
  fuzz::require(halfspace::to_json(halfspace::separation_from_json(saved, "saved")) == saved,
                "a certificate is the same after writing and reading again");
  proof.fingerprint = rows.fingerprint();
  proof.rows = rows.rows();
  const bool holds = proof.features == rows.features() && halfspace::verify(proof, rows).holds;
  fuzz::require(!holds || proof.verdict != halfspace::Separation::Separable ||
                    proof.positive != std::vector<std::string>{"1"} ||
                    proof.negative != std::vector<std::string>{"-1"},
                "no certificate proves that XOR is separable");
  return 0;
}
