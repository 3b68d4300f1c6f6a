// SPDX-License-Identifier: BSD-3-Clause
// A JavaScript module (ECMAScript 2015). Its numbers are doubles, so the scores have the bits of the model's.
#include <fmt/format.h>

#include "model/travel/loops.hpp"
#include "model/travel/targets.hpp"
#include "model/travel/text.hpp"

namespace halfspace::travel {
namespace {

std::string script_strings(std::string_view name, const std::vector<std::string>& values) {
  std::string out = fmt::format("export const {} = [\n", name);
  for (const std::string& value : values) out += "  " + json_string(value) + ",\n";
  return out + "];\n";
}

std::string script_label(const Graph& graph) {
  std::string out = "export function label(x) {\n  const score = scores(x);\n";
  if (graph.scores() == 1) {
    constexpr std::string_view at_zero[] = {"classes[0]", "classes[1]", "null"};
    return out +
           fmt::format("  return score[0] > 0.0 ? classes[1] : (score[0] < 0.0 ? classes[0] : {});\n}}\n",
                       at_zero[static_cast<std::size_t>(graph.tie)]);
  }
  return out + fmt::format(
                   "  const order = [{0}];\n  let best = order[0];\n"
                   "  for (const k of order) if (score[k] > score[best]) best = k;\n"
                   "  return classes[best];\n}}\n",
                   fmt::join(graph.order, ", "));
}

// A wrong number of features is a mistake that would otherwise go unseen: undefined times a weight is NaN.
std::string script_function(const Graph& graph, std::string_view name, std::string_view body,
                            std::size_t width) {
  return fmt::format(
      "export function {0}(x) {{\n  if (x.length !== {1}) throw new RangeError(`${{x.length}} features; {1} "
      "expected`);\n"
      "  const out = new Array({2});\n{3}  return out;\n}}\n",
      name, graph.width(), width, body);
}

}  // namespace

std::string to_javascript(const Graph& graph) {
  const Loops loops(graph,
                    {.numbers_open = "const {} = new Float64Array([",
                     .whole_open = "const {} = new Uint32Array([",
                     .table_close = "]);",
                     .scalar = "let {};",
                     .array = "const {} = new Float64Array({});",
                     .counter = "let ",
                     .exp = "Math.exp",
                     .tanh = "Math.tanh",
                     .sqrt = "Math.sqrt",
                     .abs = "Math.abs"},
                    "");
  std::string out = fmt::format(
      "// A model of halfspace as a module.\n"
      "//   scores(x)         {}\n//   label(x)          the name of the class{}\n",
      graph.scores() == 1 ? "[one number, above 0 for the last class]" : "[one number for each class]",
      graph.scores() == 1 && graph.tie == Tie::Abstain ? ", null for a score of exactly zero" : "");
  if (graph.probability != 0) out += "//   probabilities(x)  [one number for each class]\n";
  out += fmt::format("// x has {} numbers: {}.\n", graph.width(),
                     graph.features.empty() ? "all features, zeros too, the first at x[0]"
                                            : "those that `features` names, in their order");
  out += script_strings("classes", graph.classes);
  if (!graph.features.empty()) out += script_strings("features", graph.features);
  out += loops.tables();
  out += script_function(graph, "scores", loops.body(graph.score, "out"), graph.scores());
  if (graph.probability != 0)
    out +=
        script_function(graph, "probabilities", loops.body(graph.probability, "out"), graph.classes.size());
  return out + script_label(graph);
}

}  // namespace halfspace::travel
