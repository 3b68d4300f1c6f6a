// SPDX-License-Identifier: BSD-3-Clause
#include "solve/convex/face_rows.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <string>

#include "data/readers.hpp"

using namespace halfspace;

namespace {

constexpr std::size_t rows = 201;

// Every column in two rows, values that a float holds; the last row has a column of its own.
Dataset pairs(std::size_t columns) {
  std::vector<std::string> text(rows);
  for (std::size_t i = 0; i < rows; ++i) text[i] = i % 3 == 0 ? "1" : "-1";
  for (std::size_t j = 0; j < columns; ++j) {
    const std::size_t first = j % rows;
    const std::size_t second = (first + 1 + j / rows % (rows - 1)) % rows;
    text[first] += " " + std::to_string(j + 1) + ":0.5";
    text[second] += " " + std::to_string(j + 1) + ":-0.25";
  }
  text[rows - 1] += " " + std::to_string(columns + 1) + ":2";
  std::string all;
  for (const std::string& line : text) all += line + "\n";
  const auto source = memory_source(all, "t");
  return Dataset::make(read_libsvm(*source, "t", {}));
}

}  // namespace

TEST_CASE("products on a face are those of its rows, with narrow and with wide indices") {
  for (const std::size_t columns : {std::size_t{500}, std::size_t{70000}}) {
    CAPTURE(columns);
    const Dataset data = pairs(columns);
    const auto access = RowAccess::of(data.matrix());
    const Problem problem = make_problem(data, 1, Hinge{}, Offset::None, 1, {});
    FaceRows face;
    std::vector<std::uint32_t> ids(rows - 1);  // not the first one
    std::iota(ids.begin(), ids.end(), 1U);
    face.build(*access, problem, ids);
    face.free[5] = 0;
    std::vector<double> x(ids.size()), w(access->cols(), 0.0);
    for (std::size_t k = 0; k < x.size(); ++k) {
      x[k] = static_cast<double>(k % 7) - 2;
      access->axpy(problem.y[ids[k]] * x[k], ids[k], w.data());
    }
    std::vector<double> first;
    for (const int threads : {1, 3}) {
      std::vector<double> out(ids.size(), 0.0);
      const double square = face.multiply(x, out, Threads(threads));
      CHECK(square == doctest::Approx(std::inner_product(w.begin(), w.end(), w.begin(), 0.0)));
      CHECK(out[5] == 0);
      for (std::size_t k = 0; k < ids.size(); ++k)
        if (k != 5)
          CHECK(out[k] == doctest::Approx(problem.y[ids[k]] * access->dot(ids[k], w.data())).epsilon(1e-12));
      if (!first.empty()) CHECK(out == first);
      first = out;
    }
  }
}
