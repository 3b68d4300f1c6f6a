// SPDX-License-Identifier: BSD-3-Clause
// Lower bounds by circuits: shares of circuits at the root, and a tree that asks of single rows whether they are right or
// wrong where that is not enough.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "certify/errors/error_rows.hpp"
#include "certify/errors/proof_text.hpp"
#include "halfspace/core/stop.hpp"
#include "solve/exact/circuit_search.hpp"
#include "solve/exact/packing.hpp"

namespace halfspace::exact {

inline constexpr std::uint64_t cones_a_row_node = 400;  // that take the time of one node of this tree

class RowTree {
 public:
  // `offer` gets planes that were met on the way.
  RowTree(const Space& space, const detail::ErrorRows& rows, std::uint64_t seed, StopHandle stop,
          std::function<void(const std::vector<double>&)> offer);

  // The best bound without a tree, in units of weight with the base; goes on until `enough` is reached or the program has
  // so many circuits. Called again with more of them, it goes on from there. Throws Stopped; what was reached stays.
  void root(std::int64_t enough, std::size_t most_circuits);
  [[nodiscard]] std::int64_t root_bound() const { return root_bound_; }
  [[nodiscard]] std::string root_proof() const { return root_proof_; }
  // A proof that every plane has at least `target`; nothing: more than `nodes` nodes would be needed. Throws Stopped.
  [[nodiscard]] std::optional<std::string> prove(std::int64_t target, std::uint64_t nodes);
  [[nodiscard]] std::uint64_t nodes() const { return nodes_; }
  [[nodiscard]] bool possible() const;  // the rows are not too many

 private:
  struct Circuit {
    std::vector<std::uint32_t> rows;
    std::vector<char> flipped;
  };
  struct Share {
    std::uint32_t circuit;
    std::int64_t size;  // in 2^-share_bits of a unit
  };
  struct Bound {
    bool impossible = false;  // no plane has these rows right and wrong
    std::int64_t units = 0;   // of the rows of which nothing is known
    std::int64_t sum = 0;     // of the shares
    std::vector<Share> shares;
    std::vector<double> price;
  };
  // A program with the circuits of the pool that it has.
  struct Program {
    Packing packing;
    std::vector<std::uint32_t> which;
  };
  // A row that was asked of: the program before, and the proof of the case that the row is wrong where it is at hand.
  struct Level {
    std::uint32_t row;
    std::optional<Program> program;
    std::optional<Bound> wrong;
  };
  struct Walk {
    Known known;
    std::vector<Level> path;
    std::int64_t wrong;  // weight of the rows that are, with the base
    detail::ProofWriter tree;
    Program program;
  };
  void settle_rows(Walk& walk, Bound& found, std::int64_t need);
  [[nodiscard]] bool go_back(Walk& walk);
  [[nodiscard]] Program new_program() const { return {Packing(space_.weight, stop_), {}}; }
  void add(Program& program, std::uint32_t place, const Known& known) const;
  // Circuits of the pool that say something here and are cheap; false: there are none.
  bool add_from_pool(Program& program, const Known& known) const;
  [[nodiscard]] std::uint32_t contradiction(const Program& program, const Known& known);
  // Column generation. `patience`: how many searches in vain end it; `improved` hears of every whole unit on the way.
  [[nodiscard]] Bound bound(Program& program, const Known& known, std::int64_t enough, int patience,
                            const std::function<void(const Bound&)>& improved = {});
  [[nodiscard]] Bound greedy();
  // Whole shares of proved circuits.
  void round(const Known& known, const Program& program, Bound& out) const;
  [[nodiscard]] Known settled(const Bound& found, const Known& known, std::int64_t need) const;
  [[nodiscard]] std::vector<std::uint32_t> rows_of(const Bound& found, const Known& more,
                                                   const Known& known) const;
  [[nodiscard]] Bound without(const Bound& found, std::uint32_t row) const;
  [[nodiscard]] std::uint32_t row_to_ask(const Bound& found, const Known& known) const;
  [[nodiscard]] Program after(const Program& before, std::uint32_t row, bool wrong) const;
  // Takes up a circuit if it is one.
  [[nodiscard]] std::optional<std::uint32_t> pool_place(std::vector<std::uint32_t> rows, const Known& known);
  [[nodiscard]] bool fits(const Circuit& circuit, const Known& known) const;
  void write_leaf(const Bound& bound, detail::ProofWriter& out);
  [[nodiscard]] std::string with_circuits(const detail::ProofWriter& tree) const;

  const Space& space_;
  const detail::ErrorRows& rows_;
  StopHandle stop_;
  std::function<void(const std::vector<double>&)> offer_;
  CircuitSearch search_;
  std::vector<Circuit> pool_;
  std::vector<std::uint32_t> written_;  // circuits of the proof that is written
  std::vector<std::uint32_t> number_;   // of every circuit in it, or none
  std::string root_proof_;
  std::int64_t root_bound_ = 0;
  std::size_t most_circuits_ = SIZE_MAX;  // of one program
  std::optional<Program> root_program_;
  bool root_done_ = false;
  std::uint64_t nodes_ = 0;
};

}  // namespace halfspace::exact
