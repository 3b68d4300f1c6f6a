// SPDX-License-Identifier: BSD-3-Clause
// Certificates of separability. Whatever a file claims, of small data sets only what is true is believed: for any classes on
// either side, with and without an offset, and for rows said to lie on every plane.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "halfspace/certify/separation.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/builder.hpp"
#include "oracle.hpp"

namespace {

using namespace halfspace;
using Point = std::array<long, 3>;

// Rows of two halves each, three classes, weights 0 or 1.
struct Known {
  std::vector<std::array<long, 2>> halves;
  std::vector<std::uint32_t> labels;
  std::vector<double> weights;
  Dataset data;
};

Known make(std::vector<std::array<long, 2>> halves, std::vector<std::uint32_t> labels,
           std::vector<double> weights = {}) {
  MatrixBuilder builder;
  for (const auto& row : halves) {
    builder.add(0, static_cast<double>(row[0]) / 2);
    builder.add(1, static_cast<double>(row[1]) / 2);
    builder.end_row();
  }
  StoredMatrix stored = builder.finish(2, Threads(1));
  DatasetParts parts{.matrix = stored.matrix, .storage = stored.storage, .labels = labels};
  parts.classes = {"-1", "1", "2"};
  parts.classes.resize(*std::max_element(labels.begin(), labels.end()) + 1);
  parts.weights = weights;
  parts.name = "rows";
  return {std::move(halves), std::move(labels), std::move(weights), Dataset::make(std::move(parts))};
}

const std::vector<Known>& known() {
  static const std::vector<Known> all = {
      make({{0, 0}, {0, 2}, {2, 0}, {2, 2}}, {0, 0, 0, 1}),
      make({{0, 0}, {0, 2}, {2, 0}, {2, 2}}, {0, 1, 1, 0}),
      make({{0, 0}, {1, 0}, {2, 0}, {4, 2}}, {0, 1, 0, 1}),
      make({{0, 0}, {0, 0}, {2, 2}, {2, 2}, {4, 4}}, {0, 1, 0, 1, 1}),
      make({{0, 0}, {2, 0}, {4, 0}, {4, 0}, {0, 2}}, {0, 1, 2, 0, 1}),
      make({{0, 0}, {0, 2}, {2, 0}, {2, 2}}, {0, 1, 1, 0}, {1, 1, 1, 0}),
  };
  return all;
}

Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
long dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// The rows that some plane has strictly on their side while none is on the wrong one. The planes with none on the wrong side
// are a cone; whatever its dimension, its extreme rays are among these products of rows.
std::set<std::uint32_t> rows_apart(const std::vector<std::pair<std::uint32_t, Point>>& a) {
  std::vector<Point> rays;
  for (const auto& [i, p] : a) {
    rays.push_back(p);
    for (const auto& [j, q] : a) {
      rays.push_back(cross(p, q));
      for (const auto& [k, r] : a) rays.push_back(cross(p, cross(q, r)));
    }
  }
  std::set<std::uint32_t> apart;
  for (const Point& ray : rays) {
    for (const long sign : {1L, -1L}) {
      bool wrong = false;
      for (const auto& [i, p] : a) wrong = wrong || sign * dot(p, ray) < 0;
      for (const auto& [i, p] : a)
        if (!wrong && sign * dot(p, ray) > 0) apart.insert(i);
    }
  }
  return apart;
}

int side_of(const SeparationProof& proof, const std::string& name) {
  int out = 0;
  for (const std::string& n : proof.positive) out += n == name ? 1 : 0;
  for (const std::string& n : proof.negative) out -= n == name ? 1 : 0;
  return out;
}

void check(const SeparationProof& proof, const Known& k) {
  const SeparationVerdict verdict = verify(proof, k.data);
  if (!verdict.holds) return;
  std::vector<std::pair<std::uint32_t, Point>> a;
  long balance[2] = {0, 0};
  for (std::uint32_t i = 0; i < k.labels.size(); ++i) {
    const int y = side_of(proof, k.data.classes()[k.labels[i]]);
    if (y == 0 || (!k.weights.empty() && k.weights[i] == 0)) continue;
    ++balance[y > 0 ? 1 : 0];
    a.push_back({i, {y * k.halves[i][0], y * k.halves[i][1], proof.offset == Offset::None ? 0 : 2L * y}});
  }
  fuzz::require(balance[0] > 0 && balance[1] > 0, "a proof about one side is believed");
  const std::set<std::uint32_t> apart = rows_apart(a);
  const Separation truth = apart.size() == a.size() ? Separation::Separable
                           : apart.empty()          ? Separation::Overlapping
                                                    : Separation::Touching;
  fuzz::require(proof.verdict == truth, "a false certificate is believed");
  if (!proof.complete) return;
  for (const auto& [i, p] : a) {
    const bool on = std::find(verdict.rows_on_plane.begin(), verdict.rows_on_plane.end(), i) !=
                    verdict.rows_on_plane.end();
    fuzz::require(on != apart.contains(i), "a row said to lie on every plane does not");
  }
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
    // As if it had been made for these rows; row and column numbers may be any.
    proof.fingerprint = k.data.fingerprint();
    proof.rows = k.data.rows();
    proof.features = k.data.features();
    check(proof, k);
  }
  return 0;
}
