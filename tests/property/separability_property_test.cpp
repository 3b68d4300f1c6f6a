// SPDX-License-Identifier: BSD-3-Clause
// Verdicts against an exact linear program solved by a plain tableau, and certificates that were tampered
// with.
#include <doctest/doctest.h>
#include <gmpxx.h>

#include <cmath>
#include <string>
#include <vector>

#include "halfspace/core/random.hpp"
#include "halfspace/solve/separability.hpp"
#include "support.hpp"

namespace halfspace {
namespace {

using testing::dataset_from;
using testing::Rows;

// max sum s  s.t.  A w >= s, 0 <= s <= 1, by Bland's rule: how many rows some plane can have strictly on
// their side while no row is on the wrong one.
std::size_t rows_apart(const std::vector<std::vector<mpq_class>>& a) {
  const std::size_t n = a.size(), c = a[0].size();
  const std::size_t columns = 2 * c + 3 * n + 1;  // w+, w-, s, t, u, right side
  std::vector<std::vector<mpq_class>> table(2 * n + 1, std::vector<mpq_class>(columns));
  std::vector<std::size_t> basis(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < c; ++j) {
      table[i][j] = -a[i][j];
      table[i][c + j] = a[i][j];
    }
    table[i][2 * c + i] = 1;
    table[i][2 * c + n + i] = 1;
    basis[i] = 2 * c + n + i;
    table[n + i][2 * c + i] = 1;
    table[n + i][2 * c + 2 * n + i] = 1;
    table[n + i][columns - 1] = 1;
    basis[n + i] = 2 * c + 2 * n + i;
    table[2 * n][2 * c + i] = -1;
  }
  while (true) {
    std::size_t enter = 0;
    while (enter + 1 < columns && table[2 * n][enter] >= 0) ++enter;
    if (enter + 1 == columns) break;
    std::size_t leave = 2 * n;
    for (std::size_t r = 0; r < 2 * n; ++r) {
      if (table[r][enter] <= 0) continue;
      if (leave == 2 * n) {
        leave = r;
        continue;
      }
      const mpq_class left = table[r].back() * table[leave][enter],
                      right = table[leave].back() * table[r][enter];
      if (left < right || (left == right && basis[r] < basis[leave])) leave = r;
    }
    REQUIRE(leave < 2 * n);
    const mpq_class pivot = table[leave][enter];
    for (mpq_class& x : table[leave]) x /= pivot;
    for (std::size_t r = 0; r <= 2 * n; ++r) {
      if (r == leave || table[r][enter] == 0) continue;
      const mpq_class factor = table[r][enter];
      for (std::size_t k = 0; k < columns; ++k) table[r][k] -= factor * table[leave][k];
    }
    basis[leave] = enter;
  }
  return static_cast<std::size_t>(mpz_class(table[2 * n].back()).get_ui());
}

struct Case {
  Rows rows;
  std::vector<int> labels;
  Offset offset = Offset::Free;

  [[nodiscard]] Dataset data() const { return dataset_from(rows, labels); }
  [[nodiscard]] Separation verdict() const {
    std::vector<std::vector<mpq_class>> a;
    const int positive = *std::max_element(labels.begin(), labels.end());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const int y = labels[i] == positive ? 1 : -1;
      a.emplace_back();
      for (const double x : rows[i]) a.back().emplace_back(y * x);
      if (offset != Offset::None) a.back().emplace_back(y);
    }
    const std::size_t apart = rows_apart(a);
    return apart == rows.size() ? Separation::Separable
           : apart == 0         ? Separation::Overlapping
                                : Separation::Touching;
  }
};

// Integer grids: small ones touch often; labels by a plane, some flipped.
Case random_case(Random& random) {
  Case out;
  const std::size_t n = 2 + random.below(12), d = 1 + random.below(4);
  const auto size = static_cast<double>(std::vector<int>{1, 2, 5, 1000, 1000000}[random.below(5)]);
  const double flipped = random.below(2) == 0 ? 0 : 0.1;
  std::vector<double> plane;
  for (std::size_t j = 0; j < d; ++j) plane.push_back(std::round((2 * random.uniform() - 1) * 3));
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    out.rows.emplace_back();
    for (std::size_t j = 0; j < d; ++j) {
      out.rows.back().push_back(std::round((2 * random.uniform() - 1) * size));
      sum += plane[j] * out.rows.back()[j];
    }
    if (random.below(6) == 0 && i > 0) out.rows.back() = out.rows[random.below(i)];
    const bool positive = sum == 0 ? random.below(2) == 0 : sum > 0;
    out.labels.push_back((positive != (random.uniform() < flipped)) ? 1 : -1);
  }
  // Of one class there is no question.
  if (std::count(out.labels.begin(), out.labels.end(), out.labels[0]) == static_cast<std::ptrdiff_t>(n))
    out.labels[random.below(n)] *= -1;
  out.offset = random.below(4) == 0 ? Offset::None : Offset::Free;
  return out;
}

// A change after which the certificate cannot be right.
bool tamper(SeparationProof& proof, Random& random) {
  const auto number = [](const std::string& text) { return mpz_class(text); };
  if (random.below(12) == 0) {
    proof.fingerprint[random.below(proof.fingerprint.size())] ^= 1;
    return true;
  }
  if (proof.verdict != Separation::Separable) {
    Combination& witness = proof.witnesses[random.below(proof.witnesses.size())];
    const std::size_t k = random.below(witness.rows.size());
    switch (random.below(4)) {
      case 0:
        witness.weights[k] = mpz_class(number(witness.weights[k]) + 1).get_str();
        return witness.rows.size() > 1;
      case 1:
        if (witness.rows.size() < 2) return false;
        witness.rows.erase(witness.rows.begin() + static_cast<std::ptrdiff_t>(k));
        witness.weights.erase(witness.weights.begin() + static_cast<std::ptrdiff_t>(k));
        return true;
      case 2:
        for (std::string& w : proof.witnesses[0].weights) w = mpz_class(-number(w)).get_str();
        return true;
      default: proof.verdict = Separation::Separable; return true;
    }
  }
  if (random.below(2) == 0 && !proof.plane.weights.empty()) {
    for (std::string& w : proof.plane.weights) w = mpz_class(-number(w)).get_str();
    proof.plane.offset = mpz_class(-number(proof.plane.offset)).get_str();
    return true;
  }
  proof.verdict = random.below(2) == 0 ? Separation::Touching : Separation::Overlapping;
  return true;
}

TEST_CASE("verdicts on random grids are those of an exact linear program, and every certificate holds") {
  Random random(5);
  std::size_t count[3] = {0, 0, 0};
  for (int trial = 0; trial < 3000; ++trial) {
    const Case one = random_case(random);
    const Dataset data = one.data();
    const Separability answer = separability(data, {.offset = one.offset});
    CAPTURE(trial);
    REQUIRE(answer.decided);
    REQUIRE(answer.proof.verdict == one.verdict());
    const Verdict check = verify(answer.proof, data);
    CAPTURE(check.why);
    REQUIRE(check.holds);
    if (answer.proof.verdict == Separation::Touching) CHECK(answer.proof.complete);
    if (!answer.proof.witnesses.empty()) CHECK(answer.proof.witnesses[0].rows.size() <= data.features() + 2);
    ++count[static_cast<int>(answer.proof.verdict)];
  }
  for (const std::size_t c : count) CHECK(c > 50);  // all three occur
}

TEST_CASE("a few numbers too long for a machine word among short ones: the verdicts of the linear program") {
  Random random(8);
  for (int trial = 0; trial < 300; ++trial) {
    Case one = random_case(random);
    for (int k = 0; k < 3; ++k) {
      double& x = one.rows[random.below(one.rows.size())][random.below(one.rows[0].size())];
      x = std::ldexp(x, -80);
    }
    const Dataset data = one.data();
    const Separability answer = separability(data, {.offset = one.offset});
    CAPTURE(trial);
    REQUIRE(answer.decided);
    REQUIRE(answer.proof.verdict == one.verdict());
    REQUIRE(verify(answer.proof, data).holds);
  }
}

TEST_CASE("each of 10000 tampered certificates is refused") {
  Random random(6);
  std::size_t refused = 0;
  while (refused < 10000) {
    Case one = random_case(random);
    one.offset = Offset::Free;  // without an offset a row of zeros may have any weight
    const Dataset data = one.data();
    const Separability answer = separability(data, {.offset = one.offset});
    for (int k = 0; k < 10; ++k) {
      SeparationProof proof = answer.proof;
      if (!tamper(proof, random)) continue;
      CAPTURE(to_json(proof));
      REQUIRE_FALSE(verify(proof, data).holds);
      ++refused;
    }
  }
}

TEST_CASE("the same data with rows in another order, or columns multiplied, have the same verdict") {
  Random random(7);
  for (int trial = 0; trial < 200; ++trial) {
    Case one = random_case(random);
    const Separation verdict = separability(one.data(), {.offset = one.offset}).proof.verdict;
    std::vector<std::uint32_t> order(one.rows.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    random.shuffle(order);
    Case other;
    for (const std::uint32_t i : order) {
      other.rows.push_back(one.rows[i]);
      other.labels.push_back(one.labels[i]);
      for (std::size_t j = 0; j < other.rows.back().size(); ++j)
        other.rows.back()[j] *= j % 2 == 0 ? 1e-3 : 1024;
    }
    // As decimals: 1e-3 is not a binary fraction.
    CHECK(separability(other.data(), {.offset = one.offset, .values = Values::Decimals}).proof.verdict ==
          verdict);
  }
}

}  // namespace
}  // namespace halfspace
