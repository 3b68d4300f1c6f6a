// SPDX-License-Identifier: BSD-3-Clause
// Which fit starts from which. Of the candidates that differ in C alone, each has one that comes before it as its parent:
// the nearest in the logarithm of C, so that what it starts from depends on the list of candidates and not on the order in
// which threads get to them. Kernel machines go up from the smallest C instead, one after the other, so that each can have the
// rows of the kernel matrix that the one before has computed. A chain that begins has the memory of one that has ended: handed
// out anew, the pages of a kernel matrix took a quarter of a search.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "halfspace/evaluate/cross_validation.hpp"

namespace halfspace {

class WarmStarts {
 public:
  static constexpr std::size_t none = SIZE_MAX;

  // Takes candidates into the list; their numbers follow each other from the one that comes back. `bytes`: about what a
  // neighbour takes, on each of `folds`.
  std::size_t add(const std::vector<Candidate>& candidates, std::size_t folds, std::uint64_t bytes);
  [[nodiscard]] std::size_t parent(std::size_t candidate) const { return parent_[candidate]; }
  // Candidates from number `first` on whose turns are together: a chain of kernel machines, or one alone; by the first of
  // each in the list.
  [[nodiscard]] std::vector<std::vector<std::size_t>> groups(std::size_t first) const;

  // Where the parent has ended on this fold; null: there is none, or it did not end anywhere. Without planes: memory of other
  // rows or another kernel.
  [[nodiscard]] std::shared_ptr<const Neighbour> near(std::size_t candidate, std::size_t fold);
  // Whether anybody will ask where this one has ended, or for its memory.
  [[nodiscard]] bool wanted(std::size_t candidate) const;
  void leave(std::size_t candidate, std::size_t fold, std::shared_ptr<const Neighbour> end);
  // No more candidates for now: memory that nobody has is given back.
  void rest();
  // This one has started, or will never: once all children have, the place of their parent is given back.
  void started(std::size_t candidate, std::size_t fold);

 private:
  struct Kin {
    std::string family;  // all that is not C
    double C = 0;
    bool kernel = false;
  };
  void add_kin(const Candidate& candidate);
  void chain_kernels(std::size_t first);
  std::vector<std::optional<Kin>> kin_;
  std::vector<std::size_t> parent_, children_;
  bool keep_all_ = false;
  std::mutex guard_;
  struct Place {
    std::shared_ptr<const Neighbour> end;
    std::size_t started = 0;  // children
  };
  std::map<std::pair<std::size_t, std::size_t>, Place> places_;
  std::vector<std::shared_ptr<const void>> spare_;  // Neighbour::kernel of chains that have ended
};

}  // namespace halfspace
