// SPDX-License-Identifier: BSD-3-Clause
// The checker of separability certificates, on certificates written by hand.
#include <doctest/doctest.h>
#include <gmp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <exception>
#include <new>

#include "halfspace/certify/separation.hpp"
#include "support.hpp"

namespace halfspace {
namespace {

using testing::dataset_from;
using testing::Rows;

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
  proof.null_space = {{{0}, {"1"}, "0"}};  // not a plane on which all rows lie
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
                                                        {"null_space", "colonel"}}) {
    std::string bad = text;
    bad.replace(bad.find(from), from.size(), to);
    CHECK_THROWS_AS(static_cast<void>(separation_from_json(bad, "c")), InputError);
  }
}

// The certificate about x = 0, 0, 1, 1, 2 of alternating classes: two witnesses span everything.
SeparationProof segment_proof(const Dataset& data) {
  SeparationProof proof = proof_of(data, Separation::Overlapping);
  proof.witnesses = {{{0, 1}, {"1", "1"}}, {{2, 3}, {"1", "1"}}};
  return proof;
}
const Dataset& segment() {
  static const Dataset data = dataset_from({{0}, {0}, {1}, {1}, {2}}, {-1, 1, -1, 1, 1});
  return data;
}

TEST_CASE("both sides have classes and rows, and none stands on both") {
  const Dataset data = dataset_from({{0}, {1}, {2}}, {1, 2, 3}, {1, 1, 0});
  SeparationProof proof = proof_of(data, Separation::Separable);
  proof.plane = {{0}, {"2"}, "-1"};
  proof.positive = {"2"};
  proof.negative = {"1"};
  const SeparationVerdict good = verify(proof, data);
  CHECK(good.holds);
  CHECK(good.positive_rows == 1);
  CHECK(good.negative_rows == 1);
  CHECK(good.absent_rows == 1);
  CHECK(good.absent_classes == std::vector<std::string>{"3"});
  CHECK(good.about ==
        "2 (1 row) against 1 (1 row), planes with an offset, numbers as decimals; 1 row is not taking part, "
        "among "
        "them all of 3");
  using Names = std::vector<std::string>;
  for (const auto& [positive, negative] : std::vector<std::pair<Names, Names>>{{{}, {}},
                                                                               {{"2"}, {}},
                                                                               {{}, {"1"}},
                                                                               {{"1", "2", "3"}, {}},
                                                                               {{"2"}, {"2"}},
                                                                               {{"2", "2"}, {"1"}},
                                                                               {{"3"}, {"1"}},
                                                                               {{"2"}, {"3"}},
                                                                               {{"2"}, {"4"}}}) {
    proof.positive = positive;
    proof.negative = negative;
    CHECK_FALSE(verify(proof, data).holds);
    CHECK(verify(proof, data).about.empty());
  }
}

TEST_CASE("which numbers are meant is not the claimant's choice") {
  SeparationProof proof = proof_of(and_data(), Separation::Separable);
  proof.plane = {{0, 1}, {"2", "2"}, "-3"};
  CHECK(values_of(and_data()) == Values::Doubles);
  CHECK(verify(proof, and_data(), Threads(1), Values::Decimals).holds);
  CHECK_FALSE(verify(proof, and_data(), Threads(1), Values::Doubles).holds);
}

TEST_CASE("row and column numbers that the data do not have are refused, wherever the proof came from") {
  SeparationProof proof = segment_proof(segment());
  CHECK(verify(proof, segment()).holds);
  proof.witnesses[1].rows[0] = 5;
  CHECK_FALSE(verify(proof, segment()).holds);
  proof.witnesses[1] = {{2, 2}, {"1", "-1"}};
  CHECK_FALSE(verify(proof, segment()).holds);
  proof.witnesses[1] = {{2, 3}, {"1"}};
  CHECK_FALSE(verify(proof, segment()).holds);
  proof = proof_of(and_data(), Separation::Separable);
  proof.plane = {{0, 7}, {"2", "2"}, "-3"};
  CHECK_FALSE(verify(proof, and_data()).holds);
  proof.plane = {{1, 0}, {"2", "2"}, "-3"};
  CHECK_FALSE(verify(proof, and_data()).holds);
}

TEST_CASE("parts that do not belong to the verdict are refused: nothing is said and not checked") {
  SeparationProof proof = segment_proof(segment());
  proof.plane = {{0}, {"1"}, "0"};
  CHECK_FALSE(verify(proof, segment()).holds);
  proof = segment_proof(segment());
  proof.radius = "1";
  CHECK_FALSE(verify(proof, segment()).holds);
  proof = segment_proof(segment());
  proof.complete = true;
  CHECK_FALSE(verify(proof, segment()).holds);
  proof = proof_of(and_data(), Separation::Separable);
  proof.plane = {{0, 1}, {"2", "2"}, "-3"};
  proof.witnesses = {{{0}, {"1"}}};
  CHECK_FALSE(verify(proof, and_data()).holds);
  proof.witnesses.clear();
  proof.margin_lower = "0.1";
  CHECK_FALSE(verify(proof, and_data()).holds);
}

TEST_CASE("planes of the null space are independent: each has a column of its own, and all rows lie on it") {
  // All rows have x1 = x2: one plane of the null space.
  const Dataset data = dataset_from({{0, 0}, {0, 0}, {1, 1}, {1, 1}, {2, 2}}, {-1, 1, -1, 1, 1});
  SeparationProof proof = segment_proof(data);
  CHECK_FALSE(verify(proof, data).holds);
  proof.null_space = {{{0, 1}, {"1", "-1"}, "0"}};
  CHECK(verify(proof, data).holds);
  proof.null_space = {{{0, 1}, {"1", "-1"}, "0"}, {{0, 1}, {"2", "-2"}, "0"}};
  CHECK(verify(proof, data).why == "a plane of the null space has no column of its own");
  proof.null_space = {{{0, 1}, {"1", "-2"}, "0"}};
  CHECK(verify(proof, data).why == "row 3 is not on a plane of the null space");
  proof.null_space.assign(4, {{0, 1}, {"1", "-1"}, "0"});
  CHECK(verify(proof, data).why == "the null space has more planes than there are columns");
  proof.null_space = {{{0, 1}, {"0", "0"}, "0"}};
  CHECK_FALSE(verify(proof, data).holds);
}

TEST_CASE("numbers longer than a proof about the rows can need are refused before they are read") {
  SeparationProof proof = segment_proof(segment());
  const auto refused = [&](std::vector<std::string> weights) {
    proof.witnesses[0].weights = std::move(weights);
    return !verify(proof, segment()).holds;
  };
  CHECK_FALSE(refused({"1e300", "1e300"}));
  CHECK_FALSE(refused({std::string(2000, '7'), std::string(2000, '7')}));
  CHECK(refused({"1e9999", "1e9999"}));
  CHECK(refused({std::string(100000, '7'), std::string(100000, '7')}));
  // Denominators without a common factor: each is short, their product is not.
  Rows rows;
  std::vector<int> labels;
  for (int i = 0; i < 4000; ++i) {
    rows.push_back({1});
    labels.push_back(i % 2 == 0 ? 1 : -1);
  }
  const Dataset many = dataset_from(rows, labels);
  proof = proof_of(many, Separation::Overlapping);
  proof.witnesses.emplace_back();
  for (std::uint32_t i = 0; i < 4000; ++i) {
    proof.witnesses[0].rows.push_back(i);
    proof.witnesses[0].weights.push_back("1/" + std::to_string(1000003 + 2 * i));
  }
  CHECK(verify(proof, many).why.starts_with("a common denominator of more than"));
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED_ALLOCATION
#endif
#endif
#ifndef SANITIZED_ALLOCATION  // sanitizers refuse such an allocation by themselves
TEST_CASE("GMP without memory ends the program by its own handler, with bad_alloc in hand") {
  void* (*allocate)(std::size_t) = nullptr;
  mp_get_memory_functions(&allocate, nullptr, nullptr);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::set_terminate([] {
      try {
        std::rethrow_exception(std::current_exception());
      } catch (const std::bad_alloc&) {
        _exit(5);
      } catch (...) {
      }
      _exit(6);
    });
    static_cast<void>(allocate(PTRDIFF_MAX));
    _exit(7);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 5);
}
#endif

TEST_CASE("shares of a witness are exact, whatever the length of its weights") {
  const std::vector<Share> short_ones = shares({{0, 1, 2}, {"1", "2", "5"}});
  CHECK(short_ones[2].exact == "5/8");
  CHECK(short_ones[2].rounded == 0.625);
  const std::vector<Share> long_ones = shares({{0, 1}, {"1" + std::string(40, '0'), "1"}});
  CHECK(long_ones[1].exact == "1/1" + std::string(39, '0') + "1");
}

}  // namespace
}  // namespace halfspace
