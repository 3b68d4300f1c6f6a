// SPDX-License-Identifier: BSD-3-Clause
// ONNX: operators of opset 13 on doubles (those of ai.onnx.ml compute in float). Rows come as x [N, features]; what comes out are plain
// tensors: label [N] of strings, score [N, 1 or classes], probability [N, classes]. Numbers of the fields are those of onnx.proto.
// ONNX Runtime takes a single factor beside a MatMul for a scale of that product and keeps it as a float, which
// costs half of the digits: no factor is written as a single number. MatMul fuses products and sums as it likes; Mul and CumSum round
// each of them, in the order of the features, as the model does, at the price of a table of all products: taken where that is small.
#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "halfspace/core/error.hpp"
#include "halfspace/core/version.hpp"
#include "model/travel/protobuf.hpp"
#include "model/travel/targets.hpp"

namespace halfspace::travel {
namespace {

constexpr std::uint64_t opset = 13, ir_version = 7;
constexpr std::uint64_t type_int64 = 7, type_string = 8, type_double = 11;
constexpr std::size_t most_products = 8192;  // of a row, to be kept
constexpr std::uint64_t most_weights = std::uint64_t{1}
                                       << 27U;  // a message of Protocol Buffers has 2 GiB at most

Message tensor(const std::string& name, std::uint64_t type, const std::vector<std::uint64_t>& shape) {
  Message out;
  for (const std::uint64_t size : shape) out.whole(1, size);
  return out.whole(2, type).text(8, name);
}

// The attribute of a whole number (field 3, type 2) or of a list of them (field 8, type 7).
Message attribute(std::string_view name, std::int64_t value) {
  return Message().text(1, name).whole(3, static_cast<std::uint64_t>(value)).whole(20, 2);
}
Message axes_attribute() { return Message().text(1, "axes").whole(8, 1).whole(20, 7); }

class OnnxGraph {
 public:
  explicit OnnxGraph(const Graph& graph) : graph_(graph) {}

  Message made() {
    for (std::size_t n = 1; n < graph_.nodes.size(); ++n) add(n);
    node("Identity", {name(graph_.score)}, "score");
    if (graph_.probability != 0) node("Identity", {name(graph_.probability)}, "probability");
    add_label();
    out_.text(2, "halfspace");
    out_.message(11, value_info("x", type_double, graph_.width()));
    out_.message(12, value_info("label", type_string, 0));
    out_.message(12, value_info("score", type_double, graph_.scores()));
    if (graph_.probability != 0)
      out_.message(12, value_info("probability", type_double, graph_.classes.size()));
    return out_;
  }

 private:
  static std::string name(std::size_t node) { return node == 0 ? "x" : fmt::format("v{}", node); }

  // A tensor of N rows; width 0: of one dimension.
  static Message value_info(std::string_view name, std::uint64_t type, std::size_t width) {
    Message shape;
    shape.message(1, Message().text(2, "N"));
    if (width > 0) shape.message(1, Message().whole(1, width));
    const Message of_tensor = Message().whole(1, type).message(2, shape);
    return Message().text(1, name).message(2, Message().message(1, of_tensor));
  }

  void doubles(const std::string& name, const std::vector<std::uint64_t>& shape,
               const std::vector<double>& values) {
    std::string raw(values.size() * sizeof(double), '\0');
    if (!values.empty()) std::memcpy(raw.data(), values.data(), raw.size());
    out_.message(5, tensor(name, type_double, shape).text(9, raw));
  }
  std::string wholes(const std::string& name, const std::vector<std::int64_t>& values) {
    Message out = tensor(name, type_int64, {values.size()});
    for (const std::int64_t value : values) out.whole(7, static_cast<std::uint64_t>(value));
    out_.message(5, out);
    return name;
  }
  std::string strings(const std::string& name, const std::vector<std::string>& values) {
    Message out = tensor(name, type_string, {values.size()});
    for (const std::string& value : values) out.text(6, value);
    out_.message(5, out);
    return name;
  }

  void node(std::string_view op, const std::vector<std::string>& inputs, const std::string& output,
            const std::vector<Message>& attributes = {}) {
    Message out;
    for (const std::string& input : inputs) out.text(1, input);
    out.text(2, output).text(3, "make_" + output).text(4, op);
    for (const Message& one : attributes) out.message(5, one);
    out_.message(1, out);
  }

  std::string whole_number(const std::string& name, std::int64_t value) {
    out_.message(5, tensor(name, type_int64, {}).whole(7, static_cast<std::uint64_t>(value)));
    return name;
  }
  // The sums along axis 1 of what has `length` places there, one addition after the other.
  void add_up(const std::string& from, std::size_t length, bool keep, const std::string& own) {
    if (!has_one_axis_) whole_number("axis_one", 1);
    has_one_axis_ = true;
    const auto last = static_cast<std::int64_t>(length) - 1;
    node("CumSum", {from, "axis_one"}, own + "_sums");
    node("Gather", {own + "_sums", keep ? wholes(own + "_last", {last}) : whole_number(own + "_last", last)},
         own, {attribute("axis", 1)});
  }

  void add_product(std::size_t n) {
    const Entries& entries = graph_.nodes[n].entries;
    std::vector<double> dense(entries.inputs * entries.outputs(), 0.0);
    for (std::size_t k = 0; k < entries.outputs(); ++k)
      for (std::uint64_t at = entries.first[k]; at < entries.first[k + 1]; ++at)
        dense[entries.index[at] * entries.outputs() + k] = entries.value[at];
    if (graph_.exact && entries.inputs > 1 && dense.size() <= most_products) {
      const bool one = entries.outputs() == 1;
      std::string row = name(graph_.nodes[n].a);
      if (!one) {
        node("Unsqueeze", {row, wholes(name(n) + "_axis", {2})}, name(n) + "_row");
        row = name(n) + "_row";
      }
      doubles(name(n) + "_matrix",
              one ? std::vector<std::uint64_t>{1, entries.inputs}
                  : std::vector<std::uint64_t>{1, entries.inputs, entries.outputs()},
              dense);
      node("Mul", {row, name(n) + "_matrix"}, name(n) + "_products");
      return add_up(name(n) + "_products", entries.inputs, one, name(n));
    }
    doubles(name(n) + "_matrix", {entries.inputs, entries.outputs()}, dense);
    node("MatMul", {name(graph_.nodes[n].a), name(n) + "_matrix"}, name(n));
  }

  // A vector times one number that is known: the number for every element, or a matrix of one.
  bool add_scaled(std::size_t n) {
    const Node& one = graph_.nodes[n];
    const auto single = [&](std::size_t k) {
      return graph_.nodes[k].op == Op::Constant && graph_.nodes[k].width == 1;
    };
    if (one.op != Op::Mul || (!single(one.a) && !single(one.b))) return false;
    const std::size_t factor = single(one.a) ? one.a : one.b, other = single(one.a) ? one.b : one.a;
    const std::string all = name(n) + "_factor";
    doubles(all, one.width == 1 ? std::vector<std::uint64_t>{1, 1} : std::vector<std::uint64_t>{one.width},
            std::vector<double>(one.width, graph_.nodes[factor].value[0]));
    node(one.width == 1 ? "MatMul" : "Mul", {name(other), all}, name(n));
    return true;
  }

  void add(std::size_t n) {
    if (add_scaled(n)) return;
    constexpr std::string_view words[] = {"",     "",    "Add",       "Sub",       "Mul",   "Div",
                                          "Max",  "Min", "",          "Equal",     "Exp",   "Tanh",
                                          "Sqrt", "Abs", "ReduceSum", "ReduceMax", "MatMul"};
    const Node& one = graph_.nodes[n];
    const std::string a = name(one.a), b = name(one.b), own = name(n);
    const std::string_view word = words[static_cast<std::size_t>(one.op)];
    switch (one.op) {
      case Op::Input: return;
      case Op::Constant: return doubles(own, {1, one.width}, one.value);
      case Op::Product: return add_product(n);
      case Op::Step:
        node("Greater", {a, zero()}, own + "_above");
        node("Less", {a, zero()}, own + "_below");
        node("Where", {own + "_below", zero(), b}, own + "_not_above");
        return node("Where", {own + "_above", unit(), own + "_not_above"}, own);
      case Op::Equal:
        node("Equal", {a, b}, own + "_equal");
        return node("Where", {own + "_equal", unit(), zero()}, own);
      case Op::Sum:
        if (graph_.exact && graph_.nodes[one.a].width <= most_products)
          return add_up(a, graph_.nodes[one.a].width, true, own);
        if (!has_axis_) wholes("axis_1", {1});
        has_axis_ = true;
        return node(word, {a, "axis_1"}, own, {attribute("keepdims", 1)});
      case Op::Largest: return node(word, {a}, own, {axes_attribute(), attribute("keepdims", 1)});
      default: break;
    }
    if (is_unary(one.op)) return node(word, {a}, own);
    node(word, {a, b}, own);
  }

  void add_label() {
    if (graph_.scores() > 1) {
      std::vector<std::string> names;
      std::vector<std::int64_t> order;
      for (const std::uint32_t c : graph_.order) {
        names.push_back(graph_.classes[c]);
        order.push_back(c);
      }
      // ArgMax takes the first of equal ones: scores stand in the order of the ties.
      node("Gather", {"score", wholes("order", order)}, "ordered", {attribute("axis", 1)});
      node("ArgMax", {"ordered"}, "best", {attribute("axis", 1), attribute("keepdims", 0)});
      return node("Gather", {strings("names", names), "best"}, "label", {attribute("axis", 0)});
    }
    const std::string at_zero =
        graph_.tie == Tie::Abstain ? "" : graph_.classes[graph_.tie == Tie::Positive ? 1 : 0];
    node("Greater", {"score", zero()}, "above");
    node("Less", {"score", zero()}, "below");
    node("Where", {"below", strings("first_class", {graph_.classes[0]}), strings("at_zero", {at_zero})},
         "not_above");
    node("Where", {"above", strings("last_class", {graph_.classes[1]}), "not_above"}, "label_column");
    node("Reshape", {"label_column", wholes("one_dimension", {-1})}, "label");
  }

  std::string zero() { return scalar("zero", 0, has_zero_); }
  std::string unit() { return scalar("one", 1, has_one_); }
  std::string scalar(const std::string& name, double value, bool& there) {
    if (!there) doubles(name, {1, 1}, {value});
    there = true;
    return name;
  }

  const Graph& graph_;
  Message out_;
  bool has_axis_ = false, has_one_axis_ = false, has_zero_ = false, has_one_ = false;
};

}  // namespace

std::string to_onnx(const Graph& graph) {
  std::uint64_t weights = 0;
  for (const Node& node : graph.nodes) weights += node.entries.inputs * node.entries.outputs();
  if (weights > most_weights)
    throw UsageError(fmt::format("{} weights, zeros too, are more than an ONNX file holds", weights),
                     "--to c, javascript or json");
  const Message onnx = Message().text(1, "").whole(2, opset);
  Message out;
  out.whole(1, ir_version).text(2, "halfspace").text(3, std::string(version()));
  out.message(7, OnnxGraph(graph).made()).message(8, onnx);
  // What the columns of x and of the scores mean.
  const auto about = [&](std::string_view key, const std::vector<std::string>& names) {
    out.message(14, Message().text(1, key).text(2, nlohmann::json(names).dump()));
  };
  about("classes", graph.classes);
  if (!graph.features.empty()) about("features", graph.features);
  return out.bytes();
}

}  // namespace halfspace::travel
