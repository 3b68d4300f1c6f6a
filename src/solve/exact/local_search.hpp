// SPDX-License-Identifier: BSD-3-Clause
// Planes with few errors: reweighted convex fits, improved by searches along lines that count every row.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "halfspace/core/random.hpp"
#include "halfspace/core/stop.hpp"
#include "solve/exact/space.hpp"

namespace halfspace::exact {

class LocalSearch {
 public:
  // `accept` counts a plane in whole numbers; it is asked about planes that float believes to be better than the last one.
  using Accept = std::function<std::int64_t(std::span<const double> theta)>;
  LocalSearch(const Space& space, std::uint64_t seed, StopHandle stop, Accept accept);

  // Throws Stopped; what was accepted stays.
  void run(std::uint64_t rounds);             // fits and kicks
  void improve(std::vector<double> theta);    // from this plane
  void offer(std::span<const double> theta);  // as it is
  [[nodiscard]] double best() const { return best_; }
  [[nodiscard]] const std::vector<double>& plane() const { return plane_; }
  // Away from the rows, without more errors: the middle of the lines that lead to others.
  [[nodiscard]] std::vector<double> centred(std::vector<double> theta);

 private:
  void margins_of(std::span<const double> theta, std::vector<double>& m) const;
  double errors(const std::vector<double>& m) const;
  // To where no line that was tried leads to fewer errors; their number.
  double descend(std::vector<double>& theta, bool rows_too);
  void reweigh();
  void kick();
  void along_rows(const std::vector<double>& m, std::vector<double>& direction);
  // The best point of the line m + t q and the errors there. `here`: stay among equals.
  double line(const std::vector<double>& m, const std::vector<double>& q, double now, double& t);
  void fit(std::vector<double>& theta, const std::vector<double>& cost, int steps) const;
  void take(const std::vector<double>& theta, double count);

  const Space& space_;
  Random random_;
  StopHandle stop_;
  Accept accept_;
  double best_ = 0;
  std::vector<double> plane_, at_;  // the best one, and where the walk is
  double errors_at_ = 0;
  std::vector<double> weigh_;  // of the rows in searches along lines
  std::uint64_t rounds_ = 0;
  std::vector<std::uint32_t> near_;  // rows near the plane of a descent
  bool begun_ = false;
  struct Break {
    double t, change;
  };
  std::vector<Break> breaks_;
};

}  // namespace halfspace::exact
