// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "model/travel/graph.hpp"

namespace halfspace::travel {
namespace {

double binary(Op op, double a, double b) {
  switch (op) {
    case Op::Add: return a + b;
    case Op::Sub: return a - b;
    case Op::Mul: return a * b;
    case Op::Div: return a / b;
    case Op::Max: return a > b ? a : b;
    case Op::Min: return a < b ? a : b;
    case Op::Step: return a > 0 ? 1 : (a < 0 ? 0 : b);
    default: return a == b ? 1 : 0;
  }
}

double unary(Op op, double a) {
  switch (op) {
    case Op::Exp: return std::exp(a);
    case Op::Tanh: return std::tanh(a);
    case Op::Sqrt: return std::sqrt(a);
    default: return std::abs(a);
  }
}

// The products of a vector; `size` is raised to the largest sum of what was added, signs left out.
std::vector<double> products(const Entries& entries, const std::vector<double>& a, double& size) {
  std::vector<double> out(entries.outputs());
  for (std::size_t k = 0; k < out.size(); ++k) {
    double sum = 0, all = 0;
    for (std::uint64_t at = entries.first[k]; at < entries.first[k + 1]; ++at) {
      const double term = a[entries.index[at]] * entries.value[at];
      sum += term;
      all += std::abs(term);
    }
    out[k] = sum;
    size = std::max(size, all);
  }
  return out;
}

std::vector<double> value_of(const Node& node, const std::vector<double>& a, const std::vector<double>& b,
                             double& size) {
  std::vector<double> out(node.width, 0.0);
  if (node.op == Op::Product) return products(node.entries, a, size);
  if (node.op == Op::Sum) {
    for (const double x : a) out[0] += x;
  } else if (node.op == Op::Largest) {
    out[0] = *std::max_element(a.begin(), a.end());
  } else if (is_unary(node.op)) {
    for (std::size_t i = 0; i < node.width; ++i) out[i] = unary(node.op, a[i]);
  } else {
    for (std::size_t i = 0; i < node.width; ++i)
      out[i] = binary(node.op, a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]);
  }
  return out;
}

}  // namespace

std::uint32_t label_of(const Graph& graph, const std::vector<double>& scores) {
  if (scores.size() == 1) {
    if (scores[0] > 0) return 1;
    if (scores[0] < 0) return 0;
    if (graph.tie == Tie::Abstain) return abstained;
    return graph.tie == Tie::Positive ? 1 : 0;
  }
  std::uint32_t best = graph.order[0];
  for (const std::uint32_t c : graph.order)
    if (scores[c] > scores[best]) best = c;
  return best;
}

Answer run(const Graph& graph, const std::vector<double>& row) {
  Answer out;
  std::vector<std::vector<double>> values(graph.nodes.size());
  values[0] = row;
  for (std::size_t n = 1; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    values[n] =
        node.op == Op::Constant ? node.value : value_of(node, values[node.a], values[node.b], out.size);
  }
  out.scores = values[graph.score];
  if (graph.probability != 0) out.probabilities = values[graph.probability];
  out.label = label_of(graph, out.scores);
  return out;
}

}  // namespace halfspace::travel
