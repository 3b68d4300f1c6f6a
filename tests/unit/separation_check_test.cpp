// SPDX-License-Identifier: BSD-3-Clause
// The checker of separability certificates, on certificates written by hand.
#include <doctest/doctest.h>

#include "halfspace/certify/separation.hpp"
#include "support.hpp"

namespace halfspace {
namespace {

using testing::dataset_from;

SeparationProof proof_of(const Dataset& data, Separation verdict) {
  SeparationProof out;
  out.fingerprint = data.fingerprint();
  out.rows = data.rows();
  out.features = data.features();
  out.positive = {"1"};
  out.negative = {"-1"};
  out.verdict = verdict;
  return out;
}

const Dataset& and_data() {
  static const Dataset data = dataset_from({{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {-1, -1, -1, 1});
  return data;
}
const Dataset& xor_data() {
  static const Dataset data = dataset_from({{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {-1, 1, 1, -1});
  return data;
}

TEST_CASE("a plane is a proof when every row is on its side, and not when one lies on it") {
  SeparationProof proof = proof_of(and_data(), Separation::Separable);
  proof.plane = {{0, 1}, {"2", "2"}, "-3"};
  CHECK(verify(proof, and_data()).holds);
  proof.plane.weights = {"2/3", "0.5"};
  proof.plane.offset = "-1";
  CHECK(verify(proof, and_data()).holds);
  proof.plane = {{0, 1}, {"2", "2"}, "-4"};
  CHECK_FALSE(verify(proof, and_data()).holds);
  proof.plane = {{0, 1}, {"2", "2"}, "-2"};
  CHECK(verify(proof, and_data()).why == "row 2 is not on its side of the plane");
}

TEST_CASE("the four rows of XOR with equal weights prove that the classes overlap") {
  SeparationProof proof = proof_of(xor_data(), Separation::Overlapping);
  proof.witnesses = {{{0, 1, 2, 3}, {"1/4", "1/4", "1/4", "1/4"}}};
  CHECK(verify(proof, xor_data()).holds);
  proof.witnesses[0].weights[2] = "1/3";
  CHECK(verify(proof, xor_data()).why == "a witness does not sum to zero");
  proof.witnesses[0].weights = {"-1", "-1", "-1", "-1"};
  CHECK(verify(proof, xor_data()).why == "the weight of row 1 is not positive");
  proof.witnesses.clear();
  CHECK_FALSE(verify(proof, xor_data()).holds);
}

TEST_CASE("decimals are not doubles: 0.1 + 0.2 = 0.3 in decimals only") {
  // Row 3 is the sum of the first two exactly, as decimals: through the origin the three touch.
  const Dataset data = dataset_from({{0.1, 1}, {0.2, 1}, {0.3, 2}}, {1, 1, -1});
  SeparationProof proof = proof_of(data, Separation::Overlapping);
  proof.offset = Offset::None;
  proof.witnesses = {{{0, 1, 2}, {"1", "1", "1"}}};
  CHECK(verify(proof, data).holds);
  proof.values = Values::Doubles;
  CHECK(verify(proof, data).why == "a witness does not sum to zero");
}

TEST_CASE("an overlap is not proved by a witness that spans too little") {
  // Equal rows of both classes, and two rows that could still be separated.
  const Dataset data = dataset_from({{0}, {0}, {-1}, {1}}, {-1, 1, -1, 1});
  SeparationProof proof = proof_of(data, Separation::Overlapping);
  proof.witnesses = {{{0, 1}, {"1", "1"}}};
  CHECK_FALSE(verify(proof, data).holds);
  proof.kernel = {{{0}, {"1"}, "0"}};  // not a plane on which all rows lie
  CHECK_FALSE(verify(proof, data).holds);
  proof = proof_of(data, Separation::Touching);
  proof.witnesses = {{{0, 1}, {"1", "1"}}};
  proof.plane = {{0}, {"1"}, "0"};
  proof.complete = true;
  CHECK(verify(proof, data).holds);
  proof.plane.weights = {"-1"};
  CHECK(verify(proof, data).why == "row 3 is on the wrong side of the plane");
}

TEST_CASE("margins, hull points and radius are checked from both sides") {
  const Dataset data = dataset_from({{-3, 4}, {1, 0}, {5, 0}}, {-1, -1, 1});
  SeparationProof proof = proof_of(data, Separation::Separable);
  proof.plane = proof.margin_plane = {{0}, {"1"}, "-3"};
  proof.margin_lower = proof.margin_upper = "2";
  proof.hull = {{1, 2}, {"7", "0.5"}};
  proof.radius = "5";
  CHECK(verify(proof, data).holds);
  proof.margin_lower = "2.000001";
  CHECK(verify(proof, data).why == "the lower bound of the margin is not proved");
  proof.margin_lower = "2";
  proof.margin_upper = "1.999999";
  CHECK(verify(proof, data).why == "the upper bound of the margin is not proved");
  proof.margin_upper = "2";
  proof.radius = "4.999";
  CHECK(verify(proof, data).why == "a row is longer than the radius");
}

TEST_CASE("numbers of 1e300 and 1e-300 beside each other are exact") {
  const Dataset data = dataset_from({{1e300, 1e-300}, {1e300, 2e-300}}, {-1, 1});
  SeparationProof proof = proof_of(data, Separation::Separable);
  proof.plane = {{1}, {"2e300"}, "-3"};
  CHECK(verify(proof, data).holds);
  proof.plane.offset = "-2";
  CHECK_FALSE(verify(proof, data).holds);
}

TEST_CASE("other data are refused by their fingerprint") {
  SeparationProof proof = proof_of(and_data(), Separation::Separable);
  proof.plane = {{0, 1}, {"2", "2"}, "-3"};
  CHECK_FALSE(verify(proof, xor_data()).holds);
}

TEST_CASE("a certificate is the same after writing and reading, and damaged ones are refused") {
  SeparationProof proof = proof_of(xor_data(), Separation::Overlapping);
  proof.witnesses = {{{0, 1, 2, 3}, {"1", "1", "1", "1"}}};
  const std::string text = to_json(proof);
  CHECK(to_json(separation_from_json(text, "c")) == text);
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"[1,2,3,4]", "[1,2,3,5]"},
                                                        {"[1,2,3,4]", "[1,2,3,3]"},
                                                        {"[1,2,3,4]", "[1,2,3]"},
                                                        {"overlapping", "maybe"},
                                                        {"\"rows\":4", "\"rows\":-4"},
                                                        {"{", "["},
                                                        {"kernel", "colonel"}}) {
    std::string bad = text;
    bad.replace(bad.find(from), from.size(), to);
    CHECK_THROWS_AS(static_cast<void>(separation_from_json(bad, "c")), InputError);
  }
}

}  // namespace
}  // namespace halfspace
