// SPDX-License-Identifier: BSD-3-Clause
// Folds, cross-validation, tuning, learning curves and paths.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <set>

#include "folder.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/data/generate.hpp"
#include "halfspace/data/read.hpp"
#include "halfspace/evaluate/evaluation.hpp"
#include "halfspace/evaluate/learning_curve.hpp"
#include "halfspace/evaluate/path.hpp"
#include "halfspace/evaluate/tuning.hpp"
#include "support.hpp"

using namespace halfspace;

namespace {

Dataset two_clouds(std::int64_t rows = 200, double distance = 2) {
  GeneratorOptions options;
  options.rows = rows;
  options.features = 3;
  options.distance = distance;
  return generate(GeneratorKind::Gaussians, options).data;
}

std::vector<std::uint32_t> rows_but(const Dataset& data, const std::vector<std::uint32_t>& held_out) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < data.rows(); ++i)
    if (!std::binary_search(held_out.begin(), held_out.end(), i)) out.push_back(i);
  return out;
}

// What cross-validation has to give: everything by hand, on copies of the rows.
std::vector<double> errors_by_hand(const Dataset& data, const FoldPlan& plan, const Candidate& candidate) {
  std::vector<double> out;
  for (const auto& held_out : plan.held_out) {
    const Fit fit = train_candidate(candidate, data.subset(rows_but(data, held_out)), {});
    out.push_back(evaluate(fit.model(), data.subset(held_out), Threads(1)).error);
  }
  return out;
}

SearchSpace over_c(const std::string& algorithm, const std::string& range) {
  SearchSpace space;
  space.fixed.algorithm = algorithm;
  space.axes.push_back(parse_axis(Algorithm::by_name(algorithm), "C", range).value());
  return space;
}

}  // namespace

TEST_CASE("every row is held out once in every repeat, and repeats differ") {
  const Dataset data = two_clouds(101);
  const FoldPlan plan = plan_folds(data, {.folds = 4, .repeats = 3, .seed = 5});
  REQUIRE(plan.held_out.size() == 12);
  for (std::size_t repeat = 0; repeat < 3; ++repeat) {
    std::vector<int> seen(data.rows(), 0);
    for (std::size_t fold = 0; fold < 4; ++fold)
      for (const std::uint32_t row : plan.held_out[repeat * 4 + fold]) ++seen[row];
    CHECK(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
  }
  CHECK(plan.held_out[0] != plan.held_out[4]);
  CHECK(plan.held_out == plan_folds(data, {.folds = 4, .repeats = 3, .seed = 5}).held_out);
}

TEST_CASE("rows of a group are held out together") {
  const Dataset data = two_clouds(120);
  std::vector<std::uint32_t> groups(data.rows());
  for (std::uint32_t i = 0; i < groups.size(); ++i) groups[i] = i % 17;
  const FoldPlan plan = plan_folds(data, {.folds = 5, .groups = groups, .seed = 2});
  std::vector<std::set<std::uint32_t>> of_group(17);
  std::size_t rows = 0;
  for (std::uint32_t fold = 0; fold < 5; ++fold) {
    CHECK(plan.held_out[fold].size() >= 14);
    rows += plan.held_out[fold].size();
    for (const std::uint32_t row : plan.held_out[fold]) of_group[groups[row]].insert(fold);
  }
  CHECK(rows == data.rows());
  for (const auto& folds : of_group) CHECK(folds.size() == 1);
  const std::vector<std::uint32_t> few(data.rows(), 1);
  CHECK_THROWS_AS((void)plan_folds(data, {.folds = 2, .groups = few}), UsageError);
}

TEST_CASE("a class of one row is refused: held out, it could not be learned") {
  const Dataset data = testing::dataset_from({{1}, {2}, {3}, {4}}, std::vector<int>{0, 0, 0, 1});
  CHECK_THROWS_AS((void)plan_folds(data, {.folds = 2}), UsageError);
}

TEST_CASE("a fold shares the rows of the whole and has other weights") {
  const Dataset data = two_clouds(50);
  const std::vector<std::uint32_t> held_out{3, 7};
  const Dataset training = fold_rows(data, held_out).training;
  CHECK(training.rows() == 50);
  CHECK(training.weight(3) == 0);
  CHECK(training.weight(4) == 1);
  CHECK(data.weights().empty());
  const auto values = [](const Dataset& set) {
    return std::visit([](const auto& view) { return static_cast<const void*>(view.value); }, set.matrix());
  };
  CHECK(values(training) == values(data));
}

TEST_CASE("folds that share the rows give what copies of the rows give") {
  const Dataset data = two_clouds(150);
  const FoldPlan plan = plan_folds(data, {.folds = 5, .repeats = 2});
  for (const char* algorithm :
       {"logistic", "svm", "perceptron", "averaged-perceptron", "majority", "stump"}) {
    CAPTURE(algorithm);
    const Candidate candidate{algorithm, {}, {}};
    const auto scores = cross_validate(data, plan, {candidate}, {}, {});
    REQUIRE(scores[0].finished);
    CHECK(scores[0].values == errors_by_hand(data, plan, candidate));
  }
}

TEST_CASE("scaling is learned in the fold: learned from all rows, it would change the answer") {
  // One row lies far out in the second column, the one that matters: among the rows that are scaled by it makes the column
  // small beside the penalty. Held out, it must not.
  testing::Rows rows;
  std::vector<int> labels;
  Random random(3);
  for (int i = 0; i < 60; ++i) {
    const int y = i % 2;
    const double signal = (y == 1 ? 1.0 : -1.0) + random.normal();
    rows.push_back({random.normal(), i == 0 ? -1000.0 : signal});
    labels.push_back(y);
  }
  const Dataset data = testing::dataset_from(rows, labels);
  const FoldPlan plan = plan_folds(data, {.folds = 6, .seed = 4});
  Candidate inside{"logistic", {{"C", "0.05"}}, {}};
  inside.preparation.scale = ScaleKind::Standard;
  const auto honest = cross_validate(data, plan, {inside}, {}, {});
  CHECK(honest[0].values == errors_by_hand(data, plan, inside));
  const Dataset scaled =
      apply_scaling(data, learn_scaling(data, ScaleKind::Standard, Threads(1)), Threads(1));
  const auto leaky = cross_validate(scaled, plan, {{"logistic", {{"C", "0.05"}}, {}}}, {}, {});
  CHECK(honest[0].values != leaky[0].values);
}

TEST_CASE("words are learned in the fold: a vocabulary of all rows would change the answer") {
  // Rare words that are in one row of either part: features of the whole, not of the part.
  Random random(21);
  std::vector<std::string> lines;
  for (int i = 0; i < 120; ++i) {
    const bool spam = i % 2 == 1;
    std::string text;
    for (int k = 0; k < 4; ++k) text += " w" + std::to_string(random.below(60) + (spam ? 15U : 0U));
    lines.push_back("\"" + text + "\"," + (spam ? "spam" : "ham") + "\n");
  }
  const testing::Folder folder;
  const auto table = [&](const std::string& name, const std::vector<std::uint32_t>& rows) {
    std::ofstream file(folder / name);
    file << "message,label\n";
    for (const std::uint32_t row : rows) file << lines[row];
    file.close();
    return folder / name;
  };
  ReadOptions words;
  words.text = {"message"};
  std::vector<std::uint32_t> all(lines.size());
  std::iota(all.begin(), all.end(), 0U);
  const Dataset data = read(table("all.csv", all), words);
  const FoldPlan plan = plan_folds(data, {.folds = 3});
  const Candidate candidate{"logistic", {}, {}};
  std::vector<double> by_hand, leaky;
  for (const auto& held_out : plan.held_out) {
    const Dataset training = read(table("train.csv", rows_but(data, held_out)), words);
    const Fit fit = train_candidate(candidate, training, {});
    ReadOptions same = words;
    same.encoding = training.encoding();
    by_hand.push_back(evaluate(fit.model(), read(table("test.csv", held_out), same), Threads(1)).error);
    const Fit outside = train_candidate(candidate, data.subset(rows_but(data, held_out)), {});
    leaky.push_back(evaluate(outside.model(), data.subset(held_out), Threads(1)).error);
  }
  CHECK(cross_validate(data, plan, {candidate}, {}, {})[0].values == by_hand);
  CHECK(by_hand != leaky);
}

TEST_CASE("classes against the rest are learned in the fold") {
  testing::Rows rows;
  std::vector<int> labels;
  Random random(8);
  for (int i = 0; i < 90; ++i) {
    const int y = i % 3;
    rows.push_back(
        {random.normal() + (y == 0 ? 1.5 : 0), random.normal() + (y == 1 ? 1.5 : 0), random.normal()});
    labels.push_back(y);
  }
  const Dataset data = testing::dataset_from(rows, labels);
  const FoldPlan plan = plan_folds(data, {.folds = 5});
  for (const char* algorithm : {"svm", "logistic", "perceptron"}) {
    CAPTURE(algorithm);
    const Candidate candidate{algorithm, {}, {}};
    const auto found = cross_validate(data, plan, {candidate}, {}, {});
    CHECK(found[0].values == errors_by_hand(data, plan, candidate));
  }
  // One class against the rest: labels that are made before the folds are the labels of all rows, no more.
  const Dataset binary = data.one_against_rest("1");
  const Candidate svm{"svm", {}, {.positive = "1"}};
  CHECK(cross_validate(binary, plan, {svm}, {}, {})[0].values == errors_by_hand(binary, plan, svm));
}

TEST_CASE("results of folds do not depend on the number of threads") {
  const Dataset data = two_clouds(160);
  const FoldPlan plan = plan_folds(data, {.folds = 4});
  const std::vector<Candidate> candidates{
      {"svm", {{"C", "0.1"}}, {}}, {"pegasos", {}, {}}, {"logistic", {}, {}}};
  const auto one = cross_validate(data, plan, candidates, {MetricKind::Auc, {}}, {});
  const auto three = cross_validate(data, plan, candidates, {MetricKind::Auc, {}}, {.threads = Threads(3)});
  for (std::size_t k = 0; k < candidates.size(); ++k)
    CHECK(testing::same_bits(one[k].values, three[k].values));
}

TEST_CASE(
    "kernel machines that begin where a smaller C has ended are certified, and the same for any number of "
    "threads") {
  const Dataset data = two_clouds(160, 1);
  const FoldPlan plan = plan_folds(data, {.folds = 4});
  std::vector<Candidate> candidates;
  for (const char* kernel : {"rbf:0.5", "rbf:2"})
    for (const char* C : {"10", "0.1", "1", "100"})
      candidates.push_back({"svm", {{"C", C}, {"kernel", kernel}, {"gap", "1e-6"}}, {}});
  const Metric area{MetricKind::Auc, {}};
  const auto one = cross_validate(data, plan, candidates, area, {});
  const auto three = cross_validate(data, plan, candidates, area, {.threads = Threads(3)});
  // The second kernel has the memory of the first, and no more of it.
  const auto second = cross_validate(data, plan, {candidates.begin() + 4, candidates.end()}, area, {});
  for (std::size_t k = 0; k < 4; ++k) CHECK(testing::same_bits(one[k + 4].values, second[k].values));
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    CAPTURE(k);
    CHECK(testing::same_bits(one[k].values, three[k].values));
    CHECK(one[k].limits == 0);
    CHECK(one[k].relative_gap.value() <= 1e-6);
    // Alone it begins at zero; both are at the optimum.
    const auto alone = cross_validate(data, plan, {candidates[k]}, area, {});
    for (std::size_t fold = 0; fold < 4; ++fold)
      CHECK(one[k].values[fold] == doctest::Approx(alone[0].values[fold]).epsilon(0.01));
  }
}

TEST_CASE("along C every way of solving planes ends at its own optimum, wherever it began") {
  const Dataset few = two_clouds(160, 1);
  GeneratorOptions wide;
  wide.rows = 60;
  wide.features = testing::fewer_if_sanitized(2000);
  wide.distance = 3;
  const Dataset many = generate(GeneratorKind::Gaussians, wide).data;
  for (const Dataset* data : {&few, &many}) {
    const FoldPlan plan = plan_folds(*data, {.folds = 3});
    for (const char* loss : {"hinge", "squared-hinge", "smooth-hinge", "logistic"}) {
      for (const char* offset : {"free", "lifted", "none"}) {
        std::vector<Candidate> candidates;
        for (const char* C : {"0.1", "1", "10", "1000", "0.001"}) {
          const bool logistic = std::string_view(loss) == "logistic";
          Candidate one{logistic ? "logistic" : "svm", {{"C", C}, {"offset", offset}, {"gap", "1e-7"}}, {}};
          if (!logistic) one.options.emplace_back("loss", loss);
          candidates.push_back(std::move(one));
        }
        const auto found = cross_validate(*data, plan, candidates, {MetricKind::Auc, {}}, {});
        for (std::size_t k = 0; k < candidates.size(); ++k) {
          CAPTURE(loss);
          CAPTURE(offset);
          CAPTURE(k);
          REQUIRE(found[k].finished);
          CHECK(found[k].relative_gap.value() <= 1e-7);
        }
      }
    }
  }
}

TEST_CASE(
    "a search says how exact the fits were that it chose by, and trains the chosen one as exactly as ever") {
  const Dataset data = two_clouds(200, 1);
  const std::vector<SearchSpace> spaces{over_c("logistic", "0.01,1,100")};
  TuneOptions options;
  const Tuning found = tune(data, spaces, options, {});
  for (const TriedPoint& point : found.table) CHECK(point.score.relative_gap.value() <= 1e-3);
  const TunedFit fitted = fit_chosen(data, spaces, found, options, {});
  CHECK(fitted.fit.proof.objective->relative_gap() <= 1e-4);
  // A gap that is asked for is that of all fits.
  std::vector<SearchSpace> exact = spaces;
  exact[0].fixed.options.emplace_back("gap", "1e-8");
  for (const TriedPoint& point : tune(data, exact, options, {}).table)
    CHECK(point.score.relative_gap.value() <= 1e-8);
}

TEST_CASE("metrics are those of evaluate") {
  const Dataset data = two_clouds(80);
  const Fit fit = train_candidate({"logistic", {}, {}}, data, {});
  const Evaluation all = evaluate(fit.model(), data, Threads(1));
  const std::vector<std::uint32_t> rows = rows_but(data, {});
  const auto value = [&](MetricKind kind, Costs costs = {}) {
    return judge_rows(fit.model(), data, rows, {kind, costs}, Threads(1)).value;
  };
  CHECK(value(MetricKind::Error) == all.error);
  CHECK(value(MetricKind::BalancedError) == doctest::Approx(all.balanced_error));
  CHECK(value(MetricKind::Auc) == doctest::Approx(all.auc.value()));
  CHECK(value(MetricKind::LogLoss) == doctest::Approx(all.log_loss.value()));
  CHECK(value(MetricKind::Cost) == doctest::Approx(all.error));
  const double missed = all.confusion[1][0], alarms = all.confusion[0][1];
  CHECK(value(MetricKind::Cost, {1, 5}) == doctest::Approx((alarms + 5 * missed) / 80));
  const Fit svm = train_candidate({"svm", {}, {}}, data, {});
  CHECK_THROWS_AS((void)judge_rows(svm.model(), data, rows, {MetricKind::LogLoss, {}}, Threads(1)),
                  UsageError);
}

TEST_CASE("ranges and lists of values") {
  const Algorithm svm = Algorithm::by_name("svm");
  const Axis c = parse_axis(svm, "C", "1e-2:1e2").value();
  CHECK(c.values == std::vector<double>{0.01, 0.1, 1, 10, 100});
  CHECK(c.logarithmic);
  CHECK(c.around(1, 1) == std::vector<double>{0.3162, 3.162});
  CHECK(c.around(0.01, 1) == std::vector<double>{0.03162});
  CHECK(c.plainer(0.1, 1) < 0);
  const Axis list = parse_axis(svm, "C", "100,1,10").value();
  CHECK(list.values == std::vector<double>{1, 10, 100});
  CHECK(list.around(10, 1).empty());
  const Axis kernel = parse_axis(svm, "kernel", "rbf:2^-4:2^4").value();
  CHECK(kernel.values.front() == 0.0625);
  CHECK(kernel.text(kernel.values.back()) == "rbf:16");
  const Axis nu = parse_axis(Algorithm::by_name("nu-svm"), "nu", "0.1:0.9").value();
  CHECK(nu.values.size() == 9);
  CHECK(nu.values[1] == 0.2);
  CHECK(nu.plainer(0.5, 0.1) < 0);
  const Axis passes = parse_axis(Algorithm::by_name("perceptron"), "passes", "1:100").value();
  for (const double value : passes.values) CHECK(value == std::floor(value));
  CHECK(parse_axis(svm, "C", "1e-2:1e2:3").value().values == std::vector<double>{0.01, 1, 100});
  CHECK_FALSE(parse_axis(svm, "C", "3").has_value());
  CHECK_FALSE(parse_axis(svm, "kernel", "poly:3,1,1").has_value());
  CHECK_THROWS_AS((void)parse_axis(svm, "C", "1:x"), UsageError);
  CHECK_THROWS_AS((void)parse_axis(svm, "C", "10:1"), UsageError);
  CHECK(plain_number("2^-3") == "0.125");
  CHECK(plain_number("auto") == "auto");
}

TEST_CASE(
    "tuning finds the value that folds judge best, and the rule of one standard error the plainest near it") {
  const Dataset data = two_clouds(300, 1.5);
  const std::vector<SearchSpace> spaces{over_c("logistic", "1e-4:1e4")};
  TuneOptions options;
  options.metric.kind = MetricKind::LogLoss;
  const Tuning best = tune(data, spaces, options, {});
  REQUIRE(best.chosen.has_value());
  CHECK_FALSE(best.stopped);
  CHECK(best.table.size() > 9);
  const TriedPoint& chosen = best.table[*best.chosen];
  for (const TriedPoint& point : best.table) {
    REQUIRE(point.score.finished);
    CHECK(point.score.mean >= chosen.score.mean);
  }
  options.rule = ChoiceRule::OneStandardError;
  const Tuning plain = tune(data, spaces, options, {});
  const TriedPoint& plainer = plain.table[plain.chosen.value()];
  CHECK(plainer.values[0] < chosen.values[0]);
  CHECK(plainer.score.mean <= chosen.score.mean + chosen.score.standard_error);
  for (const TriedPoint& point : plain.table)
    if (point.values[0] < plainer.values[0])
      CHECK(point.score.mean > chosen.score.mean + chosen.score.standard_error);
}

TEST_CASE("of values with the same number of errors the plainest is taken, however the folds share them") {
  const Dataset data = two_clouds(203, 1.2);  // folds of 41 and 40 rows
  const std::vector<SearchSpace> spaces{over_c("logistic", "1e-3,1e-2,0.1,0.3,1,3,10,100")};
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    TuneOptions options;
    options.folds.seed = seed;
    const Tuning found = tune(data, spaces, options, {});
    const TriedPoint& chosen = found.table[found.chosen.value()];
    for (const TriedPoint& point : found.table) {
      CHECK(point.score.mean >= chosen.score.mean - 0.5 / 203);
      if (point.values[0] < chosen.values[0]) CHECK(point.score.mean > chosen.score.mean + 0.5 / 203);
    }
  }
}

TEST_CASE("rows judged where they lie get the scores of copies, to the bit") {
  const Dataset data = two_clouds(90);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 1; i < data.rows(); i += 3) rows.push_back(i);
  for (const char* const algorithm : {"logistic", "perceptron", "lookup"})
    for (const ScaleKind scale : {ScaleKind::None, ScaleKind::Unit, ScaleKind::Standard}) {
      const Fit fit = train_candidate({algorithm, {}, {.scale = scale}}, data, {});
      CHECK(scores(fit.model(), data, rows, Threads(1)) ==
            scores(fit.model(), data.subset(rows), Threads(1)));
    }
}

TEST_CASE("a tuned model is trained on all rows and says how it was chosen") {
  const Dataset data = two_clouds(120);
  const std::vector<SearchSpace> spaces{over_c("svm", "0.1:10"), over_c("logistic", "0.1,1")};
  TuneOptions options;
  const Tuning found = tune(data, spaces, options, {.threads = Threads(2)});
  const TunedFit fitted = fit_chosen(data, spaces, found, options, {});
  CHECK_FALSE(fitted.first_fold);
  const TriedPoint& point = found.table[fitted.point];
  const Fit again = train_candidate(spaces[point.space].at(point.values), data, {});
  CHECK(std::get<LinearModel>(fitted.fit.model().form).weights ==
        std::get<LinearModel>(again.model().form).weights);
  CHECK(fitted.fit.model().facts.back().first == "tuning");
  CHECK(found.leaders.size() == 2);
  CHECK(found.table.size() == tune(data, spaces, options, {}).table.size());
}

TEST_CASE("values that the rows do not allow are refused beside the others") {
  const Dataset data =
      testing::dataset_from({{1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}, {1.5}, {8.5}, {9.5}},
                            std::vector<int>{0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1});
  SearchSpace space;
  space.fixed.algorithm = "nu-svm";
  space.axes.push_back(parse_axis(Algorithm::by_name("nu-svm"), "nu", "0.2,0.99").value());
  TuneOptions options;
  options.folds.folds = 2;
  const Tuning found = tune(data, {space}, options, {});
  CHECK(found.table[0].score.finished);
  CHECK_FALSE(found.table[1].score.refusal.empty());
  space.axes[0].values = {0.99};
  CHECK_THROWS_AS((void)tune(data, {space}, options, {}), UsageError);
}

TEST_CASE("a stopped search keeps the best so far") {
  const Dataset data = two_clouds(200);
  const std::vector<SearchSpace> spaces{over_c("logistic", "1e-3:1e3")};
  const StopHandle stop = StopHandle::make();
  Run run;
  run.stop = stop;
  TuneOptions options;
  const Tuning found = tune(data, spaces, options, run, [&](double, std::uint64_t points) {
    if (points == 2) stop.cancel();
  });
  CHECK(found.stopped);
  REQUIRE(found.chosen.has_value());
  REQUIRE(found.first_fold != nullptr);
  const TunedFit fitted = fit_chosen(data, spaces, found, options, run);
  REQUIRE(fitted.fit.has_model());
  CHECK(fitted.fit.answer.stop == Stop::Cancelled);
  CHECK(evaluate(fitted.fit.model(), data, Threads(1)).error < 0.3);
}

TEST_CASE("the nested estimate is about rows that had no part in the choice") {
  // Labels without any relation to the rows: the best of many values looks better than chance, the nested estimate not.
  testing::Rows rows;
  std::vector<int> labels;
  Random random(12);
  for (int i = 0; i < 60; ++i) {
    rows.push_back({});
    for (int j = 0; j < 10; ++j) rows.back().push_back(random.normal());
    labels.push_back(i % 2);
  }
  const Dataset data = testing::dataset_from(rows, labels);
  const std::vector<SearchSpace> spaces{over_c("svm", "1e-3:1e3")};
  TuneOptions options;
  options.folds.folds = 4;
  const auto nested = nested_estimate(data, spaces, options, {.threads = Threads(2)});
  REQUIRE(nested.has_value());
  CHECK(nested->chosen.size() == 4);
  CHECK(nested->errors.rows == 60);
  const Tuning found = tune(data, spaces, options, {});
  CHECK(nested->estimate.mean >= found.table[*found.chosen].score.mean);
}

TEST_CASE("a learning curve falls to the Bayes error") {
  GeneratorOptions law;
  law.rows = 4000;
  law.features = 5;
  law.distance = 2;
  const Generated made = generate(GeneratorKind::Gaussians, law);
  LearningOptions options;
  options.sizes = {20, 100, 2500};
  options.repeats = 3;
  const auto points = learning_curve(made.data, {"logistic", {}, {}}, options, {});
  REQUIRE(points.size() == 3);
  for (const LearningPoint& point : points) REQUIRE(point.finished);
  CHECK(points[0].test_error > points[2].test_error);
  CHECK(std::abs(points[2].test_error - made.bayes_error.value()) < 0.02);
  CHECK(points[0].training_error < points[0].test_error);
  const auto again = learning_curve(made.data, {"logistic", {}, {}}, options, {.threads = Threads(3)});
  for (std::size_t k = 0; k < 3; ++k) CHECK(again[k].test_error == points[k].test_error);
  options.repeats = 1;
  const auto one = learning_curve(made.data, {"logistic", {}, {}}, options, {});
  CHECK(one[2].interval->low <= one[2].test_error);
  CHECK(one[2].interval->high >= one[2].test_error);
}

TEST_CASE("along C the plane gets longer, the margin narrower, and every point is certified") {
  const Dataset data = two_clouds(200);
  const SearchSpace space = over_c("svm", "1e-3:1e2");
  const auto points = path_points(data, stratified_split(data, 0.25, 1), space, {.threads = Threads(2)});
  REQUIRE(points.size() == space.axes[0].values.size());
  for (std::size_t k = 0; k < points.size(); ++k) {
    REQUIRE(points[k].finished);
    CHECK(points[k].relative_gap.value() <= 1e-4);
    CHECK(points[k].margin.value() == doctest::Approx(1 / points[k].norm.value()));
    CHECK(points[k].training.rows == 150);
    CHECK(points[k].validation.rows == 50);
    if (k == 0) continue;
    CHECK(points[k].norm.value() >= points[k - 1].norm.value() * (1 - 1e-2));
  }
}
