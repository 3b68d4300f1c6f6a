// SPDX-License-Identifier: BSD-3-Clause
// Branch and bound over planes in simplicial cones, for few dimensions. A cone has the margins of the rows that it leaves
// open at its generators, in doubles with a bound on their errors, which is 0 while they are whole numbers below 2^53;
// what is in doubt stays open.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "certify/errors/error_rows.hpp"
#include "certify/errors/proof_text.hpp"
#include "halfspace/core/parallel.hpp"
#include "solve/exact/sign_sets.hpp"
#include "solve/exact/space.hpp"

namespace halfspace::exact {

inline constexpr double rounding_unit = 0x1p-52;  // more than a rounding error
inline constexpr double whole_limit = 0x1p53;     // below it doubles are exact

// A cone.
struct ConeNode {
  std::vector<std::uint32_t> live;
  std::vector<double> m;      // generators x live
  std::vector<double> error;  // of the margins at every generator
  std::vector<double> theta;  // generators x dimension
  std::int64_t wrong = 0;
  std::uint32_t depth = 0;
  std::uint32_t wait = 0;  // levels that do without witnesses
};

// What goes through cones, depth first, and writes the proof down. Many walks may go on at once.
class ConeWalk {
 public:
  ConeWalk(const detail::ErrorRows& rows, std::size_t dimension, StopHandle stop);

  enum class End { Proved, Better, Nodes, Stuck };
  // That every plane of the cone has at least `target`. Better: a plane with fewer than `best`, and than the target.
  [[nodiscard]] End prove(ConeNode root, std::int64_t target, std::uint64_t nodes, std::int64_t best);
  void decide(ConeNode& node);  // rows that are right or wrong in the whole cone go

  [[nodiscard]] const std::string& proof() const { return proof_.text(); }
  // Cones that are left where the nodes were too few; the proof goes on with the last one.
  [[nodiscard]] std::vector<ConeNode>& open() { return stack_; }
  [[nodiscard]] std::uint64_t nodes() const { return nodes_; }
  // Weights of the best plane that was met, and its errors as float sees them.
  [[nodiscard]] const std::vector<double>& plane() const { return plane_; }
  [[nodiscard]] std::int64_t best() const { return best_; }

 private:
  struct Split {
    std::size_t a = 0, b = 0;
    std::uint64_t alpha = 1, beta = 1;
  };
  struct Witness {
    std::vector<std::uint32_t> places;
    std::vector<std::int64_t> lambda;  // empty for pairs
  };
  // One step with the last cone: it is proved, or there are two in its place, the first one last.
  enum class Step { Proved, Split, Stuck };
  [[nodiscard]] Step step(std::int64_t target);
  [[nodiscard]] bool leaf(ConeNode& node, std::int64_t target);
  [[nodiscard]] bool pair(const ConeNode& node, std::size_t p, std::size_t q) const;
  void leave_out_unsure(const ConeNode& node);
  [[nodiscard]] std::int64_t add_pairs(const ConeNode& node, std::int64_t need);
  [[nodiscard]] std::int64_t add_games(const ConeNode& node, std::int64_t need);
  [[nodiscard]] bool game(const ConeNode& node, Witness& out);
  [[nodiscard]] bool holds(const ConeNode& node, const Witness& witness) const;
  [[nodiscard]] std::optional<Split> choose(const ConeNode& node);
  [[nodiscard]] std::optional<double> middle(const ConeNode& node, std::size_t a, std::size_t b);
  // Towards a point where all open rows vanish.
  [[nodiscard]] std::optional<Split> tie(const ConeNode& node) const;
  [[nodiscard]] bool apart(const ConeNode& node) const;
  // With this point of an edge in place of a generator; `to` may be the cone itself.
  void replace(const ConeNode& from, std::size_t generator, double error, ConeNode& to);
  void look(const ConeNode& node);                                  // at the plane in the middle
  void look(const ConeNode& node, std::span<const double> shares);  // at a sum of the generators

  const detail::ErrorRows& rows_;
  std::size_t r_;
  StopHandle stop_;
  bool alike_;  // all rows weigh the same
  detail::ProofWriter proof_;
  std::uint64_t nodes_ = 0;
  std::int64_t best_ = 0;
  std::vector<double> plane_;
  std::vector<ConeNode> stack_, spare_;
  // Of the node that is looked at.
  SignSets signs_;
  std::vector<std::int64_t> left_;
  std::vector<Witness> witnesses_;
  std::vector<double> point_, point_theta_, ratios_;
  std::vector<std::uint32_t> kept_;
};

class Cones {
 public:
  // `offer` gets planes that were met on the way, and says how many errors the best one has; nothing: how many it has now.
  Cones(const Space& space, const detail::ErrorRows& rows, StopHandle stop,
        std::function<std::int64_t(const std::vector<double>&)> offer);

  // False: the columns differ so much in size that there are no generators.
  [[nodiscard]] bool possible() const { return possible_; }
  using End = ConeWalk::End;
  // That every plane has at least `target`. Better: a plane with fewer was met. Throws Stopped.
  [[nodiscard]] End prove(std::int64_t target, std::uint64_t nodes, const Threads& threads);
  [[nodiscard]] const std::string& proof() const { return proof_; }
  [[nodiscard]] std::uint64_t nodes() const { return nodes_; }

 private:
  // Text of the proof, or a cone whose part of it is still to be found.
  struct Piece {
    std::string text;
    std::optional<ConeNode> open;
  };
  using Pieces = std::list<Piece>;
  [[nodiscard]] std::string header() const;
  [[nodiscard]] End walk(Pieces& pieces, std::span<const Pieces::iterator> open, std::int64_t target,
                         std::uint64_t nodes, const Threads& threads);

  const Space& space_;
  const detail::ErrorRows& rows_;
  StopHandle stop_;
  std::function<std::int64_t(const std::vector<double>&)> offer_;
  bool possible_ = false, looks_ = true;
  std::size_t r_;
  std::vector<std::int64_t> generators_;  // r x r, for the columns of the space
  std::vector<ConeNode> start_;
  std::string proof_;
  std::uint64_t nodes_ = 0;
};

}  // namespace halfspace::exact
