// SPDX-License-Identifier: BSD-3-Clause
#include "solve/exact/bracket.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

#include "certify/errors/check_bound.hpp"
#include "certify/separation/refusal.hpp"
#include "solve/exact/cones.hpp"
#include "solve/exact/local_search.hpp"
#include "solve/exact/parts.hpp"
#include "solve/exact/row_tree.hpp"

namespace halfspace::exact {
namespace {

constexpr std::size_t most_cone_dimension = 10;  // more dimensions, and cones do not get small
constexpr std::size_t most_circuit_columns = 200;
constexpr double most_cells = 1e12;
constexpr std::uint64_t first_nodes = 20'000;  // of a round; four times as many in every next one

class Search {
 public:
  Search(const Dataset& data, std::span<const std::int8_t> y, Values values,
         const detail::WholeWeights& weights, bool offset, const Limits& limits, const Run& run,
         const Clock& clock)
      : data_(data),
        y_(y),
        values_(values),
        weights_(weights),
        offset_(offset),
        limits_(limits),
        run_(run),
        clock_(clock),
        rows_(detail::error_rows(data, y, offset, values, weights, run.threads)) {
    out_.lower = rows_.base;
    for (const double side : {1.0, -1.0}) {  // the same side for all rows, or one column alone
      Plane plane{std::vector<double>(data.features(), 0.0), offset ? side : 0};
      if (!offset) plane.theta[0] = side;
      take(std::move(plane));
    }
  }

  Bracket run() {
    if (closed()) return out_;
    if (rows_.written_out()) {
      try {
        search();
        if (!closed()) out_.stop = Stop::Limit;
      } catch (const Stopped& stopped) {
        out_.stop = stop_of(stopped);
      }
    } else {
      out_.stop = Stop::Limit;
    }
    return out_;
  }

 private:
  [[nodiscard]] bool closed() const { return out_.upper <= out_.lower; }
  void tell(std::string_view stage) {
    const double gap =
        static_cast<double>(out_.upper - out_.lower) / std::max(1.0, static_cast<double>(out_.upper));
    if (const StopCause cause = clock_.cause({.iterations = out_.nodes, .relative_gap = gap, .stage = stage});
        cause != StopCause::None)
      throw Stopped(cause);
  }

  // Counts a plane in whole numbers, and keeps it if it is better.
  std::int64_t take(Plane plane) {
    const std::vector<std::uint32_t> wrong =
        detail::rows_in_error(data_, y_, values_, plane.theta, plane.theta0, closing_team(run_));
    std::int64_t units = 0;
    for (const std::uint32_t i : wrong) units += weights_.of[i];
    if (first_ || units < out_.upper) {
      first_ = false;
      out_.upper = units;
      out_.plane = std::move(plane);
      out_.errors = wrong;
    }
    return units;
  }
  // What is said is checked before.
  void prove(std::int64_t lower, std::string proof) {
    if (lower <= out_.lower) return;
    try {
      detail::check_bound(rows_, proof, lower, closing_team(run_));
    } catch (const detail::Refused& refused) {
      throw std::logic_error("a proof of errors that proves nothing: " + refused.why);
    }
    out_.lower = lower;
    out_.proof = std::move(proof);
  }

  void search() {
    const Space space = make_space(rows_, offset_, run_.threads);
    LocalSearch local(space, limits_.seed, run_.stop, [&](std::span<const double> theta) {
      return take(plane_of(space, theta, data_.features())) - rows_.base;
    });
    const double work = static_cast<double>(space.rows) * static_cast<double>(space.dimension);
    const auto rounds = [&](double most) {
      return static_cast<std::uint64_t>(
          std::clamp(most / (work * static_cast<double>(space.dimension)), 2.0, 400.0));
    };
    // In few dimensions cones decide, and soon, and find planes on the way: less of the rest.
    const bool few = space.dimension <= 5;
    tell("planes");
    local.run(rounds(few ? 3e4 : 3e5));
    if (closed() || rows_.columns > most_circuit_columns) return;
    tell("circuits");
    double kept = local.best();
    RowTree tree(space, rows_, limits_.seed, run_.stop, [&](const std::vector<double>& theta) {
      local.offer(theta);
      if (local.best() < kept) {
        kept = local.best();
        local.improve(local.plane());
      }
      if (asked_rows_ && ++offers_ % 32 == 0) local.run(2);  // both bounds move while the tree grows
    });
    const double cells = std::pow(static_cast<double>(space.rows), static_cast<double>(space.dimension) - 2);
    const bool cones_only = space.dimension <= most_cone_dimension && cells <= most_cells;
    // Where cones will not do, the last of what circuits say waits until parts have had their turn.
    search_root(tree, few ? space.rows / 8 + 100 : cones_only ? SIZE_MAX : space.rows);
    if (closed()) return;
    tell("planes");
    local.run(rounds(few ? 2e5 : 1e7));
    if (closed()) return;
    Cones cones(space, rows_, run_.stop, [this, &space](const std::vector<double>& weights) {
      if (!weights.empty()) offer_weights(space, weights);
      return out_.upper;
    });
    // Where the rows cut the space into few cells, cones come to an end.
    bool by_cones = space.dimension <= most_cone_dimension && cones.possible();
    if (by_cones && cones_only) {
      by_cones = search_cones(cones, limits_.nodes);
      if (!by_cones && !closed() && out_.nodes < limits_.nodes) {
        // Stuck at a target beyond the optimum: a better plane costs less than a tree of rows.
        tell("planes");
        local.run(rounds(1e6));
        by_cones = out_.upper < stuck_at_ && search_cones(cones, limits_.nodes - out_.nodes);
      }
      if (closed()) return;
    }
    Parts parts(rows_, space, local.plane(), offset_, limits_.seed, run_.stop);
    if (!by_cones) {
      tell("parts");
      search_parts(parts, [&] { parts.run(0, run_.threads); });
    }
    double effort = few ? 1e6 : 1e7;  // of a round of planes: it grows as the others do
    for (std::uint64_t more = first_nodes; !closed() && out_.nodes < limits_.nodes; more *= 4) {
      const std::uint64_t before = out_.nodes, of_parts = parts.nodes();
      const std::uint64_t left = limits_.nodes - out_.nodes;
      const bool all_closed = parts.closed();
      if (by_cones) {
        by_cones = search_cones(cones, cones_only ? left : std::min(more, left));
        if (closed()) return;
        tell("parts");
        search_parts(parts, [&] { parts.run(std::min(more, left / 8), run_.threads); });
      } else {
        // Where parts prove much more than all rows together, these have to wait.
        const bool parts_alone = !all_closed && 10 * parts.bound() > 11 * tree.root_bound();
        tell(parts_alone ? "parts" : "rows and parts");
        search_parts(parts, [&] {
          run_.threads.run(parts_alone ? 1 : 2, [&](std::size_t task) {
            if (task == 0) return parts.run(std::min(more, left / 8), run_.threads);
            search_root(tree, SIZE_MAX);
            search_tree(tree, std::min(more, left));
          });
        });
      }
      out_.nodes += parts.nodes() - of_parts;
      if (closed() || (out_.nodes == before && (all_closed || left < 8))) return;
      tell("planes");
      local.run(rounds(effort *= 2));
      // Cones that stuck at a target beyond the optimum may reach the next one.
      by_cones = by_cones || out_.upper < stuck_at_;
    }
  }

  void search_root(RowTree& tree, std::size_t most_circuits) {
    // What was reached before a stop is kept.
    try {
      tree.root(out_.upper, most_circuits);
    } catch (const Stopped&) {
      // No time to check it once more: its circuits were proved one by one, its shares added up in whole numbers.
      if (tree.root_bound() > out_.lower) {
        out_.lower = tree.root_bound();
        out_.proof = tree.root_proof();
      }
      throw;
    }
    prove(tree.root_bound(), tree.root_proof());
  }

  void offer_weights(const Space& space, const std::vector<double>& weights) {
    Plane plane{std::vector<double>(data_.features(), 0.0), 0};
    double largest = 0;
    for (const double w : weights) largest = std::max(largest, std::abs(w));
    for (std::size_t k = 0; k < weights.size(); ++k)
      (space.columns[k] < data_.features() ? plane.theta[space.columns[k]] : plane.theta0) =
          weights[k] / largest;
    take(std::move(plane));
  }

  // Higher and higher targets, so that there is a bound when the time is up. False: cones come no further.
  bool search_cones(Cones& cones, std::uint64_t nodes) {
    const std::uint64_t end = out_.nodes + nodes;
    // Where a higher target has been tried, what is left is the last one.
    const bool again = out_.upper < stuck_at_;
    std::int64_t step = std::max<std::int64_t>(1, (out_.upper - out_.lower) / (again ? 1 : 4));
    while (!closed() && out_.nodes < end) {
      if (stuck_at_ == out_.lower + 1) return false;
      tell("cones");
      // Where a higher target was stuck, the next one below it is all that is left.
      const bool below = stuck_at_ > out_.lower + 1 && stuck_at_ <= out_.upper;
      const std::int64_t most = below ? stuck_at_ - 1 : out_.upper;
      const std::int64_t target = std::min(most, out_.lower + step);
      const std::uint64_t before = cones.nodes();
      const Cones::End last = cones.prove(target, end - out_.nodes, run_.threads);
      const std::uint64_t used = cones.nodes() - before;
      out_.nodes += used;
      if (last == Cones::End::Better) continue;
      if (last == Cones::End::Stuck) {
        stuck_at_ = target;
        continue;
      }
      if (last == Cones::End::Proved) {
        prove(target, cones.proof());
        if (used < nodes / 100) step *= 2;
      } else {
        if (step == 1) return true;
        step = std::max<std::int64_t>(1, step / 4);
      }
    }
    return true;
  }

  void search_tree(RowTree& tree, std::uint64_t nodes) {
    asked_rows_ = true;
    const std::uint64_t end = tree.nodes() + nodes / cones_a_row_node;
    while (!closed() && tree.nodes() < end) {
      const std::int64_t target = out_.lower + 1;
      const std::uint64_t before = tree.nodes();
      const std::optional<std::string> proof = tree.prove(target, end - before);
      out_.nodes += cones_a_row_node * (tree.nodes() - before);
      if (!proof) return;
      prove(target, *proof);
    }
  }

  // What parts have come to is kept whatever ends the search.
  void search_parts(const Parts& parts, const std::function<void()>& search) {
    const auto keep = [&] {
      // Every part of the proof has been checked, or was made of circuits that were proved one by one.
      if (parts.bound() <= out_.lower) return;
      out_.lower = std::min(parts.bound(), out_.upper);
      out_.proof = parts.proof();
    };
    try {
      search();
    } catch (const Stopped&) {
      keep();
      throw;
    }
    keep();
  }

  const Dataset& data_;
  std::span<const std::int8_t> y_;
  Values values_;
  const detail::WholeWeights& weights_;
  bool offset_;
  Limits limits_;
  const Run& run_;
  const Clock& clock_;
  detail::ErrorRows rows_;
  Bracket out_;
  bool first_ = true, asked_rows_ = false;
  std::uint64_t offers_ = 0;
  std::int64_t stuck_at_ =
      std::numeric_limits<std::int64_t>::min();  // the target at which cones came no further
};

}  // namespace

Bracket bracket(const Dataset& data, std::span<const std::int8_t> y, Values values,
                const detail::WholeWeights& weights, bool offset, const Limits& limits, const Run& run,
                const Clock& clock) {
  return Search(data, y, values, weights, offset, limits, run, clock).run();
}

}  // namespace halfspace::exact
