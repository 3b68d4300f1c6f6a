// SPDX-License-Identifier: BSD-3-Clause
#include "solve/systems/pair_matrix.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "data/readers.hpp"
#include "halfspace/core/random.hpp"
#include "solve/systems/curved_rows.hpp"

using namespace halfspace;

namespace {

constexpr std::size_t planes = 4, stride = 8, features = 3;

Dataset some_rows(int rows) {
  Random random(11);
  std::string text;
  for (int i = 0; i < rows; ++i) {
    text += std::to_string(i % 2);
    for (std::size_t j = 1; j <= features; ++j)
      text += " " + std::to_string(j) + ":" + std::to_string(random.uniform() - 0.3);
    text += "\n";
  }
  const auto source = memory_source(text, "t");
  return Dataset::make(read_libsvm(*source, "t", {}));
}

// H v, from its definition.
std::vector<double> product(const RowAccess& rows, Offset offset, const std::vector<double>& cost,
                            const std::vector<double>& p, const std::vector<double>& v) {
  std::vector<double> out = v;
  if (offset != Offset::Lifted) std::fill_n(out.begin() + features * stride, stride, 0.0);
  std::vector<double> x(features);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    rows.expand(i, 1.0, x.data());
    const double one = offset == Offset::None ? 0 : 1;
    std::vector<double> a(planes);
    double mean = 0;
    for (std::size_t c = 0; c < planes; ++c) {
      for (std::size_t j = 0; j < features; ++j) a[c] += x[j] * v[j * stride + c];
      a[c] += one * v[features * stride + c];
      mean += p[i * stride + c] * a[c];
    }
    for (std::size_t c = 0; c < planes; ++c) {
      const double slope = cost[i] * p[i * stride + c] * (a[c] - mean);
      for (std::size_t j = 0; j < features; ++j) out[j * stride + c] += slope * x[j];
      out[features * stride + c] += one * slope;
    }
  }
  return out;
}

}  // namespace

TEST_CASE("the matrix of all planes solves what the curvature of softmax multiplies") {
  const Dataset data = some_rows(25);  // so few that every pair takes all of them
  const auto rows = RowAccess::of(data.matrix());
  Random random(12);
  std::vector<double> cost(data.rows()), p(data.rows() * stride, 0.0);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    cost[i] = 1 + 50 * random.uniform();
    double sum = 0;
    for (std::size_t c = 0; c < planes; ++c) sum += p[i * stride + c] = random.uniform();
    for (std::size_t c = 0; c < planes; ++c) p[i * stride + c] /= sum;
  }
  std::vector<std::uint32_t> ids(data.rows());
  std::iota(ids.begin(), ids.end(), 0U);
  for (const Offset offset : {Offset::Free, Offset::Lifted, Offset::None}) {
    std::vector<double> right((features + 1) * stride, 0.0), x(right.size());
    const std::size_t used = offset == Offset::None ? features : features + 1;
    for (std::size_t j = 0; j < used; ++j) {
      double sum = 0;
      for (std::size_t c = 0; c < planes; ++c) sum += right[j * stride + c] = random.uniform() - 0.5;
      // Gradients sum to 0 over the classes.
      for (std::size_t c = 0; c < planes; ++c) right[j * stride + c] -= sum / planes;
    }
    PairMatrix matrix(*rows, offset, planes, Threads(1));
    matrix.form(ids, cost, p.data(), stride);
    matrix.solve(right, x, stride);
    const std::vector<double> back = product(*rows, offset, cost, p, x);
    for (std::size_t j = 0; j < right.size(); ++j) CHECK(back[j] == doctest::Approx(right[j]).epsilon(1e-8));
    // The same bits for any number of threads.
    std::vector<double> again(right.size());
    PairMatrix other(*rows, offset, planes, Threads(3));
    other.form(ids, cost, p.data(), stride);
    other.solve(right, again, stride);
    CHECK(again == x);
  }
}

TEST_CASE("rows of little curvature are represented by some of them, those of much are all there") {
  std::vector<double> h(4000, 1e-4);
  for (std::size_t k = 0; k < h.size(); k += 40) h[k] = 3;
  h[7] = 0;
  const Threads threads(1);
  const CurvedRows all = curved_rows(threads, h, 0, 5);
  CHECK(all.place.size() == h.size() - 1);
  const CurvedRows thin = curved_rows(threads, h, 1, 5);
  CHECK(thin.place.size() < 400);
  std::size_t heavy = 0;
  double sum = 0;
  for (std::size_t k = 0; k < thin.place.size(); ++k) {
    heavy += h[thin.place[k]] == 3 ? 1 : 0;
    sum += thin.weight[k];
  }
  CHECK(heavy == 100);
  CHECK(sum == doctest::Approx(std::accumulate(h.begin(), h.end(), 0.0)).epsilon(0.02));
  CHECK(curved_rows(threads, h, 1e-9, 5).place.size() == all.place.size());  // nothing is that small
}
