// SPDX-License-Identifier: BSD-3-Clause
// A tree that asks of one row after the other whether it is right or wrong. The leaves are bounded by circuits: rows with
// sum lambda_k a_k = 0, no lambda_k = 0. Where the rows with lambda_k < 0 are known to be wrong, and so have a margin below
// zero, not all the others can be right: one of those that are not known to be right is an error. Shares of circuits
// that add up to no more than its weight on any row add up to a lower bound.
#include <gmpxx.h>

#include <algorithm>

#include "certify/errors/check_bound.hpp"
#include "certify/separation/refusal.hpp"

namespace halfspace::detail {
namespace {

struct Circuit {
  std::vector<std::uint32_t> rows;
  std::vector<char> positive;
};

class RowTree {
 public:
  RowTree(const ErrorRows& rows, ProofReader& proof, std::int64_t lower, const Threads& threads)
      : rows_(rows),
        proof_(proof),
        lower_(lower),
        threads_(threads),
        known_(rows.size(), 0),
        load_(rows.size(), 0) {}

  void check() {
    read_circuits();
    // What is open: rows whose second answer (wrong) is still to come.
    std::vector<std::uint32_t> path;
    for (std::size_t steps = 0;; ++steps) {
      if (steps % 256 == 0) threads_.check();
      const std::uint64_t token = proof_.number(rows_.size());
      if (token > 0) {
        const auto row = static_cast<std::uint32_t>(token - 1);
        require(known_[row] == 0, "the tree asks of a row twice");
        require(path.size() < most_proof_depth, "the tree is too deep");
        known_[row] = 1;
        path.push_back(row);
        continue;
      }
      check_leaf();
      while (!path.empty() && known_[path.back()] < 0) {
        wrong_ -= rows_.weight[path.back()];
        known_[path.back()] = 0;
        path.pop_back();
      }
      if (path.empty()) return;
      known_[path.back()] = -1;
      wrong_ += rows_.weight[path.back()];
    }
  }

 private:
  void read_circuits() {
    const std::uint64_t count = proof_.number(proof_.left());
    std::vector<char> seen(rows_.size(), 0);
    for (std::uint64_t k = 0; k < count; ++k) {
      threads_.check();
      Circuit next;
      const std::uint64_t size = proof_.number(rows_.columns + 1);
      require(size >= 2, "a circuit of fewer than two rows");
      for (std::uint64_t r = 0; r < size; ++r) {
        const auto row = static_cast<std::uint32_t>(proof_.number(rows_.size() - 1));
        require(seen[row] == 0, "a circuit has a row twice");
        seen[row] = 1;
        next.rows.push_back(row);
      }
      for (const std::uint32_t row : next.rows) seen[row] = 0;
      const std::vector<mpz_class> lambda = circuit(rows_, next.rows);
      require(!lambda.empty(), "rows of a circuit do not sum to zero in one way only");
      for (const mpz_class& x : lambda) next.positive.push_back(x > 0 ? 1 : 0);
      circuits_.push_back(std::move(next));
    }
  }

  // Every row that would have to be flipped is known to be wrong, and no other one is.
  [[nodiscard]] bool fits(const Circuit& c, char flip) const {
    for (std::size_t r = 0; r < c.rows.size(); ++r)
      if ((c.positive[r] != flip) != (known_[c.rows[r]] >= 0)) return false;
    return true;
  }

  void check_leaf() {
    const std::uint64_t count = proof_.number(proof_.left());
    std::vector<std::uint32_t> touched;
    std::int64_t sum = 0;
    bool impossible = false;
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::uint64_t which = proof_.number(circuits_.empty() ? 0 : circuits_.size() - 1);
      require(which < circuits_.size(), "a leaf names a circuit that is not there");
      const Circuit& c = circuits_[which];
      const auto share = static_cast<std::int64_t>(proof_.number(std::uint64_t{1} << 60U));
      require(fits(c, 0) || fits(c, 1), "a leaf has a circuit that says nothing there");
      bool free = false;
      for (const std::uint32_t row : c.rows) {
        if (known_[row] != 0) continue;
        free = true;
        load_[row] += share;
        touched.push_back(row);
        require(load_[row] <= rows_.weight[row] << share_bits,
                "the shares of a row are more than its weight");
      }
      if (free) sum += share;
      impossible = impossible || !free;
    }
    for (const std::uint32_t row : touched) load_[row] = 0;
    const std::int64_t one = std::int64_t{1} << share_bits;
    require(impossible || rows_.base + wrong_ + (sum + one - 1) / one >= lower_,
            "a leaf of the tree does not reach the bound");
  }

  const ErrorRows& rows_;
  ProofReader& proof_;
  std::int64_t lower_, wrong_ = 0;
  const Threads& threads_;
  std::vector<Circuit> circuits_;
  std::vector<std::int8_t> known_;  // 1: right, -1: wrong
  std::vector<std::int64_t> load_;
};

}  // namespace

void check_row_tree(const ErrorRows& rows, ProofReader& proof, std::int64_t lower, const Threads& threads) {
  RowTree(rows, proof, lower, threads).check();
}

}  // namespace halfspace::detail
