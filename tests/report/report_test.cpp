// SPDX-License-Identifier: BSD-3-Clause
// The report's object: known answers, sums that come out, and text that stays text.
#include "halfspace/report/report.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "halfspace/evaluate/ranking.hpp"
#include "halfspace/solve/algorithms.hpp"
#include "support.hpp"

using namespace halfspace;
using halfspace::testing::dataset_from;
using halfspace::testing::linear_model;
using halfspace::testing::Rows;
using Json = nlohmann::json;

namespace {

Json report_of(const Model& model, const Dataset& data, const Dataset* test = nullptr) {
  return Json::parse(report_json({.model = model,
                                  .data = data,
                                  .test = test,
                                  .model_name = "m.model",
                                  .data_name = "folder/rows.csv",
                                  .test_name = "new.csv"}));
}

// Rows in three columns that overlap a little.
Dataset some_rows(std::size_t count, std::size_t columns = 3) {
  Rows rows;
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < count; ++i) {
    const double t = static_cast<double>(i);
    std::vector<double> row;
    for (std::size_t j = 0; j < columns; ++j)
      row.push_back(std::sin(t * 1.3 + static_cast<double>(j)) * (1 + static_cast<double>(j)));
    labels.push_back(row[0] + 0.4 * std::cos(5 * t) > 0 ? "yes" : "no");
    rows.push_back(row);
  }
  return dataset_from(rows, labels);
}

}  // namespace

TEST_CASE("a report is named after the file, and of images with their labels after the images") {
  const Dataset data = some_rows(20);
  const Model model = linear_model({{1, 0, 0}}, {0}, {"no", "yes"});
  const auto name_of = [&](const std::string& path) {
    const ReportInput input{.model = model, .data = data, .model_name = "m", .data_name = path};
    return Json::parse(report_json(input))["data"]["name"];
  };
  CHECK(name_of("rows.csv") == "rows.csv");
  CHECK(name_of("in/a,b.csv") == "a,b.csv");
  CHECK(name_of("in,out/rows.csv") == "rows.csv");
  CHECK(name_of("digits/images.gz,digits/labels.gz") == "images.gz");
}

TEST_CASE("the errors of a known plane are counted, with its confusion and margins") {
  const Dataset data = dataset_from({{2}, {1}, {-1}, {-3}, {0.5}}, {"b", "b", "a", "a", "a"});
  const Json report = report_of(linear_model({{1}}, {0}, {"a", "b"}), data);
  CHECK(report["schema"] == "halfspace.report/1");
  CHECK(report["quality"]["errors"] == 1);
  CHECK(report["quality"]["rows"] == 5);
  CHECK(report["quality"]["on"] == "data");
  CHECK(report["quality"]["confusion"]["counts"][0] == Json({2, 1, 0}));
  CHECK(report["quality"]["confusion"]["counts"][1] == Json({0, 2, 0}));
  CHECK(report["margins"]["least"] == -0.5);
  CHECK(report["margins"]["wrong"] == 1);
  CHECK(report["rows"]["hardest"][0]["row"] == 5);
  CHECK(report["reproduce"]["playground"] == "halfspace playground folder/rows.csv");
  CHECK_FALSE(report["rows"]["hardest"][0]["right"].get<bool>());
  CHECK(report["verdict"].size() == 3);
  CHECK_FALSE(report.contains("perceptron"));
  CHECK_FALSE(report.contains("calibration"));
}

TEST_CASE("the points of the nomogram add up to the score of every row") {
  const Dataset data = some_rows(80, 20);  // more columns than scales: the rest has a part too
  const Fit fit = train(data, LogisticRegression{});
  const Json report = report_of(fit.model(), data);
  const Json& nomogram = report["nomogram"];
  CHECK(nomogram["probability"] == "logistic");
  REQUIRE(nomogram["features"].size() == 12);
  CHECK(nomogram["left_out"] == 8);
  const Json& plane = nomogram["planes"][0];
  const std::vector<double> all = scores(fit.model(), data, Threads(1));
  double longest = 0;
  for (const Json& row : nomogram["rows"]) {
    double points = 0, shown = plane["offset"];
    for (std::size_t j = 0; j < nomogram["features"].size(); ++j) {
      const double w = plane["weights"][j], low = nomogram["features"][j]["low"],
                   high = nomogram["features"][j]["high"];
      const double worth =
          (w * row["values"][j].get<double>() - std::min(w * low, w * high)) / plane["unit"].get<double>();
      CHECK(worth >= -1e-9);
      CHECK(worth <= 100 + 1e-9);
      longest = std::max(longest, std::abs(w) * (high - low) / plane["unit"].get<double>());
      points += worth;
      shown += w * row["values"][j].get<double>();
    }
    const double score = row["scores"][0];
    CHECK(score == all[row["row"].get<std::size_t>() - 1]);
    const double rest = score - shown;
    CHECK(plane["base"].get<double>() + plane["unit"].get<double>() * points + rest ==
          doctest::Approx(score).epsilon(1e-12));
  }
  CHECK(longest == doctest::Approx(100));
}

TEST_CASE("contributions of a row add up to its score") {
  const Dataset data = some_rows(60, 15);
  const Fit fit = train(data, LogisticRegression{});
  const Json report = report_of(fit.model(), data);
  for (const Json& row : report["rows"]["hardest"]) {
    double sum = row["average"].get<double>() + row["rest"].get<double>();
    for (const Json& part : row["contributions"]) sum += part["contribution"].get<double>();
    CHECK(sum == doctest::Approx(row["score"].get<double>()).epsilon(1e-10));
  }
}

TEST_CASE("XOR: four rows prove that no plane separates, and the hulls meet in the middle") {
  const Dataset data = dataset_from({{0, 0}, {1, 1}, {0, 1}, {1, 0}}, {"a", "a", "b", "b"});
  const Json report = report_of(train(data, LogisticRegression{}).model(), data);
  const Json& answer = report["separability"]["answers"][0];
  CHECK(answer["verdict"] == "overlapping");
  CHECK(answer["witness"]["count"] == 4);
  for (const Json& row : answer["witness"]["rows"]) CHECK(row["share"] == 0.5);
  CHECK(answer["witness"]["point"][0]["value"] == 0.5);
  CHECK(answer["picture"]["meet"] == Json({0.5, 0.5}));
  CHECK(report["data"]["training"] == true);
}

TEST_CASE(
    "the least number of errors stands beside the witness, in the verdict and among the doctor's findings") {
  Rows rows;
  std::vector<std::string> labels;
  for (int i = 0; i < 40; ++i) {
    rows.push_back({i % 2 == 0 ? 1.0 + 0.1 * i : -1.0 - 0.1 * i, std::sin(i)});
    labels.emplace_back(i % 2 == 0 ? "b" : "a");
  }
  labels[38] = "a";  // far on the side of b
  const Dataset data = dataset_from(rows, labels);
  const Json report = report_of(train(data, LogisticRegression{}).model(), data);
  const Json& least = report["separability"]["answers"][0]["least_errors"];
  CHECK(least["exact"] == true);
  CHECK(least["upper"] == 1);
  CHECK(least["rows"] == Json({39}));
  CHECK(report["verdict"][2].get<std::string>().find("no plane gets fewer than 1 wrong") !=
        std::string::npos);
  std::size_t suspects = 0;
  for (const Json& check : report["data"]["checks"])
    if (check["code"] == "suspects") {
      ++suspects;
      CHECK(check["text"].get<std::string>().find("row 39") != std::string::npos);
    }
  CHECK(suspects == 1);
  // Of three classes, each has its own.
  Rows corners = {{0, 0}, {1, 1}, {0, 1}, {1, 0}, {5, 5}, {6, 6}};
  const Dataset three = dataset_from(corners, {"a", "a", "b", "b", "c", "c"});
  const Json more = report_of(train(three, LogisticRegression{}).model(), three);
  for (const Json& answer : more["separability"]["answers"])
    if (answer["verdict"] != "separable") CHECK(answer["least_errors"]["upper"] == 1);
}

TEST_CASE("classes that are apart have no least number of errors") {
  const Dataset data = dataset_from({{2}, {1}, {-1}, {-3}}, {"b", "b", "a", "a"});
  const Json report = report_of(train(data, LogisticRegression{}).model(), data);
  CHECK_FALSE(report["separability"]["answers"][0].contains("least_errors"));
  for (const Json& check : report["data"]["checks"]) CHECK(check["code"] != "suspects");
}

TEST_CASE("of very many rows a sample proves that no plane separates them, with rows of the data") {
  constexpr std::size_t count = 60'000;
  Rows rows;
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < count; ++i) {
    const double t = static_cast<double>(i);
    rows.push_back({std::round(64 * std::sin(1.3 * t)) / 64, std::round(64 * std::cos(2.9 * t)) / 64});
    labels.push_back(rows.back()[0] + 0.4 * std::cos(5 * t) > 0 ? "yes" : "no");
  }
  const Dataset data = dataset_from(rows, labels);
  const Json report = report_of(linear_model({{1, 0}}, {0}, {"no", "yes"}), data);
  const Json& answer = report["separability"]["answers"][0];
  REQUIRE(answer["decided"] == true);
  REQUIRE(answer["verdict"] == "overlapping");
  // The witness, weighted by its shares, is one point of both classes.
  std::vector<double> point[2] = {{0, 0}, {0, 0}};
  for (const Json& row : answer["witness"]["rows"]) {
    const auto i = row["row"].get<std::size_t>() - 1;
    REQUIRE(i < count);
    const bool positive = row["positive"].get<bool>();
    CHECK((labels[i] == "yes") == positive);
    for (std::size_t j = 0; j < 2; ++j) point[positive ? 1 : 0][j] += row["share"].get<double>() * rows[i][j];
  }
  for (std::size_t j = 0; j < 2; ++j) CHECK(point[0][j] == doctest::Approx(point[1][j]).scale(1));
  CHECK(report["margins"]["sampled"] == true);
  CHECK(report["margins"]["points"].size() == 2000);
  CHECK(report["quality"]["rows"] == count);
}

TEST_CASE("a calibrated model hands its map to the page") {
  const Dataset data = some_rows(300);
  Model model = train(data, Svm{}).model();
  model.calibrator = {.kind = CalibrationKind::Platt, .slope = 1.5, .shift = 0.25};
  Json nomogram = report_of(model, data)["nomogram"];
  CHECK(nomogram["probability"] == "platt");
  CHECK(nomogram["calibrator"] == Json({{"slope", 1.5}, {"shift", 0.25}}));
  model.calibrator = {
      .kind = CalibrationKind::Isotonic, .scores = {-1, 0, 2}, .probabilities = {0.1, 0.5, 0.75}};
  nomogram = report_of(model, data)["nomogram"];
  CHECK(nomogram["probability"] == "isotonic");
  CHECK(nomogram["calibrator"]["scores"] == Json({-1, 0, 2}));
  CHECK(nomogram["calibrator"]["probabilities"] == Json({0.1, 0.5, 0.75}));
  CHECK(report_of(train(data, Svm{}).model(), data)["nomogram"]["calibrator"].is_null());
}

TEST_CASE("classes that are apart have a plane with its margin, and the perceptron its bound") {
  const Dataset data = dataset_from({{2, 2}, {1, 3}, {2, -1}, {-1, 1}}, {"1", "1", "-1", "-1"});
  const Json report = report_of(train(data, Perceptron{.passes = {.until_clean = true}}).model(), data);
  CHECK(report["separability"]["answers"][0]["verdict"] == "separable");
  const Json& page = report["perceptron"];
  CHECK(page["walk"]["updates"] == page["planes"][0]["mistakes"]);
  CHECK(page["best_bound"].get<double>() >= page["planes"][0]["mistakes"].get<double>());
  CHECK(report["solved"]["claims"][0]["kind"] == "mistake-bound");
}

TEST_CASE("test rows are judged, and the other ones stand beside them") {
  const Dataset data = some_rows(60), test = some_rows(25);
  const Json report = report_of(train(data, LogisticRegression{}).model(), data, &test);
  CHECK(report["quality"]["on"] == "test");
  CHECK(report["quality"]["rows"] == 25);
  CHECK(report["quality"]["data_error"]["rows"] == 60);
  CHECK(report["margins"]["rows"] == 60);
  CHECK(report["quality"]["baselines"].size() == 2);
}

TEST_CASE("the cheapest threshold for any pair of costs is among the points that are kept") {
  const Dataset data = some_rows(900);
  const Model model = train(data, LogisticRegression{}).model();
  const Json report = report_of(model, data);
  const Json& section = report["thresholds"];
  REQUIRE(section["points"].size() < section["all_points"].get<std::size_t>());
  const std::vector<double> f = scores(model, data, Threads(1));
  std::vector<std::uint8_t> positive;
  for (const std::uint32_t label : data.labels()) positive.push_back(label == 1 ? 1 : 0);
  const Ranking ranking = rank_scores(f, positive, {});
  for (const double ratio : {0.1, 0.5, 1.0, 3.0, 20.0}) {
    double best = HUGE_VAL;
    for (const Json& point : section["points"])
      best = std::min(best, ratio * point["false_positive"].get<double>() +
                                section["positive"].get<double>() - point["true_positive"].get<double>());
    CHECK(best == doctest::Approx(cheapest_threshold(ranking, {ratio, 1}).cost));
  }
}

TEST_CASE("more than two classes: one nomogram plane and one weight list per class, no threshold") {
  Rows rows;
  std::vector<std::string> labels;
  for (int i = 0; i < 60; ++i) {
    rows.push_back({std::cos(i * 2.1) + i % 3, std::sin(i * 1.7) - i % 3});
    labels.push_back(std::string(1, static_cast<char>('a' + i % 3)));
  }
  const Dataset data = dataset_from(rows, labels);
  const Json report = report_of(train(data, LogisticRegression{}).model(), data);
  CHECK(report["weights"]["planes"].size() == 3);
  CHECK(report["nomogram"]["probability"] == "softmax");
  CHECK_FALSE(report.contains("thresholds"));
  CHECK(report["separability"]["answers"].size() == 3);
}

TEST_CASE("rows of two columns, or of two that are asked for, are seen with the plane of the model") {
  const Dataset flat = dataset_from({{0, 0}, {1, 0}, {2, 1}, {0.5, 3}}, {"a", "a", "b", "b"});
  const Json seen = report_of(linear_model({{2, 0}}, {-1}, {"a", "b"}), flat)["plane"];
  CHECK(seen["lines"] == Json::parse("[[2, 0, -1]]"));
  CHECK(seen["margin"] == false);
  CHECK(seen["points"] ==
        Json::parse("[[1, 0, 0, 0, 1], [2, 0, 1, 0, -1], [3, 1, 2, 1, 3], [4, 1, 0.5, 3, 0]]"));
  CHECK(report_of(train(flat, Svm{}).model(), flat)["plane"]["margin"] == true);
  CHECK_FALSE(report_of(train(flat, Svm{.kernel = {.kind = KernelKind::Rbf, .gamma = 1}}).model(), flat)
                  .contains("plane"));
  // Two of three columns: the third at its mean.
  const Dataset deep = dataset_from({{0, 0, 1}, {1, 0, 2}, {2, 1, 3}, {3, 1, 6}}, {"a", "a", "b", "b"});
  const Model model = linear_model({{2, 5, 10}}, {-1}, {"a", "b"});
  CHECK_FALSE(report_of(model, deep).contains("plane"));
  ReportInput input{.model = model, .data = deep, .model_name = "m", .data_name = "rows.csv"};
  input.columns = std::pair<std::uint32_t, std::uint32_t>(1, 0);
  const Json slice = Json::parse(report_json(input))["plane"];
  CHECK(slice["lines"] == Json::parse("[[5, 2, 29]]"));
  CHECK(slice["others"] == 1);
  CHECK(slice["points"][2] == Json::parse("[3, 1, 1, 2, 38]"));
}

TEST_CASE("a kernel model has no weights, and its report says the rest") {
  const Dataset data = some_rows(40);
  const Json report =
      report_of(train(data, Svm{.kernel = {.kind = KernelKind::Rbf, .gamma = 1}}).model(), data);
  CHECK_FALSE(report.contains("weights"));
  CHECK_FALSE(report.contains("nomogram"));
  CHECK(report["model"]["kind"] == "kernel");
  CHECK(report.contains("margins"));
}

TEST_CASE("the page holds the object with nothing that looks like markup") {
  const std::string evil = "</script><script>alert(1)</script>&\xE2\x80\xA8";
  const Dataset data = dataset_from({{2}, {1}, {-1}, {-3}}, {evil, evil, "a", "a"});
  const Model model = train(data, LogisticRegression{}).model();
  const std::string page =
      report_page(report_json({.model = model, .data = data, .model_name = "m", .data_name = evil}));
  CHECK(page.find("alert(1)</script>") == std::string::npos);
  CHECK(page.find("%%HALFSPACE") == std::string::npos);
  CHECK(page.find("default-src 'none'") != std::string::npos);
  const std::string mark = "<script type=\"application/json\" id=\"report-data\">";
  const std::size_t begin = page.find(mark) + mark.size();
  const Json object = Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  CHECK(object["schema"] == "halfspace.report/1");
  CHECK(object["model"]["classes"].size() == 2);
  CHECK_THROWS_AS(static_cast<void>(report_page("{}")), InputError);
  CHECK_THROWS_AS(static_cast<void>(report_page("nonsense")), InputError);
}

TEST_CASE("commands that can be copied hand nothing to the shell but words") {
  const Dataset data = dataset_from({{2}, {1}, {-1}, {-3}}, {"b", "b", "a", "a"});
  Model model = linear_model({{1}}, {0}, {"a", "b"});
  model.algorithm = "svm";
  model.options = {{"x; evil", "true"}, {"C", "1; evil"}};
  const std::string trap = "; evil '; evil; '";
  const ReportInput input{.model = model,
                          .data = data,
                          .model_name = std::string(1200, 'm') + trap,
                          .data_name = trap + "\n; evil"};
  const Json said = Json::parse(report_json(input))["reproduce"];
  for (const char* key : {"train", "verify", "report", "playground"}) {
    // As a shell reads it: what is outside of quotes has no word but ours.
    std::string bare;
    bool quoted = false, escaped = false;
    for (const char c : said[key].get<std::string>()) {
      if (escaped) {
        escaped = false;
      } else if (!quoted && c == '\\') {
        escaped = true;
      } else if (c == '\'') {
        quoted = !quoted;
      } else if (!quoted) {
        bare += c;
      }
    }
    CHECK_FALSE(quoted);
    CHECK_MESSAGE(bare.find_first_of(";\n&|$`") == std::string::npos, bare);
    CHECK_MESSAGE(bare.find("evil") == std::string::npos, bare);
  }
}

TEST_CASE("rows without labels are refused") {
  const Dataset data = dataset_from(Rows{{1}, {2}});
  CHECK_THROWS_AS(static_cast<void>(report_of(linear_model({{1}}, {0}, {"a", "b"}), data)), InputError);
}

TEST_CASE("the same bits for any number of threads") {
  const Dataset data = some_rows(3000);
  const Model model = train(data, LogisticRegression{}).model();
  const ReportInput input{.model = model, .data = data, .model_name = "m", .data_name = "d"};
  Run two;
  two.threads = Threads(2);
  CHECK(report_json(input) == report_json(input, two));
}
