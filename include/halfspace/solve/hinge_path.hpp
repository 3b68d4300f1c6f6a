// SPDX-License-Identifier: BSD-3-Clause
// All support vector machines of one set of rows at once (Hastie, Rosset, Tibshirani, Zhu: "The entire regularization path for
// the support vector machine", JMLR 5, 2004). Between two values of C at which a row comes onto the margin or leaves it, the
// dual values of the rows on the margin, and so theta and theta0, are linear in C.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "halfspace/core/parallel.hpp"
#include "halfspace/model/model.hpp"
#include "halfspace/objective/problem.hpp"

namespace halfspace {

// Where a row is: beyond its margin (alpha = 0), on it, or inside (alpha = cost).
enum class MarginSide : std::uint8_t { Outside, On, Inside };

struct MarginMove {
  std::uint32_t row = 0;
  MarginSide from = MarginSide::Outside, to = MarginSide::Outside;
};

// The machine at a C where rows change sides.
struct HingePlace {
  double C = 0;
  std::vector<MarginMove> moves;  // rows ascending
  std::span<const double> theta;
  double theta0 = 0;
  DualPoint dual;
  std::uint64_t vectors = 0, on_margin = 0;  // after the moves
  bool last = false;                         // nothing changes for any larger C
};

// Reached: up to `high`, or until nothing changes any more. Ties: too many rows change at once to tell in which order.
enum class PathEnd { Reached, Left, Work, Ties };

struct HingeWalk {
  PathEnd end = PathEnd::Reached;
  double C = 0;  // how far it came
};

// `problem`: the hinge with the penalty l2 and the costs of C = 1. Calls each(place) for every C from low to high where the
// sides change, ascending, until it returns false. `most_work`: about as many multiplications.
[[nodiscard]] HingeWalk walk_hinge_path(const Problem& problem, double low, double high, double most_work,
                                        const Threads& threads,
                                        const std::function<bool(const HingePlace&)>& each);

}  // namespace halfspace
