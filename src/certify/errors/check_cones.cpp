// SPDX-License-Identifier: BSD-3-Clause
// A tree of cones. r + 1 vectors that span the space of planes and sum to zero leave out one each: r + 1 cones that cover
// it. A cone is split by a point on the edge of two of its generators. A row that is at most 0 at every generator is
// wrong in the whole cone; of a witness, rows with lambda >= 0 and sum lambda_k a_k . g <= 0 at every generator g, one row
// is. Witnesses take their share of the weights in order, each as much as its rows have left.
#include <gmpxx.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

#include "certify/errors/check_bound.hpp"
#include "certify/separation/exact_rows.hpp"
#include "certify/separation/refusal.hpp"

namespace halfspace::detail {
namespace {

constexpr std::uint64_t most_factor = std::uint64_t{1} << 31U;
constexpr std::size_t int128_bits = 125;

struct TooWide {};  // for machine words: the same again with GMP

mpz_class to_whole(const mpz_class& x) { return x; }
mpz_class to_whole(Int128 x) {
  mpz_class out = static_cast<long>(x >> 64);
  out <<= 64;
  out += static_cast<unsigned long>(x);
  return out;
}
void from_whole(const mpz_class& x, mpz_class& out) { out = x; }
void from_whole(const mpz_class& x, Int128& out) {
  if (bits_of(x) > int128_bits) throw TooWide{};
  mpz_class size = abs(x), low = size & mpz_class("18446744073709551615"), high = size >> 64;
  out = static_cast<Int128>(high.get_ui()) << 64;
  out += static_cast<Int128>(low.get_ui());
  if (x < 0) out = -out;
}
// a b <= c d
template <class Int>
bool product_at_most(const Int& a, const Int& b, const Int& c, const Int& d) {
  return to_whole(a) * to_whole(b) <= to_whole(c) * to_whole(d);
}

// What cones begin with: columns that all others depend on, and the generators among them.
struct Start {
  std::vector<std::size_t> columns;
  std::vector<std::vector<mpz_class>> generators;  // r + 1
};

Start read_start(const ErrorRows& rows, ProofReader& proof, const Threads& threads) {
  Start out;
  const std::uint64_t r = proof.number(std::min(rows.columns, most_cone_dimension));
  require(r >= 1, "cones of no dimension");
  for (std::uint64_t k = 0; k < r; ++k) {
    out.columns.push_back(proof.number(rows.columns - 1));
    require(k == 0 || out.columns[k] > out.columns[k - 1], "the columns of the cones are not ascending");
  }
  // The rows have rank r, and so they do on these columns: the other columns depend on them.
  IndependentVectors all(rows.columns), chosen(r);
  std::vector<mpz_class> part(r);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i % 64 == 0) threads.check();
    for (std::size_t k = 0; k < r; ++k) part[k] = rows.row(i)[out.columns[k]];
    const bool here = chosen.add(part);
    require(all.add(rows.row(i)) == here, "other columns do not depend on those of the cones");
  }
  IndependentVectors independent(r);
  out.generators.assign(r + 1, std::vector<mpz_class>(r));
  for (std::uint64_t g = 0; g < r; ++g) {
    for (std::uint64_t k = 0; k < r; ++k) {
      out.generators[g][k] = static_cast<long>(proof.signed_number(std::int64_t{1} << 55));
      out.generators[r][k] -= out.generators[g][k];
    }
    require(independent.add(out.generators[g]), "the generators do not span the space");
  }
  return out;
}

template <class Int>
class ConeTree {
 public:
  ConeTree(const ErrorRows& rows, ProofReader& proof, std::int64_t lower, const Threads& threads)
      : rows_(rows), proof_(proof), lower_(lower), threads_(threads), left_(rows.weight) {}

  void check(const Start& start) {
    const std::size_t r = start.columns.size(), n = rows_.size();
    std::vector<std::vector<Int>> margins(r + 1, std::vector<Int>(n));
    std::vector<std::size_t> bits(r + 1, 0);
    for (std::size_t g = 0; g <= r; ++g) {
      for (std::size_t i = 0; i < n; ++i) {
        mpz_class sum = 0;
        for (std::size_t k = 0; k < r; ++k) sum += rows_.row(i)[start.columns[k]] * start.generators[g][k];
        bits[g] = std::max(bits[g], bits_of(sum));
        from_whole(sum, margins[g][i]);
      }
    }
    for (std::size_t out = 0; out <= r; ++out) {
      Node root;
      root.live.resize(n);
      std::iota(root.live.begin(), root.live.end(), 0U);
      for (std::size_t g = 0; g <= r; ++g) {
        if (g == out) continue;
        root.margins.push_back(margins[g]);
        root.bits.push_back(bits[g]);
      }
      decide(root);
      stack_.push_back(std::move(root));
      while (!stack_.empty()) step();
    }
  }

 private:
  // A cone with the rows that it leaves open and their margins at its generators.
  struct Node {
    std::vector<std::uint32_t> live;
    std::vector<std::vector<Int>> margins;
    std::vector<std::size_t> bits;
    std::int64_t wrong = 0;
  };

  // Rows that are right or wrong in the whole cone go.
  void decide(Node& node) const {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < node.live.size(); ++i) {
      bool positive = false, negative = false;
      for (const auto& m : node.margins) {
        positive = positive || m[i] > 0;
        negative = negative || m[i] < 0;
      }
      if (!positive) node.wrong += rows_.weight[node.live[i]];
      if (!positive || !negative) continue;
      if (kept != i) {
        node.live[kept] = node.live[i];
        for (auto& m : node.margins) m[kept] = m[i];
      }
      ++kept;
    }
    node.live.resize(kept);
    for (auto& m : node.margins) m.resize(kept);
  }

  void step() {
    if (++steps_ % 256 == 0) threads_.check();
    const std::size_t r = stack_.back().margins.size();
    const std::uint64_t token = proof_.number(r * (r - 1) / 2);
    if (token == 0) {
      check_leaf(stack_.back());
      stack_.pop_back();
      return;
    }
    // The pairs of generators (0, 1), (0, 2), (1, 2), (0, 3), ... count from 1.
    std::size_t b = 1;
    while (b * (b + 1) / 2 < token) ++b;
    const std::size_t a = token - 1 - b * (b - 1) / 2;
    const std::uint64_t alpha = proof_.number(most_factor), beta = proof_.number(most_factor);
    require(alpha > 0 && beta > 0, "a split that is none");
    require(stack_.size() < most_proof_depth, "the tree is too deep");
    Node second = stack_.back();
    Node& first = stack_.back();
    const std::size_t bits = std::max(first.bits[a] + static_cast<std::size_t>(std::bit_width(alpha)),
                                      first.bits[b] + static_cast<std::size_t>(std::bit_width(beta))) +
                             1;
    if (std::is_same_v<Int, Int128> && bits > int128_bits) throw TooWide{};
    require(bits <= most_margin_bits, "the numbers of the cones grow too long");
    for (std::size_t i = 0; i < first.live.size(); ++i) {
      Int next = first.margins[a][i] * static_cast<long>(alpha);
      next += first.margins[b][i] * static_cast<long>(beta);
      first.margins[a][i] = next;
      second.margins[b][i] = next;
    }
    first.bits[a] = second.bits[b] = bits;
    decide(first);
    decide(second);
    std::swap(first, second);
    stack_.push_back(std::move(second));  // the one that replaces the generator a comes first
  }

  void check_leaf(const Node& node) {
    std::int64_t bound = rows_.base + node.wrong;
    std::vector<std::uint32_t> touched, places;
    const std::uint64_t count = proof_.number(proof_.left());
    for (std::uint64_t w = 0; w < count; ++w) {
      const std::uint64_t size = proof_.number(rows_.columns + 1);
      require(size >= 2, "a witness of fewer than two rows");
      places.clear();
      for (std::uint64_t k = 0; k < size; ++k) {
        const auto row = static_cast<std::uint32_t>(proof_.number(rows_.size() - 1));
        const auto found = std::lower_bound(node.live.begin(), node.live.end(), row);
        require(found != node.live.end() && *found == row, "a witness has a row that is decided in its cone");
        places.push_back(static_cast<std::uint32_t>(found - node.live.begin()));
        require(std::find(places.begin(), places.end() - 1, places.back()) == places.end() - 1,
                "a witness has a row twice");
        touched.push_back(row);
      }
      require(size == 2 ? is_pair(node, places[0], places[1]) : is_witness(node, places),
              "a witness proves nothing in its cone");
      std::int64_t share = INT64_MAX;
      for (const std::uint32_t p : places) share = std::min(share, left_[node.live[p]]);
      for (const std::uint32_t p : places) left_[node.live[p]] -= share;
      bound += share;
    }
    for (const std::uint32_t row : touched) left_[row] = rows_.weight[row];
    require(bound >= lower_, "a leaf of the tree does not reach the bound");
  }

  // Some lambda > 0 has m_p + lambda m_q <= 0 at all generators: a lower bound where m_p > 0, an upper one where m_q > 0.
  static bool is_pair(const Node& node, std::uint32_t p, std::uint32_t q) {
    for (const auto& low : node.margins) {
      if (low[p] <= 0) continue;
      if (low[q] >= 0) return false;
      for (const auto& high : node.margins) {
        if (high[q] <= 0) continue;
        if (high[p] >= 0) return false;
        // m_p / -m_q at low <= -m_p / m_q at high
        if (!product_at_most(low[p], high[q], high[p], low[q])) return false;
      }
    }
    return true;
  }

  bool is_witness(const Node& node, const std::vector<std::uint32_t>& places) {
    std::vector<mpz_class> lambda;
    for (std::size_t k = 0; k < places.size(); ++k)
      lambda.emplace_back(static_cast<unsigned long>(proof_.number(std::uint64_t{1} << 59U)));
    if (std::all_of(lambda.begin(), lambda.end(), [](const mpz_class& x) { return x == 0; })) return false;
    mpz_class sum;
    for (const auto& m : node.margins) {
      sum = 0;
      for (std::size_t k = 0; k < places.size(); ++k) sum += lambda[k] * to_whole(m[places[k]]);
      if (sum > 0) return false;
    }
    return true;
  }

  const ErrorRows& rows_;
  ProofReader& proof_;
  std::int64_t lower_;
  const Threads& threads_;
  std::vector<std::int64_t> left_;  // of the weights, in the leaf that is looked at
  std::vector<Node> stack_;
  std::size_t steps_ = 0;
};

}  // namespace

void check_cones(const ErrorRows& rows, ProofReader& proof, std::int64_t lower, const Threads& threads) {
  require(rows.size() > 0, "cones without rows");
  const Start start = read_start(rows, proof, threads);
  const ProofReader tree = proof;
  try {
    ConeTree<Int128>(rows, proof, lower, threads).check(start);
  } catch (const TooWide&) {
    proof = tree;
    ConeTree<mpz_class>(rows, proof, lower, threads).check(start);
  }
}

}  // namespace halfspace::detail
