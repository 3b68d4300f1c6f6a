// SPDX-License-Identifier: BSD-3-Clause
// Branch and bound over planes in simplicial cones, for few dimensions. A cone has the margins of the rows that it leaves
// open at its generators, in doubles with a bound on their errors, which is 0 while they are whole numbers below 2^53;
// what is in doubt stays open.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "certify/errors/error_rows.hpp"
#include "certify/errors/proof_text.hpp"
#include "halfspace/core/stop.hpp"
#include "solve/exact/space.hpp"

namespace halfspace::exact {

class Cones {
 public:
  // `offer` gets planes that were met on the way and have fewer errors than `best` says.
  Cones(const Space& space, const detail::ErrorRows& rows, StopHandle stop,
        std::function<std::int64_t(const std::vector<double>&)> offer);

  // False: the columns differ so much in size that there are no generators.
  [[nodiscard]] bool possible() const { return possible_; }
  enum class End { Proved, Better, Nodes, Stuck };
  // That every plane has at least `target`. Better: a plane with fewer was met. Throws Stopped.
  [[nodiscard]] End prove(std::int64_t target, std::uint64_t nodes);
  [[nodiscard]] const std::string& proof() const { return proof_.text(); }
  [[nodiscard]] std::uint64_t nodes() const { return nodes_; }

 private:
  struct Node {
    std::vector<std::uint32_t> live;
    std::vector<double> m;      // generators x live
    std::vector<double> error;  // of the margins at every generator
    std::vector<double> theta;  // generators x dimension
    std::int64_t wrong = 0;
    std::uint32_t depth = 0;
  };
  struct Split {
    std::size_t a = 0, b = 0;
    std::uint64_t alpha = 1, beta = 1;
  };
  struct Witness {
    std::vector<std::uint32_t> places;
    std::vector<std::int64_t> lambda;  // empty for pairs
  };
  void decide(Node& node);
  void write_header();
  [[nodiscard]] bool leaf(const Node& node, std::int64_t target);
  [[nodiscard]] bool pair(const Node& node, std::uint32_t p, std::uint32_t q) const;
  [[nodiscard]] std::int64_t add_pairs(const Node& node, std::int64_t need);
  [[nodiscard]] std::int64_t add_games(const Node& node, std::int64_t need);
  [[nodiscard]] bool game(const Node& node, Witness& out);
  [[nodiscard]] bool holds(const Node& node, const Witness& witness) const;
  [[nodiscard]] std::optional<Split> choose(const Node& node);
  [[nodiscard]] std::optional<Split> tie(
      const Node& node) const;  // towards a point where all open rows vanish
  void look(const Node& node);

  const Space& space_;
  const detail::ErrorRows& rows_;
  StopHandle stop_;
  std::function<std::int64_t(const std::vector<double>&)> offer_;
  bool possible_ = false;
  std::size_t r_;
  std::vector<std::int64_t> generators_;  // r x r, for the columns of the space
  std::vector<Node> start_;
  detail::ProofWriter proof_;
  std::uint64_t nodes_ = 0;
  std::int64_t best_ = 0;  // errors of the best plane that is known
  // Of the node that is looked at.
  std::vector<std::uint32_t> positive_, negative_;
  std::vector<std::int64_t> left_;
  std::vector<Witness> witnesses_;
};

}  // namespace halfspace::exact
