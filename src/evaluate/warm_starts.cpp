// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/warm_starts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace halfspace {
namespace {

std::string shape_of(const Candidate& candidate) {
  std::string family = candidate.algorithm;
  for (const auto& [name, value] : candidate.options)
    if (name != "C") family += fmt::format(" {}={}", name, value);
  return family;
}

// Nothing for candidates without a C, or whose features are made anew each time.
std::optional<double> weight_of(const Candidate& candidate) {
  if (candidate.preparation.map) return std::nullopt;
  double C = 0;
  for (const auto& [name, value] : candidate.options) {
    if (name != "C") continue;
    const auto end = std::from_chars(value.data(), value.data() + value.size(), C);
    if (end.ec != std::errc() || end.ptr != value.data() + value.size()) return std::nullopt;
  }
  return C > 0 ? std::optional(C) : std::nullopt;
}

bool has_kernel(const Candidate& candidate) {
  bool kernel = false;
  for (const auto& [name, value] : candidate.options)
    if (name == "kernel") kernel = value != "linear";
  return kernel && !candidate.preparation.map;
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
    add_kin(candidate);
    std::size_t best = none;
    double near = 0;
    const std::optional<Kin>& kin = kin_[own];
    for (std::size_t k = keep_all_ ? 0 : first; kin && k < own; ++k) {
      if (!kin_[k] || kin_[k]->family != kin->family) continue;
      const double away = std::abs(std::log(kin_[k]->C / kin->C));
      if (best == none || away < near) {
        best = k;
        near = away;
      }
    }
    parent_.push_back(best);
  }
  chain_kernels(first);
  children_.resize(kin_.size(), 0);
  for (std::size_t k = first; k < kin_.size(); ++k)
    if (parent_[k] != none) ++children_[parent_[k]];
  return first;
}

void WarmStarts::add_kin(const Candidate& candidate) {
  const std::optional<double> C = weight_of(candidate);
  kin_.push_back(C ? std::optional<Kin>({shape_of(candidate), *C, has_kernel(candidate)}) : std::nullopt);
}

// Each one's parent is the next smaller C of its family, if that is in this list too.
void WarmStarts::chain_kernels(std::size_t first) {
  for (std::size_t k = first; k < kin_.size(); ++k) {
    if (!kin_[k] || !kin_[k]->kernel) continue;
    std::size_t below = none;
    for (std::size_t l = first; l < kin_.size(); ++l) {
      if (l == k || !kin_[l] || kin_[l]->family != kin_[k]->family || !(kin_[l]->C < kin_[k]->C)) continue;
      if (below == none || kin_[l]->C > kin_[below]->C) below = l;
    }
    if (below != none || parent_[k] >= first) parent_[k] = below;
  }
}

std::vector<std::vector<std::size_t>> WarmStarts::groups(std::size_t first) const {
  std::vector<std::vector<std::size_t>> out;
  std::map<std::string, std::size_t> chains;
  for (std::size_t k = first; k < kin_.size(); ++k) {
    if (!kin_[k] || !kin_[k]->kernel) {
      out.push_back({k});
      continue;
    }
    const auto [place, fresh] = chains.emplace(kin_[k]->family, out.size());
    if (fresh) out.emplace_back();
    out[place->second].push_back(k);
  }
  for (std::vector<std::size_t>& group : out)
    std::stable_sort(group.begin(), group.end(), [&](std::size_t a, std::size_t b) {
      return group.size() > 1 && kin_[a]->C < kin_[b]->C;
    });
  return out;
}

bool WarmStarts::wanted(std::size_t candidate) const {
  return kin_[candidate].has_value() && (keep_all_ || children_[candidate] > 0 || kin_[candidate]->kernel);
}

std::shared_ptr<const Neighbour> WarmStarts::near(std::size_t candidate, std::size_t fold) {
  const std::lock_guard lock(guard_);
  if (parent_[candidate] == none) {
    if (!kin_[candidate] || !kin_[candidate]->kernel || spare_.empty()) return nullptr;
    auto memory = std::make_shared<Neighbour>();
    memory->kernel = std::move(spare_.back());
    spare_.pop_back();
    return memory;
  }
  const auto place = places_.find({parent_[candidate], fold});
  return place == places_.end() ? nullptr : place->second.end;
}

void WarmStarts::leave(std::size_t candidate, std::size_t fold, std::shared_ptr<const Neighbour> end) {
  const std::lock_guard lock(guard_);
  // Rows of a kernel matrix go to the next of the chain; at its end their memory goes to the next chain.
  if (end->kernel != nullptr && children_[candidate] != 1) {
    auto light = std::make_shared<Neighbour>(*end);
    spare_.push_back(std::exchange(light->kernel, nullptr));
    end = std::move(light);
  }
  if (keep_all_ || children_[candidate] > 0) places_[{candidate, fold}].end = std::move(end);
}

void WarmStarts::rest() {
  const std::lock_guard lock(guard_);
  spare_.clear();
}

void WarmStarts::started(std::size_t candidate, std::size_t fold) {
  const std::size_t parent = parent_[candidate];
  if (parent == none || keep_all_) return;
  const std::lock_guard lock(guard_);
  Place& place = places_[{parent, fold}];
  if (++place.started == children_[parent]) place.end = nullptr;
}

}  // namespace halfspace
