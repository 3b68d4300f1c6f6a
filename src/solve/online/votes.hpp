// SPDX-License-Identifier: BSD-3-Clause
// The votes of a walk over rows that are gone after their block: every mistaken row is copied while it is there.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/storage/row_access.hpp"
#include "halfspace/model/model.hpp"
#include "halfspace/solve/walk_state.hpp"
#include "solve/online/loop.hpp"

namespace halfspace {

class VoteKeeper {
 public:
  // Goes on with the votes of `before`, where there are some. More than `most` of all planes together are a UsageError.
  VoteKeeper(const WalkState* before, bool lifted, std::uint64_t most);
  void take(const RowAccess& rows, std::size_t count, std::vector<PlaneWalk>& walk);
  // After so many steps in all.
  [[nodiscard]] VotedModel finish(std::size_t features, std::size_t planes, std::uint64_t steps) const;

 private:
  struct Vote {
    std::uint64_t step = 0;  // at which the plane began
    std::uint32_t row = 0;
    std::uint8_t positive = 0;
  };
  VotedModel rows_;  // only its rows
  std::vector<std::vector<Vote>> votes_;
  std::vector<std::uint32_t> kept_;  // of the block: the number among the rows, or none
  std::uint64_t count_ = 0, most_ = 0;
  bool lifted_ = true;
};

// Where the walk stands that led to these votes: how many steps there were before the first mistake it does not say.
[[nodiscard]] std::shared_ptr<const WalkState> walk_of(std::shared_ptr<const VotedModel> votes);

}  // namespace halfspace
