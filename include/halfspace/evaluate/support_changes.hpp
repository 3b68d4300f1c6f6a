// SPDX-License-Identifier: BSD-3-Clause
// Where along C or nu the set of support vectors changes: every place, each certified.
#pragma once

#include <vector>

#include "halfspace/data/split.hpp"
#include "halfspace/evaluate/tuning.hpp"
#include "halfspace/solve/hinge_path.hpp"

namespace halfspace {

struct SupportChange {
  double value = 0;               // of the option: C or nu
  double C = 0;                   // of the machine of this plane
  std::vector<MarginMove> moves;  // rows of the data, from 0
  double norm = 0, relative_gap = 0;
  std::uint64_t support_vectors = 0, on_margin = 0;
  std::vector<double> theta;  // none of all places where that is more than four million numbers
  double theta0 = 0;
};

struct SupportChanges {
  std::vector<SupportChange> places;  // C ascending; between two of them theta and theta0 are linear in C
  PathEnd end = PathEnd::Reached;     // of the walk along the whole range; Work also where it was not begun
  double reached = 0;                 // value of the option up to which all places are known
  bool stopped = false;
};

// Whether the machines along this axis are known exactly: the hinge with the penalty l2 along C, or nu, without a kernel.
[[nodiscard]] bool has_support_changes(const Dataset& data, const SearchSpace& space);

// Trained on split.train as path_points() does. `most_work`: about as many multiplications.
[[nodiscard]] SupportChanges support_changes(const Dataset& data, const Split& split,
                                             const SearchSpace& space, double most_work, const Run& run);

}  // namespace halfspace
