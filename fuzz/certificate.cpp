// SPDX-License-Identifier: BSD-3-Clause
// Certificates of separability. Whatever a file claims, of data whose verdict is known only the true one is
// believed.
#include <array>
#include <vector>

#include "halfspace/certify/separation.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/builder.hpp"
#include "oracle.hpp"

namespace {

using namespace halfspace;

struct Known {
  Dataset data;
  Separation verdict;
};

Known make(const std::vector<std::array<double, 2>>& rows, std::vector<std::uint32_t> labels,
           Separation verdict) {
  MatrixBuilder builder;
  for (const auto& row : rows) {
    builder.add(0, row[0]);
    builder.add(1, row[1]);
    builder.end_row();
  }
  StoredMatrix stored = builder.finish(2, Threads(1));
  DatasetParts parts{.matrix = stored.matrix, .storage = stored.storage, .labels = std::move(labels)};
  parts.classes = {"-1", "1"};
  parts.name = "rows";
  return {Dataset::make(std::move(parts)), verdict};
}

const std::vector<Known>& known() {
  static const std::vector<Known> all = {
      make({{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {0, 0, 0, 1}, Separation::Separable),
      make({{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {0, 1, 1, 0}, Separation::Overlapping),
      make({{0, 0}, {0.5, 0}, {1, 0}, {2, 1}}, {0, 1, 0, 1}, Separation::Touching),
  };
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  SeparationProof proof;
  try {
    proof = separation_from_json(fuzz::text(data, size), "input");
  } catch (const InputError&) {
    return 0;
  }
  const std::string saved = to_json(proof);
  fuzz::require(to_json(separation_from_json(saved, "saved")) == saved,
                "a certificate reads back as it was written");
  for (const Known& k : known()) {
    // A proof without an offset, or of other classes, is about another question.
    if (proof.offset == Offset::None || proof.positive != std::vector<std::string>{"1"}) continue;
    proof.fingerprint = k.data.fingerprint();
    proof.rows = k.data.rows();
    proof.features = k.data.features();
    try {
      fuzz::require(!verify(proof, k.data).holds || proof.verdict == k.verdict,
                    "a false certificate is believed");
    } catch (const InputError&) {
    }
  }
  return 0;
}
