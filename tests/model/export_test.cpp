// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/model/export.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "halfspace/core/error.hpp"
#include "model/travel/compare.hpp"
#include "model/travel/graph.hpp"
#include "model/travel/protobuf.hpp"
#include "model/travel/targets.hpp"
#include "model/travel/text.hpp"
#include "model_samples.hpp"
#include "support.hpp"

using namespace halfspace;
using namespace halfspace::testing;

namespace {

Model three_classes() {
  Model model =
      linear_model({{1, -0.5, 0.1}, {0.3, 2, -1}, {-1, 0.7, 0.2}}, {0.1, -0.2, 0.3}, {"a", "b", "c"});
  model.algorithm = "logistic";
  return model;
}

Model kernel_machine(KernelFunction kernel, bool pairs) {
  KernelModel machine{.features = 2, .kernel = kernel, .pairs = pairs};
  machine.start = {0, 2, 3, 5};
  machine.index = {0, 1, 0, 0, 1};
  machine.value = {1, 2, -1, 0.5, -2};
  machine.first = {0, 2, 4, 6};
  machine.vector = {0, 1, 0, 2, 1, 2};
  machine.coefficient = {1, -0.5, 0.25, -1, 0.75, 0.1};
  machine.offsets = {0.1, -0.3, 0.2};
  Model model;
  model.form = machine;
  model.classes = {"1", "2", "3"};
  model.algorithm = "svm";
  return model;
}

std::string usage_error(const Model& model, Target target, const ExportOptions& options = {}) {
  try {
    (void)export_model(model, target, options);
  } catch (const UsageError& error) {
    return std::string(error.what()) + " " + error.hint();
  }
  return {};
}

}  // namespace

TEST_CASE("names end neither literals nor comments") {
  using namespace halfspace::travel;
  CHECK(c_string("a\"b\\c?\?/\n\xC3\xA9") == "\"a\\\"b\\\\c\\?\\?/\\012\\303\\251\"");
  CHECK(json_string("</script>\"\xE2\x80\xA8") == "\"\\u003c/script>\\\"\\u2028\"");
  CHECK(sql_name("a\"b") == "\"a\"\"b\"");
  CHECK(sql_string("it's") == "'it''s'");
  CHECK_THROWS_AS((void)sql_name(std::string("a\0b", 3)), UsageError);
  CHECK_THROWS_AS((void)c_string(std::string("a\0b", 3)), UsageError);
}

TEST_CASE("numbers are doubles in every language and come back as they were") {
  using halfspace::travel::number;
  CHECK(number(1) == "1.0");
  CHECK(number(-3) == "-3.0");
  CHECK(number(0.1) == "0.1");
  CHECK(number(1e300) == "1e+300");
  CHECK(std::stod(number(0.1 + 0.2)) == 0.1 + 0.2);
}

TEST_CASE("messages of Protocol Buffers: the examples of their encoding") {
  using halfspace::travel::Message;
  CHECK(Message().whole(1, 150).bytes() == "\x08\x96\x01");
  CHECK(Message().text(2, "testing").bytes() == "\x12\x07testing");
  CHECK(Message().message(3, Message().whole(1, 150)).bytes() == "\x1a\x03\x08\x96\x01");
  CHECK(Message().whole(7, static_cast<std::uint64_t>(-1)).bytes().size() == 11);
}

TEST_CASE(
    "rows to compare on: as many for every model, the same every time, on both sides and on the plane") {
  const Model model = linear_model({{1.5, -2, 0.25}}, {0.1}, {"no", "yes"});
  const Dataset rows = probe_rows(model);
  CHECK(rows.rows() == 20);
  CHECK(rows.fingerprint() == probe_rows(model).fingerprint());
  const std::vector<double> f = scores(model, rows);
  CHECK(std::count_if(f.begin(), f.end(), [](double s) { return s > 0.1; }) >= 2);
  CHECK(std::count_if(f.begin(), f.end(), [](double s) { return s < -0.1; }) >= 2);
  CHECK(std::count_if(f.begin(), f.end(), [](double s) { return std::abs(s) < 1e-12; }) >= 5);
}

TEST_CASE("rows to compare on follow the table: one category at most, holes filled as holes are") {
  const Model model = table_model();
  const Dataset rows = probe_rows(model);
  std::visit(
      [&](const auto& x) {
        for (std::size_t i = 0; i < rows.rows(); ++i) {
          double categories = 0;
          for_entries(x.row(i), [&](std::size_t j, double v) { categories += j == 1 || j == 2 ? v : 0; });
          CHECK((categories == 0 || categories == 1));
        }
      },
      rows.matrix());
}

TEST_CASE("support vectors are among the rows to compare on") {
  const Model model = kernel_machine({.kind = KernelKind::Rbf, .gamma = 0.5}, false);
  const Dataset rows = probe_rows(model);
  std::visit(
      [&](const auto& x) {
        std::vector<double> second(2, 0.0);
        for_entries(x.row(1), [&](std::size_t j, double v) { second[j] = v; });
        CHECK(second == std::vector<double>{1, 2});
      },
      rows.matrix());
}

TEST_CASE("planes are exported to the bit, with probabilities that are the model's") {
  for (const std::string multiclass : {"softmax", "one-vs-rest"}) {
    Model model = three_classes();
    model.options = {{"multiclass", multiclass}};
    for (const Target target : {Target::Onnx, Target::C, Target::JavaScript, Target::Sql, Target::Json}) {
      const Exported made = export_model(model, target);
      CHECK(made.check.rows == 20);
      CHECK(made.check.same_bits);
      CHECK(made.check.other_labels == 0);
      CHECK(made.check.probabilities);
      CHECK(made.check.probability < 1e-15);
      CHECK(!made.bytes.empty());
    }
  }
}

TEST_CASE("one against the rest has probabilities also where every class says no") {
  Model model = three_classes();
  std::get<LinearModel>(model.form).offsets = {-2000, -2001, -2003};
  const auto graph = travel::graph_of(model, "C");
  const travel::Answer said = travel::run(graph, {0, 0, 0});
  const double e1 = std::exp(-1), e3 = std::exp(-3), sum = 1 + e1 + e3;
  CHECK(said.probabilities[0] == doctest::Approx(1 / sum));
  CHECK(said.probabilities[1] == doctest::Approx(e1 / sum));
  CHECK(said.probabilities[2] == doctest::Approx(e3 / sum));
}

TEST_CASE("every kernel, one function per class and pairs of classes") {
  const KernelFunction kernels[] = {{.kind = KernelKind::Linear},
                                    {.kind = KernelKind::Poly, .gamma = 0.5, .coef = 1, .degree = 5},
                                    {.kind = KernelKind::Rbf, .gamma = 0.3},
                                    {.kind = KernelKind::Sigmoid, .gamma = 0.2, .coef = -0.1}};
  for (const KernelFunction& kernel : kernels) {
    for (const bool pairs : {false, true}) {
      const Model model = kernel_machine(kernel, pairs);
      for (const Target target : {Target::Onnx, Target::C, Target::JavaScript, Target::Json}) {
        const Exported made = export_model(model, target);
        CHECK(made.check.other_labels == 0);
        CHECK(made.check.score < 1e-12);
      }
    }
  }
}

TEST_CASE("ties follow the model's order and rule") {
  Model model = three_classes();
  auto& linear = std::get<LinearModel>(model.form);
  linear.weights.assign(9, 0.0);
  linear.offsets.assign(3, 1.0);
  linear.order = {2, 0, 1};
  CHECK(travel::run(travel::graph_of(model, "C"), {0, 0, 0}).label == 2);
  Model two = linear_model({{1, 1}}, {0}, {"n", "p"});
  for (const Tie tie : {Tie::Negative, Tie::Positive, Tie::Abstain}) {
    two.tie = tie;
    const std::uint32_t expected = tie == Tie::Abstain ? abstained : (tie == Tie::Positive ? 1 : 0);
    CHECK(travel::run(travel::graph_of(two, "C"), {1, -1}).label == expected);
    for (const Target target : {Target::Onnx, Target::C, Target::JavaScript, Target::Sql, Target::Json})
      CHECK(export_model(two, target).check.other_labels == 0);
  }
}

TEST_CASE("a JSON document is the model once more") {
  const Model model = sparse_model();
  const Model back = travel::model_from_document(travel::to_json(model));
  CHECK(back.classes == model.classes);
  CHECK(back.unit_rows);
  CHECK(std::get<LinearModel>(back.form).weights == std::get<LinearModel>(model.form).weights);
}

TEST_CASE("what a target cannot say is refused with what can") {
  Model voted;
  voted.form = VotedModel{.features = 2};
  voted.classes = {"a", "b"};
  CHECK(contains(usage_error(voted, Target::C), "averaged-perceptron"));
  const Model kernel = kernel_machine({.kind = KernelKind::Rbf, .gamma = 1}, false);
  CHECK(contains(usage_error(kernel, Target::Sql), "to onnx, c, javascript"));
  CHECK(contains(usage_error(table_model(), Target::Sql), "does not count words"));
  const Model wide = linear_model({std::vector<double>(1601, 1.0)}, {0}, {"a", "b"});
  CHECK(contains(usage_error(wide, Target::Sql), "1601 columns"));
  CHECK(contains(usage_error(three_classes(), Target::C, {.name = "1x"}), "names of C"));
  CHECK(contains(usage_error(three_classes(), Target::Onnx, {.name = "x"}), "for C and SQL"));
}

TEST_CASE("an export that gives other answers is not handed over") {
  const Model model = three_classes();
  const Dataset rows = dataset_from({{1, 0, 0}, {0, 1, 0}});
  travel::Answers right;
  right.scores = scores(model, rows);
  right.labels = labels_from_scores(model, right.scores);
  right.probabilities = probabilities_from_scores(model, right.scores);
  const auto refusal_of = [&](const travel::Answers& said) {
    return input_error([&] { (void)travel::compare(model, said, rows, Target::C, Threads(1)); });
  };
  CHECK(travel::compare(model, right, rows, Target::C, Threads(1)).same_bits);
  travel::Answers wrong = right;
  wrong.labels[1] = 0;
  CHECK(contains(refusal_of(wrong), "another answer for row 2"));
  wrong = right;
  wrong.scores[4] += 1e-6;
  CHECK(contains(refusal_of(wrong), "scores differ by 1e-06"));
  wrong = right;
  wrong.probabilities[0] += 1e-3;
  CHECK(contains(refusal_of(wrong), "probabilities differ by 0.001"));
  wrong = right;
  wrong.scores[0] = std::nextafter(wrong.scores[0], 2);
  const ExportCheck near = travel::compare(model, wrong, rows, Target::C, Threads(1));
  CHECK(!near.same_bits);
  CHECK(near.score == wrong.scores[0] - right.scores[0]);
}

TEST_CASE("rows of the caller whose scores leave the range of numbers are no reason to refuse") {
  const Model model = linear_model({{1e308, 1e308}}, {0}, {"-1", "1"});
  const Dataset rows = dataset_from({{10, 10}, {1, -1}});
  CHECK(export_model(model, Target::C, {.rows = &rows}).check.same_bits);
}
