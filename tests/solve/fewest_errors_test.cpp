// SPDX-License-Identifier: BSD-3-Clause
// Fewest errors against brute force in whole numbers, written here: d = 1 by all thresholds, d = 2 by all lines through
// two points, moved a little to every side.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>

#include "halfspace/certify/verify_model.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/solve/algorithms.hpp"
#include "halfspace/solve/separability.hpp"
#include "support.hpp"

namespace halfspace {
namespace {

using testing::dataset_from;
using testing::Rows;

const ErrorBounds& bounds(const Fit& fit) { return std::get<ErrorBounds>(fit.proof.certificates.at(0)); }

// Closed, counted as `best`, and accepted by the checker.
void check_closed(const Dataset& data, std::int64_t best, const FewestErrors& options = {}) {
  const Fit fit = train(data, options);
  CHECK(fit.answer.stop == Stop::Converged);
  CHECK(bounds(fit).upper == std::to_string(best));
  CHECK(bounds(fit).lower == std::to_string(best));
  const ModelCheck check = verify(fit.model(), data);
  for (const std::string& line : check.lines) CAPTURE(line);
  CHECK(check.holds);
}

struct Points {
  Rows rows;
  std::vector<int> labels;
  std::vector<double> weights;
};
Points random_points(Random& random, std::size_t rows, std::size_t columns, std::uint64_t values) {
  Points out;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> row;
    for (std::size_t k = 0; k < columns; ++k) row.push_back(static_cast<double>(random.below(values)));
    out.rows.push_back(row);
    out.labels.push_back(i < 2 ? static_cast<int>(i) : static_cast<int>(random.below(2)));
    out.weights.push_back(static_cast<double>(1 + random.below(3)));
  }
  return out;
}

std::int64_t threshold_errors(const Points& p) {
  std::int64_t best = INT64_MAX;
  for (int cut = -1; cut < 12; ++cut) {
    std::int64_t above = 0, below = 0;
    for (std::size_t i = 0; i < p.rows.size(); ++i) {
      const bool right = (p.rows[i][0] > cut + 0.5) == (p.labels[i] == 1);
      (right ? below : above) += static_cast<std::int64_t>(p.weights[i]);
    }
    best = std::min({best, above, below});
  }
  return best;
}

// A line through two points splits the points on it at any place, either way.
std::int64_t line_errors(const Points& p) {
  const auto whole = [&](std::size_t i, std::size_t k) { return static_cast<std::int64_t>(p.rows[i][k]); };
  std::int64_t all[2] = {0, 0};
  for (std::size_t i = 0; i < p.rows.size(); ++i) all[p.labels[i]] += static_cast<std::int64_t>(p.weights[i]);
  std::int64_t best = std::min(all[0], all[1]);
  for (std::size_t a = 0; a < p.rows.size(); ++a) {
    for (std::size_t b = 0; b < p.rows.size(); ++b) {
      const std::int64_t dx = whole(b, 0) - whole(a, 0), dy = whole(b, 1) - whole(a, 1);
      if (dx == 0 && dy == 0) continue;
      std::int64_t off = 0;
      std::vector<std::array<std::int64_t, 3>> on;  // place, label, weight
      for (std::size_t i = 0; i < p.rows.size(); ++i) {
        const std::int64_t ex = whole(i, 0) - whole(a, 0), ey = whole(i, 1) - whole(a, 1);
        const std::int64_t side = dx * ey - dy * ex, w = static_cast<std::int64_t>(p.weights[i]);
        if (side == 0)
          on.push_back({dx * ex + dy * ey, p.labels[i], w});
        else if ((side > 0) != (p.labels[i] == 1))
          off += w;
      }
      std::vector<std::int64_t> cuts{INT64_MIN};
      for (const auto& one : on) cuts.push_back(one[0]);
      for (const std::int64_t cut : cuts) {
        std::int64_t one_way = 0, other = 0;
        for (const auto& [place, label, w] : on) ((place > cut) == (label == 1) ? other : one_way) += w;
        best = std::min({best, off + one_way, off + other});
      }
    }
  }
  return best;
}

TEST_CASE("fewest errors: exclusive or has one") {
  check_closed(dataset_from({{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {-1, 1, 1, -1}), 1);
}

TEST_CASE("fewest errors: in one dimension the best threshold, with ties and weights") {
  Random random(51);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const Points p = random_points(random, 2 + random.below(20), 1, 2 + random.below(9));
    check_closed(dataset_from(p.rows, p.labels, p.weights), threshold_errors(p));
  }
}

TEST_CASE("fewest errors: in two dimensions the best of all lines, with ties, duplicates and weights") {
  Random random(52);
  for (int round = 0; round < testing::fewer_if_sanitized(2500, 25); ++round) {
    CAPTURE(round);
    const Points p =
        random_points(random, 3 + random.below(round % 8 == 0 ? 38 : 12), 2, 2 + random.below(8));
    check_closed(dataset_from(p.rows, p.labels, p.weights), line_errors(p));
  }
}

TEST_CASE("fewest errors: three to five dimensions, the smallest set whose removal leaves separable rows") {
  Random random(53);
  for (int round = 0; round < 24; ++round) {
    CAPTURE(round);
    const Points p = random_points(random, 8 + random.below(round % 8 == 0 ? 7 : 5), 3 + random.below(3),
                                   2 + random.below(4));
    const Dataset data = dataset_from(p.rows, p.labels);
    const Fit fit = train(data, FewestErrors{});
    REQUIRE(bounds(fit).upper == bounds(fit).lower);
    CHECK(verify(fit.model(), data).holds);
    const auto best = static_cast<std::size_t>(std::stoi(bounds(fit).upper));
    // No smaller set will do: separability is decided exactly, by other code.
    std::size_t smallest = data.rows();
    for (std::uint32_t set = 0; set < (1U << data.rows()); ++set) {
      const auto size = static_cast<std::size_t>(__builtin_popcount(set));
      if (size > best || size >= smallest) continue;
      std::vector<double> weights(data.rows(), 1.0);
      bool has[2] = {false, false};
      for (std::size_t i = 0; i < data.rows(); ++i) {
        if ((set >> i & 1U) != 0) weights[i] = 0;
        if (weights[i] > 0) has[p.labels[i]] = true;
      }
      if (!has[0] || !has[1] ||
          separability(dataset_from(p.rows, p.labels, weights), {}).proof.verdict == Separation::Separable)
        smallest = size;
    }
    CHECK(smallest == best);
  }
}

TEST_CASE("fewest errors: a row of zeros is an error of both classes on every plane through the origin") {
  const Dataset data = dataset_from({{0}, {0}, {0}, {1}, {2}, {1}}, {-1, 1, 1, 1, 1, -1});
  check_closed(data, 4, {.offset = Offset::None});
  check_closed(data, 2);
}

// Labels by chance: circuits do not close it, so cones, trees of rows and parts have their turn.
TEST_CASE("fewest errors: the same plane and proof for any number of threads, within a limit of nodes") {
  Random random(55);
  std::string kinds;
  struct Shape {
    std::size_t rows, columns;
    std::int64_t nodes;
  };
  for (const Shape& shape : {Shape{40, 2, 2'000'000}, Shape{90, 3, 2'000'000},
                             Shape{90, 8, testing::fewer_if_sanitized<std::int64_t>(2'000)},
                             Shape{60, 12, testing::fewer_if_sanitized<std::int64_t>(2'000)}}) {
    CAPTURE(shape.columns);
    const Points p = random_points(random, shape.rows, shape.columns, 1000);
    const Dataset data = dataset_from(p.rows, p.labels);
    const FewestErrors options{.nodes = shape.nodes};
    Run run;
    run.threads = Threads(1);
    const Fit alone = train(data, options, run);
    CHECK(verify(alone.model(), data).holds);
    kinds += bounds(alone).proof.front();
    for (const int threads : {2, 3}) {
      run.threads = Threads(threads);
      const Fit fit = train(data, options, run);
      CHECK(bounds(fit).upper == bounds(alone).upper);
      CHECK(bounds(fit).lower == bounds(alone).lower);
      CHECK(bounds(fit).proof == bounds(alone).proof);
      CHECK(std::get<LinearModel>(fit.model().form).weights ==
            std::get<LinearModel>(alone.model().form).weights);
    }
  }
  CHECK(kinds.find('c') != std::string::npos);
  CHECK(kinds.find('r') != std::string::npos);
}

// Where a column of two values is 0, most others are: these rows have few dimensions, and more errors than shares of
// circuits say.
TEST_CASE("fewest errors: parts of rows with equal values in a column, the same for any number of threads") {
  Random random(56);
  Points p = random_points(random, 120, 12, 1000);
  for (std::vector<double>& row : p.rows) {
    row[3] = static_cast<double>(random.below(2));
    if (row[3] == 0) std::fill(row.begin() + 4, row.end(), 0.0);
  }
  const Dataset data = dataset_from(p.rows, p.labels);
  Run run;
  run.threads = Threads(1);
  const FewestErrors options{.nodes = 8'000};
  const Fit alone = train(data, options, run);
  CHECK(bounds(alone).proof.front() == 'p');
  CHECK(verify(alone.model(), data).holds);
  run.threads = Threads(2);
  CHECK(bounds(train(data, options, run)).proof == bounds(alone).proof);
}

TEST_CASE("fewest errors: a proof that says more, or of another plane, is refused") {
  const Dataset data = dataset_from({{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 2}}, {-1, 1, 1, -1, 1});
  const Fit fit = train(data, FewestErrors{});
  const auto refused = [&](const std::function<void(ErrorBounds&)>& change) {
    Model model = fit.model();
    ErrorBounds claim = bounds(fit);
    change(claim);
    model.certificate = to_json(std::vector<Certificate>{claim});
    return !verify(model, data).holds;
  };
  CHECK_FALSE(refused([](ErrorBounds&) {}));
  CHECK(refused([](ErrorBounds& c) { c.lower = "2"; }));
  CHECK(refused([](ErrorBounds& c) { c.upper = "0"; }));
  CHECK(refused([](ErrorBounds& c) { c.errors.clear(); }));
  CHECK(refused([](ErrorBounds& c) { c.proof.clear(); }));
  CHECK(refused([](ErrorBounds& c) { c.proof += "0"; }));
  CHECK(refused([](ErrorBounds& c) { c.proof.pop_back(); }));
}

// A worse plane, so that there is room for a bound that is not true, under proofs with characters changed, cut or moved.
TEST_CASE("fewest errors: a thousand proofs that were tampered with prove no bound that is not true") {
  Random random(54);
  int tried = 0;
  for (int round = 0; round < 20; ++round) {
    const Points p = random_points(random, 24, round % 2 == 0 ? 2 : 3, 9);
    const Dataset data = dataset_from(p.rows, p.labels);
    const Fit fit = train(data, FewestErrors{});
    REQUIRE(bounds(fit).upper == bounds(fit).lower);
    const ErrorBounds& honest = bounds(fit);
    ErrorBounds claim;
    for (std::uint32_t i = 0; i < data.rows(); ++i)
      if (p.labels[i] == 0) claim.errors.push_back(i);
    claim.upper = std::to_string(claim.errors.size());
    const int optimum = std::stoi(honest.upper);
    if (static_cast<int>(claim.errors.size()) <= optimum || honest.proof.size() < 4) continue;
    Model model = fit.model();
    auto& plane = std::get<LinearModel>(model.form);
    std::fill(plane.weights.begin(), plane.weights.end(), 0.0);
    plane.offsets[0] = 1;
    const auto holds = [&](const std::string& proof, int lower) {
      claim.proof = proof;
      claim.lower = std::to_string(lower);
      model.certificate = to_json(std::vector<Certificate>{claim});
      return verify(model, data).holds;
    };
    CHECK(holds(honest.proof, optimum));
    for (int change = 0; change < 80; ++change, ++tried) {
      std::string proof = honest.proof;
      const std::string letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
      for (std::uint64_t k = 0; k <= random.below(4); ++k) {
        const std::size_t at = 1 + random.below(proof.size() - 1);
        const std::uint64_t kind = random.below(4);
        if (kind == 0 && proof.size() > 3) proof.erase(at, 1);
        if (kind == 1) proof.insert(at, 1, letters[random.below(64)]);
        if (kind >= 2) proof[at] = letters[random.below(64)];
      }
      CAPTURE(proof);
      CHECK_FALSE(holds(proof, optimum + 1));
    }
  }
  CHECK(tried >= 1000);
}

}  // namespace
}  // namespace halfspace
