// SPDX-License-Identifier: BSD-3-Clause
#include "path_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace halfspace::cli {
namespace {

constexpr std::size_t rows_in_a_line = 3;

std::string_view side_name(MarginSide side) {
  return side == MarginSide::Outside ? "outside" : side == MarginSide::On ? "on the margin" : "inside";
}

std::string_view end_name(PathEnd end) {
  return end == PathEnd::Reached ? "reached"
         : end == PathEnd::Work  ? "work"
         : end == PathEnd::Ties  ? "ties"
                                 : "stopped";
}

std::string moves_words(const std::vector<MarginMove>& moves) {
  std::string out;
  for (std::size_t k = 0; k < std::min(moves.size(), rows_in_a_line); ++k)
    out += fmt::format("{}row {} {}", out.empty() ? "" : ", ", moves[k].row + 1,
                       moves[k].to == MarginSide::On
                           ? fmt::format("onto the margin from {}", side_name(moves[k].from))
                       : moves[k].from == MarginSide::On
                           ? fmt::format("off it, {}", side_name(moves[k].to))
                           : fmt::format("from {} to {}", side_name(moves[k].from), side_name(moves[k].to)));
  if (moves.size() > rows_in_a_line) out += fmt::format(", and {} more", moves.size() - rows_in_a_line);
  return out;
}

}  // namespace

void print_changes(const SupportChanges& changes, const std::string& option, ShowChanges how,
                   const Output& output) {
  const std::vector<SupportChange>& places = changes.places;
  if (changes.end == PathEnd::Work && places.empty()) {
    output.note(
        "the places where support vectors change were not computed: that takes long here (--changes list "
        "does it)");
    return;
  }
  double gap = 0;
  for (const SupportChange& place : places) gap = std::max(gap, place.relative_gap);
  std::string words = "no support vector changes in this range";
  if (!places.empty())
    words = fmt::format(
        "support vectors change at {} {} of {}, {:.6g} to {:.6g}, each exact and certified (gap at most "
        "{:.0e})",
        places.size(), places.size() == 1 ? "value" : "values", option, places.front().value,
        places.back().value, gap);
  if (how == ShowChanges::Auto && !places.empty()) words += "; --changes list shows them";
  output.line(words);
  if (changes.end != PathEnd::Reached)
    output.note(fmt::format("the changes are known up to {} {:.6g} only: {}", option, changes.reached,
                            changes.end == PathEnd::Work ? "the rest takes long (--changes list does it)"
                            : changes.end == PathEnd::Ties
                                ? "there, rows change sides together that depend on each other, or rounding "
                                  "is too large; the table above goes on"
                                : "stopped"));
  if (how != ShowChanges::List) return;
  output.line(fmt::format("{:>14}{:>12}{:>12}{:>10}{:>11}  what changes", option, "|theta|", "margin",
                          "vectors", "on margin"));
  for (const SupportChange& place : places)
    output.line(fmt::format("{:>14.8g}{:>12.4g}{:>12.4g}{:>10}{:>11}  {}", place.value, place.norm,
                            place.norm > 0 ? 1 / place.norm : 0.0, place.support_vectors, place.on_margin,
                            moves_words(place.moves)));
}

Json changes_json(const SupportChanges& changes, const std::string& option, ShowChanges how) {
  Json list = Json::array();
  for (const SupportChange& place : changes.places) {
    Json moves = Json::array();
    for (const MarginMove& move : place.moves)
      moves.push_back({{"row", move.row + 1}, {"from", side_name(move.from)}, {"to", side_name(move.to)}});
    Json one;
    one[option] = place.value;
    if (option != "C") one["C"] = place.C;
    one["moves"] = std::move(moves);
    one["norm"] = place.norm;
    one["margin"] = place.norm > 0 ? Json(1 / place.norm) : Json();
    one["support_vectors"] = place.support_vectors;
    one["on_margin"] = place.on_margin;
    one["relative_gap"] = place.relative_gap;
    if (how == ShowChanges::List) {
      one["theta"] = place.theta.empty() ? Json() : Json(place.theta);
      one["theta0"] = place.theta0;
    }
    list.push_back(std::move(one));
  }
  return {{"end", end_name(changes.end)}, {"reached", changes.reached}, {"places", std::move(list)}};
}

}  // namespace halfspace::cli
