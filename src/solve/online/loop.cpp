// SPDX-License-Identifier: BSD-3-Clause
// Passes and orders of the online loop. Cost of a pass: one product per row and plane, one sum per change.
// Classes are shared out to threads in groups; a plane's numbers do not depend on the group it is in.
#include "solve/online/loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/simd/row_loops.hpp"
#include "data/storage/content_order.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"
#include "solve/convex/clock.hpp"
#include "solve/online/walker.hpp"

namespace halfspace {

Passes OptionType<Passes>::parse(std::string_view name, std::string_view text, Range range) {
  if (text == "until-clean") return {0, true};
  try {
    return {OptionType<double>::parse(name, text, range), false};
  } catch (const UsageError&) {
    throw UsageError(
        fmt::format("--{}: '{}' is neither a number of at least 0 nor until-clean", name, printable(text)));
  }
}
std::string OptionType<Passes>::print(const Passes& passes) {
  return passes.until_clean ? "until-clean" : OptionType<double>::print(passes.count);
}

bool has_whole_weights(const Dataset& data) {
  for (std::size_t i = 0; i < data.rows(); ++i)
    if (data.weight(i) != std::floor(data.weight(i))) return false;
  return true;
}

namespace {

// Where the count of a row begins: spread over [0, 1) as evenly as can be, whatever rows there are.
double phase_of(std::size_t place) {
  constexpr double golden = 0.6180339887498949;
  const double turns = static_cast<double>(place) * golden;
  return turns - std::floor(turns);
}

// How often the row was visited in so many passes.
double visits_in(double passes, double weight, std::size_t place) {
  if (weight == std::floor(weight)) return passes * weight;
  return std::floor(passes * weight + phase_of(place));
}

}  // namespace

std::vector<std::uint32_t> rows_for(Order order, const Dataset& data, const Threads& threads) {
  // Who is stopped takes no step, whatever the order would have been.
  return order == Order::Content ? content_order(data, Threads(threads.count()))
                                 : std::vector<std::uint32_t>();
}

std::vector<std::uint32_t> visits_of_pass(const Dataset& data, std::span<const std::uint32_t> rows,
                                          std::uint64_t pass) {
  constexpr double most_copies = 1e6;
  std::vector<std::uint32_t> visits;
  visits.reserve(data.rows());
  const auto before = static_cast<double>(pass);
  for_walked(data, rows, [&](std::uint32_t i, std::size_t place) {
    const double weight = data.weight(i);
    if (weight > most_copies) {
      throw InputError({.file = data.name()}, fmt::format("weight {} of row {}", weight, i + 1),
                       "for online learners, which take a row of weight k k times, at most a million",
                       "divide all weights by the same number");
    }
    const double times = visits_in(before + 1, weight, place) - visits_in(before, weight, place);
    visits.insert(visits.end(), static_cast<std::size_t>(times), i);
  });
  return visits;
}

std::uint64_t visits_in_passes(const Dataset& data, std::span<const std::uint32_t> rows, double passes) {
  if (has_whole_weights(data)) {
    double sum = 0;
    for (std::size_t i = 0; i < data.rows(); ++i) sum += data.weight(i);
    return static_cast<std::uint64_t>(std::llround(passes * sum));
  }
  double sum = 0, last = 0;
  const double whole = std::floor(passes);
  for_walked(data, rows, [&](std::uint32_t i, std::size_t place) {
    const double done = visits_in(whole, data.weight(i), place);
    sum += done;
    if (whole < passes) last += visits_in(whole + 1, data.weight(i), place) - done;
  });
  const auto visits = static_cast<std::uint64_t>(std::llround(sum + (passes - whole) * last));
  if (visits == 0 && passes > 0)
    throw InputError({.file = data.name()}, "weights so small that no row is visited",
                     "for online learners, which take a row of weight k k times in every pass",
                     "multiply all weights by the same number");
  return visits;
}

namespace {

// Rows that are visited between two looks at the clock: some milliseconds of products.
std::size_t visits_between_looks(const Dataset& data, std::size_t planes) {
  const double entries =
      static_cast<double>(data.nonzeros()) / static_cast<double>(std::max<std::size_t>(1, data.rows()));
  return static_cast<std::size_t>(
      std::clamp(4e6 / ((entries + 8) * static_cast<double>(planes)), 16.0, 8192.0));
}

class PassLoop {
 public:
  PassLoop(const Dataset& data, const RowAccess& rows, const StepRule& rule, const OnlineSetup& setup,
           const Run& run, const Threads& threads, std::size_t first, std::size_t planes)
      : data_(data),
        rows_(rows),
        rule_(rule),
        setup_(setup),
        run_(run),
        threads_(threads),
        clock_(run),
        visits_between_looks_(setup.observer != nullptr ? 64 : visits_between_looks(data, planes)),
        walker_(rule, setup, data.classes().size(), first, planes, rows.cols(), rows.rows()) {
    if (data.classes().size() > 2 && setup.order != Order::Worst) walker_.planes().interleave();
    if (setup.pocket) walker_.before_change = [this](std::size_t k) { pocket(k); };
  }

  OnlineWalk run() {
    whole_ = has_whole_weights(data_);
    visits_ = visits_of_pass(data_, setup_.rows, 0);
    first_visits_ = visits_.size();
    clean_.assign(walker_.planes().count(), 0);
    const double wanted =
        setup_.passes.until_clean ? static_cast<double>(setup_.max_passes) : setup_.passes.count;
    stop_ = setup_.passes.until_clean ? Stop::Limit : Stop::Passes;
    total_ = setup_.order == Order::Worst ? static_cast<std::uint64_t>(std::llround(wanted))
                                          : visits_in_passes(data_, setup_.rows, wanted);
    try {
      while (done_ < total_ && stop_ != Stop::Clean) {
        const bool go_on = setup_.order == Order::Worst ? worst_step() : one_pass();
        if (!go_on) break;
      }
    } catch (const Stopped& stopped) {  // between two steps: while all rows were looked at
      stop_ = stop_of(stopped);
    }
    if (walker_.pass == 1) end_first_pass();
    return result();
  }

 private:
  bool look() {
    const Progress progress{static_cast<double>(done_) / static_cast<double>(total_), walker_.pass - 1,
                            std::numeric_limits<double>::quiet_NaN(), "passes"};
    if (!clock_.go_on(progress, stop_)) return false;
    if (!setup_.record) return true;
    std::uint64_t recorded = 0;
    for (const PlaneWalk& plane : walker_.walk) recorded += plane.record.size();
    const std::uint64_t allowed =
        setup_.most_recorded / std::max<std::size_t>(1, planes_in_all()) * walker_.walk.size();
    if (recorded < allowed) return true;
    stop_ = Stop::Limit;
    return false;
  }
  [[nodiscard]] std::size_t planes_in_all() const {
    return data_.classes().size() == 2 ? 1 : data_.classes().size();
  }

  bool one_pass() {
    if (!whole_ && walker_.pass > 1) visits_ = visits_of_pass(data_, setup_.rows, walker_.pass - 1);
    if (visits_.empty() && !look()) return false;
    // What stands in the rows decides one order for all passes, unless these have other visits.
    if (setup_.order == Order::Shuffled || (setup_.order == Order::Content && (walker_.pass == 1 || !whole_)))
      Random(run_.seed, walker_.pass - 1).shuffle(visits_);
    std::vector<std::uint32_t> drawn;
    if (setup_.order == Order::Random) {
      Random random(run_.seed, walker_.pass - 1);
      drawn.resize(visits_.size());
      for (std::uint32_t& i : drawn) i = visits_[random.below(visits_.size())];
    }
    const std::span<const std::uint32_t> order = drawn.empty() ? visits_ : drawn;
    const auto take = static_cast<std::size_t>(std::min<std::uint64_t>(order.size(), total_ - done_));
    walker_.changed.assign(walker_.changed.size(), 0);
    for (std::size_t at = 0; at < take;) {
      if (!look()) return false;
      const std::size_t until = std::min(take, at + visits_between_looks_);
      const std::size_t from = at;
      visit(order, at, until, take);
      done_ += at - from;
      of_this_pass_ = static_cast<double>(at) / static_cast<double>(order.size());
    }
    end_pass(take == order.size());
    return true;
  }

  // The visits [at, until), in batches; a batch that began before `until` is finished.
  void visit(std::span<const std::uint32_t> order, std::size_t& at, std::size_t until, std::size_t take) {
    const auto labels = data_.labels();
    if (setup_.batch == 1) {
      walker_.steps(rows_, labels, order.subspan(at, until - at));
      at = until;
      return;
    }
    const std::size_t batch = setup_.batch == 0 ? order.size() : static_cast<std::size_t>(setup_.batch);
    while (at < until) {
      const std::size_t size = std::min(batch, take - at);
      walker_.step(rows_, labels, order.subspan(at, size));
      at += size;
    }
  }

  // Every row is looked at, one is taken: the one furthest on the wrong side, the first of equals.
  bool worst_step() {
    if (!look()) return false;
    OnlinePlanes& planes = walker_.planes();
    scores_.resize(rows_.rows());
    row_products(rows_, planes.plain().data(), scores_.data(), threads_);
    double worst = std::numeric_limits<double>::infinity();
    std::uint32_t row = 0;
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      if (data_.weight(i) == 0) continue;
      scores_[i] += planes.theta0(0);
      // The distance from the plane is m / |theta|, so the least m is furthest; m that is no number is a mistake too.
      double margin = walker_.y(data_.labels()[i], 0) * scores_[i];
      if (std::isnan(margin)) margin = -std::numeric_limits<double>::infinity();
      if (margin < worst) {
        worst = margin;
        row = static_cast<std::uint32_t>(i);
      }
    }
    walker_.changed.assign(1, 0);
    walker_.step_scored(rows_, data_.labels(), std::span(&row, 1), std::span(&scores_[row], 1));
    ++done_;
    end_pass(true);
    return true;
  }

  void end_first_pass() {
    for (PlaneWalk& plane : walker_.walk) plane.first_mistakes = plane.mistakes;
  }

  void end_pass(bool full) {
    if (full) {
      ++passes_;
      of_this_pass_ = 0;
    }
    if (walker_.pass == 1) end_first_pass();
    ++walker_.pass;
    bool all = true;
    for (std::size_t k = 0; k < clean_.size(); ++k) {
      if (full && clean_[k] == 0 && walker_.changed[k] == 0 &&
          ((setup_.order != Order::Random && whole_) || nothing_moves(k))) {
        clean_[k] = 1;
        close(k);
      }
      all = all && clean_[k] != 0;
    }
    if (setup_.objective) keep_best();
    if (all) stop_ = Stop::Clean;
  }

  // After draws with replacement, or a pass that did not visit all rows: none at all would change the plane.
  bool nothing_moves(std::size_t k) {
    const std::vector<double> margin = margins(k);
    for (std::size_t i = 0; i < margin.size(); ++i)
      if (data_.weight(i) > 0 && !(margin[i] > rule_.idle_above)) return false;
    return true;
  }

  std::vector<double> margins(std::size_t k) {
    const std::vector<double> theta = walker_.planes().theta(k);
    std::vector<double> out(rows_.rows());
    row_products(rows_, theta.data(), out.data(), threads_);
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = walker_.y(data_.labels()[i], k) * (out[i] + walker_.planes().theta0(k));
    return out;
  }

  void offer(std::size_t k, double value) {
    PlaneWalk& plane = walker_.walk[k];
    if (!(value < plane.best_value)) return;
    plane.best_value = value;
    plane.best = walker_.planes().theta(k);
    plane.best0 = walker_.planes().theta0(k);
  }

  // In the middle of a step: a stop leaves the offer out, and the next look at the clock ends the walk.
  void pocket(std::size_t k) {
    try {
      offer_errors(k, margins(k));
    } catch (const Stopped&) {
    }
  }

  void offer_errors(std::size_t k, const std::vector<double>& margin) {
    double errors = 0;
    for_walked(data_, setup_.rows, [&](std::uint32_t i, std::size_t) {
      if (!(margin[i] > 0)) errors += data_.weight(i);
    });
    offer(k, errors);
  }

  void keep_best() {
    for (std::size_t k = 0; k < walker_.walk.size(); ++k) {
      const std::vector<double> theta = walker_.planes().theta(k);
      const double theta0 = walker_.planes().theta0(k);
      const double norm =
          norm2(theta.data(), theta.size()) + (setup_.offset == Offset::Lifted ? theta0 * theta0 : 0.0);
      const double value = setup_.objective(margins(k), norm);
      walker_.walk[k].curve.push_back(value);
      offer(k, value);
    }
  }

  // The plane as it is now is the end of its walk.
  void close(std::size_t k) {
    PlaneWalk& plane = walker_.walk[k];
    const OnlinePlanes& planes = walker_.planes();
    plane.theta = planes.theta(k);
    plane.theta0 = planes.theta0(k);
    plane.steps = planes.steps();
    if (setup_.average) {
      plane.mean = planes.mean(k);
      plane.mean0 = planes.mean0(k);
    }
  }

  OnlineWalk result() {
    threads_ = threads_.until(clock_.closing().stop());
    for (std::size_t k = 0; k < walker_.walk.size(); ++k) {
      if (clean_[k] == 0) {
        close(k);
        if (setup_.pocket) pocket(k);
      }
      walker_.walk[k].clean = clean_[k] != 0;
    }
    return {std::move(walker_.walk), stop_, static_cast<double>(passes_) + of_this_pass_, first_visits_};
  }

  const Dataset& data_;
  const RowAccess& rows_;
  const StepRule& rule_;
  const OnlineSetup& setup_;
  const Run& run_;
  Threads threads_;
  Clock clock_;
  std::size_t visits_between_looks_;
  OnlineWalker walker_;
  std::vector<std::uint32_t> visits_;
  bool whole_ = true;  // every pass has the same visits
  std::uint64_t passes_ = 0;
  double of_this_pass_ = 0;
  std::uint64_t first_visits_ = 0;
  std::vector<char> clean_;
  std::vector<double> scores_;
  std::uint64_t done_ = 0, total_ = 0;
  Stop stop_ = Stop::Passes;
};

// Worst ending over the groups: what the walk as a whole may claim.
Stop worse(Stop a, Stop b) {
  const auto rank = [](Stop s) {
    return s == Stop::Clean ? 0 : s == Stop::Passes ? 1 : s == Stop::Limit ? 2 : s == Stop::Time ? 3 : 4;
  };
  return rank(a) >= rank(b) ? a : b;
}

void check_finite(const OnlineWalk& walk, const std::string& name) {
  for (const PlaneWalk& plane : walk.planes) {
    bool finite = std::isfinite(plane.theta0);
    for (const double w : plane.theta) finite = finite && std::isfinite(w);
    for (const double w : plane.mean) finite = finite && std::isfinite(w);
    if (!finite) {
      throw InputError({.file = name}, "values so large that the weights overflow", "values below 1e150",
                       "scale the data (--scale standard or --scale unit) or take smaller steps");
    }
  }
}

}  // namespace

namespace {

std::string names_of(const std::vector<std::string>& classes) {
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(classes.size(), 6); ++k)
    text += (k == 0 ? "" : ", ") + printable(classes[k]);
  return text + (classes.size() > 6 ? ", ..." : "");
}

}  // namespace

void check_start(const OnlineSetup& setup, const std::vector<std::string>& classes) {
  if (setup.start == nullptr) return;
  const LinearModel& start = setup.start->planes;
  const std::vector<std::string>& own = setup.start->classes;
  if (!own.empty() && own != classes)
    throw UsageError(
        fmt::format("--from: planes for the classes {}; the data have {}", names_of(own), names_of(classes)));
  if (start.planes != (classes.size() == 2 ? 1 : classes.size()))
    throw UsageError(fmt::format("--from: {} planes for {} classes", start.planes, classes.size()));
  const bool offset =
      std::any_of(start.offsets.begin(), start.offsets.end(), [](double b) { return b != 0; });
  if (setup.offset == Offset::None && offset)
    throw UsageError("--from: the start has an offset, with --offset none there is none");
}

OnlineWalk walk_online(const Dataset& data, const StepRule& rule, const OnlineSetup& setup,
                       const Run& given) {
  const Run run = begin_run(given);
  const std::size_t classes = data.classes().size();
  const std::size_t planes = classes == 2 ? 1 : classes;
  check_start(setup, data.classes());
  if (setup.start != nullptr && setup.start->planes.features != data.features())
    throw UsageError(fmt::format("--from: a plane of {} features; the data have {}",
                                 setup.start->planes.features, data.features()));
  const std::unique_ptr<RowAccess> rows = RowAccess::by_row(data.matrix());
  // The scan for the worst row works on one plane.
  const std::size_t groups =
      setup.order == Order::Worst ? planes : std::min(planes, static_cast<std::size_t>(run.threads.count()));
  const Threads inner = groups == 1 ? run.threads : run.threads.alone();
  std::vector<OnlineWalk> parts(groups);
  // Every class has its plane, also when there is no time to walk.
  Threads(run.threads.count()).run(groups, [&](std::size_t g) {
    const std::size_t first = g * planes / groups;
    const std::size_t end = (g + 1) * planes / groups;
    parts[g] = PassLoop(data, *rows, rule, setup, run, inner, first, end - first).run();
  });
  OnlineWalk walk = std::move(parts[0]);
  for (std::size_t g = 1; g < groups; ++g) {
    for (PlaneWalk& plane : parts[g].planes) walk.planes.push_back(std::move(plane));
    walk.stop = worse(walk.stop, parts[g].stop);
    walk.passes = std::max(walk.passes, parts[g].passes);
  }
  check_finite(walk, data.name());
  return walk;
}

}  // namespace halfspace
