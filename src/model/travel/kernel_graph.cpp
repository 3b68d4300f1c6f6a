// SPDX-License-Identifier: BSD-3-Clause
// A kernel machine by plain steps: products with the support vectors, the kernel of each, the functions, and between pairs of
// classes their votes. Vote k is a step s in {0, 1}; a class has the steps of the pairs in which it is the later one, and
// 1 - s of those in which it is the earlier one: a product and a constant.
#include <utility>

#include "model/travel/graph.hpp"

namespace halfspace::travel {
namespace {

std::size_t power_of(Graph& graph, std::size_t base, std::int64_t exponent) {
  std::size_t out = graph.constant({1});
  for (;; base = graph.add(Op::Mul, base, base)) {
    if (exponent % 2 == 1) out = is_constant(graph, out, 1) ? base : graph.add(Op::Mul, out, base);
    exponent /= 2;
    if (exponent == 0) return out;
  }
}

std::vector<double> squared_lengths(const KernelModel& machine) {
  std::vector<double> out(machine.vectors(), 0.0);
  for (std::size_t r = 0; r < out.size(); ++r)
    for (std::uint64_t at = machine.start[r]; at < machine.start[r + 1]; ++at)
      out[r] += machine.value[at] * machine.value[at];
  return out;
}

// K(x, z) of all support vectors z.
std::size_t add_kernel(Graph& graph, const KernelModel& machine, std::size_t row) {
  const KernelFunction& kernel = machine.kernel;
  const std::size_t products = graph.product(
      row,
      {.inputs = machine.features, .first = machine.start, .index = machine.index, .value = machine.value});
  if (kernel.kind == KernelKind::Linear || kernel.kind == KernelKind::Precomputed) return products;
  if (kernel.kind == KernelKind::Rbf) {
    const std::size_t own = graph.add(Op::Sum, graph.add(Op::Mul, row, row));
    const std::size_t both = graph.add(Op::Add, graph.constant(squared_lengths(machine)), own);
    const std::size_t apart = graph.add(Op::Sub, both, graph.add(Op::Mul, graph.constant({2}), products));
    const std::size_t distance2 = graph.add(Op::Max, apart, graph.constant({0}));
    return graph.add(Op::Exp, graph.add(Op::Mul, graph.constant({-kernel.gamma}), distance2));
  }
  const std::size_t base = graph.add(Op::Add, graph.add(Op::Mul, graph.constant({kernel.gamma}), products),
                                     graph.constant({kernel.coef}));
  return kernel.kind == KernelKind::Poly ? power_of(graph, base, kernel.degree) : graph.add(Op::Tanh, base);
}

std::size_t add_votes(Graph& graph, const KernelModel& machine, std::size_t functions) {
  const std::size_t classes = graph.classes.size();
  std::vector<std::uint32_t> place(classes, 0);
  for (std::size_t k = 0; k < machine.order.size(); ++k)
    place[machine.order[k]] = static_cast<std::uint32_t>(k);
  std::vector<double> zero, earlier(classes, 0.0);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t a = 0; a < classes; ++a) {
    for (std::size_t b = a + 1; b < classes; ++b) {
      // By LIBSVM's rule the class that stands further back in its list has a value of exactly zero.
      zero.push_back(!machine.order.empty() && place[b] > place[a] ? 1 : 0);
      pairs.emplace_back(a, b);
      earlier[a] += 1;
    }
  }
  Entries votes{.inputs = pairs.size()};
  for (std::size_t c = 0; c < classes; ++c) {
    for (std::size_t k = 0; k < pairs.size(); ++k)
      votes.add(k, pairs[k].second == c ? 1 : (pairs[k].first == c ? -1 : 0));
    votes.end_output();
  }
  const std::size_t steps = graph.add(Op::Step, functions, graph.constant(zero));
  return graph.add(Op::Add, graph.product(steps, std::move(votes)), graph.constant(earlier));
}

}  // namespace

void add_kernel_machine(Graph& graph, const KernelModel& machine, std::size_t row) {
  Entries entries{.inputs = machine.vectors(),
                  .first = machine.first,
                  .index = machine.vector,
                  .value = machine.coefficient};
  std::size_t out = 0;
  if (machine.vectors() == 0) {
    out = graph.product(row, {.inputs = graph.width(), .first = machine.first});
  } else {
    out = graph.product(add_kernel(graph, machine, row), std::move(entries));
  }
  out = graph.add(Op::Add, out, graph.constant(machine.offsets));
  graph.score = machine.pairs && graph.classes.size() > 2 ? add_votes(graph, machine, out) : out;
}

}  // namespace halfspace::travel
