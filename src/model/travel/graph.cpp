// SPDX-License-Identifier: BSD-3-Clause
#include "model/travel/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "halfspace/core/error.hpp"

namespace halfspace::travel {

bool is_unary(Op op) { return op == Op::Exp || op == Op::Tanh || op == Op::Sqrt || op == Op::Abs; }
bool is_binary(Op op) { return op >= Op::Add && op <= Op::Equal; }

bool is_constant(const Graph& graph, std::size_t node, double value) {
  return graph.nodes[node].op == Op::Constant && graph.nodes[node].value == std::vector<double>{value};
}

std::size_t Graph::add(Op op, std::size_t a, std::size_t b) {
  const bool one = op == Op::Sum || op == Op::Largest;
  const std::size_t width =
      one ? 1 : (is_binary(op) ? std::max(nodes[a].width, nodes[b].width) : nodes[a].width);
  nodes.push_back({.op = op, .a = a, .b = b, .width = width});
  return nodes.size() - 1;
}

std::size_t Graph::constant(std::vector<double> value) {
  const std::size_t width = value.size();
  nodes.push_back({.op = Op::Constant, .width = width, .value = std::move(value)});
  return nodes.size() - 1;
}

std::size_t Graph::product(std::size_t a, Entries entries) {
  const std::size_t width = entries.outputs();
  nodes.push_back({.op = Op::Product, .a = a, .width = width, .entries = std::move(entries)});
  return nodes.size() - 1;
}

namespace {

// The length of the row, or 1 for a row of zeros.
std::size_t length_of_row(Graph& graph, std::size_t row) {
  const std::size_t length = graph.add(Op::Sqrt, graph.add(Op::Sum, graph.add(Op::Mul, row, row)));
  return graph.add(Op::Add, length, graph.add(Op::Equal, length, graph.constant({0})));
}

void add_planes(Graph& graph, const LinearModel& model, bool unit_rows, std::size_t row) {
  Entries entries{.inputs = model.features};
  for (std::size_t k = 0; k < model.planes; ++k) {
    for (std::size_t j = 0; j < model.features; ++j) entries.add(j, model.plane(k)[j]);
    entries.end_output();
  }
  std::size_t sums = graph.product(row, std::move(entries));
  // As the model has it: the sum is divided by the length, not the row.
  if (unit_rows) sums = graph.add(Op::Div, sums, length_of_row(graph, row));
  graph.score = graph.add(Op::Add, sums, graph.constant(model.offsets));
  graph.exact = true;
}

// The class of a value: what it scores is 1 for the value that the row has, and what the fallback scores where it has none.
void add_lookup(Graph& graph, const LookupModel& model, std::size_t row) {
  const std::size_t planes = graph.classes.size() == 2 ? 1 : graph.classes.size();
  Entries pick{.inputs = graph.width()};
  pick.add(model.feature, 1);
  pick.end_output();
  Entries classes{.inputs = model.values.size()};
  std::vector<double> fallback(planes, 0.0);
  for (std::size_t k = 0; k < planes; ++k) {
    const auto points = [&](std::uint32_t label) {
      if (planes == 1) return label == 0 ? -1.0 : 1.0;
      return label == k ? 1.0 : 0.0;
    };
    for (std::size_t i = 0; i < model.values.size(); ++i) classes.add(i, points(model.labels[i]));
    classes.end_output();
    fallback[k] = points(model.fallback);
  }
  graph.exact = true;
  if (model.values.empty()) {
    graph.score = graph.add(
        Op::Add,
        graph.product(row, {.inputs = graph.width(), .first = std::vector<std::uint64_t>(planes + 1)}),
        graph.constant(fallback));
    return;
  }
  const std::size_t hits =
      graph.add(Op::Equal, graph.product(row, std::move(pick)), graph.constant(model.values));
  const std::size_t none = graph.add(Op::Sub, graph.constant({1}), graph.add(Op::Sum, hits));
  graph.score = graph.add(Op::Add, graph.product(hits, std::move(classes)),
                          graph.add(Op::Mul, none, graph.constant(fallback)));
}

// exp(a) divided by the sum, the largest taken off first: nothing overflows, and 1 / (1 + exp(-f)) comes out to the bit.
std::size_t shares_of(Graph& graph, std::size_t a) {
  const std::size_t powers = graph.add(Op::Exp, graph.add(Op::Sub, a, graph.add(Op::Largest, a)));
  return graph.add(Op::Div, powers, graph.add(Op::Sum, powers));
}

// Which side a score is on, as numbers: 1 where it is above 0; 1 where it is not below.
struct Sides {
  std::size_t above, not_below;
};
Sides sides_of(Graph& graph, std::size_t score) {
  return {graph.add(Op::Step, score, graph.constant({0})), graph.add(Op::Step, score, graph.constant({1}))};
}

// Shares of two classes held on the side of the label: at least or at most one half.
std::size_t held(Graph& graph, std::size_t shares, std::size_t score) {
  const Sides side = sides_of(graph, score);
  const auto bound = [&](std::vector<double> above, std::vector<double> not_below, std::vector<double> rest) {
    const std::size_t a = graph.add(Op::Mul, side.above, graph.constant(std::move(above)));
    const std::size_t b = graph.add(Op::Mul, side.not_below, graph.constant(std::move(not_below)));
    return graph.add(Op::Add, graph.add(Op::Add, a, b), graph.constant(std::move(rest)));
  };
  const std::size_t least = bound({-0.5, 0}, {0, 0.5}, {0.5, 0});
  const std::size_t most = bound({0, 0.5}, {-0.5, 0}, {1, 0.5});
  return graph.add(Op::Min, graph.add(Op::Max, shares, least), most);
}

// One number in several places, each multiplied: MatMul with a row.
std::size_t spread(Graph& graph, std::size_t a, const std::vector<double>& factors) {
  Entries entries{.inputs = 1};
  for (const double factor : factors) {
    entries.add(0, factor);
    entries.end_output();
  }
  return graph.product(a, std::move(entries));
}

// Straight lines between the points: what every piece rises, as far as the score has come in it.
std::size_t isotonic_share(Graph& graph, const Calibrator& map) {
  const std::size_t pieces = map.scores.size() - 1;
  const std::size_t first = graph.constant({map.probabilities.front()});
  if (pieces == 0) return graph.add(Op::Add, graph.add(Op::Mul, graph.score, graph.constant({0})), first);
  std::vector<double> from(map.scores.begin(), map.scores.end() - 1), width(pieces), rise(pieces);
  for (std::size_t k = 0; k < pieces; ++k) {
    width[k] = map.scores[k + 1] - map.scores[k];
    rise[k] = map.probabilities[k + 1] - map.probabilities[k];
  }
  const std::size_t way = graph.add(Op::Sub, graph.score, graph.constant(std::move(from)));
  const std::size_t part = graph.add(Op::Div, way, graph.constant(std::move(width)));
  const std::size_t inside =
      graph.add(Op::Min, graph.add(Op::Max, part, graph.constant({0})), graph.constant({1}));
  const std::size_t risen = graph.add(Op::Mul, inside, graph.constant(std::move(rise)));
  return graph.add(Op::Add, graph.add(Op::Sum, risen), first);
}

void add_calibrated(Graph& graph, const Calibrator& map, std::string_view target) {
  if (graph.scores() > 1) {
    if (map.kind == CalibrationKind::Isotonic)
      throw UsageError(
          fmt::format("{} has no place for isotonic probabilities of more than two classes", target),
          "--calibrate platt or none");
    const std::size_t below = graph.add(Op::Sub, graph.score, graph.add(Op::Largest, graph.score));
    const std::size_t slopes = graph.constant(std::vector<double>(graph.scores(), map.slope));
    const std::size_t powers = graph.add(Op::Exp, graph.add(Op::Mul, below, slopes));
    graph.probability = graph.add(Op::Div, powers, graph.add(Op::Sum, powers));
    return;
  }
  std::size_t shares = 0;
  if (map.kind == CalibrationKind::Platt) {
    shares = shares_of(graph, graph.add(Op::Add, spread(graph, graph.score, {0, map.slope}),
                                        graph.constant({0, map.shift})));
  } else {
    shares = graph.add(Op::Add, spread(graph, isotonic_share(graph, map), {-1, 1}), graph.constant({1, 0}));
  }
  graph.probability = held(graph, shares, graph.score);
}

// Two classes: the shares of 0 and f. Each class against the rest: 1 / (1 + exp(-f)) divided by their sum, all of them
// multiplied by exp(-m), m the largest of the negative parts, so that they do not vanish together.
void add_probabilities(Graph& graph, const Model& model, std::string_view target) {
  if (model.calibrator.on()) return add_calibrated(graph, model.calibrator, target);
  if (graph.scores() == 1) {
    Entries both{.inputs = 1};
    both.end_output();
    both.add(0, 1);
    both.end_output();
    graph.probability = shares_of(graph, graph.product(graph.score, std::move(both)));
    return;
  }
  if (is_softmax(model)) {
    graph.probability = shares_of(graph, graph.score);
    return;
  }
  const std::size_t zero = graph.constant({0});
  const std::size_t below = graph.add(Op::Min, graph.score, zero);
  const std::size_t above = graph.add(Op::Exp, graph.add(Op::Sub, below, graph.add(Op::Largest, below)));
  const std::size_t other = graph.add(Op::Exp, graph.add(Op::Sub, zero, graph.add(Op::Abs, graph.score)));
  const std::size_t each = graph.add(Op::Div, above, graph.add(Op::Add, graph.constant({1}), other));
  graph.probability = graph.add(Op::Div, each, graph.add(Op::Sum, each));
}

void refuse_kinds(const Model& model, std::string_view target) {
  if (std::holds_alternative<VotedModel>(model.form))
    throw UsageError(
        fmt::format("a voted perceptron keeps every plane of its walk: {} has no place for it", target),
        "averaged-perceptron is one plane");
  if (model.map != nullptr)
    throw UsageError(fmt::format("{} does not make features of rows; this model does", target),
                     "train without --features nystrom or fourier, or a kernel machine: --kernel");
  if (std::holds_alternative<LookupModel>(model.form) && (model.unit_rows || has_preparation(model)))
    throw UsageError("a lookup of scaled values has no export", "train without --scale");
}

std::vector<std::uint32_t> order_of(const Model& model) {
  const auto* linear = std::get_if<LinearModel>(&model.form);
  const auto* kernel = std::get_if<KernelModel>(&model.form);
  if (linear != nullptr && !linear->order.empty()) return linear->order;
  if (kernel != nullptr && !kernel->order.empty()) return kernel->order;
  std::vector<std::uint32_t> order(model.classes.size());
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

}  // namespace

Graph graph_of(const Model& model, std::string_view target) {
  refuse_kinds(model, target);
  Graph graph;
  graph.tie = model.tie;
  graph.order = order_of(model);
  graph.classes = model.classes;
  graph.nodes.push_back({.op = Op::Input, .width = model.features()});
  if (model.encoding != nullptr && model.encoding->features() > 0)
    for (std::uint32_t j = 0; j < model.features(); ++j)
      graph.features.push_back(model.encoding->feature_name(j));
  std::size_t row = 0;
  if (model.scaling.kind != ScaleKind::None) {
    row = graph.add(Op::Sub, row, graph.constant(model.scaling.shift));
    row = graph.add(Op::Mul, row, graph.constant(model.scaling.factor));
  }
  if (const auto* linear = std::get_if<LinearModel>(&model.form)) {
    add_planes(graph, *linear, model.unit_rows, row);
  } else if (const auto* lookup = std::get_if<LookupModel>(&model.form)) {
    add_lookup(graph, *lookup, row);
  } else {
    if (model.unit_rows) row = graph.add(Op::Div, row, length_of_row(graph, row));
    add_kernel_machine(graph, std::get<KernelModel>(model.form), row);
  }
  if (has_probabilities(model) && !labels_follow_probabilities(model))
    add_probabilities(graph, model, target);
  return graph;
}

}  // namespace halfspace::travel
