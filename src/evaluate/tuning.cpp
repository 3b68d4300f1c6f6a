// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

using Points = std::vector<TriedPoint>;

// All combinations of the coarse values, those in the middle first: with little time the ends are what is left out.
std::vector<std::vector<double>> coarse_points(const SearchSpace& space) {
  std::vector<std::vector<double>> out{{}};
  std::vector<double> distance{0};
  for (const Axis& axis : space.axes) {
    std::vector<std::vector<double>> next;
    std::vector<double> far;
    const double middle = (static_cast<double>(axis.values.size()) - 1) / 2;
    for (std::size_t p = 0; p < out.size(); ++p) {
      for (std::size_t k = 0; k < axis.values.size(); ++k) {
        next.push_back(out[p]);
        next.back().push_back(axis.values[k]);
        far.push_back(distance[p] + std::abs(static_cast<double>(k) - middle));
      }
    }
    out = std::move(next);
    distance = std::move(far);
  }
  std::vector<std::size_t> order(out.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return distance[a] < distance[b]; });
  std::vector<std::vector<double>> sorted;
  sorted.reserve(order.size());
  for (const std::size_t k : order) sorted.push_back(out[k]);
  return sorted;
}

// Of two points of one space: is the first the plainer classifier?
bool is_plainer(const SearchSpace& space, const TriedPoint& a, const TriedPoint& b) {
  for (std::size_t k = 0; k < space.axes.size(); ++k) {
    const double order = space.axes[k].plainer(a.values[k], b.values[k]);
    if (order != 0) return order < 0;
  }
  return a.values < b.values;
}

// Where no gap is asked for, planes of a search are solved to one of a thousandth of the objective, and so certified:
// what more exact ones would change in the rows that are right is far below what another cut of the folds does. The chosen
// one is solved as exactly as by train.
Candidate for_search(Candidate candidate) {
  if (candidate.algorithm != "svm" && candidate.algorithm != "logistic") return candidate;
  for (const auto& [name, value] : candidate.options)
    if (name == "gap" || (name == "kernel" && value != "linear") || (name == "penalty" && value == "none"))
      return candidate;
  candidate.options.emplace_back("gap", "1e-3");
  return candidate;
}

class Search {
 public:
  Search(const Dataset& data, const std::vector<SearchSpace>& spaces, const TuneOptions& options,
         const Run& run, const TuneObserver& observe)
      : data_(data), spaces_(spaces), options_(options), run_(run), observe_(observe) {
    out_.plan = plan_folds(data, options.folds);
    for (const SearchSpace& space : spaces) {
      std::size_t points = 1, ranges = 0;
      for (const Axis& axis : space.axes) {
        points *= axis.values.size();
        ranges += axis.range ? 1 : 0;
      }
      expected_ += points + 2 * ranges * static_cast<std::size_t>(options.refinements);
    }
  }

  Tuning tune() {
    for (std::size_t s = 0; s < spaces_.size(); ++s)
      for (std::vector<double>& values : coarse_points(spaces_[s])) plan_point(s, std::move(values));
    try_planned();
    for (int depth = 1; depth <= options_.refinements && !run_.stop.asked(); ++depth) {
      for (std::size_t s = 0; s < spaces_.size(); ++s) {
        const TriedPoint* best = best_of(s);
        if (best == nullptr) continue;
        const std::vector<double> centre = best->values;
        for (std::size_t k = 0; k < centre.size(); ++k) {
          for (const double near : spaces_[s].axes[k].around(centre[k], depth)) {
            std::vector<double> values = centre;
            values[k] = near;
            plan_point(s, std::move(values));
          }
        }
      }
      try_planned();
    }
    finish();
    return std::move(out_);
  }

 private:
  void plan_point(std::size_t space, std::vector<double> values) {
    if (seen_.emplace(space, values).second) planned_.push_back({space, std::move(values), {}});
  }

  void try_planned() {
    std::vector<Candidate> candidates;
    for (const TriedPoint& point : planned_)
      candidates.push_back(for_search(spaces_[point.space].at(point.values)));
    const std::uint64_t before = folds_done_;
    std::vector<CandidateScore> scores = cross_validate(
        data_, out_.plan, candidates, options_.metric, run_,
        [&](const FoldsDone& news) { take(news, before); }, warm_);
    for (std::size_t k = 0; k < planned_.size(); ++k) {
      planned_[k].score = std::move(scores[k]);
      if (!planned_[k].score.finished && planned_[k].score.refusal.empty()) out_.stopped = true;
      out_.table.push_back(std::move(planned_[k]));
    }
    planned_.clear();
  }

  void take(const FoldsDone& news, std::uint64_t before) {
    folds_done_ = before + news.done;
    if (news.score != nullptr) {
      if (news.score->finished &&
          (!(best_loss_ <= options_.metric.loss(news.score->mean)) || out_.first_fold == nullptr)) {
        best_loss_ = options_.metric.loss(news.score->mean);
        out_.first_fold = news.model;
        fold_model_of_ = {planned_[news.candidate].space, planned_[news.candidate].values};
      }
      ++finished_;
    }
    const double all = static_cast<double>(expected_ * out_.plan.held_out.size());
    if (observe_) observe_(std::min(1.0, static_cast<double>(folds_done_) / all), finished_);
  }

  [[nodiscard]] bool better(const TriedPoint& a, const TriedPoint& b) const {
    const double x = options_.metric.loss(a.score.mean), y = options_.metric.loss(b.score.mean);
    if (x != y) return x < y;
    return a.space != b.space ? a.space < b.space : is_plainer(spaces_[a.space], a, b);
  }

  [[nodiscard]] const TriedPoint* best_of(std::size_t space) const {
    const TriedPoint* best = nullptr;
    for (const TriedPoint& point : out_.table) {
      if (point.space == space && point.score.finished && (best == nullptr || better(point, *best)))
        best = &point;
    }
    return best == nullptr ? nullptr : plainest(*best, options_.metric.loss(best->score.mean) + half_a_row());
  }

  // Folds differ by a row in size, so that the same number of errors need not have the same mean.
  [[nodiscard]] double half_a_row() const {
    return options_.metric.kind == MetricKind::Error ? 0.5 / static_cast<double>(data_.rows()) : 0.0;
  }

  // Of the points of the same space whose loss is at most `most`.
  [[nodiscard]] const TriedPoint* plainest(const TriedPoint& from, double most) const {
    const TriedPoint* choice = &from;
    for (const TriedPoint& point : out_.table) {
      if (point.space != from.space || !point.score.finished) continue;
      if (options_.metric.loss(point.score.mean) <= most && is_plainer(spaces_[from.space], point, *choice))
        choice = &point;
    }
    return choice;
  }

  // The choice within a space by the rule.
  [[nodiscard]] const TriedPoint* choice_of(std::size_t space) const {
    const TriedPoint* const best = best_of(space);
    if (best == nullptr || options_.rule == ChoiceRule::Best) return best;
    return plainest(*best, options_.metric.loss(best->score.mean) + best->score.standard_error);
  }

  void finish() {
    std::stable_sort(out_.table.begin(), out_.table.end(), [](const TriedPoint& a, const TriedPoint& b) {
      return std::pair(a.space, a.values) < std::pair(b.space, b.values);
    });
    const auto place = [&](const TriedPoint* point) {
      return static_cast<std::size_t>(point - out_.table.data());
    };
    for (std::size_t s = 0; s < spaces_.size(); ++s)
      if (const TriedPoint* choice = choice_of(s)) out_.leaders.push_back(place(choice));
    std::stable_sort(out_.leaders.begin(), out_.leaders.end(),
                     [&](std::size_t a, std::size_t b) { return better(out_.table[a], out_.table[b]); });
    for (std::size_t k = 0; k < out_.table.size(); ++k) {
      if (std::pair(out_.table[k].space, out_.table[k].values) == fold_model_of_) out_.first_fold_point = k;
    }
    if (!out_.leaders.empty()) {
      out_.chosen = out_.leaders.front();
      return;
    }
    if (run_.stop.asked()) return;
    for (const TriedPoint& point : out_.table)
      if (!point.score.refusal.empty())
        throw UsageError(point.score.refusal, options_.metric.kind == MetricKind::Error
                                                  ? "other values to try"
                                                  : "another --metric, or other values to try");
  }

  const Dataset& data_;
  const std::vector<SearchSpace>& spaces_;
  const TuneOptions& options_;
  const Run& run_;
  const TuneObserver& observe_;
  const std::shared_ptr<WarmStarts> warm_ = make_warm_starts();
  Tuning out_;
  Points planned_;
  std::set<std::pair<std::size_t, std::vector<double>>> seen_;
  std::pair<std::size_t, std::vector<double>> fold_model_of_;
  std::size_t expected_ = 0;
  std::uint64_t folds_done_ = 0, finished_ = 0;
  double best_loss_ = 0;
};

}  // namespace

SearchSpace search_space(const std::string& name, const Preparation& preparation,
                         const std::vector<std::pair<std::string, std::string>>& given, bool usual,
                         double per_decade) {
  const Algorithm algorithm = Algorithm::by_name(name);
  SearchSpace space;
  space.fixed.algorithm = name;
  space.fixed.preparation = preparation;
  const std::vector<OptionInfo> known = algorithm.options();
  const auto usually = usual_axis(algorithm);
  bool usual_given = false;
  for (const auto& [option, text] : given) {
    const bool of_map = preparation.map.has_value() && option == "kernel";
    const auto info = std::find_if(known.begin(), known.end(),
                                   [&option = option](const OptionInfo& one) { return one.name == option; });
    if (info == known.end() && !of_map) continue;
    usual_given = usual_given || (usually && usually->first == option);
    const bool searchable = of_map || can_be_searched(*info);
    if (auto axis = searchable ? parse_axis(algorithm, option, text, per_decade) : std::nullopt) {
      space.axes.push_back(std::move(*axis));
    } else if (of_map) {
      space.fixed.preparation.kernel = OptionType<KernelFunction>::parse("kernel", text, {});
    } else {
      space.fixed.options.emplace_back(option, searchable ? plain_number(text) : text);
    }
  }
  if (usual && space.axes.empty() && usually && !usual_given)
    space.axes.push_back(parse_axis(algorithm, usually->first, usually->second, per_decade).value());
  (void)space.fixed.make();
  std::vector<double> first, last;
  for (const Axis& axis : space.axes) {
    first.push_back(axis.values.front());
    last.push_back(axis.values.back());
  }
  (void)space.at(first).make();  // ends outside of what an option takes are said before the work
  (void)space.at(last).make();
  return space;
}

std::vector<std::string> algorithm_names(std::string_view text, std::string_view option) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string name(text.substr(begin, end - begin));
    begin = end + 1;
    if (name.empty()) continue;
    (void)Algorithm::by_name(name);
    if (std::find(out.begin(), out.end(), name) != out.end())
      throw UsageError(fmt::format("{}: {} is there twice", option, name));
    out.push_back(std::move(name));
  }
  if (out.empty()) throw UsageError(fmt::format("{} needs the name of an algorithm", option));
  return out;
}

std::vector<SearchSpace> search_spaces(const std::vector<std::string>& algorithms,
                                       const Preparation& preparation,
                                       const std::vector<std::pair<std::string, std::string>>& given,
                                       bool usual, double per_decade) {
  std::vector<SearchSpace> out;
  out.reserve(algorithms.size());
  for (const std::string& name : algorithms)
    out.push_back(search_space(name, preparation, given, usual, per_decade));
  for (const auto& [option, text] : given) {
    const bool known =
        (preparation.map.has_value() && option == "kernel") ||
        std::any_of(algorithms.begin(), algorithms.end(), [&option = option](const std::string& name) {
          const std::vector<OptionInfo> options = Algorithm::by_name(name).options();
          return std::any_of(options.begin(), options.end(),
                             [&](const OptionInfo& one) { return one.name == option; });
        });
    if (!known) Algorithm::by_name(algorithms.front()).set(option, text);  // says what there is
  }
  return out;
}

Candidate SearchSpace::at(const std::vector<double>& values) const {
  Candidate out = fixed;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const std::string text = axes[k].text(values[k]);
    if (axes[k].option == "kernel" && out.preparation.map) {
      out.preparation.kernel = OptionType<KernelFunction>::parse("kernel", text, {});
    } else {
      out.options.emplace_back(axes[k].option, text);
    }
  }
  return out;
}

Tuning tune(const Dataset& data, const std::vector<SearchSpace>& spaces, const TuneOptions& options,
            const Run& run, const TuneObserver& observe) {
  return Search(data, spaces, options, run, observe).tune();
}

std::optional<NestedEstimate> nested_estimate(const Dataset& data, const std::vector<SearchSpace>& spaces,
                                              const TuneOptions& options, const Run& run,
                                              const TuneObserver& observe) {
  TuneOptions inner = options;
  FoldOptions outer = options.folds;
  outer.repeats = 1;
  outer.seed += 1;  // other folds than those inside
  const FoldPlan plan = plan_folds(data, outer);
  NestedEstimate out;
  std::vector<double> values;
  for (std::size_t fold = 0; fold < plan.held_out.size(); ++fold) {
    const FoldRows parts = fold_rows(data, plan.held_out[fold]);
    const auto part = [&](double done, std::uint64_t points) {
      if (observe)
        observe((static_cast<double>(fold) + done) / static_cast<double>(plan.held_out.size()), points);
    };
    const Tuning found = tune(parts.training, spaces, inner, run, part);
    if (found.stopped || !found.chosen) return std::nullopt;
    const TriedPoint& point = found.table[*found.chosen];
    const Fit fit = train_candidate(spaces[point.space].at(point.values), parts.training, run);
    if (run.stop.asked() || !fit.has_model()) return std::nullopt;
    const JudgedRows judged =
        judge_rows(fit.model(), parts.judged, plan.held_out[fold], options.metric, run.threads);
    values.push_back(judged.value);
    out.errors.add(judged.errors);
    out.chosen.push_back(point_words(spaces, point));
  }
  out.estimate = fold_estimate(values, plan, options.metric);
  return out;
}

TunedFit fit_chosen(const Dataset& data, const std::vector<SearchSpace>& spaces, const Tuning& tuning,
                    const TuneOptions& options, const Run& run) {
  constexpr double last_seconds = 0.25;  // for the fit on all rows once a stop is asked for
  const auto candidate = [&](std::size_t point) {
    return spaces[tuning.table[point].space].at(tuning.table[point].values);
  };
  TunedFit out{.point = tuning.chosen.value()};
  const bool late = run.stop.asked();
  bool whole = false;
  try {
    Run own = run;
    if (late) {
      own.stop = StopHandle().within(last_seconds);
      own.threads = Threads(run.threads.count());
    }
    out.fit = train_candidate(candidate(out.point), data, own);
    const bool stopped = out.fit.answer.stop == Stop::Time || out.fit.answer.stop == Stop::Cancelled;
    whole = out.fit.has_model() && !stopped;
  } catch (const Stopped&) {
    whole = false;
  }
  if (!whole && tuning.first_fold != nullptr && (late || run.stop.asked())) {
    out.point = tuning.first_fold_point;
    out.first_fold = true;
    out.fit = Fit{.answer = {.model = *tuning.first_fold}};
    out.fit.model().certificate.clear();  // it speaks of the rows of the fold
    out.fit.model().dual.clear();
    out.fit.model().facts.emplace_back("part",
                                       "trained without the rows of one fold: the search was stopped");
  }
  if (late || run.stop.asked())
    out.fit.answer.stop = run.stop.cause() == StopCause::Cancelled ? Stop::Cancelled : Stop::Time;
  if (out.fit.has_model())
    out.fit.model().facts.emplace_back("tuning", tuning_record(tuning, spaces, options));
  return out;
}

std::string point_words(const std::vector<SearchSpace>& spaces, const TriedPoint& point) {
  const SearchSpace& space = spaces[point.space];
  std::string text = spaces.size() > 1 || space.axes.empty() ? space.fixed.algorithm : "";
  for (std::size_t k = 0; k < space.axes.size(); ++k)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", space.axes[k].option,
                        space.axes[k].text(point.values[k]));
  return text;
}

std::string tuning_record(const Tuning& tuning, const std::vector<SearchSpace>& spaces,
                          const TuneOptions& options) {
  nlohmann::ordered_json out;
  out["metric"] = OptionType<MetricKind>::print(options.metric.kind);
  out["folds"] = tuning.plan.folds;
  out["repeats"] = tuning.plan.repeats;
  if (options.folds.deal != Deal::Place) out["deal"] = OptionType<Deal>::print(options.folds.deal);
  out["rule"] = OptionType<ChoiceRule>::print(options.rule);
  auto& table = out["table"] = nlohmann::ordered_json::array();
  for (const TriedPoint& point : tuning.table) {
    if (!point.score.finished) continue;
    nlohmann::ordered_json row;
    row["algorithm"] = spaces[point.space].fixed.algorithm;
    const auto& axes = spaces[point.space].axes;
    for (std::size_t k = 0; k < axes.size(); ++k) row[axes[k].option] = axes[k].text(point.values[k]);
    row["mean"] = point.score.mean;
    row["standard_error"] = point.score.standard_error;
    table.push_back(std::move(row));
  }
  return out.dump();
}

}  // namespace halfspace
