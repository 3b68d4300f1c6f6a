// SPDX-License-Identifier: BSD-3-Clause
#include "solve/exact/parts.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "certify/errors/check_bound.hpp"
#include "certify/separation/refusal.hpp"
#include "solve/exact/deal.hpp"

namespace halfspace::exact {
namespace {

constexpr std::size_t rows_a_dimension = 4;  // of the smallest parts
constexpr std::size_t most_dimension_of_cones_alone = 6;
constexpr int most_waits = 3;  // rounds that a part leaves to its halves

}  // namespace

Part::Part(const detail::ErrorRows& rows, std::vector<std::uint32_t> chosen, bool offset, std::uint64_t seed,
           const StopHandle& stop)
    : chosen_(std::move(chosen)),
      rows_(detail::part_of(rows, chosen_)),
      offset_(offset),
      seed_(seed),
      stop_(stop) {}

// Errors as float sees them: they only say where to stop.
std::int64_t Part::count(const std::vector<double>& weights) const {
  std::int64_t out = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < weights.size(); ++k)
      sum += rows_.row(i)[space_.columns[k]].get_d() * weights[k];
    if (sum <= 0) out += rows_.weight[i];
  }
  return out;
}

// Checked at once: when time is up there is none for all parts.
void Part::keep(std::int64_t target, std::string proof) {
  if (target <= lower_) return;
  try {
    detail::ProofReader reader(proof);
    detail::check_tree(rows_, reader, target, Threads(1, stop_));
  } catch (const detail::Refused& refused) {
    throw std::logic_error("a proof of a part that proves nothing: " + refused.why);
  }
  lower_ = target;
  proof_ = std::move(proof);
}

void Part::prepare() {
  space_ = make_space(rows_, offset_, Threads(1, stop_));
  upper_ = std::accumulate(rows_.weight.begin(), rows_.weight.end(), std::int64_t{0});
  local_ = std::make_unique<LocalSearch>(space_, seed_, stop_, [this](std::span<const double> theta) {
    std::int64_t out = 0;
    for (std::size_t i = 0; i < space_.rows; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < space_.dimension; ++k) sum += space_.row(i)[k] * theta[k];
      if (sum <= 0) out += rows_.weight[i];
    }
    upper_ = std::min(upper_, out);
    return out;
  });
  local_->run(60);
  tree_ = std::make_unique<RowTree>(space_, rows_, seed_, stop_,
                                    [this](const std::vector<double>& theta) { local_->offer(theta); });
  if (space_.dimension <= 10)
    cones_ = std::make_unique<Cones>(space_, rows_, stop_, [this](const std::vector<double>& weights) {
      if (!weights.empty()) upper_ = std::min(upper_, count(weights));
      return upper_;
    });
  search_root(space_.rows);
}

void Part::search_root(std::size_t most_circuits) {
  if (upper_ <= lower_) return;
  try {
    tree_->root(upper_, most_circuits);
  } catch (const Stopped&) {
    // No time to check it: its circuits were proved one by one, its shares added up in whole numbers.
    if (tree_->root_bound() > lower_) {
      lower_ = tree_->root_bound();
      proof_ = tree_->root_proof();
    }
    throw;
  }
  keep(tree_->root_bound(), tree_->root_proof());
}

std::uint64_t Part::nodes() const {
  return (cones_ ? cones_->nodes() : 0) + (tree_ ? cones_a_row_node * tree_->nodes() : 0);
}

// In few dimensions cones; else the tree of rows first, and cones where it does not come to an end.
bool Part::prove(std::int64_t target, std::uint64_t nodes) {
  const bool by_cones = cones_ && cones_->possible() && !stuck_;
  const bool tree_first = !by_cones || space_.dimension > most_dimension_of_cones_alone;
  if (tree_first) {
    std::optional<std::string> proof =
        tree_->prove(target, std::max<std::uint64_t>(1, (by_cones ? nodes / 2 : nodes) / cones_a_row_node));
    if (proof) keep(target, std::move(*proof));
    if (proof || !by_cones) return proof.has_value();
    nodes -= nodes / 2;
  }
  const Cones::End end = cones_->prove(target, nodes, Threads(1, stop_));
  stuck_ = end == Cones::End::Stuck;
  if (end == Cones::End::Proved) keep(target, cones_->proof());
  return end == Cones::End::Proved || end == Cones::End::Better;
}

void Part::run(std::uint64_t nodes, std::int64_t known) {
  if (!tree_) prepare();
  if (nodes == 0) return;
  // Where the halves say much more, this part has little to add soon.
  if (known > lower_ + lower_ / 8 && space_.dimension > most_dimension_of_cones_alone &&
      waited_ < most_waits) {
    ++waited_;
    return;
  }
  search_root(SIZE_MAX);
  const std::uint64_t end = this->nodes() + nodes;
  while (std::max(lower_, known) < upper_) {
    if (this->nodes() >= end || !prove(std::max(lower_, known) + 1, end - this->nodes())) return;
  }
  closed_ = true;
}

Parts::Parts(const detail::ErrorRows& rows, const Space& space, const std::vector<double>& plane, bool offset,
             std::uint64_t seed, const StopHandle& stop)
    : base_(rows.base) {
  const Deal deal(rows, space, plane, offset, seed, stop);
  std::vector<std::pair<std::size_t, Deal::Rows>> open{{1, deal.all()}};
  parts_.resize(2);
  for (std::size_t next = 0; next < open.size(); ++next) {
    const std::size_t k = open[next].first;
    if (open[next].second.size() < 2 * rows_a_dimension * space.dimension) continue;
    auto [first, second] = deal.halves(open[next].second);
    parts_.resize(std::max(parts_.size(), 2 * std::bit_ceil(k + 1)));
    for (auto& [number, half] : {std::pair(2 * k, &first), std::pair(2 * k + 1, &second)}) {
      std::vector<std::uint32_t> chosen = *half;
      std::sort(chosen.begin(), chosen.end());
      parts_[number] = std::make_unique<Part>(rows, std::move(chosen), offset, seed + number, stop);
      open.emplace_back(number, std::move(*half));
    }
  }
}

std::int64_t Parts::value(std::size_t k) const {
  if (k >= parts_.size()) return 0;
  const std::int64_t halves = value(2 * k) + value(2 * k + 1);
  return parts_[k] ? std::max(parts_[k]->lower(), halves) : halves;
}

void Parts::collect(std::size_t k, std::vector<const Part*>& out) const {
  if (value(k) == 0) return;
  if (parts_[k] && parts_[k]->lower() == value(k)) {
    out.push_back(parts_[k].get());
    return;
  }
  collect(2 * k, out);
  collect(2 * k + 1, out);
}

void Parts::run(std::uint64_t nodes, const Threads& threads) {
  for (std::size_t level = parts_.size() / 2; level >= 2; level /= 2) {
    std::vector<std::int64_t> known;
    for (std::size_t k = level; k < 2 * level; ++k) known.push_back(value(2 * k) + value(2 * k + 1));
    threads.run(level, [&](std::size_t t) {
      Part* const part = parts_[level + t].get();
      if (part != nullptr && !part->closed()) part->run(nodes, known[t]);
    });
  }
}

bool Parts::closed() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const auto& part) { return !part || part->closed(); });
}

std::uint64_t Parts::nodes() const {
  std::uint64_t out = 0;
  for (const auto& part : parts_)
    if (part) out += part->nodes();
  return out;
}

std::string Parts::proof() const {
  std::vector<const Part*> chosen;
  collect(1, chosen);
  detail::ProofWriter out;
  out.letter('p');
  out.number(chosen.size());
  std::string text = out.text();
  for (const Part* part : chosen) {
    detail::ProofWriter head;
    head.number(part->chosen().size());
    for (std::size_t k = 0; k < part->chosen().size(); ++k)
      head.number(part->chosen()[k] - (k == 0 ? 0 : part->chosen()[k - 1] + 1));
    head.number(static_cast<std::uint64_t>(part->lower()));
    text += head.text() + part->proof();
  }
  return text;
}

}  // namespace halfspace::exact
