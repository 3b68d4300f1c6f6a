// SPDX-License-Identifier: BSD-3-Clause
// Separable or not, with the proof as something that can be drawn: a plane, or rows whose mixtures meet.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "halfspace/core/error.hpp"
#include "playground/answers.hpp"

namespace halfspace::playground {
namespace {

constexpr std::size_t most_named = 12;  // rows in a sentence
// The search is quick in the plane; points in no order take longer, and are told with what is known.
constexpr std::int64_t searched_nodes = 20000;
constexpr double seconds_searched = 0.4;

double as_double(std::string_view exact) {  // "-12", "3/8", "0.25"
  const auto number = [](std::string_view text) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  };
  const std::size_t slash = exact.find('/');
  return slash == std::string_view::npos ? number(exact)
                                         : number(exact.substr(0, slash)) / number(exact.substr(slash + 1));
}

struct MixedRow {
  std::uint32_t row = 0;
  int y = 0;
  double share = 0;  // of its side; without an offset of all
  std::string exact;
};

struct Mixture {
  std::vector<MixedRow> rows;
  double x = 0, y = 0;  // what both mixtures come to
};

// With an offset the shares of either class add up to 1 and both mixtures are the same point. Without one the rows of -1 are
// turned over at the origin, and the mixture of all is the origin.
Mixture mixture_of(const Combination& combination, const Points& points, bool turned) {
  Mixture out;
  const std::vector<Share> parts = shares(combination);
  double side[2] = {0, 0};
  for (std::size_t k = 0; k < parts.size(); ++k)
    side[points.labels[combination.rows[k]] > 0 ? 1 : 0] += parts[k].rounded;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::size_t row = combination.rows[k];
    const int y = points.labels[row];
    const double share = turned ? parts[k].rounded : parts[k].rounded / side[y > 0 ? 1 : 0];
    out.rows.push_back(
        {combination.rows[k], y, share, parts[k].exact.size() <= 40 ? parts[k].exact : std::string()});
    if (turned || y < 0) continue;
    out.x += share * points.values[2 * row];
    out.y += share * points.values[2 * row + 1];
  }
  return out;
}

std::string named_rows(const Mixture& mixture, int y) {
  std::string out;
  std::size_t count = 0;
  for (const MixedRow& one : mixture.rows) {
    if (one.y != y) continue;
    if (++count <= most_named) out += fmt::format("{}{}", count == 1 ? "" : ", ", one.row + 1);
  }
  if (count > most_named) out += ", ...";
  return fmt::format("{} {}", count == 1 ? "row" : "rows", out);
}

std::string why_not(const Mixture& mixture, bool turned, bool touching) {
  const bool positive =
      std::any_of(mixture.rows.begin(), mixture.rows.end(), [](const auto& one) { return one.y > 0; });
  const bool negative =
      std::any_of(mixture.rows.begin(), mixture.rows.end(), [](const auto& one) { return one.y < 0; });
  const std::string first =
      touching ? "No plane separates the classes, they touch: " : "No plane separates the classes: ";
  if (turned) {
    return fmt::format("{}{}{}{}{} mix to the origin, through which every plane without offset goes.",
                       touching ? "No plane through the origin separates the classes, they touch: "
                                : "No plane through the origin separates the classes: ",
                       positive ? named_rows(mixture, 1) + " (+1)" : "", positive && negative ? " and " : "",
                       negative ? named_rows(mixture, -1) + " (\u22121)" : "",
                       negative ? ", the latter turned over at it," : "");
  }
  return fmt::format("{}{} (+1) and {} (\u22121) mix to the same point ({:.4g}, {:.4g}).", first,
                     named_rows(mixture, 1), named_rows(mixture, -1), mixture.x, mixture.y);
}

}  // namespace

Offset offset_of(const Algorithm& algorithm) {
  const std::string word = option_value(algorithm, "offset");
  return word.empty() ? Offset::Free : OptionType<Offset>::parse("offset", word, {});
}

Decision decide(const Dataset& data, Offset offset, const Run& run) {
  Decision out{offset, separability(data, {.offset = offset, .margin = MarginWork::Full}, run), {}};
  if (!out.found.decided || out.found.proof.verdict == Separation::Separable) return out;
  Run search = run;
  search.stop = run.stop.within(seconds_searched);
  out.least = report::least_errors(data, offset, searched_nodes, search);
  return out;
}

Json verdict_json(const Decision& decision, const Points& points) {
  const Separability& found = decision.found;
  const bool turned = decision.offset == Offset::None;
  Json out = {{"decided", found.decided}, {"offset", OptionType<Offset>::print(decision.offset)}};
  if (!found.decided) {
    out["sentence"] = "Whether a plane separates the classes is not decided: the time was up.";
    return out;
  }
  const SeparationProof& proof = found.proof;
  out["verdict"] = OptionType<Separation>::print(proof.verdict);
  out["method"] = found.method;
  if (proof.verdict == Separation::Separable) {
    if (found.margin) {
      out["margin"] = {{"lower", finite(found.margin->lower)},
                       {"upper", finite(found.margin->upper)},
                       {"radius", finite(found.margin->radius)},
                       {"mistakes", finite(found.margin->mistakes)}};
      out["plane"] = {finite(found.widest.theta[0]), finite(found.widest.theta[1]),
                      finite(found.widest.theta0)};
      Json support = Json::array();
      for (const auto& [row, weight] : found.widest.hull) support.push_back(row + 1);
      out["support"] = std::move(support);
    }
    out["sentence"] = fmt::format(
        "A plane{} separates the classes{}", turned ? " through the origin" : "",
        found.margin ? fmt::format(": the widest margin is {:.4g}{}.", found.margin->lower,
                                   decision.offset == Offset::Lifted ? " among lifted rows (x, 1)" : "")
                     : ".");
    return out;
  }
  if (proof.verdict == Separation::Touching) {
    Json plane = {0.0, 0.0, finite(as_double(proof.plane.offset))};
    for (std::size_t k = 0; k < proof.plane.columns.size(); ++k)
      plane[proof.plane.columns[k]] = finite(as_double(proof.plane.weights[k]));
    out["plane"] = std::move(plane);
  }
  const Mixture mixture = mixture_of(proof.witnesses.front(), points, turned);
  Json rows = Json::array();
  for (const MixedRow& one : mixture.rows)
    rows.push_back({{"row", one.row + 1}, {"y", one.y}, {"share", finite(one.share)}, {"exact", one.exact}});
  out["witness"] = {
      {"turned", turned}, {"rows", std::move(rows)}, {"point", {finite(mixture.x), finite(mixture.y)}}};
  out["sentence"] = why_not(mixture, turned, proof.verdict == Separation::Touching);
  if (decision.least) {
    Json wrong = Json::array();
    for (const std::uint32_t row : decision.least->rows) wrong.push_back(row + 1);
    out["least"] = {{"upper", finite(decision.least->upper)},
                    {"lower", finite(decision.least->lower)},
                    {"exact", decision.least->exact},
                    {"rows", std::move(wrong)}};
  }
  return out;
}

}  // namespace halfspace::playground
