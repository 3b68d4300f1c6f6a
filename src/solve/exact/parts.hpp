// SPDX-License-Identifier: BSD-3-Clause
// Lower bounds from parts of the rows: sets without a row in common, whose least errors add up. Small parts are closed soon;
// two of them together have at least what both have, and more is tried for. A part that gets no further counts with its
// halves.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "certify/errors/error_rows.hpp"
#include "halfspace/core/parallel.hpp"
#include "solve/exact/cones.hpp"
#include "solve/exact/local_search.hpp"
#include "solve/exact/row_tree.hpp"
#include "solve/exact/space.hpp"

namespace halfspace::exact {

// One part with its own search from both sides.
class Part {
 public:
  Part(const detail::ErrorRows& rows, std::vector<std::uint32_t> chosen, bool offset, std::uint64_t seed,
       const StopHandle& stop);
  // Up to so many nodes more, from a bound that is proved otherwise on; none: what some circuits say. Throws Stopped; what
  // was reached stays.
  void run(std::uint64_t nodes, std::int64_t known);
  [[nodiscard]] bool closed() const { return closed_; }
  [[nodiscard]] std::int64_t lower() const { return lower_; }
  [[nodiscard]] const std::string& proof() const { return proof_; }
  [[nodiscard]] const std::vector<std::uint32_t>& chosen() const { return chosen_; }
  [[nodiscard]] std::uint64_t nodes() const;  // in those of cones

 private:
  void prepare();
  void search_root(std::size_t most_circuits);
  [[nodiscard]] std::int64_t count(const std::vector<double>& weights) const;
  [[nodiscard]] bool prove(std::int64_t target, std::uint64_t nodes);
  void keep(std::int64_t target, std::string proof);

  std::vector<std::uint32_t> chosen_;
  detail::ErrorRows rows_;
  bool offset_;
  std::uint64_t seed_;
  StopHandle stop_;
  Space space_;
  std::unique_ptr<LocalSearch> local_;
  std::unique_ptr<RowTree> tree_;
  std::unique_ptr<Cones> cones_;
  std::int64_t upper_ = 0, lower_ = 0;
  std::string proof_;
  bool closed_ = false, stuck_ = false;
  int waited_ = 0;
};

class Parts {
 public:
  // Halves of halves of the rows (solve/exact/deal.hpp), from a good plane.
  Parts(const detail::ErrorRows& rows, const Space& space, const std::vector<double>& plane, bool offset,
        std::uint64_t seed, const StopHandle& stop);

  // So many nodes more for every part whose bounds are apart, from the small ones to the large ones. Throws Stopped.
  void run(std::uint64_t nodes, const Threads& threads);
  [[nodiscard]] bool closed() const;
  [[nodiscard]] std::int64_t bound() const { return base_ + value(1); }  // in units of weight
  [[nodiscard]] std::string proof() const;
  [[nodiscard]] std::uint64_t nodes() const;

 private:
  // Part k has the halves 2k and 2k + 1; 1 is the whole, and no part itself.
  [[nodiscard]] std::int64_t value(std::size_t k) const;
  void collect(std::size_t k, std::vector<const Part*>& out) const;

  std::int64_t base_;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace halfspace::exact
