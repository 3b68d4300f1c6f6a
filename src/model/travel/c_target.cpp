// SPDX-License-Identifier: BSD-3-Clause
// C99 that includes nothing and calls nothing: exp, tanh and sqrt come along where they are needed.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "halfspace/core/error.hpp"
#include "model/travel/loops.hpp"
#include "model/travel/targets.hpp"
#include "model/travel/text.hpp"

namespace halfspace::travel {
namespace {

void check_identifier(const std::string& name) {
  const auto word = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
  constexpr std::size_t longest = 40;
  if (name.empty() || name.size() > longest || !std::all_of(name.begin(), name.end(), word) ||
      std::isalpha(static_cast<unsigned char>(name[0])) == 0)
    throw UsageError(fmt::format("--name '{}' cannot begin the names of C", printable(name)),
                     "letters, digits and _, a letter first, at most 40");
}

// exp: x = k ln 2 + r with |r| <= ln 2 / 2, the series of exp(r) up to r^13, then k doublings or halvings. ln 2 in two parts, the
// first with so few digits that its products with k are exact.
constexpr std::string_view exp_text = R"(static inline double NAME_exp(double x) {
  double r, p, q;
  int k, i;
  if (x != x) return x;
  if (x < -746.0) return 0.0;
  if (x > 709.0) x = 709.0;
  k = (int)(x * 1.4426950408889634 + (x < 0.0 ? -0.5 : 0.5));
  r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
  p = 1.0;
  for (i = 13; i > 0; --i) p = 1.0 + p * r / i;
  q = k < 0 ? 0.5 : 2.0;
  for (i = k < 0 ? -k : k; i > 0; i /= 2) {
    if (i % 2 == 1) p *= q;
    q *= q;
  }
  return p;
}
)";
constexpr std::string_view tanh_text = R"(static inline double NAME_tanh(double x) {
  const double e = NAME_exp(x < 0.0 ? 2.0 * x : -2.0 * x);
  return x < 0.0 ? (e - 1.0) / (1.0 + e) : (1.0 - e) / (1.0 + e);
}
)";
// Newton's method on [1/4, 1).
constexpr std::string_view sqrt_text = R"(static inline double NAME_sqrt(double x) {
  double scale = 1.0, y;
  int i;
  if (!(x > 0.0) || x > 1.7976931348623157e308) return x;
  for (; x < 0.25; x *= 4.0) scale *= 0.5;
  for (; x >= 1.0; x *= 0.25) scale *= 2.0;
  y = 0.5 + 0.5 * x;
  for (i = 0; i < 6; ++i) y = 0.5 * (y + x / y);
  return y * scale;
}
)";
constexpr std::string_view abs_text =
    "static inline double NAME_abs(double x) { return x < 0.0 ? -x : x; }\n";

std::string named(std::string_view text, const std::string& name) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with("NAME_")) {
      out += name + "_";
      at += 5;
    } else {
      out += text[at++];
    }
  }
  return out;
}

std::string c_strings(const std::string& name, const std::vector<std::string>& values) {
  std::string out = fmt::format("static const char *const {}[{}] = {{\n", name, values.size());
  for (const std::string& value : values) out += "  " + c_string(value) + ",\n";
  return out + "};\n";
}

std::string c_label(const Graph& graph, const std::string& name) {
  std::string out = fmt::format("static inline int {0}_label(const double *x) {{\n  double score[{1}];\n",
                                name, graph.scores());
  out += fmt::format("  {}_scores(x, score);\n", name);
  if (graph.scores() == 1) {
    constexpr int at_zero[] = {0, 1, -1};
    return out + fmt::format("  return score[0] > 0.0 ? 1 : (score[0] < 0.0 ? 0 : {});\n}}\n",
                             at_zero[static_cast<std::size_t>(graph.tie)]);
  }
  return out + fmt::format(
                   "  static const int order[{0}] = {{{1}}};\n  int i, best = order[0];\n"
                   "  for (i = 1; i < {0}; ++i) if (score[order[i]] > score[best]) best = order[i];\n"
                   "  return best;\n}}\n",
                   graph.scores(), fmt::join(graph.order, ", "));
}

std::string c_head(const Graph& graph, const std::string& name, const std::string& upper) {
  const bool table = !graph.features.empty();
  std::string out = fmt::format(
      "/* A model of halfspace as C99. It includes nothing and calls nothing.\n"
      " *   {0}_scores(x, score)      {1}\n"
      " *   {0}_label(x)              number of the class in {0}_class{2}\n",
      name, graph.scores() == 1 ? "one number, above 0 for the last class" : "one number for each class",
      graph.scores() == 1 && graph.tie == Tie::Abstain ? "; -1 for a score of exactly zero" : "");
  if (graph.probability != 0)
    out += fmt::format(" *   {}_probabilities(x, p)    one number for each class\n", name);
  out += fmt::format(" * x has {} numbers: {}.\n", graph.width(),
                     table ? fmt::format("the features {}_feature in their order", name)
                           : "all features, zeros too, the first at x[0]");
  out +=
      " * Scores keep their bits while products and sums are not fused: -std=c99, or -ffp-contract=off. */\n";
  return out + fmt::format(
                   "#ifndef {0}_H\n#define {0}_H\n#define {0}_FEATURES {1}\n#define {0}_CLASSES {2}\n"
                   "#define {0}_SCORES {3}\n",
                   upper, graph.width(), graph.classes.size(), graph.scores());
}

}  // namespace

std::string to_c(const Graph& graph, const std::string& given) {
  const std::string name = given.empty() ? "model" : given;
  check_identifier(name);
  std::string upper = name;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const std::string exp = name + "_exp", tanh = name + "_tanh", sqrt = name + "_sqrt", abs = name + "_abs";
  const Loops loops(graph,
                    {.numbers_open = "static const double {}[{}] = {{",
                     .whole_open = "static const long {}[{}] = {{",
                     .table_close = "};",
                     .scalar = "double {};",
                     .array = "double {}[{}];",
                     .counter = "long ",
                     .exp = exp,
                     .tanh = tanh,
                     .sqrt = sqrt,
                     .abs = abs},
                    name + "_");
  std::string out = c_head(graph, name, upper) + c_strings(name + "_class", graph.classes);
  if (!graph.features.empty()) out += c_strings(name + "_feature", graph.features);
  out += loops.tables();
  if (loops.uses(Op::Exp) || loops.uses(Op::Tanh)) out += named(exp_text, name);
  if (loops.uses(Op::Tanh)) out += named(tanh_text, name);
  if (loops.uses(Op::Sqrt)) out += named(sqrt_text, name);
  if (loops.uses(Op::Abs)) out += named(abs_text, name);
  const std::string scores = loops.body(graph.score, "score");
  // A constant answer does not look at the row.
  const std::string_view unused = scores.find("x[") == std::string::npos ? "  (void)x;\n" : "";
  out += fmt::format("static inline void {}_scores(const double *x, double *score) {{\n{}{}}}\n", name,
                     unused, scores);
  if (graph.probability != 0)
    out += fmt::format("static inline void {}_probabilities(const double *x, double *p) {{\n{}}}\n", name,
                       loops.body(graph.probability, "p"));
  return out + c_label(graph, name) + "#endif\n";
}

}  // namespace halfspace::travel
