// SPDX-License-Identifier: BSD-3-Clause
#include "model/foreign/liblinear_text.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "halfspace/core/random.hpp"
#include "halfspace/model/liblinear.hpp"
#include "halfspace/model/model_file.hpp"
#include "support.hpp"

namespace hs = halfspace;
namespace fs = std::filesystem;
using hs::testing::dataset_from;
using hs::testing::input_error;
using hs::testing::linear_model;

namespace {

const hs::Threads one{1};
using Labels = std::vector<std::string>;

const std::string good =
    "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias -1\nw\n0.1 \n0.2 \n0.3 \n";

std::string with(std::string text, const std::string& old, const std::string& now) {
  text.replace(text.find(old), old.size(), now);
  return text;
}

std::string place_of(const std::string& text) {
  const std::string message = input_error([&] { (void)hs::model_from_bytes(text, "m"); });
  return message.substr(0, message.find(": error: "));
}

Labels predicted(const hs::Model& model, const hs::Dataset& data) {
  Labels labels;
  for (const std::uint32_t y : hs::labels_from_scores(model, hs::scores(model, data, one))) {
    labels.push_back(y == hs::abstained ? "?" : model.classes[y]);
  }
  return labels;
}

}  // namespace

TEST_CASE("a two-class model gives its first label for a positive score, its second otherwise") {
  const auto data = dataset_from({{1, 0}, {-1, 0}, {0, 0}});
  const std::string head = "solver_type L2R_L2LOSS_SVC\nnr_class 2\n";
  const auto up = hs::model_from_bytes(head + "label 1 -1\nnr_feature 2\nbias -1\nw\n2 \n0 \n", "m");
  CHECK(up.classes == Labels{"-1", "1"});
  CHECK(predicted(up, data) == Labels{"1", "-1", "-1"});
  const auto down = hs::model_from_bytes(head + "label -1 1\nnr_feature 2\nbias -1\nw\n2 \n0 \n", "m");
  CHECK(down.classes == Labels{"-1", "1"});
  CHECK(predicted(down, data) == Labels{"-1", "1", "1"});
}

TEST_CASE("a bias of zero or more makes the last weight an offset") {
  const auto model = hs::model_from_bytes(
      "solver_type L1R_LR\nnr_class 2\nlabel 10 9\nnr_feature 1\nbias 2\nw\n1 \n-1.5 \n", "m");
  CHECK(std::get<hs::LinearModel>(model.form).offsets == std::vector<double>{-3});
  CHECK(predicted(model, dataset_from({{4}, {2}})) == Labels{"10", "9"});
}

TEST_CASE("MCSVM_CS has a plane per class even for two") {
  const std::string tail = "nr_feature 1\nbias -1\nw\n1 3 \n";
  const auto data = dataset_from({{1}, {-1}, {0}});
  const auto a = hs::model_from_bytes("solver_type MCSVM_CS\nnr_class 2\nlabel 1 2\n" + tail, "m");
  CHECK(a.planes() == 1);
  CHECK(predicted(a, data) == Labels{"2", "1", "1"});
  const auto b = hs::model_from_bytes("solver_type MCSVM_CS\nnr_class 2\nlabel 2 1\n" + tail, "m");
  CHECK(predicted(b, data) == Labels{"1", "2", "2"});
}

TEST_CASE("planes of many classes follow their labels into order") {
  const auto model = hs::model_from_bytes(
      "solver_type L2R_LR\nnr_class 3\nlabel 10 9 -2\nnr_feature 2\nbias 1\nw\n1 2 3 \n4 5 6 \n7 8 9 \n",
      "m");
  CHECK(model.classes == Labels{"-2", "9", "10"});
  const auto& linear = std::get<hs::LinearModel>(model.form);
  CHECK(linear.weights == std::vector<double>{3, 6, 2, 5, 1, 4});
  CHECK(linear.offsets == std::vector<double>{9, 8, 7});
}

TEST_CASE("of equal scores the class that comes first in LIBLINEAR's list wins") {
  const auto model = hs::model_from_bytes(
      "solver_type L2R_L2LOSS_SVC\nnr_class 3\nlabel 10 9 -2\nnr_feature 1\nbias -1\nw\n1 1 0 \n", "m");
  const auto data = dataset_from({{1}, {0}, {-1}});
  CHECK(predicted(model, data) == Labels{"10", "10", "-2"});
  CHECK(predicted(hs::model_from_bytes(hs::to_bytes(model), "own"), data) == Labels{"10", "10", "-2"});
  CHECK(predicted(hs::model_from_bytes(hs::to_liblinear_text(model), "again"), data) ==
        Labels{"10", "10", "-2"});
}

TEST_CASE("LIBLINEAR's logistic regression has probabilities, its other solvers have none") {
  const auto model = hs::model_from_bytes(good, "m");
  REQUIRE(hs::has_probabilities(model));
  const auto p = hs::probabilities_from_scores(model, hs::scores(model, dataset_from({{1, 2, 3}}), one));
  CHECK(p[1] == doctest::Approx(1 / (1 + std::exp(-1.4))));
  CHECK_FALSE(hs::has_probabilities(hs::model_from_bytes(with(good, "L2R_LR", "L2R_L2LOSS_SVC"), "m")));
}

TEST_CASE("every damaged line is refused at its line and column") {
  CHECK(place_of(good).empty());
  CHECK(place_of(with(good, "0.3 \n", "0.3\n\n")).empty());
  CHECK(place_of("w\n") == "m:1:1");
  CHECK(place_of(with(good, "nr_class 2", "nr_class -1")) == "m:2:10");
  CHECK(place_of(with(good, "nr_class 2", "nr_class 1")) == "m:2:10");
  CHECK(place_of(with(good, "nr_class 2", "nr_class 99999999999")) == "m:2:10");
  CHECK(place_of(with(good, "nr_class 2\nlabel 1 -1", "label 1 -1\nnr_class 2")) == "m:2:1");
  CHECK(place_of(with(good, "0.3 \n", "")) == "m:9:1");
  CHECK(place_of(with(good, "0.2", "nan")) == "m:8:1");
  CHECK(place_of(with(good, "0.2", "1e999")) == "m:8:1");
  CHECK(place_of(with(good, "0.2", "0x1")) == "m:8:1");
  CHECK(place_of(with(good, "0.2", "0.2 7")) == "m:8:5");
  CHECK(place_of(with(good, "L2R_LR", "PYTHON_EVAL")) == "m:1:13");
  CHECK(place_of(with(good, "L2R_LR", "L2R_L2LOSS_SVR")) == "m:1:13");
  CHECK(place_of(with(good, "label 1 -1", "label 1")) == "m:3:8");
  CHECK(place_of(with(good, "label 1 -1", "label 1 -1 3")) == "m:3:12");
  CHECK(place_of(with(good, "label 1 -1", "label 1 1")) == "m:3:9");
  CHECK(place_of(with(good, "label 1 -1", "label 1 x")) == "m:3:9");
  CHECK(place_of(with(good, "solver_type", "solver_type" + std::string(4096, 'A'))) == "m:1:1");
  CHECK(place_of(with(good, "bias", "nr_feature 9\nbias")) == "m:5:1");
  CHECK(place_of(with(good, "nr_feature 3", "nr_feature 2")) == "m:9:1");
  CHECK(place_of(with(good, "nr_feature 3", "nr_feature 2147483647")) == "m:4:12");
  CHECK(place_of(with(good, "bias -1", "bias inf")) == "m:5:6");
  CHECK(place_of(with(good, "bias -1", "bias 1")) == "m:10:1");
  CHECK(input_error([&] { (void)hs::model_from_bytes(with(good, "bias", "nr_feature 9\nbias"), "m"); }) ==
        "m:5:1: error: duplicate key 'nr_feature'; 'bias' expected here");
  const std::string long_key = input_error([&] {
    (void)hs::model_from_bytes(with(good, "solver_type", "solver_type" + std::string(4096, 'A')), "m");
  });
  CHECK(long_key.find("unknown key") != std::string::npos);
  CHECK(long_key.size() < 300);
}

TEST_CASE("a text model cut anywhere is refused") {
  for (std::size_t length = 0; length < good.size(); ++length) {
    CAPTURE(length);
    CHECK(!place_of(good.substr(0, length)).empty());
  }
}

TEST_CASE("a large text model is the same read in pieces by several threads and read whole") {
  hs::Random random(8);
  for (const char* head : {"solver_type L2R_LR\nnr_class 2\nlabel -1 1\nnr_feature 60000\nbias 0.5\nw\n",
                           "solver_type MCSVM_CS\nnr_class 3\nlabel 3 1 2\nnr_feature 60001\nbias -1\nw\n"}) {
    const bool many = std::string(head).find("MCSVM") != std::string::npos;
    std::string text = head;
    for (int line = 0; line < 60001; ++line) {
      for (int k = 0; k < (many ? 3 : 1); ++k) {
        const double x = (static_cast<double>(random.next()) / 1.8e19 - 0.5) *
                         std::pow(10.0, static_cast<int>(random.below(24)) - 20);
        text += random.below(10) == 0 ? "0 " : fmt::format("{:.17g} ", x);
      }
      text += '\n';
    }
    REQUIRE(text.size() > 1'000'000);
    const hs::Model whole = hs::detail::model_from_liblinear(text, "m");
    const auto source = hs::memory_source(text, "m");
    for (const int threads : {1, 3}) {
      const auto pieces = hs::detail::model_from_plain_liblinear(*source, "m", hs::Threads(threads));
      REQUIRE(pieces.has_value());
      CHECK(hs::to_bytes(*pieces) == hs::to_bytes(whole));
    }
  }
}

TEST_CASE("a text model that is not quite as LIBLINEAR writes it is left to the careful reader") {
  const auto is_plain = [](const std::string& text) {
    return hs::detail::model_from_plain_liblinear(*hs::memory_source(text, "m"), "m", one).has_value();
  };
  CHECK(is_plain(good));
  CHECK(is_plain(with(good, "0.2", "2e-1")));
  CHECK(is_plain(with(good, "0.2", "1e-300")));
  for (const std::string& other :
       {with(good, "0.2 ", "0.2"), with(good, "0.2 ", "0.2  "), with(good, "0.2", "+0.2"),
        with(good, "0.2", "nan"), with(good, "0.2", "1e999"), with(good, "0.2", "x"),
        with(good, "0.2 \n", ""), good + "\n", good + "0.4 \n", good.substr(0, good.size() - 1),
        good.substr(0, good.size() - 3), with(good, "w\n", "w \n"), "\n" + good})
    CHECK_FALSE(is_plain(other));
}

TEST_CASE("weights whose difference or product overflows are refused") {
  CHECK(!place_of("solver_type MCSVM_CS\nnr_class 2\nlabel 1 2\nnr_feature 1\nbias -1\nw\n1e308 -1e308 \n")
             .empty());
  CHECK(
      !place_of("solver_type L2R_LR\nnr_class 2\nlabel 1 2\nnr_feature 0\nbias 1e300\nw\n1e300 \n").empty());
}

TEST_CASE("what is written as LIBLINEAR text reads back as the same predictions") {
  const auto data = dataset_from({{1, 0}, {-1, 0}, {0, 0}, {0.1, 7}});
  for (const hs::Tie tie : {hs::Tie::Negative, hs::Tie::Positive}) {
    auto model = linear_model({{0.1, -1e-3}}, {0}, {"-1", "1"});
    model.tie = tie;
    const auto back = hs::model_from_bytes(hs::to_liblinear_text(model), "m");
    CHECK(back.classes == model.classes);
    CHECK(back.tie == tie);
    CHECK(std::get<hs::LinearModel>(back.form).weights == std::get<hs::LinearModel>(model.form).weights);
  }
  const auto many = linear_model({{1, 2}, {3, 4}, {5, 1.0 / 3}}, {7, 8, -9}, {"-7", "2", "10"});
  const auto back = hs::model_from_bytes(hs::to_liblinear_text(many), "m");
  CHECK(back.classes == many.classes);
  CHECK(std::get<hs::LinearModel>(back.form).weights == std::get<hs::LinearModel>(many.form).weights);
  CHECK(std::get<hs::LinearModel>(back.form).offsets == std::get<hs::LinearModel>(many.form).offsets);
}

TEST_CASE("models that LIBLINEAR cannot express are not exported") {
  auto model = linear_model({{1, 2}}, {0}, {"no", "yes"});
  CHECK_THROWS_AS((void)hs::to_liblinear_text(model), hs::UsageError);
  model.classes = {"0.5", "1"};
  CHECK_THROWS_AS((void)hs::to_liblinear_text(model), hs::UsageError);
  model.classes = {"0", "1"};
  model.unit_rows = true;
  CHECK_THROWS_AS((void)hs::to_liblinear_text(model), hs::UsageError);
  model.unit_rows = false;
  model.form = hs::LookupModel{.features = 1};
  CHECK_THROWS_AS((void)hs::to_liblinear_text(model), hs::UsageError);
}

TEST_CASE("liblinear-predict gives the labels of an exported model") {
  if (std::system("command -v liblinear-predict > /dev/null") != 0) {
    MESSAGE("skipped: liblinear-predict is not installed");
    return;
  }
  const fs::path folder = fs::temp_directory_path() / fmt::format("halfspace-liblinear-{}", ::getpid());
  fs::create_directory(folder);
  hs::Random random(3);
  for (const std::size_t planes : {1U, 4U}) {
    for (const hs::Tie tie : {hs::Tie::Negative, hs::Tie::Positive}) {
      hs::testing::Rows weights(planes, std::vector<double>(5));
      // Small integers make ties common.
      const auto small = [&] { return static_cast<double>(random.below(5)) - 2; };
      for (auto& plane : weights)
        for (double& w : plane) w = small();
      std::vector<double> offsets(planes);
      for (double& b : offsets) b = small();
      auto model =
          linear_model(weights, offsets, planes == 1 ? Labels{"-3", "12"} : Labels{"-3", "2", "5", "12"});
      model.tie = tie;
      hs::testing::Rows rows(300, std::vector<double>(5));
      for (auto& row : rows)
        for (double& x : row) x = small();
      std::ofstream text(folder / "data");
      for (const auto& row : rows) {
        text << "2";
        for (std::size_t j = 0; j < row.size(); ++j)
          if (row[j] != 0) text << ' ' << j + 1 << ':' << row[j];
        text << '\n';
      }
      text.close();
      std::ofstream(folder / "model") << hs::to_liblinear_text(model);
      const std::string command =
          fmt::format("cd '{}' && liblinear-predict data model out > /dev/null", folder.string());
      REQUIRE(std::system(command.c_str()) == 0);
      std::ifstream out(folder / "out");
      const Labels theirs{std::istream_iterator<std::string>(out), {}};
      CHECK(theirs == predicted(model, dataset_from(rows)));
    }
  }
  fs::remove_all(folder);
}
