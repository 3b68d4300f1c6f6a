// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/playground/playground.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "halfspace/data/arrays.hpp"
#include "playground/answers.hpp"
#include "support.hpp"

using namespace halfspace;
using halfspace::testing::dataset_from;
using halfspace::testing::Rows;
using Json = nlohmann::json;

namespace {

Json asked(const Playground& engine, const Json& question) {
  return Json::parse(engine.answer(question.dump()));
}
Json asked(const Json& question) { return asked(Playground(), question); }

const Json xor_points = Json::parse("[[-1,-1,1],[1,1,1],[-1,1,-1],[1,-1,-1]]");
const Json lecture_points = Json::parse("[[2,2,1],[2,-1,-1]]");

Json run_of(const Json& points, const Json& run) {
  return asked({{"ask", "run"}, {"points", points}, {"runs", {run}}});
}

playground::Points points_from(const Json& list) {
  playground::Points out;
  for (const Json& p : list) {
    out.values.push_back(p[0]);
    out.values.push_back(p[1]);
    out.labels.push_back(p[2]);
  }
  return out;
}

}  // namespace

TEST_CASE("the perceptron of the lecture goes through (2, 2) and (0, 3)") {
  const Json answer = run_of(lecture_points, {{"algorithm", "perceptron"},
                                              {"options", {{"offset", "none"}, {"passes", "until-clean"}}}});
  const Json& walk = answer["runs"][0];
  REQUIRE(walk["steps"].size() == 2);
  CHECK(walk["steps"][0]["theta"] == Json({2, 2}));
  CHECK(walk["steps"][1]["theta"] == Json({0, 3}));
  CHECK(walk["steps"][1]["row"] == 2);
  CHECK(walk["start"]["errors"] == 2);
  CHECK(walk["steps"][0]["turned"] == Json({1}));  // row 1 becomes right
  CHECK(walk["steps"][1]["errors"] == 0);
  CHECK(walk["alpha"]["values"] == Json({1, 1}));
  CHECK(walk["model"]["wrong"].empty());
  CHECK(answer["verdict"]["verdict"] == "separable");
}

TEST_CASE("rows on the plane count as wrong at the end as they do on the way") {
  const Json walk =
      run_of(xor_points, {{"algorithm", "perceptron"}, {"options", {{"passes", "3"}}}})["runs"][0];
  REQUIRE(walk["steps"].back()["theta"] == Json({0, 0}));
  CHECK(walk["steps"].back()["errors"] == 4);
  CHECK(walk["model"]["wrong"] == Json({1, 2, 3, 4}));
}

TEST_CASE("a step says what its rule is made of: loss, step size, shrinking, the mean, votes, its batch") {
  const auto first_step = [](const Json& points, const std::string& algorithm, const Json& options) {
    const Json run = run_of(points, {{"algorithm", algorithm}, {"options", options}})["runs"][0];
    REQUIRE_FALSE(run["steps"].empty());
    return run["steps"];
  };
  Json cyclic = {{"offset", "none"}, {"order", "cyclic"}, {"passes", "2"}, {"tie", "update"}};
  Json pegasos = cyclic;
  pegasos["lambda"] = "0.5";
  const Json shrunk = first_step(lecture_points, "pegasos", pegasos)[1];
  CHECK(shrunk["loss"] == 5);
  CHECK(shrunk["rate"] == 1);
  CHECK(shrunk["shrink"] == 0.5);
  CHECK(shrunk.contains("cosine"));
  CHECK_FALSE(shrunk.contains("cosine_bound"));  // of perceptrons only
  Json sgd = cyclic;
  sgd["rate"] = "1/(k+1):updates";
  CHECK(first_step(lecture_points, "sgd", sgd)[1]["rate"] == 0.5);
  const Json all = first_step(lecture_points, "sgd", {{"batch", "all"}, {"rate", "constant:1"}})[0];
  CHECK(all["batch"] == 2);
  const Json mean = first_step(lecture_points, "averaged-perceptron", {{"offset", "none"}})[1];
  CHECK(mean["mean"] == Json({1, 2.5, 0}));
  CHECK_FALSE(mean.contains("loss"));
  CHECK(first_step(lecture_points, "voted-perceptron", {{"offset", "none"}})[0]["votes"] == 1);
}

TEST_CASE("where no plane separates the points, the least number of errors is said and proved") {
  const Json found = run_of(xor_points, {{"algorithm", "perceptron"}})["verdict"];
  CHECK(found["least"]["upper"] == 1);
  CHECK(found["least"]["exact"] == true);
  CHECK(found["least"]["rows"].size() == 1);
  // Through the origin a plane gets a corner and the one across alike: two of them stay wrong.
  const Json none =
      run_of(xor_points, {{"algorithm", "perceptron"}, {"options", {{"offset", "none"}}}})["verdict"];
  CHECK(none["least"]["upper"] == 2);
  CHECK_FALSE(run_of(lecture_points, {{"algorithm", "perceptron"}})["verdict"].contains("least"));
}

TEST_CASE("principal directions: the projection keeps the spread of rows that lie in a plane") {
  Rows rows;
  std::vector<std::string> labels;
  for (int i = 0; i < 30; ++i) {
    const double a = 10 * std::sin(i), b = std::cos(3 * i);
    rows.push_back({a / std::sqrt(2), b, a / std::sqrt(2), 7});
    labels.emplace_back(i % 2 == 0 ? "p" : "q");
  }
  const Playground engine(dataset_from(rows, labels));
  const Json picked = asked(engine, {{"ask", "columns"}, {"axes", "principal"}});
  CHECK(picked["axes"] == "principal");
  CHECK(picked["column_count"] == 4);
  double mean_a = 0, mean_b = 0;
  for (int i = 0; i < 30; ++i) {
    mean_a += 10 * std::sin(i) / 30;
    mean_b += std::cos(3 * i) / 30;
  }
  const double x_sign = picked["points"][0][0].get<double>() * (0 - mean_a) > 0 ? 1 : -1;
  for (int i = 0; i < 30; ++i) {
    const Json& p = picked["points"][static_cast<std::size_t>(i)];
    const double a = 10 * std::sin(i) - mean_a, b = std::cos(3 * i) - mean_b;
    CHECK(std::hypot(p[0].get<double>(), p[1].get<double>()) == doctest::Approx(std::hypot(a, b)));
    CHECK(x_sign * p[0].get<double>() == doctest::Approx(a).epsilon(0.1).scale(1));
  }
  CHECK(asked(engine, {{"ask", "columns"}})["axes"] == "columns");
  CHECK(asked(engine, {{"ask", "columns"}, {"axes", "sideways"}}).contains("error"));
}

TEST_CASE(
    "XOR comes with the mixtures that meet, and without an offset with the mixture that is the origin") {
  const Json with = run_of(xor_points, {{"algorithm", "perceptron"}})["verdict"];
  CHECK(with["verdict"] == "overlapping");
  CHECK(with["witness"]["rows"].size() == 4);
  CHECK(with["witness"]["point"] == Json({0, 0}));
  for (const Json& row : with["witness"]["rows"]) CHECK(row["share"] == 0.5);
  const Json without =
      run_of(xor_points, {{"algorithm", "perceptron"}, {"options", {{"offset", "none"}}}})["verdict"];
  CHECK(without["witness"]["turned"] == true);
  double x = 0, y = 0, all = 0;
  for (const Json& row : without["witness"]["rows"]) {
    const Json& p = xor_points[row["row"].get<std::size_t>() - 1];
    x += row["share"].get<double>() * row["y"].get<int>() * p[0].get<double>();
    y += row["share"].get<double>() * row["y"].get<int>() * p[1].get<double>();
    all += row["share"].get<double>();
  }
  CHECK(std::abs(x) < 1e-15);
  CHECK(std::abs(y) < 1e-15);
  CHECK(all == doctest::Approx(1));
}

TEST_CASE("the region of the weight space is where every row is right, and nothing where none is") {
  const playground::Points lecture = points_from(lecture_points);
  // 2 a + 2 b >= 0 and -2 a + b >= 0 within the square of half width 4.
  const std::vector<playground::Corner> cone = playground::solution_region(lecture, 0, 4);
  REQUIRE(cone.size() == 3);
  for (const playground::Corner& corner : cone) {
    CHECK(2 * corner.x + 2 * corner.y >= -1e-12);
    CHECK(-2 * corner.x + corner.y >= -1e-12);
  }
  double area = 0;
  for (std::size_t k = 0; k < cone.size(); ++k) {
    const playground::Corner& next = cone[(k + 1) % cone.size()];
    area += (cone[k].x * next.y - next.x * cone[k].y) / 2;
  }
  CHECK(area == doctest::Approx(12));  // of the triangle (0, 0), (2, 4), (-4, 4)
  CHECK(playground::solution_region(points_from(xor_points), 0, 4).empty());
}

TEST_CASE("points that are made are the same for a seed, of both classes, and what they are called") {
  for (const char* kind : {"blobs", "xor", "nearly", "outlier", "ring"}) {
    const Json first = asked({{"ask", "make"}, {"kind", kind}, {"rows", 40}, {"seed", 7}});
    CHECK(first == asked({{"ask", "make"}, {"kind", kind}, {"rows", 40}, {"seed", 7}}));
    CHECK(first["points"].size() == 40);
    const std::string verdict = run_of(first["points"], {{"algorithm", "perceptron"}})["verdict"]["verdict"];
    CHECK_MESSAGE((verdict == "separable") == (std::string(kind) == "blobs"), std::string(kind));
  }
}

TEST_CASE("dual values of a support vector machine give its plane") {
  const Json points = asked({{"ask", "make"}, {"kind", "nearly"}, {"rows", 30}, {"seed", 2}})["points"];
  const Json walk =
      run_of(points, {{"algorithm", "svm"}, {"options", {{"C", "0.7"}, {"gap", "1e-9"}}}})["runs"][0];
  double a = 0, b = 0, balance = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double alpha = walk["alpha"]["values"][i];
    CHECK(alpha >= 0);
    CHECK(alpha <= 0.7 * (1 + 1e-12));
    a += alpha * points[i][2].get<int>() * points[i][0].get<double>();
    b += alpha * points[i][2].get<int>() * points[i][1].get<double>();
    balance += alpha * points[i][2].get<int>();
  }
  CHECK(a == doctest::Approx(walk["model"]["plane"]["theta"][0].get<double>()).epsilon(1e-3));
  CHECK(b == doctest::Approx(walk["model"]["plane"]["theta"][1].get<double>()).epsilon(1e-3));
  CHECK(std::abs(balance) < 1e-9);
  CHECK(walk["steps"].empty());
}

TEST_CASE("along C the margin narrows and every point is certified") {
  const Json points = asked({{"ask", "make"}, {"kind", "nearly"}, {"rows", 30}, {"seed", 2}})["points"];
  const Json path = asked({{"ask", "path"}, {"points", points}, {"run", {{"algorithm", "svm"}}}});
  CHECK(path["option"] == "C");
  REQUIRE(path["points"].size() > 10);
  double last = 1e300;
  for (const Json& point : path["points"]) {
    CHECK(point["margin"].get<double>() <= last * (1 + 1e-3));
    CHECK(point["relative_gap"].get<double>() <= 1e-4);
    last = point["margin"];
  }
}

TEST_CASE(
    "a kernel machine has a grid of scores in place of a plane, and a wrong plan takes nothing from the "
    "other") {
  const Json answer = asked({{"ask", "run"},
                             {"points", xor_points},
                             {"view", {-2, 2, -2, 2}},
                             {"runs",
                              {{{"algorithm", "svm"}, {"options", {{"kernel", "rbf:1"}, {"C", "10"}}}},
                               {{"algorithm", "svm"}, {"options", {{"C", "-1"}}}}}}});
  const Json& grid = answer["runs"][0]["model"]["grid"];
  const std::size_t side = grid["side"];
  CHECK(grid["scores"].size() == side * side);
  CHECK(grid["scores"][0].get<double>() > 0);         // at (-2, -2), beside a point of +1
  CHECK(grid["scores"][side - 1].get<double>() < 0);  // at (2, -2)
  CHECK(answer["runs"][0]["model"]["errors"] == 0);
  CHECK(answer["runs"][1].contains("error"));
}

TEST_CASE("columns of a table become points") {
  const std::vector<double> values = {1, 10, 5, 2, 20, 6, 3, 30, 7};
  const std::vector<std::string> labels = {"a", "b", "c"};
  const Dataset data =
      Dataset::dense(std::span<const double>(values), 3, 3,
                     {.labels = std::span<const std::string>(labels), .names = {"u", "v", "__proto__"}});
  const Playground engine(data);
  CHECK(asked(engine, {{"ask", "start"}})["file"].is_string());
  const Json picked = asked(engine, {{"ask", "columns"}, {"x", "__proto__"}, {"y", "u"}, {"positive", "b"}});
  CHECK(picked["points"] == Json::parse("[[5,1,-1],[6,2,1],[7,3,-1]]"));
  CHECK(picked["negative"] == "the rest");
  const Json scaled = asked(engine, {{"ask", "columns"}, {"scale", "minmax"}, {"x", "v"}});
  CHECK(scaled["points"][2][0] == doctest::Approx(1));
  CHECK(asked(engine, {{"ask", "columns"}, {"x", "w"}}).contains("error"));
  const Json pasted = asked({{"ask", "paste"}, {"text", "p,q,kind\n1,2,yes\n3,4,no\n"}});
  CHECK(pasted["points"] == Json::parse("[[1,2,1],[3,4,-1]]"));
  CHECK(pasted["x"] == "p");
  CHECK(asked({{"ask", "paste"}, {"text", "p,q,kind\n1,nan,yes\n"}})["error"]["message"]
            .get<std::string>()
            .find("pasted table:2:3") == 0);
}

TEST_CASE("what is wrong with a request is its answer") {
  for (const char* text :
       {"", "{", "[]", "1", "{}", R"({"ask":"run"})", R"({"ask":"run","points":[[1,2]],"runs":[]})",
        R"({"ask":"run","points":[[1,2,3]],"runs":[]})", R"({"ask":"run","points":[],"runs":[{},{},{}]})",
        R"({"ask":"run","points":[],"runs":[],"view":[1,0,0,1]})", R"({"ask":"make","rows":1e9})"})
    CHECK_MESSAGE(Json::parse(Playground().answer(text)).contains("error"), text);
  CHECK(Json::parse(Playground().answer(std::string(100000, '['))).contains("error"));
  const Json start = run_of(lecture_points, {{"algorithm", "perceptron"}, {"from", "/etc/passwd"}});
  CHECK(start["runs"][0]["error"]["message"].get<std::string>().find("no number") != std::string::npos);
}

TEST_CASE("a cancelled stop is no answer") {
  const StopHandle stop = StopHandle::make();
  stop.cancel();
  const std::string question =
      Json({{"ask", "run"}, {"points", xor_points}, {"runs", {{{"algorithm", "svm"}}}}}).dump();
  CHECK_THROWS_AS(static_cast<void>(Playground().answer(question, stop)), Stopped);
}
