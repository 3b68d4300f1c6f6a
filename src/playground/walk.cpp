// SPDX-License-Identifier: BSD-3-Clause
// One algorithm on the points: what it does step by step, and what it comes to.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "halfspace/core/error.hpp"
#include "halfspace/model/geometry.hpp"
#include "halfspace/report/trace_line.hpp"
#include "playground/answers.hpp"

namespace halfspace::playground {
namespace {

constexpr std::size_t grid_side = 72;

struct Plane2 {
  double a = 0, b = 0, c = 0;  // a x + b y + c
};

// The widest plane of length 1 in the space of a walk, for the cosine that Novikoff's proof follows.
struct WidestUnit {
  Plane2 plane;
  double margin = 0, radius = 1;
};
std::optional<WidestUnit> widest_unit(const Decision& decision) {
  const Separability& found = decision.found;
  if (!found.margin || decision.offset == Offset::Free) return std::nullopt;
  const double last = decision.offset == Offset::Lifted ? found.widest.theta0 : 0;
  const double length = std::hypot(found.widest.theta[0], found.widest.theta[1], last);
  if (!(length > 0)) return std::nullopt;
  return WidestUnit{{found.widest.theta[0] / length, found.widest.theta[1] / length, last / length},
                    found.margin->lower,
                    found.margin->radius};
}

// On which side the rows are, from plane to plane.
class Sides {
 public:
  explicit Sides(const Points& points) : points_(points), right_(points.rows(), 1) {}
  // The rows that are right now and were not before, or the other way round.
  Json turned_by(const Plane2& plane) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < points_.rows(); ++i) {
      const double f = plane.a * points_.values[2 * i] + plane.b * points_.values[2 * i + 1] + plane.c;
      const std::uint8_t right = points_.labels[i] * f > 0 ? 1 : 0;
      if (right == right_[i]) continue;
      right_[i] = right;
      right ? --wrong_ : ++wrong_;
      rows.push_back(i + 1);
    }
    return rows;
  }
  [[nodiscard]] std::size_t wrong() const { return wrong_; }

 private:
  const Points& points_;
  std::vector<std::uint8_t> right_;  // at first all of them
  std::size_t wrong_ = 0;
};

// The regions of the weight space that the steps need: one for every theta0 on the way.
class WeightSpace {
 public:
  WeightSpace(const Points& points, double largest)
      : points_(points), half_width_(largest > 0 ? 1.25 * largest : 1) {}

  std::size_t at(double theta0) {
    const auto [found, fresh] = known_.try_emplace(theta0, known_.size());
    if (fresh) {
      Json corners = Json::array();
      for (const Corner& corner : solution_region(points_, theta0, half_width_))
        corners.push_back({finite(corner.x), finite(corner.y)});
      regions_.push_back({{"theta0", finite(theta0)}, {"corners", std::move(corners)}});
    }
    return found->second;
  }
  Json json() && { return {{"half_width", finite(half_width_)}, {"regions", std::move(regions_)}}; }

 private:
  const Points& points_;
  double half_width_;
  std::map<double, std::size_t> known_;
  Json regions_ = Json::array();
};

struct SeenUpdate {
  Update update;  // its spans are gone when it is read: what they showed stands below
  Plane2 plane;
  std::optional<Plane2> mean;
  double loss = 0;
  std::size_t rows = 1;
};

SeenUpdate seen(const Update& u) {
  SeenUpdate out{.update = u, .plane = {u.theta[0], u.theta[1], u.theta0}, .mean = {}};
  if (u.averaged) out.mean = Plane2{u.mean[0], u.mean[1], u.mean0};
  out.loss = u.rows.front().loss;
  out.rows = u.rows.size();
  return out;
}

struct Walked {
  Fit fit;
  std::vector<SeenUpdate> updates;
  bool batched = false, plain = false;  // plain: every update adds y x, no more
};

// What a step is made of where it is more than y x: how far, how much shorter theta gets before, who else moves it.
void add_rule(Json& step, const SeenUpdate& one, const Walked& walked) {
  const Update& u = one.update;
  if (!walked.plain) {
    step["loss"] = finite(one.loss);
    step["rate"] = finite(u.rate);
    step["shrink"] = finite(u.keep);
  }
  if (u.voted) step["votes"] = u.votes;
  if (one.mean) step["mean"] = {finite(one.mean->a), finite(one.mean->b), finite(one.mean->c)};
  if (walked.batched) step["batch"] = one.rows;
}

Json steps_json(const Walked& walked, Sides& sides, const std::optional<WidestUnit>& widest,
                WeightSpace& space) {
  Json out = Json::array();
  for (const SeenUpdate& one : walked.updates) {
    const Update& u = one.update;
    Json turned = sides.turned_by(one.plane);
    Json step = {{"k", u.number},
                 {"pass", u.pass},
                 {"row", u.row + 1},
                 {"y", u.y},
                 {"margin_before", finite(u.margin_before)},
                 {"margin_after", finite(u.margin_after)},
                 {"theta", {finite(one.plane.a), finite(one.plane.b)}},
                 {"theta0", finite(one.plane.c)},
                 {"norm", finite(u.norm)},
                 {"errors", sides.wrong()},
                 {"turned", std::move(turned)},
                 {"region", space.at(one.plane.c)}};
    add_rule(step, one, walked);
    if (widest) {
      const double product =
          widest->plane.a * one.plane.a + widest->plane.b * one.plane.b + widest->plane.c * one.plane.c;
      const double length = std::hypot(one.plane.a, one.plane.b, widest->plane.c == 0 ? 0 : one.plane.c);
      step["cosine"] = finite(product / length);
      // Novikoff's bound is one of walks whose every update adds y x of a mistaken row.
      if (walked.plain)
        step["cosine_bound"] =
            finite(std::sqrt(static_cast<double>(u.number)) * widest->margin / widest->radius);
    }
    out.push_back(std::move(step));
  }
  return out;
}

// Scores on a grid over the view, for boundaries that are no lines.
Json grid_json(const Model& model, const View& view, const Threads& threads) {
  std::vector<double> values;
  const auto between = [](double low, double high, std::size_t k) {
    return low + (high - low) * static_cast<double>(k) / static_cast<double>(grid_side - 1);
  };
  for (std::size_t row = 0; row < grid_side; ++row) {
    for (std::size_t column = 0; column < grid_side; ++column) {
      values.push_back(between(view.left, view.right, column));
      values.push_back(between(view.bottom, view.top, row));
    }
  }
  const Dataset grid = Dataset::dense(std::span<const double>(values), grid_side * grid_side, 2,
                                      {.name = "grid", .threads = threads});
  Json list = Json::array();
  for (const double f : scores(model, grid, threads)) list.push_back(finite(f));
  return {{"side", grid_side},
          {"view", {view.left, view.right, view.bottom, view.top}},
          {"scores", std::move(list)}};
}

// Updates per row where they were counted, else the dual values, else nothing.
void add_dual(Json& out, const Fit& fit, std::size_t rows) {
  if (!fit.trace.counts.empty()) {
    out["alpha"] = {{"what", "updates"}, {"values", fit.trace.counts}};
  } else if (fit.has_model() && fit.model().dual.size() == 1) {
    const DualPoint& dual = fit.model().dual.front();
    std::vector<double> alpha(rows, 0.0);
    for (std::size_t k = 0; k < dual.rows.size(); ++k) alpha[dual.rows[k]] = dual.alpha[k];
    Json values = Json::array();
    for (const double a : alpha) values.push_back(finite(a));
    out["alpha"] = {{"what", "dual"}, {"values", std::move(values)}};
  }
}

Json proof_json(const Fit& fit) {
  Json out = Json::array();
  for (const Certificate& one : fit.proof.certificates)
    if (!std::holds_alternative<std::monostate>(one)) out.push_back(describe(one));
  return out;
}

Json model_json(const Model& model, const Dataset& data, const View& view, const Run& run) {
  Json out;
  const std::vector<double> values = scores(model, data, run.threads);
  Json list = Json::array();
  for (const double f : values) list.push_back(finite(f));
  out["scores"] = std::move(list);
  const std::vector<std::uint32_t> said = labels_from_scores(model, values);
  Json wrong = Json::array();
  // A row on the plane is wrong whatever its label, as at every update.
  for (std::size_t i = 0; i < data.rows(); ++i)
    if (said[i] != data.labels()[i] || values[i] == 0) wrong.push_back(i + 1);
  out["errors"] = wrong.size();
  out["wrong"] = std::move(wrong);
  if (const auto* linear = std::get_if<LinearModel>(&model.form); linear != nullptr && linear->planes == 1) {
    const Geometry shape = geometry(*linear);
    out["plane"] = {{"theta", {finite(linear->weights[0]), finite(linear->weights[1])}},
                    {"theta0", finite(linear->offsets[0])},
                    {"norm", finite(shape.norm)},
                    {"distance", finite(shape.distance_from_origin)}};
  } else {
    out["grid"] = grid_json(model, view, run.threads);
  }
  if (const std::string formula = fact(model, "formula"); !formula.empty()) out["formula"] = formula;
  return out;
}

bool widens_margin(std::string_view algorithm) {
  return algorithm == "svm" || algorithm == "nu-svm" || algorithm == "hard-margin";
}

// With its updates where it has some to show.
Walked walk(const Algorithm& algorithm, const Dataset& data, const Run& run) {
  Walked out{.fit = {},
             .updates = {},
             .batched = takes_batches(algorithm),
             .plain = algorithm.name().ends_with("perceptron")};
  const auto see = [&out](const Update& update) {
    if (update.theta.size() == 2) out.updates.push_back(seen(update));
  };
  try {
    out.fit = algorithm.trace(data, run, UpdateObserver{1, most_steps, see});
  } catch (const UsageError&) {  // what else may be wrong with the options is said once more
    out.updates.clear();
    out.fit = algorithm.train(data, run);
  }
  return out;
}

// The start, the steps and the model's plane, with the weight space that all of them lie in.
void add_planes(Json& out, const Walked& walked, const Points& points, const Decision& decision,
                const Run& run) {
  Plane2 origin;
  if (run.start != nullptr) {
    const LinearModel& start = run.start->planes;
    origin = {start.weights[0], start.weights[1], start.offsets[0]};
  }
  std::optional<Plane2> reached;
  if (walked.fit.has_model()) {
    if (const auto* linear = std::get_if<LinearModel>(&walked.fit.model().form);
        linear != nullptr && linear->planes == 1)
      reached = Plane2{linear->weights[0], linear->weights[1], linear->offsets[0]};
  }
  double largest = 0;
  const auto widen = [&largest](const Plane2& plane) {
    largest = std::max({largest, std::abs(plane.a), std::abs(plane.b)});
  };
  widen(origin);
  if (reached) widen(*reached);
  for (const SeenUpdate& one : walked.updates) widen(one.plane);
  WeightSpace space(points, largest);
  Sides sides(points);
  Json turned = sides.turned_by(origin);
  out["start"] = {{"theta", {origin.a, origin.b}},
                  {"theta0", origin.c},
                  {"errors", sides.wrong()},
                  {"turned", std::move(turned)},
                  {"region", space.at(origin.c)}};
  // Novikoff's proof is about walks from zero.
  const std::optional<WidestUnit> widest = run.start == nullptr ? widest_unit(decision) : std::nullopt;
  out["steps"] = steps_json(walked, sides, widest, space);
  if (reached) out["model"]["plane"]["region"] = space.at(reached->c);
  out["weights"] = std::move(space).json();
}

void add_figures(Json& out, const Fit& fit) {
  if (fit.trace.mistakes) out["mistakes"] = *fit.trace.mistakes;
  if (fit.trace.support_vectors) out["support_vectors"] = *fit.trace.support_vectors;
  if (fit.proof.objective)
    out["objective"] = {{"primal", finite(fit.proof.objective->primal)},
                        {"dual", finite(fit.proof.objective->dual)},
                        {"relative_gap", finite(fit.proof.objective->relative_gap())}};
  out["proof"] = proof_json(fit);
  Json notes = Json::array();
  for (const std::string& note : fit.words.notes) notes.push_back(without_dashes(note));
  out["notes"] = std::move(notes);
}

}  // namespace

Json walk_json(const Plan& plan, const Dataset& data, const Points& points, const Decision& decision,
               const View& view, const Run& given) {
  Run run = given;
  run.seed = plan.seed;
  run.start = start_of(plan);
  Run training = run;
  training.stop = given.stop.within(training_seconds);
  const Walked walked = walk(plan.algorithm, data, training);
  const Fit& fit = walked.fit;
  Json out = {{"algorithm", plan.algorithm.name()}, {"command", command_of(plan, "train")}};
  for (const auto& [name, value] : plan.algorithm.values()) out["options"][name] = value;
  out["stop"] = stop_name(fit.answer.stop);
  out["reason"] = fit.answer.reason;
  out["margin_lines"] = widens_margin(plan.algorithm.name());
  if (fit.has_model()) {
    out["model"] = model_json(fit.model(), data, view, run);
    add_dual(out, fit, points.rows());
  }
  add_planes(out, walked, points, decision, run);
  add_figures(out, fit);
  out["shortened"] = walked.updates.size() == most_steps;
  return out;
}

std::string trace_lines(const Plan& plan, const Dataset& data, const Run& given) {
  Run run = given;
  run.seed = plan.seed;
  run.start = start_of(plan);
  std::string out;
  const TraceLine how{.batched = takes_batches(plan.algorithm)};
  const UpdateObserver observer{1, most_steps,
                                [&](const Update& update) { out += trace_line(update, how) + "\n"; }};
  static_cast<void>(plan.algorithm.trace(data, run, observer));
  return out;
}

std::string command_of(const Plan& plan, std::string_view verb) {
  std::string out = fmt::format("halfspace {} points.csv --algorithm {}", verb, plan.algorithm.name());
  const Algorithm plain = Algorithm::by_name(plan.algorithm.name());
  for (const auto& [name, value] : plan.algorithm.values())
    if (value != option_value(plain, name))
      out += value == "true" ? fmt::format(" --{}", name) : fmt::format(" --{} {}", name, value);
  if (!plan.from.empty() && plan.from != "zero") out += fmt::format(" --from={}", plan.from);
  if (plan.seed != 1) out += fmt::format(" --seed {}", plan.seed);
  if (verb == "train") out += " -o points.model";
  return out;
}

}  // namespace halfspace::playground
