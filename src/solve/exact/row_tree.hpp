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

class RowTree {
 public:
  // `offer` gets planes that were met on the way.
  RowTree(const Space& space, const detail::ErrorRows& rows, std::uint64_t seed, StopHandle stop,
          std::function<void(const std::vector<double>&)> offer);

  // The best bound without a tree, in units of weight with the base; goes on until `enough` is reached.
  // Throws Stopped; what was reached stays.
  void root(std::int64_t enough, std::size_t most_circuits);
  [[nodiscard]] std::int64_t root_bound() const { return root_bound_; }
  [[nodiscard]] std::string root_proof() const { return root_proof_; }
  // A proof that every plane has at least `target`; nothing: more than `nodes` nodes would be needed. Throws Stopped.
  [[nodiscard]] std::optional<std::string> prove(std::int64_t target, std::uint64_t nodes);
  [[nodiscard]] std::uint64_t nodes() const { return nodes_; }

 private:
  struct Circuit {
    std::vector<std::uint32_t> rows;
    std::vector<char> flipped;
    bool proved = false, bad = false;
  };
  struct Share {
    std::uint32_t circuit;
    std::int64_t size;  // in 2^-share_bits of a unit
  };
  struct Bound {
    bool impossible = false;  // no plane has these rows right and wrong
    std::int64_t units = 0;   // of the rows of which nothing is known
    std::vector<Share> shares;
    std::vector<double> price;
  };
  // `improved` hears of every whole unit on the way.
  [[nodiscard]] Bound bound(const Known& known, std::int64_t enough, int patience,
                            const std::function<void(const Bound&)>& improved = {});
  [[nodiscard]] Bound greedy();
  // Whole shares of proved circuits; false: some were none, and the program has to be solved again.
  [[nodiscard]] bool round(const Known& known, const Packing& packing,
                           const std::vector<std::uint32_t>& which, Bound& out);
  [[nodiscard]] bool prove_circuit(Circuit& circuit);
  [[nodiscard]] bool fits(const Circuit& circuit, const Known& known) const;
  std::uint32_t pool_place(std::vector<std::uint32_t> rows, const Known& known);
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
  std::uint64_t nodes_ = 0;
};

}  // namespace halfspace::exact
