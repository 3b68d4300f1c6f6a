// SPDX-License-Identifier: BSD-3-Clause
// What borrowing is for: arrays of 200 MB are trained on without a second copy of their values. A program of its own (one
// ctest entry per file), since the peak is that of the process.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include "halfspace/core/random.hpp"
#include "halfspace/data/dataset.hpp"
#include "halfspace/solve/algorithm.hpp"

using namespace halfspace;

namespace {

double peak_megabytes() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_maxrss) * 1024 / 1e6;
}

}  // namespace

TEST_CASE("sparse rows with 64-bit indices are trained on without a copy of their values") {
  constexpr std::size_t rows = 125000, each = 100,
                        cols = 50000;  // 100 MB of values, 100 MB of column numbers
  std::vector<double> values(rows * each);
  std::vector<std::int64_t> columns(rows * each), starts(rows + 1);
  std::vector<std::int32_t> labels(rows);
  Random random(1);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < each; ++k) {
      columns[i * each + k] = static_cast<std::int64_t>(k * (cols / each) + random.below(cols / each));
      values[i * each + k] = random.uniform() - 0.5;
    }
    starts[i + 1] = static_cast<std::int64_t>((i + 1) * each);
    labels[i] = values[i * each] > 0 ? 1 : -1;
  }
  const double before = peak_megabytes();
  REQUIRE(before > 200);
  const Dataset data =
      Dataset::csr(values, columns, starts, cols, {.hold = Hold::BorrowOnly, .labels = labels});
  REQUIRE(std::get<CsrView<double, std::uint16_t>>(data.matrix()).value == values.data());
  Algorithm walk = Algorithm::by_name("averaged-perceptron");
  walk.set("passes", "1");
  CHECK(walk.train(data, {}).has_model());
  CHECK(Algorithm::by_name("logistic").train(data, {.seconds = 30}).has_model());
  const double grown = peak_megabytes() - before;
  CAPTURE(grown);
  MESSAGE("memory besides the arrays: ", grown, " MB");
  // Column numbers of 16 bits take 25 MB, labels and what the solver has for rows and columns a few more; values would
  // take 100.
  CHECK(grown < 75);
}
