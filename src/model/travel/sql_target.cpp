// SPDX-License-Identifier: BSD-3-Clause
// One SELECT. Sums stand in nested selects: databases limit how deep an expression may be, so a long sum goes on where the select
// inside has ended, addition by addition.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "halfspace/core/error.hpp"
#include "model/travel/targets.hpp"
#include "model/travel/text.hpp"

namespace halfspace::travel {
namespace {

constexpr std::size_t terms_at_once = 250;  // SQLite: expressions of depth 1000
constexpr std::size_t most_columns = 1600;  // PostgreSQL; SQLite has 2000

struct SelectedColumn {
  std::string text, name;
};

class Query {
 public:
  Query(const Graph& graph, const Model& model, const std::string& table)
      : graph_(graph), model_(model), query_(sql_name(table)) {
    choose_prefix();
    check_columns();
  }

  std::string text() {
    for (std::size_t n = 1; n < graph_.nodes.size(); ++n)
      if (has_column(n)) add_columns(n);
    std::vector<SelectedColumn> last = {{label(), sql_name(prefix_ + "label")}};
    for (std::size_t c = 0; graph_.probability != 0 && c < graph_.classes.size(); ++c)
      last.push_back(
          {value(graph_.probability, c), sql_name(fmt::format("{}probability_{}", prefix_, c + 1))});
    nest(last);
    return query_;
  }

 private:
  static std::string numbered(std::size_t k, std::size_t of) {
    return of == 1 ? "" : fmt::format("_{}", k + 1);
  }

  // Columns of the query begin with a word that no column of the table begins with.
  void choose_prefix() {
    if (model_.encoding == nullptr) return;
    const auto taken = [&](const Column& c) { return c.name.starts_with(prefix_); };
    while (std::any_of(model_.encoding->columns.begin(), model_.encoding->columns.end(), taken))
      prefix_ += "_";
  }

  void check_columns() const {
    std::set<std::uint32_t> used;
    for (const Node& node : graph_.nodes)
      if (node.op == Op::Product && node.entries.inputs == graph_.width())
        used.insert(node.entries.index.begin(), node.entries.index.end());
    // The length of a row takes all of them.
    const std::size_t columns = model_.unit_rows ? graph_.width() : used.size();
    if (columns > most_columns)
      throw UsageError(fmt::format("{} columns are more than a table of a database has", columns),
                       "--to c, javascript, onnx or json");
    if (model_.encoding == nullptr) return;
    for (const Column& column : model_.encoding->columns)
      if (column.kind == ColumnKind::Words)
        throw UsageError(
            fmt::format("SQL does not count words, as the column '{}' needs", printable(column.name)),
            "--to c, javascript, onnx or json");
  }

  // query_ becomes a select around itself with more columns.
  void nest(const std::vector<SelectedColumn>& columns) {
    std::string out = "SELECT t.*";
    for (const SelectedColumn& column : columns) out += ",\n  " + column.text + " AS " + column.name;
    const bool table = query_.starts_with('"');
    query_ = table ? out + "\nFROM " + query_ + " AS t" : out + "\nFROM (\n" + query_ + "\n) AS t";
  }

  bool has_column(std::size_t node) const {
    if (node == graph_.score) return true;
    switch (graph_.nodes[node].op) {
      case Op::Product:
      case Op::Sum:
      case Op::Largest:
      case Op::Exp:
      case Op::Sqrt: return true;
      default: return false;
    }
  }
  std::string column_name(std::size_t node, std::size_t k) const {
    if (node == graph_.score) return sql_name(prefix_ + "score" + numbered(k, graph_.scores()));
    return sql_name(fmt::format("{}step_{}_{}", prefix_, node, k + 1));
  }

  // A cell of the table as a feature.
  std::string feature(std::size_t j) const {
    if (model_.encoding == nullptr || j >= model_.encoding->features())
      return fmt::format("CAST({} AS DOUBLE PRECISION)", sql_name(fmt::format("x{}", j + 1)));
    const auto& columns = model_.encoding->columns;
    const auto after = std::upper_bound(columns.begin(), columns.end(), j,
                                        [](std::size_t f, const Column& c) { return f < c.first_feature; });
    const Column& column = *(after - 1);
    const auto within = static_cast<std::uint32_t>(j - column.first_feature);
    const std::string name = sql_name(column.name);
    if (within >= column.value_features())
      return fmt::format("CASE WHEN {} IS NULL THEN 1.0 ELSE 0.0 END", name);
    if (column.kind == ColumnKind::Category)
      return fmt::format("CASE WHEN {} = {} THEN 1.0 ELSE 0.0 END", name,
                         sql_string(column.categories[within + (column.reference ? 1 : 0)]));
    const std::string cell = fmt::format("CAST({} AS DOUBLE PRECISION)", name);
    return column.fill ? fmt::format("COALESCE({}, {})", cell, number(*column.fill)) : cell;
  }

  std::string value(std::size_t node, std::size_t k) const {
    if (graph_.nodes[node].width == 1) k = 0;
    return has_column(node) ? column_name(node, k) : element(node, k);
  }

  std::string element(std::size_t node, std::size_t k) const {
    const Node& n = graph_.nodes[node];
    const auto a = [&] { return value(n.a, k); };
    const auto b = [&] { return value(n.b, k); };
    switch (n.op) {
      case Op::Input: return feature(k);
      case Op::Constant: return n.value[k] < 0 ? fmt::format("({})", number(n.value[k])) : number(n.value[k]);
      case Op::Add: return fmt::format("({} + {})", a(), b());
      case Op::Sub: return fmt::format("({} - {})", a(), b());
      case Op::Mul: return fmt::format("({} * {})", a(), b());
      case Op::Div: return fmt::format("({} / {})", a(), b());
      case Op::Max: return fmt::format("CASE WHEN {0} > {1} THEN {0} ELSE {1} END", a(), b());
      case Op::Min: return fmt::format("CASE WHEN {0} < {1} THEN {0} ELSE {1} END", a(), b());
      case Op::Step:
        return fmt::format("CASE WHEN {0} > 0 THEN 1.0 WHEN {0} < 0 THEN 0.0 ELSE {1} END", a(), b());
      case Op::Equal: return fmt::format("CASE WHEN {} = {} THEN 1.0 ELSE 0.0 END", a(), b());
      case Op::Exp: return fmt::format("EXP({})", a());
      case Op::Sqrt: return fmt::format("SQRT({})", a());
      case Op::Abs: return fmt::format("ABS({})", a());
      default: return {};  // sums have columns
    }
  }

  // What a sum adds up.
  std::vector<std::string> terms(const Node& n, std::size_t k) const {
    std::vector<std::string> out;
    if (n.op == Op::Sum) {
      for (std::size_t i = 0; i < graph_.nodes[n.a].width; ++i) out.push_back(value(n.a, i));
      return out;
    }
    for (std::uint64_t at = n.entries.first[k]; at < n.entries.first[k + 1]; ++at)
      out.push_back(fmt::format("{} * {}", value(n.a, n.entries.index[at]), number(n.entries.value[at])));
    return out;
  }

  std::string largest(const Node& n) const {
    const std::size_t width = graph_.nodes[n.a].width;
    std::string out = "CASE";
    for (std::size_t k = 0; k + 1 < width; ++k) {
      out += " WHEN ";
      for (std::size_t i = k + 1; i < width; ++i)
        out += fmt::format("{}{} >= {}", i > k + 1 ? " AND " : "", value(n.a, k), value(n.a, i));
      out += " THEN " + value(n.a, k);
    }
    return width == 1 ? value(n.a, 0) : out + " ELSE " + value(n.a, width - 1) + " END";
  }

  // Long sums take several selects; each goes on from a column of the one inside.
  void add_columns(std::size_t node) {
    const Node& n = graph_.nodes[node];
    std::vector<SelectedColumn> columns;
    if (n.op != Op::Sum && n.op != Op::Product) {
      for (std::size_t k = 0; k < n.width; ++k)
        columns.push_back({n.op == Op::Largest ? largest(n) : element(node, k), column_name(node, k)});
      nest(columns);
      return;
    }
    std::vector<std::vector<std::string>> sums;
    std::size_t longest = 1;
    for (std::size_t k = 0; k < n.width; ++k) {
      sums.push_back(terms(n, k));
      longest = std::max(longest, sums.back().size());
    }
    for (std::size_t begin = 0; begin < longest; begin += terms_at_once) {
      const bool last = begin + terms_at_once >= longest;
      columns.clear();
      for (std::size_t k = 0; k < n.width; ++k) {
        const std::string part = fmt::format("{}part_{}_{}", prefix_, node, k + 1);
        std::string text = begin == 0 ? "0.0" : sql_name(fmt::format("{}_{}", part, begin));
        for (std::size_t i = begin; i < std::min(begin + terms_at_once, sums[k].size()); ++i)
          text += (i % 4 == 0 ? "\n    + " : " + ") + sums[k][i];
        columns.push_back({text, last ? column_name(node, k)
                                      : sql_name(fmt::format("{}_{}", part, begin + terms_at_once))});
      }
      nest(columns);
    }
  }

  // A cell that is missing where a number is needed makes a score of NULL, which has no label.
  std::string label() const {
    const auto score = [&](std::size_t k) { return column_name(graph_.score, k); };
    const auto name = [&](std::size_t c) { return sql_string(graph_.classes[c]); };
    if (graph_.scores() == 1) {
      const std::string at_zero =
          graph_.tie == Tie::Abstain ? "NULL" : name(graph_.tie == Tie::Positive ? 1 : 0);
      return fmt::format("CASE WHEN {0} > 0 THEN {1} WHEN {0} < 0 THEN {2} WHEN {0} = 0 THEN {3} END",
                         score(0), name(1), name(0), at_zero);
    }
    std::string out = "CASE WHEN ";
    for (std::size_t k = 0; k < graph_.scores(); ++k)
      out += fmt::format("{}{} IS NULL", k > 0 ? " OR " : "", score(k));
    out += " THEN NULL";
    for (std::size_t i = 0; i + 1 < graph_.order.size(); ++i) {
      out += "\n    WHEN ";
      for (std::size_t j = i + 1; j < graph_.order.size(); ++j)
        out += fmt::format("{}{} >= {}", j > i + 1 ? " AND " : "", score(graph_.order[i]),
                           score(graph_.order[j]));
      out += " THEN " + name(graph_.order[i]);
    }
    return out + " ELSE " + name(graph_.order.back()) + " END";
  }

  const Graph& graph_;
  const Model& model_;
  std::string query_;
  std::string prefix_ = "halfspace_";
};

}  // namespace

std::string to_sql(const Graph& graph, const Model& model, const std::string& table) {
  if (std::holds_alternative<KernelModel>(model.form))
    throw UsageError("a kernel machine is not written as SQL: its query would hold every support vector",
                     "--to onnx, c, javascript, json or libsvm");
  return "-- A model of halfspace as a query: the columns of the table, the steps of the computation, score "
         "and label.\n" +
         Query(graph, model, table.empty() ? "rows" : table).text() + ";\n";
}

}  // namespace halfspace::travel
