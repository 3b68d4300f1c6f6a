// SPDX-License-Identifier: BSD-3-Clause
// Can a plane separate the classes of DATA? The verdict with its proof, and a picture of it.
#include "halfspace/solve/separability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "halfspace/core/error.hpp"
#include "halfspace/prepare/against_rest.hpp"
#include "report/least_errors.hpp"
#include "report/sections/projection.hpp"
#include "report/sections/sections.hpp"

namespace halfspace::report {
namespace {

constexpr std::size_t most_questions = 10;
constexpr std::size_t picture_rows = 600;
constexpr std::size_t shown_coordinates = 12;
constexpr std::size_t shown_witnesses = 40;
constexpr std::uint64_t most_separated_entries = 30'000'000;
constexpr double seconds_for_all = 2;
constexpr std::size_t many_rows = 50'000;  // a sample of them is asked first
constexpr std::size_t asked_first = 3'000;
constexpr double seconds_for_errors = 1;
constexpr std::int64_t searched_nodes = 3000;
constexpr std::size_t shown_suspects = 100;

double rounded(std::string_view exact) {  // "-12", "3/8", "0.25"
  const auto number = [](std::string_view text) {
    double value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() ? value : std::copysign(HUGE_VAL, text.starts_with('-') ? -1.0 : 1.0);
  };
  const std::size_t slash = exact.find('/');
  return slash == std::string_view::npos ? number(exact)
                                         : number(exact.substr(0, slash)) / number(exact.substr(slash + 1));
}

// A plane of length 1 over all columns.
struct UnitPlane {
  std::vector<double> normal;
  double offset = 0;
};
std::optional<UnitPlane> unit_plane(const ExactPlane& plane, std::size_t features) {
  UnitPlane out{std::vector<double>(features, 0.0), rounded(plane.offset)};
  for (std::size_t k = 0; k < plane.columns.size(); ++k)
    out.normal[plane.columns[k]] = rounded(plane.weights[k]);
  double largest = 0;
  for (const double w : out.normal) largest = std::max(largest, std::abs(w));
  if (!(largest > 0) || !std::isfinite(largest)) return std::nullopt;
  for (double& w : out.normal) w /= largest;  // before squares are taken
  const double length = std::sqrt(product(out.normal, out.normal));
  for (double& w : out.normal) w /= length;
  out.offset /= largest * length;
  return out;
}

struct SideQuestion {
  std::string name;
  std::vector<std::string> positive, negative;
};

struct Witness {
  std::vector<std::uint32_t> rows;
  std::vector<Share> shares;
  std::vector<double> of_side;  // share among the rows of its side
};

class Answer {
 public:
  Answer(const Context& context, const SideQuestion& question, Separability found)
      : context_(context), data_(context.input.data), question_(question), found_(std::move(found)) {
    for (std::size_t k = 0; k < data_.classes().size(); ++k)
      positive_.push_back(std::find(question.positive.begin(), question.positive.end(), data_.classes()[k]) !=
                          question.positive.end());
  }

  [[nodiscard]] Json json() const {
    Json out = {{"name", question_.name}, {"decided", found_.decided}};
    if (!found_.decided) return out;
    const SeparationProof& proof = found_.proof;
    out["verdict"] = OptionType<Separation>::print(proof.verdict);
    out["method"] = found_.method;
    if (found_.margin)
      out["margin"] = {{"lower", number(found_.margin->lower)},
                       {"upper", number(found_.margin->upper)},
                       {"radius", number(found_.margin->radius)},
                       {"mistakes", number(found_.margin->mistakes)}};
    if (proof.verdict != Separation::Overlapping) out["plane"] = plane_json();
    if (proof.verdict != Separation::Separable) out["witness"] = witness_json();
    out["picture"] = picture();
    return out;
  }

 private:
  [[nodiscard]] bool positive(std::uint32_t row) const { return positive_[data_.labels()[row]]; }
  [[nodiscard]] const ExactPlane& plane() const {
    const SeparationProof& proof = found_.proof;
    return proof.margin_plane.columns.empty() ? proof.plane : proof.margin_plane;
  }

  [[nodiscard]] Json plane_json() const {
    const std::optional<UnitPlane> unit = unit_plane(plane(), data_.features());
    if (!unit) return nullptr;
    std::vector<std::uint32_t> order;
    for (std::uint32_t j = 0; j < unit->normal.size(); ++j)
      if (unit->normal[j] != 0) order.push_back(j);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::abs(unit->normal[a]) > std::abs(unit->normal[b]);
    });
    Json weights = Json::array();
    for (std::size_t k = 0; k < std::min(order.size(), shown_coordinates); ++k)
      weights.push_back({{"name", name_of_feature(context_.input.model, order[k])},
                         {"weight", number(unit->normal[order[k]])}});
    return {{"weights", weights}, {"offset", number(unit->offset)}, {"nonzero", order.size()}};
  }

  [[nodiscard]] Witness witness() const {
    const Combination& combination = found_.proof.witnesses.front();
    Witness out{combination.rows, shares(combination), {}};
    double side[2] = {0, 0};
    for (std::size_t k = 0; k < out.rows.size(); ++k) side[positive(out.rows[k])] += out.shares[k].rounded;
    for (std::size_t k = 0; k < out.rows.size(); ++k)
      out.of_side.push_back(out.shares[k].rounded / side[positive(out.rows[k])]);
    return out;
  }

  // The point of the positive hull; the other one is the same, exactly.
  [[nodiscard]] std::vector<double> common_point(const Witness& witness) const {
    std::vector<double> point(data_.features(), 0.0);
    for (std::size_t k = 0; k < witness.rows.size(); ++k) {
      if (!positive(witness.rows[k])) continue;
      for (const auto& [j, x] : entries_of(data_, witness.rows[k])) point[j] += witness.of_side[k] * x;
    }
    return point;
  }

  [[nodiscard]] Json witness_json() const {
    const Witness found = witness();
    Json rows = Json::array();
    for (std::size_t k = 0; k < std::min(found.rows.size(), shown_witnesses); ++k)
      rows.push_back({{"row", found.rows[k] + 1},
                      {"label", printable(data_.classes()[data_.labels()[found.rows[k]]])},
                      {"positive", positive(found.rows[k])},
                      {"share", number(found.of_side[k])},
                      {"exact", found.shares[k].exact.size() <= 40 ? found.shares[k].exact : ""}});
    const std::vector<double> point = common_point(found);
    Json coordinates = Json::array();
    for (std::uint32_t j = 0; j < std::min(point.size(), shown_coordinates); ++j)
      coordinates.push_back(
          {{"name", name_of_feature(context_.input.model, j)}, {"value", number(point[j])}});
    return {
        {"rows", rows}, {"count", found.rows.size()}, {"point", coordinates}, {"coordinates", point.size()}};
  }

  // Rows for a picture: those of the witness first, then a sample of the others.
  [[nodiscard]] std::vector<std::uint32_t> rows_shown(const Witness* found, bool others) const {
    std::vector<std::uint32_t> out;
    if (found != nullptr) out = found->rows;
    if (!others) return out;
    std::vector<bool> there(data_.rows(), false);
    for (const std::uint32_t row : out) there[row] = true;
    for (const std::uint32_t row : sampled_rows(context_.data, picture_rows))
      if (!there[row]) out.push_back(row);
    return out;
  }

  [[nodiscard]] Json picture() const {
    const bool separated = found_.proof.verdict == Separation::Separable;
    std::optional<Witness> found;
    if (!separated) found = witness();
    const bool flat = data_.features() == 2;
    const std::vector<std::uint32_t> rows = rows_shown(found ? &*found : nullptr, separated || flat);
    std::vector<Entries> entries;
    entries.reserve(rows.size());
    for (const std::uint32_t row : rows) entries.push_back(entries_of(data_, row));
    std::vector<double> center(data_.features(), 0.0);
    if (found) center = common_point(*found);
    std::vector<std::vector<double>> axes;
    const std::optional<UnitPlane> plane_seen =
        separated || (flat && found_.proof.verdict == Separation::Touching)
            ? unit_plane(plane(), data_.features())
            : std::nullopt;
    Json out;
    if (flat) {
      axes = {{1, 0}, {0, 1}};
      out["kind"] = "columns";
      out["x"] = name_of_feature(context_.input.model, 0);
      out["y"] = name_of_feature(context_.input.model, 1);
      if (plane_seen)
        out["line"] = {number(plane_seen->normal[0]), number(plane_seen->normal[1]),
                       number(plane_seen->offset)};
    } else if (separated) {
      if (!plane_seen) return nullptr;
      axes.push_back(plane_seen->normal);
      center.assign(data_.features(), 0.0);
      for (const Entries& row : entries)
        for (const auto& [j, x] : row) center[j] += x / static_cast<double>(entries.size());
      axes.push_back(widest_direction(entries, center, axes));
      out["kind"] = "plane";
      out["x"] = "distance from the plane";
      out["y"] = "direction along the plane in which the rows spread most";
    } else {
      axes.push_back(widest_direction(entries, center, axes));
      axes.push_back(widest_direction(entries, center, axes));
      if (product(axes[0], axes[0]) == 0) return nullptr;  // all rows of the witness are one point
      out["kind"] = "directions";
      out["x"] = "direction in which the witness spreads most";
      out["y"] = "direction in which it spreads second most";
    }
    const double shift = out["kind"] == "plane" ? plane_seen->offset : 0;
    const double x0 = out["kind"] == "directions" ? product(center, axes[0]) : 0;
    const double y0 = out["kind"] == "directions" ? product(center, axes[1]) : 0;
    Json points = Json::array();
    for (std::size_t i = 0; i < rows.size(); ++i)
      points.push_back({rows[i] + 1, positive(rows[i]) ? 1 : 0,
                        number(product(entries[i], axes[0]) + shift - x0),
                        number(product(entries[i], axes[1]) - y0), found && i < found->rows.size() ? 1 : 0});
    out["points"] = points;  // row, positive, x, y, of the witness
    if (found) out["meet"] = {number(product(center, axes[0]) - x0), number(product(center, axes[1]) - y0)};
    out["sampled"] = (separated || flat) && data_.rows() > rows.size();
    return out;
  }

  const Context& context_;
  const Dataset& data_;
  const SideQuestion& question_;
  Separability found_;
  std::vector<bool> positive_;
};

std::vector<SideQuestion> questions_of(const Dataset& data) {
  std::vector<SideQuestion> out;
  const std::vector<std::string>& classes = data.classes();
  if (classes.size() == 2) {
    out.push_back({fmt::format("{} against {}", printable(classes[1]), printable(classes[0])),
                   {classes[1]},
                   {classes[0]}});
    return out;
  }
  for (std::size_t k = 0; k < std::min(classes.size(), most_questions); ++k) {
    SideQuestion one{fmt::format("{} against the rest", printable(classes[k])), {classes[k]}, {}};
    for (std::size_t other = 0; other < classes.size(); ++other)
      if (other != k) one.negative.push_back(classes[other]);
    out.push_back(std::move(one));
  }
  return out;
}

// Rows whose hulls meet prove it for all rows, so among many a sample is asked first. Nothing when it is separable.
std::optional<Separability> shown_by_a_sample(const Context& context, const SideQuestion& question,
                                              const Run& run) {
  const Dataset& data = context.input.data;
  if (data.rows() <= many_rows) return std::nullopt;
  const std::vector<std::uint32_t> rows = sampled_rows(context.data, asked_first);
  bool sides[2] = {false, false};
  for (const std::uint32_t row : rows)
    sides[data.classes()[data.labels()[row]] == question.positive.front() ? 1 : 0] = true;
  if (!sides[0] || !sides[1]) return std::nullopt;
  const Dataset some = data.subset(rows);
  Separability found =
      separability(some, question.positive, question.negative, {.margin = MarginWork::None}, run);
  if (!found.decided || found.proof.verdict != Separation::Overlapping) return std::nullopt;
  for (Combination& witness : found.proof.witnesses)
    for (std::uint32_t& row : witness.rows) row = rows[row];
  return found;
}

// The least number of errors that a plane can have; null where the search does not end soon.
Json least_errors_json(const Dataset& data, const SideQuestion& question, const Run& run) {
  const bool two = data.classes().size() == 2;
  std::optional<LeastErrors> found;
  try {
    found = least_errors(two ? data : against_rest(data, question.positive.front()), Offset::Free,
                         searched_nodes, run);
  } catch (const InputError&) {  // a class that another one is taken for
  }
  if (!found) return nullptr;
  Json rows = Json::array();
  for (const std::uint32_t row : found->rows)
    if (rows.size() < shown_suspects) rows.push_back(row + 1);
  return {{"upper", amount(found->upper)},
          {"lower", amount(found->lower)},
          {"exact", found->exact},
          {"count", found->rows.size()},
          {"rows", rows}};
}

}  // namespace

Json separability_section(const Context& context) {
  const Dataset& data = context.input.data;
  if (data.classes().size() < 2) return nullptr;
  std::vector<std::uint64_t> rows(data.classes().size(), 0);
  for (std::size_t i = 0; i < data.rows(); ++i) rows[data.labels()[i]] += data.weight(i) > 0 ? 1 : 0;
  if (std::count(rows.begin(), rows.end(), 0U) > 0) return nullptr;
  Json answers = Json::array();
  if (data.nonzeros() > most_separated_entries) return {{"asked", false}, {"answers", answers}};
  Run run;
  run.threads = context.run.threads;
  const StopHandle stop = context.run.stop.within(seconds_for_all);
  run.stop = stop;
  for (const SideQuestion& question : questions_of(data)) {
    context.run.threads.check();
    Separability found;
    try {
      std::optional<Separability> sample;
      if (!stop.asked()) sample = shown_by_a_sample(context, question, run);
      if (sample) {
        found = *std::move(sample);
      } else if (!stop.asked()) {
        found = separability(data, question.positive, question.negative, {.margin = MarginWork::Auto}, run);
      }
    } catch (const Stopped& stopped) {
      if (stopped.cause() != StopCause::Time) throw;
    }
    const bool apart = found.decided && found.proof.verdict == Separation::Separable;
    answers.push_back(Answer(context, question, std::move(found)).json());
    // Quick where it is asked at all: a search of planes in few columns, or of few errors.
    if (apart || !answers.back()["decided"].get<bool>()) continue;
    run.stop = context.run.stop.within(seconds_for_errors);
    answers.back()["least_errors"] = least_errors_json(data, question, run);
    run.stop = stop;
  }
  return {{"asked", true}, {"answers", answers}};
}

}  // namespace halfspace::report
