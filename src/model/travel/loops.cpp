// SPDX-License-Identifier: BSD-3-Clause
#include "model/travel/loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/travel/text.hpp"

namespace halfspace::travel {
namespace {

// As a table of all weights, zeros and all: with more zeros than this only the others are listed.
bool is_dense(const Entries& entries) {
  return 3 * entries.index.size() >= entries.inputs * entries.outputs();
}

std::vector<double> dense(const Entries& entries) {
  std::vector<double> out(entries.inputs * entries.outputs(), 0.0);
  for (std::size_t k = 0; k < entries.outputs(); ++k)
    for (std::uint64_t at = entries.first[k]; at < entries.first[k + 1]; ++at)
      out[k * entries.inputs + entries.index[at]] = entries.value[at];
  return out;
}

template <class List, class Print>
std::string lines_of(const List& values, const Print& print) {
  constexpr std::size_t widest = 110;
  std::string out, line;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string text = print(values[i]) + (i + 1 < values.size() ? "," : "");
    if (line.size() + text.size() > widest) {
      out += "  " + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + text;
  }
  return out + "  " + line + "\n";
}

}  // namespace

Loops::Loops(const Graph& graph, const Dialect& dialect, std::string prefix)
    : graph_(graph), dialect_(dialect), prefix_(std::move(prefix)), uses_(graph.nodes.size(), 0) {
  for (const Node& node : graph.nodes) {
    if (node.op == Op::Input || node.op == Op::Constant) continue;
    ++uses_[node.a];
    if (is_binary(node.op)) ++uses_[node.b];
  }
}

bool Loops::uses(Op op) const {
  return std::any_of(graph_.nodes.begin(), graph_.nodes.end(), [&](const Node& n) { return n.op == op; });
}

bool Loops::has_variable(std::size_t node) const {
  const Node& n = graph_.nodes[node];
  switch (n.op) {
    case Op::Input:
    case Op::Constant: return false;
    case Op::Product:
    case Op::Sum:
    case Op::Largest:
    case Op::Exp:
    case Op::Tanh:
    case Op::Sqrt: return true;
    default: break;
  }
  // As wide as the row: arrays of that size are left to the caller.
  return uses_[node] > 1 && !(n.width == graph_.width() && !has_variable(n.a));
}

std::string Loops::table_name(std::string_view kind, std::size_t node) const {
  return fmt::format("{}{}{}", prefix_, kind, node);
}

std::string Loops::numbers(std::string_view kind, std::size_t node, const std::vector<double>& values) const {
  return fmt::format(fmt::runtime(dialect_.numbers_open), table_name(kind, node), values.size()) + "\n" +
         lines_of(values, number) + std::string(dialect_.table_close) + "\n";
}

template <class T>
std::string Loops::whole(std::string_view kind, std::size_t node, const std::vector<T>& values) const {
  return fmt::format(fmt::runtime(dialect_.whole_open), table_name(kind, node), values.size()) + "\n" +
         lines_of(values, [](T x) { return fmt::format("{}", x); }) + std::string(dialect_.table_close) +
         "\n";
}

std::string Loops::tables() const {
  std::string out;
  for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
    const Node& node = graph_.nodes[n];
    if (node.op == Op::Constant && node.width > 1) out += numbers("value", n, node.value);
    if (node.op != Op::Product || node.entries.index.empty()) continue;
    if (is_dense(node.entries)) {
      out += numbers("weight", n, dense(node.entries));
      continue;
    }
    out += numbers("weight", n, node.entries.value);
    out += whole("column", n, node.entries.index);
    out += whole("first", n, node.entries.first);
  }
  return out;
}

std::string Loops::value(std::size_t node, const std::string& at) const {
  if (!has_variable(node)) return element(node, at);
  return graph_.nodes[node].width == 1 ? fmt::format("v{}", node) : fmt::format("v{}[{}]", node, at);
}

std::string Loops::element(std::size_t node, const std::string& at) const {
  const Node& n = graph_.nodes[node];
  const auto a = [&] { return value(n.a, at); };
  const auto b = [&] { return value(n.b, at); };
  switch (n.op) {
    case Op::Input: return fmt::format("x[{}]", n.width == 1 ? "0" : at);
    case Op::Constant:
      return n.width > 1 ? fmt::format("{}[{}]", table_name("value", node), at)
                         : (n.value[0] < 0 ? fmt::format("({})", number(n.value[0])) : number(n.value[0]));
    case Op::Add: return fmt::format("({} + {})", a(), b());
    case Op::Sub: return fmt::format("({} - {})", a(), b());
    case Op::Mul: return fmt::format("({} * {})", a(), b());
    case Op::Div: return fmt::format("({} / {})", a(), b());
    case Op::Max: return fmt::format("({0} > {1} ? {0} : {1})", a(), b());
    case Op::Min: return fmt::format("({0} < {1} ? {0} : {1})", a(), b());
    case Op::Step: return fmt::format("({0} > 0.0 ? 1.0 : ({0} < 0.0 ? 0.0 : {1}))", a(), b());
    case Op::Equal: return fmt::format("({} == {} ? 1.0 : 0.0)", a(), b());
    case Op::Exp: return fmt::format("{}({})", dialect_.exp, a());
    case Op::Tanh: return fmt::format("{}({})", dialect_.tanh, a());
    case Op::Sqrt: return fmt::format("{}({})", dialect_.sqrt, a());
    case Op::Abs: return fmt::format("{}({})", dialect_.abs, a());
    default: return {};  // sums have variables
  }
}

std::string Loops::product(std::size_t node) const {
  const Node& n = graph_.nodes[node];
  const Entries& entries = n.entries;
  const bool one = n.width == 1;
  const std::string to = one ? fmt::format("v{}", node) : fmt::format("v{}[k]", node);
  const std::string indent = one ? "  " : "    ";
  std::string out =
      one ? fmt::format("  {} = 0.0;\n", to)
          : fmt::format("  for ({}k = 0; k < {}; ++k) {{\n    {} = 0.0;\n", dialect_.counter, n.width, to);
  const std::string weight = table_name("weight", node);
  if (entries.index.empty()) {
  } else if (is_dense(entries)) {
    const std::string at = one ? "j" : fmt::format("k * {} + j", entries.inputs);
    out += fmt::format("{0}for ({1}j = 0; j < {2}; ++j) {3} += {4} * {5}[{6}];\n", indent, dialect_.counter,
                       entries.inputs, to, value(n.a, "j"), weight, at);
  } else {
    const std::string first = table_name("first", node), column = table_name("column", node);
    out += fmt::format("{0}for ({1}j = {2}[{3}]; j < {2}[{3} + 1]; ++j) {4} += {5} * {6}[j];\n", indent,
                       dialect_.counter, first, one ? "0" : "k", to, value(n.a, column + "[j]"), weight);
  }
  return one ? out : out + "  }\n";
}

std::string Loops::statements(std::size_t node) const {
  const Node& n = graph_.nodes[node];
  const bool one = n.width == 1;
  std::string out = "  " +
                    (one ? fmt::format(fmt::runtime(dialect_.scalar), fmt::format("v{}", node))
                         : fmt::format(fmt::runtime(dialect_.array), fmt::format("v{}", node), n.width)) +
                    "\n";
  const std::size_t length = graph_.nodes[n.a].width;
  if (n.op == Op::Product) return out + product(node);
  if (n.op == Op::Sum)
    return out + fmt::format("  v{0} = 0.0;\n  for ({1}i = 0; i < {2}; ++i) v{0} += {3};\n", node,
                             dialect_.counter, length, value(n.a, "i"));
  if (n.op == Op::Largest)
    return out + fmt::format("  v{0} = {3};\n  for ({1}i = 1; i < {2}; ++i) if ({4} > v{0}) v{0} = {4};\n",
                             node, dialect_.counter, length, value(n.a, "0"), value(n.a, "i"));
  if (one) return out + fmt::format("  v{} = {};\n", node, element(node, "0"));
  return out + fmt::format("  for ({0}i = 0; i < {1}; ++i) v{2}[i] = {3};\n", dialect_.counter, n.width, node,
                           element(node, "i"));
}

std::string Loops::body(std::size_t node, std::string_view to) const {
  std::vector<std::uint8_t> needed(node + 1, 0);
  needed[node] = 1;
  for (std::size_t n = node; n > 0; --n) {
    const Node& one = graph_.nodes[n];
    if (needed[n] == 0 || one.op == Op::Constant) continue;
    needed[one.a] = 1;
    if (is_binary(one.op)) needed[one.b] = 1;
  }
  // Its last step goes where it is wanted.
  const bool direct = is_binary(graph_.nodes[node].op) || is_unary(graph_.nodes[node].op);
  std::string out;
  for (std::size_t n = 1; n < node + (direct ? 0 : 1); ++n)
    if (needed[n] != 0 && has_variable(n)) out += statements(n);
  return out + fmt::format("  for ({}i = 0; i < {}; ++i) {}[i] = {};\n", dialect_.counter,
                           graph_.nodes[node].width, to, direct ? element(node, "i") : value(node, "i"));
}

}  // namespace halfspace::travel
