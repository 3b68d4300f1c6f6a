// SPDX-License-Identifier: BSD-3-Clause
#include "solve/online/votes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "halfspace/core/error.hpp"

namespace halfspace {

VoteKeeper::VoteKeeper(const WalkState* before, bool lifted, std::uint64_t most)
    : most_(most), lifted_(lifted) {
  if (before == nullptr || before->votes == nullptr) return;
  const VotedModel& model = *before->votes;
  rows_.start = model.start;
  rows_.index = model.index;
  rows_.value = model.value;
  rows_.constant = model.constant;
  for (std::size_t k = 0; k < model.planes; ++k) {
    std::uint64_t end = before->steps + 1;
    std::vector<Vote> votes;
    for (std::uint64_t r = model.first[k + 1]; r-- > model.first[k];) {
      if (model.survived[r] >= end)
        throw UsageError("votes that lived longer than their walk: a learner goes on where it stopped");
      end -= model.survived[r];
      votes.push_back({end, model.row[r], model.positive[r]});
    }
    std::reverse(votes.begin(), votes.end());
    count_ += votes.size();
    votes_.push_back(std::move(votes));
  }
}

void VoteKeeper::take(const RowAccess& rows, std::size_t count, std::vector<PlaneWalk>& walk) {
  constexpr std::uint32_t none = UINT32_MAX;
  kept_.assign(count, none);
  votes_.resize(walk.size());
  std::vector<std::uint32_t> index(rows.cols());
  std::vector<double> value(rows.cols());
  for (std::size_t k = 0; k < walk.size(); ++k) {
    for (const Mistake& mistake : walk[k].record) {
      std::uint32_t& number = kept_[mistake.row];
      if (number == none) {
        number = static_cast<std::uint32_t>(rows_.constant.size());
        const auto size =
            static_cast<std::ptrdiff_t>(rows.copy_entries(mistake.row, index.data(), value.data()));
        rows_.index.insert(rows_.index.end(), index.begin(), index.begin() + size);
        rows_.value.insert(rows_.value.end(), value.begin(), value.begin() + size);
        rows_.start.push_back(rows_.index.size());
        rows_.constant.push_back(lifted_ ? 1.0 : 0.0);
      }
      votes_[k].push_back({mistake.step, number, static_cast<std::uint8_t>(mistake.positive ? 1 : 0)});
    }
    count_ += walk[k].record.size();
    walk[k].record.clear();
  }
  if (count_ > most_)
    throw UsageError(fmt::format("a voted model keeps at most {} votes, and these rows make more", most_),
                     "averaged-perceptron keeps one plane for all of them");
}

VotedModel VoteKeeper::finish(std::size_t features, std::size_t planes, std::uint64_t steps) const {
  VotedModel out = rows_;
  out.features = features;
  out.planes = planes;
  for (std::size_t k = 0; k < planes; ++k) {
    for (std::size_t r = 0; k < votes_.size() && r < votes_[k].size(); ++r) {
      const std::uint64_t end = r + 1 < votes_[k].size() ? votes_[k][r + 1].step : steps + 1;
      out.row.push_back(votes_[k][r].row);
      out.positive.push_back(votes_[k][r].positive);
      out.survived.push_back(end - votes_[k][r].step);
    }
    out.first.push_back(out.row.size());
  }
  return out;
}

std::shared_ptr<const WalkState> walk_of(std::shared_ptr<const VotedModel> votes) {
  const VotedModel& model = *votes;
  auto state = std::make_shared<WalkState>();
  state->features = model.features;
  state->planes = model.planes;
  state->theta0.assign(model.planes, 0.0);
  state->offset_sums.assign(model.planes, 0.0);
  state->v.assign(model.features * model.planes, 0.0);
  for (std::size_t k = 0; k < model.planes; ++k) {
    std::uint64_t steps = 0;
    for (std::uint64_t r = model.first[k]; r < model.first[k + 1]; ++r) {
      const double y = model.positive[r] != 0 ? 1.0 : -1.0;
      const std::uint32_t row = model.row[r];
      for (std::uint64_t e = model.start[row]; e < model.start[row + 1]; ++e)
        state->v[model.index[e] * model.planes + k] += y * model.value[e];
      state->theta0[k] += y * model.constant[row];
      steps += model.survived[r];
    }
    state->mistakes.push_back(model.first[k + 1] - model.first[k]);
    state->steps = std::max(state->steps, steps);
  }
  state->votes = std::move(votes);
  return state;
}

}  // namespace halfspace
