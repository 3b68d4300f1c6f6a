// SPDX-License-Identifier: BSD-3-Clause
// The report in three sentences: how good, is it solved, can a plane separate the classes.
#include <fmt/format.h>

#include "halfspace/core/error.hpp"
#include "report/sections/sections.hpp"

namespace halfspace::report {
namespace {

std::string per_cent(double share) {
  const double x = 100 * share;
  return x != 0 && x < 0.1 ? fmt::format("{:.2g} %", x) : fmt::format("{:.1f} %", x);
}

std::string how_good(const Context& context, const Json& quality) {
  const std::string_view rows = context.test()     ? "test rows"
                                : context.training ? "rows it was trained on"
                                                   : "rows";
  std::string out =
      fmt::format("It gets {} of {} {} wrong ({}", quality["errors"].get<std::uint64_t>(),
                  quality["rows"].get<std::uint64_t>(), rows, per_cent(quality["error"].get<double>()));
  // Of rows that it was fitted to, an interval says nothing about new ones.
  const bool seen = context.training && !context.test();
  if (!seen && quality["interval"].is_array())
    out += fmt::format("; 95 % interval {} to {}", per_cent(quality["interval"][0].get<double>()),
                       per_cent(quality["interval"][1].get<double>()));
  out += ")";
  for (const Json& baseline : quality["baselines"]) {
    if (baseline["name"] == "majority")
      out += fmt::format(", where always answering the most frequent class gets {} wrong",
                         per_cent(baseline["error"].get<double>()));
  }
  return out + ".";
}

std::string how_solved(const Json& report) {
  if (!report.contains("solved") || report["solved"]["claims"].empty())
    return "The model carries no certificate, so nothing is claimed about how near it is to the best one.";
  const Json& solved = report["solved"];
  double worst = 0;
  bool gaps = false;
  for (const Json& claim : solved["claims"]) {
    if (claim["kind"] != "duality-gap" || !claim["relative_gap"].is_number()) continue;
    gaps = true;
    worst = std::max(worst, claim["relative_gap"].get<double>());
  }
  const bool checked = solved["checked"].is_object();
  const bool holds = checked && solved["checked"]["holds"].get<bool>();
  const std::string proof = !solved["training"].get<bool>()
                                ? "the model says of the rows it was trained on, which these are not"
                            : !checked ? "the model says; it was not checked here"
                            : holds    ? "recomputed here from the model and the data alone"
                                       : "but the check of this claim FAILED";
  if (gaps)
    return fmt::format("Its objective is at most {:.2g} of itself above the best possible one ({}).", worst,
                       proof);
  return fmt::format("Its certificate: {} ({}).", solved["claims"][0]["text"].get<std::string>(), proof);
}

std::string how_separable(const Json& report) {
  if (!report.contains("separability")) return "Whether a plane separates the classes was not asked.";
  const Json& section = report["separability"];
  if (!section["asked"].get<bool>())
    return "The data are too large to decide quickly whether a plane separates the classes; halfspace "
           "separable takes the time.";
  std::size_t yes = 0, no = 0, open = 0;
  std::string names;
  for (const Json& answer : section["answers"]) {
    if (!answer["decided"].get<bool>()) {
      ++open;
    } else if (answer["verdict"] == "separable") {
      ++yes;
      names += (names.empty() ? "" : ", ") + answer["name"].get<std::string>();
    } else {
      ++no;
    }
  }
  if (yes + no + open == 1) {
    const Json& one = section["answers"][0];
    if (open == 1) return "Whether a plane separates the classes could not be decided quickly.";
    if (yes == 1)
      return one.contains("margin") ? fmt::format(
                                          "A plane separates the classes of these rows: proved, with a "
                                          "margin of at least {:.4g}.",
                                          one["margin"]["lower"].get<double>())
                                    : "A plane separates the classes of these rows: proved.";
    std::string out = fmt::format("No plane separates the classes of these rows: {} of them prove it",
                                  one["witness"]["count"].get<std::size_t>());
    if (one.contains("least_errors") && one["least_errors"].is_object() &&
        one["least_errors"]["exact"].get<bool>())
      out += fmt::format(", and no plane gets fewer than {} wrong", one["least_errors"]["upper"].dump());
    return out + ".";
  }
  std::string out = fmt::format("Of {} classes against the rest, planes separate {}", yes + no + open, yes);
  if (yes > 0 && names.size() < 120) out += fmt::format(" ({})", names);
  if (no > 0) out += fmt::format("; for {} it is proved that none does", no);
  if (open > 0) out += fmt::format("; {} could not be decided quickly", open);
  return out + ".";
}

}  // namespace

std::vector<std::string> verdict_sentences(const Context& context, const Json& report) {
  return {how_good(context, report["quality"]), how_solved(report), how_separable(report)};
}

}  // namespace halfspace::report
