// SPDX-License-Identifier: BSD-3-Clause
// What a model does with one row, as a list of steps on vectors of doubles. ONNX, C, JavaScript and SQL are all printed from
// this one list, and run() runs it: what is checked is what is printed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "halfspace/model/model.hpp"

namespace halfspace::travel {

// Of two vectors one may have a single element, which then goes with every element of the other.
//   Step   1 where a > 0, 0 where a < 0, else the element of b
//   Equal  1 or 0
//   Sum, Largest   of all elements, a vector of one
//   Product        of a with a matrix: every output adds its products in the order of its entries, starting from 0
enum class Op {
  Input,
  Constant,
  Add,
  Sub,
  Mul,
  Div,
  Max,
  Min,
  Step,
  Equal,
  Exp,
  Tanh,
  Sqrt,
  Abs,
  Sum,
  Largest,
  Product
};

// Output k has the entries first[k] to first[k + 1] of index (ascending) and value.
struct Entries {
  std::size_t inputs = 0;
  std::vector<std::uint64_t> first{0};
  std::vector<std::uint32_t> index;
  std::vector<double> value;
  [[nodiscard]] std::size_t outputs() const { return first.size() - 1; }
  void add(std::size_t input, double x) {
    if (x == 0) return;
    index.push_back(static_cast<std::uint32_t>(input));
    value.push_back(x);
  }
  void end_output() { first.push_back(index.size()); }
};

struct Node {
  Op op = Op::Input;
  std::size_t a = 0, b = 0;  // nodes before this one
  std::size_t width = 1;
  std::vector<double> value;  // Constant
  Entries entries;            // Product
};

struct Graph {
  std::vector<Node> nodes;  // the first one is the row
  std::size_t score = 0;
  std::size_t probability = 0;  // 0: there are none
  // Two classes: the sign of the score; more: the largest, of equal ones the first in `order`.
  Tie tie = Tie::Negative;
  std::vector<std::uint32_t> order;
  std::vector<std::string> classes;
  std::vector<std::string> features;  // names, where the rows come from a table
  bool exact = false;                 // the scores have the bits of the model's

  [[nodiscard]] std::size_t width() const { return nodes.front().width; }
  [[nodiscard]] std::size_t scores() const { return nodes[score].width; }

  std::size_t add(Op op, std::size_t a, std::size_t b = 0);
  std::size_t constant(std::vector<double> value);
  std::size_t product(std::size_t a, Entries entries);
};

[[nodiscard]] bool is_unary(Op op);   // Exp to Abs: element by element
[[nodiscard]] bool is_binary(Op op);  // Add to Equal: element by element
[[nodiscard]] bool is_constant(const Graph& graph, std::size_t node, double value);

// Throws UsageError for kinds of models that have none.
[[nodiscard]] Graph graph_of(const Model& model, std::string_view target);
// The parts of it: graph_of() and kernel machines.
void add_kernel_machine(Graph& graph, const KernelModel& machine, std::size_t row);

struct Answer {
  std::vector<double> scores, probabilities;
  std::uint32_t label = 0;
  double size = 0;  // of what was added up for a score: rounding is measured by it
};
[[nodiscard]] Answer run(const Graph& graph, const std::vector<double>& row);
[[nodiscard]] std::uint32_t label_of(const Graph& graph, const std::vector<double>& scores);

}  // namespace halfspace::travel
