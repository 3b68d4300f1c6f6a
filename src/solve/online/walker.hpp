// SPDX-License-Identifier: BSD-3-Clause
// Takes the steps of one group of planes; knows nothing of passes and orders, so that rows from a stream go
// the same way as rows in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "solve/online/planes.hpp"

namespace halfspace {

class OnlineWalker {
 public:
  // Planes first, ..., first + planes - 1 of `classes` classes (two classes: one plane, the last class
  // positive).
  OnlineWalker(const StepRule& rule, const OnlineSetup& setup, std::size_t classes, std::size_t first,
               std::size_t planes, std::size_t cols, std::size_t rows);

  // One step on the rows of a batch. `labels` are those of all rows of `rows`.
  void step(const RowAccess& rows, std::span<const std::uint32_t> labels,
            std::span<const std::uint32_t> batch);
  // Steps of one row each, for all rows of `order`.
  void steps(const RowAccess& rows, std::span<const std::uint32_t> labels,
             std::span<const std::uint32_t> order);
  // One step with the scores at hand, one plane only.
  void step_scored(const RowAccess& rows, std::span<const std::uint32_t> labels,
                   std::span<const std::uint32_t> batch, std::span<const double> scores);

  // Goes on where another walk over rows that are gone has stopped.
  void resume(const WalkState& state);

  [[nodiscard]] OnlinePlanes& planes() { return planes_; }
  [[nodiscard]] double y(std::uint32_t label, std::size_t k) const {
    return label == (classes_ == 2 ? 1 : first_ + k) ? 1.0 : -1.0;
  }

  std::vector<PlaneWalk> walk;         // mistakes, counts and records of every plane
  std::vector<char> changed;           // planes that moved since it was last cleared
  std::vector<std::uint64_t> correct;  // visits without a change since the last one
  std::uint64_t pass = 1;
  // Called before a plane changes that got more rows right in a row than any before it, or as many: a few
  // ties are looked at, or data on which every row is a mistake would never show a plane.
  std::function<void(std::size_t k)> before_change;
  std::vector<std::uint64_t> longest;

 private:
  void idle(std::uint64_t count);  // steps that change nothing
  void take(const RowAccess& rows, std::span<const std::uint32_t> labels,
            std::span<const std::uint32_t> batch);
  void steps_of_one_plane(const RowAccess& rows, std::span<const std::uint32_t> labels,
                          std::span<const std::uint32_t> order);
  void change(const RowAccess& rows, std::uint32_t i, std::size_t k, double y, double amount);
  // For an observer, which has one plane: theta before the step, its rows, and the update when it is done.
  void watch(std::span<const std::uint32_t> batch);
  void show(const RowAccess& rows, const Step& step);

  const StepRule& rule_;
  const OnlineSetup& setup_;
  std::size_t classes_, first_;
  OnlinePlanes planes_;
  bool shrinks_;
  std::uint64_t t_ = 0;
  std::vector<std::uint64_t> updates_;  // of every plane: steps that moved it
  std::uint64_t seen_ = 0, shown_ = 0;  // by the observer
  std::vector<MovingRow> watched_;
  std::vector<double> theta_before_, theta_, mean_;
  double theta0_before_ = 0;
  std::vector<std::int64_t> ties_left_;  // of every plane: groups of planes differ with the number of threads
  std::vector<double> score_;
  std::vector<char> moved_;  // by this step
};

}  // namespace halfspace
