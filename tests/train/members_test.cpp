// SPDX-License-Identifier: BSD-3-Clause
// The whole pipeline by a team: the model that each member gets has the bytes of the one that a process with all rows
// trains, however the rows are parted.
#include <doctest/doctest.h>

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "halfspace/certify/verify_model.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/data/whole.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/train/train.hpp"
#include "support.hpp"
#include "team_members.hpp"

using namespace halfspace;
using namespace halfspace::testing;

namespace {

struct Shape {
  std::size_t rows, features, entries, classes;
  double step;  // values are multiples of it; 0: any double
  bool weighted = false, sorted = false;
};

struct Table {
  Rows rows;
  std::vector<std::string> labels;
  std::vector<double> weights;
  std::size_t features;

  // The rows [first, last) as somebody reads them who sees no others.
  [[nodiscard]] Dataset part(std::size_t first, std::size_t last) const {
    if (first == last) return no_rows("part");
    const auto from = static_cast<std::ptrdiff_t>(first), to = static_cast<std::ptrdiff_t>(last);
    return dataset_from(
        Rows(rows.begin() + from, rows.begin() + to),
        std::vector<std::string>(labels.begin() + from, labels.begin() + to),
        weights.empty() ? weights : std::vector<double>(weights.begin() + from, weights.begin() + to));
  }
  [[nodiscard]] Dataset all() const { return part(0, rows.size()); }
};

Table table_of(const Shape& shape) {
  Random random(5);
  Table out{.features = shape.features};
  for (std::size_t i = 0; i < shape.rows; ++i) {
    const std::size_t label = shape.sorted ? i * shape.classes / shape.rows : random.below(shape.classes);
    std::vector<double> row(shape.features, 0.0);
    for (std::size_t e = 0; e < shape.entries; ++e) {
      const std::size_t j = shape.entries == shape.features ? e : random.below(shape.features);
      const double x = random.normal() + (j % shape.classes == label ? 1.5 : 0.0);
      row[j] = shape.step > 0 ? shape.step * std::floor(x / shape.step) : x;
    }
    out.rows.push_back(std::move(row));
    out.labels.push_back(std::to_string(random.below(20) == 0 ? random.below(shape.classes) : label));
    if (shape.weighted) out.weights.push_back(i % 97 == 5 ? 0.0 : i % 13 == 0 ? 2.0 : 1.0);
  }
  return out;
}

std::vector<std::vector<std::size_t>> some_partitions(std::size_t n) {
  std::vector<std::vector<std::size_t>> out = partitions(n);
  out.push_back({n});
  return out;
}

template <class Options>
void compare(const Table& table, const Preparation& how, const Options& options) {
  const Dataset all = table.all();
  const Fit alone = train(all, how, options, {.threads = Threads(2)});
  const std::string bytes = to_bytes(alone.model());
  REQUIRE(verify(alone.model(), all).holds);
  for (const auto& ends : some_partitions(all.rows())) {
    std::mutex guard;
    as_team(ends.size(), [&](Members& members, std::size_t m) {
      const Dataset mine = table.part(m == 0 ? 0 : ends[m - 1], ends[m]);
      const Fit fit = train(mine, how, options, {.threads = Threads(1), .members = &members});
      const std::lock_guard lock(guard);
      CHECK_MESSAGE(to_bytes(fit.model()) == bytes, ends.size(), " members, member ", m);
      CHECK(fit.trace.error->wrong == alone.trace.error->wrong);
      CHECK(fit.trace.support_vectors == alone.trace.support_vectors);
      CHECK(fit.trace.figures == alone.trace.figures);
      CHECK(fit.words.notes == alone.words.notes);
    });
  }
}

const Shape dense = {3000, 8, 8, 2, 0};
const Shape decimals = {2500, 6, 6, 2, 0.25, true};
const Shape ones = {3000, 120, 9, 2, 100};
const Shape thin = {3000, 60, 4, 3, 0.01, true};
const Shape sorted = {2000, 5, 5, 3, 0.5, false, true};

}  // namespace

TEST_CASE("logistic regression by a team has the bytes of one process") {
  for (const Shape& shape : {dense, decimals, thin, sorted}) {
    const Table table = table_of(shape);
    for (const ScaleKind scale : {ScaleKind::None, ScaleKind::Standard})
      compare(table, {.scale = scale}, LogisticRegression{});
  }
}

TEST_CASE("classes against the rest, one class against the rest, balanced classes") {
  const Table table = table_of(thin);
  compare(table, {}, LogisticRegression{.multiclass = LogisticClasses::OneVsRest});
  compare(table, {.positive = "1", .scale = ScaleKind::MinMax},
          LogisticRegression{.class_weight = "balanced"});
  compare(table, {.scale = ScaleKind::Unit}, Svm{.loss = SquaredHinge{}, .class_weight = "balanced"});
}

TEST_CASE("support vector machines by a team have the bytes of one process, dual points included") {
  for (const Shape& shape : {dense, ones, sorted}) {
    const Table table = table_of(shape);
    compare(table, {}, Svm{});
    compare(table, {.scale = ScaleKind::Standard}, Svm{.loss = SquaredHinge{}});
    compare(table, {}, Svm{.loss = SmoothHinge{}});
  }
}

TEST_CASE("many features, most of them absent: newton by a team") {
  const Table table = table_of({600, 12000, 6, 2, 0.5});
  compare(table, {}, LogisticRegression{.solver = SolverName::Newton});
}

TEST_CASE("the fingerprint of a team is that of all rows, whatever the storage of the parts") {
  Table table = table_of(ones);
  table.rows.back()[3] = 0.1;       // decimals in the last part alone
  table.rows.front()[4] = 1.0 / 3;  // and no decimal in the first
  for (const bool doubles : {true, false}) {
    if (!doubles) table.rows.front()[4] = 7;
    const Dataset all = table.all();
    for (const auto& ends : some_partitions(all.rows())) {
      as_team(ends.size(), [&](Members& members, std::size_t m) {
        const Team team(Threads(1), members);
        const Dataset mine = part_of_whole(table.part(m == 0 ? 0 : ends[m - 1], ends[m]), team);
        CHECK(mine.fingerprint(team) == all.fingerprint());
        CHECK(mine.sparse() == all.sparse());
        CHECK(mine.classes() == all.classes());
        CHECK(mine.features() == all.features());
      });
    }
  }
}

TEST_CASE("what several members cannot do is refused by name, by all of them") {
  const Table table = table_of({400, 5, 5, 2, 0});
  const auto refused = [&](const std::string& algorithm, const std::string& option,
                           const std::string& value) {
    std::string said;
    std::mutex guard;
    as_team(3, [&](Members& members, std::size_t m) {
      Algorithm chosen = Algorithm::by_name(algorithm);
      if (!option.empty()) chosen.set(option, value);
      std::string mine;
      try {
        (void)train(table.part(m * 100, (m + 1) * 100), {}, chosen, {.members = &members});
      } catch (const UsageError& error) {
        mine = error.what();
      }
      const std::lock_guard lock(guard);
      CHECK(!mine.empty());
      CHECK((said.empty() || said == mine));
      said = mine;
    });
    return said;
  };
  CHECK(refused("perceptron", "", "").find("perceptron goes from row to row") == 0);
  CHECK(refused("hard-margin", "", "").find("hard-margin looks at rows") == 0);
  CHECK(refused("svm", "solver", "dual-descent").find("solver dual-descent goes from row to row") == 0);
  CHECK(refused("svm", "kernel", "rbf").find("kernel: kernel machines") == 0);
  CHECK(refused("logistic", "penalty", "l1").find("penalty l1 goes from column") == 0);
}

TEST_CASE("a member whose rows are bad ends all of them, each with the place") {
  const Table table = table_of({400, 5, 5, 2, 0});
  for (std::size_t bad = 0; bad < 3; ++bad) {
    as_team(3, [&](Members& members, std::size_t m) {
      const Team team(Threads(1), members);
      std::string said;
      try {
        if (m == bad) {
          try {
            throw InputError({.file = "part", .line = 7, .column = 3}, "not a number", "a number",
                             "look again");
          } catch (...) {
            team.abandon(std::current_exception());
            throw;
          }
        }
        (void)train(table.part(m * 100, (m + 1) * 100), {}, Svm{}, {.members = &members});
      } catch (const InputError& error) {
        said = error.what();
      }
      CHECK(said == "part:7:3: error: not a number; a number (hint: look again)");
    });
  }
}

TEST_CASE("one member that is cancelled stops all of them with the same model") {
  const Table table = table_of(dense);
  std::mutex guard;
  std::optional<std::string> bytes;
  as_team(3, [&](Members& members, std::size_t m) {
    int looks = 0;
    Run run{.members = &members};
    run.observe = [&](const Progress&) { return m != 1 || ++looks < 3; };
    const Fit fit = train(table.part(m * 1000, (m + 1) * 1000), {}, LogisticRegression{.gap = 1e-12}, run);
    CHECK(fit.answer.stop == Stop::Cancelled);
    const std::lock_guard lock(guard);
    if (!bytes) bytes = to_bytes(fit.model());
    CHECK(to_bytes(fit.model()) == *bytes);
  });
}
