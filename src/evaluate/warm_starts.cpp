// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/warm_starts.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace halfspace {
namespace {

// All but C, as text; nothing for candidates without a C, or whose features are made anew each time.
std::optional<std::pair<std::string, double>> family_of(const Candidate& candidate) {
  if (candidate.preparation.map) return std::nullopt;
  std::string family = candidate.algorithm;
  double C = 0;
  for (const auto& [name, value] : candidate.options) {
    if (name != "C") {
      family += fmt::format(" {}={}", name, value);
      continue;
    }
    const auto end = std::from_chars(value.data(), value.data() + value.size(), C);
    if (end.ec != std::errc() || end.ptr != value.data() + value.size()) return std::nullopt;
  }
  if (!(C > 0)) return std::nullopt;
  return std::pair(std::move(family), C);
}

}  // namespace

std::shared_ptr<WarmStarts> make_warm_starts() { return std::make_shared<WarmStarts>(); }

std::size_t WarmStarts::add(const std::vector<Candidate>& candidates, std::size_t folds,
                            std::uint64_t bytes) {
  constexpr std::uint64_t most_kept = std::uint64_t{64} << 20U;
  const std::size_t first = kin_.size();
  // Small ones are kept for later rounds; decided by the first list, so that it does not change on the way.
  if (first == 0) keep_all_ = bytes * folds * (2 * candidates.size()) <= most_kept;
  for (const Candidate& candidate : candidates) {
    const std::size_t own = kin_.size();
    auto family = family_of(candidate);
    std::size_t best = none;
    double near = 0;
    for (std::size_t k = keep_all_ ? 0 : first; family && k < own; ++k) {
      if (!kin_[k] || kin_[k]->family != family->first) continue;
      const double away = std::abs(std::log(kin_[k]->C / family->second));
      if (best == none || away < near) {
        best = k;
        near = away;
      }
    }
    parent_.push_back(best);
    children_.push_back(0);
    if (best != none) ++children_[best];
    kin_.push_back(family ? std::optional<Kin>({std::move(family->first), family->second}) : std::nullopt);
  }
  return first;
}

bool WarmStarts::wanted(std::size_t candidate) const {
  return kin_[candidate].has_value() && (keep_all_ || children_[candidate] > 0);
}

std::shared_ptr<const Neighbour> WarmStarts::near(std::size_t candidate, std::size_t fold) {
  if (parent_[candidate] == none) return nullptr;
  const std::lock_guard lock(guard_);
  const auto place = places_.find({parent_[candidate], fold});
  return place == places_.end() ? nullptr : place->second.end;
}

void WarmStarts::leave(std::size_t candidate, std::size_t fold, std::shared_ptr<const Neighbour> end) {
  const std::lock_guard lock(guard_);
  places_[{candidate, fold}].end = std::move(end);
}

void WarmStarts::started(std::size_t candidate, std::size_t fold) {
  const std::size_t parent = parent_[candidate];
  if (parent == none || keep_all_) return;
  const std::lock_guard lock(guard_);
  Place& place = places_[{parent, fold}];
  if (++place.started == children_[parent]) place.end = nullptr;
}

}  // namespace halfspace
