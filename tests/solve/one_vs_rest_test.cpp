// SPDX-License-Identifier: BSD-3-Clause
// An algorithm for two classes, as a newcomer would write it, on data with more.
#include <doctest/doctest.h>

#include <array>

#include "halfspace/solve/algorithms.hpp"
#include "support.hpp"

namespace halfspace {

// The plane half-way between the means of two classes.
struct ClassMeans {
  static constexpr std::string_view name = "class-means";
  static constexpr std::string_view summary = "half-way between the means";
  static constexpr bool two_classes = true;
  static constexpr auto fields() { return std::array<Field<ClassMeans>, 0>{}; }
};

Fit solve(const Dataset& data, const ClassMeans&, const Run&) {
  REQUIRE(data.classes().size() == 2);
  std::array<std::vector<double>, 2> mean{std::vector<double>(data.features()),
                                          std::vector<double>(data.features())};
  std::array<double, 2> rows{};
  for (const std::uint32_t y : data.labels()) ++rows[y];
  std::visit(
      [&](const auto& view) {
        for (std::size_t i = 0; i < view.rows; ++i)
          for_entries(view.row(i), [&](std::uint32_t j, double x) {
            mean[data.labels()[i]][j] += x / rows[data.labels()[i]];
          });
      },
      data.matrix());
  LinearModel linear{.features = data.features(), .planes = 1};
  double offset = 0;
  for (std::size_t j = 0; j < data.features(); ++j) {
    linear.weights.push_back(mean[1][j] - mean[0][j]);
    offset -= (mean[1][j] * mean[1][j] - mean[0][j] * mean[0][j]) / 2;
  }
  linear.offsets = {offset};
  Fit fit;
  fit.trace.iterations = 1;
  fit.answer.stop = data.classes()[1] == "b" ? Stop::Limit : Stop::Converged;
  fit.answer.model.emplace().form = std::move(linear);
  return fit;
}

}  // namespace halfspace

namespace hs = halfspace;

TEST_CASE("an algorithm for two classes has a plane for each of three") {
  const auto data = hs::testing::dataset_from({{4, 0}, {5, 1}, {0, 4}, {1, 5}, {-4, -4}, {-5, -5}},
                                              std::vector<std::string>{"a", "a", "b", "b", "c", "c"});
  const hs::Fit fit = hs::train(data, hs::ClassMeans{});
  CHECK(fit.model().planes() == 3);
  CHECK(fit.trace.iterations == 3);
  CHECK(fit.answer.stop == hs::Stop::Limit);
  CHECK(hs::labels_from_scores(fit.model(), hs::scores(fit.model(), data, hs::Threads(1))) ==
        std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2});
  // a against the rest: means (4.5, 0.5) and (-2, 0)
  CHECK(std::get<hs::LinearModel>(fit.model().form).weights[0] == doctest::Approx(6.5));
  CHECK(std::get<hs::LinearModel>(fit.model().form).weights[1] == doctest::Approx(0.5));
}

TEST_CASE("of two classes there is one plane") {
  const auto data = hs::testing::dataset_from({{1}, {2}, {-1}, {-2}}, std::vector<int>{1, 1, -1, -1});
  const hs::Fit fit = hs::train(data, hs::ClassMeans{});
  CHECK(fit.model().planes() == 1);
  CHECK(std::get<hs::LinearModel>(fit.model().form).weights[0] == doctest::Approx(3));
}
