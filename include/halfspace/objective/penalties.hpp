// SPDX-License-Identifier: BSD-3-Clause
// The one list of penalties. A penalty is a sum over the weights (and over a lifted offset, which is a weight), and its
// conjugate a function of the length of a vector; gaps, printed formulas and `verify` take both from here.
//   limit              where some |s_j| is above it the conjugate is infinite; infinity: nowhere
//   value(w)           what one weight costs
//   beyond(s)          the part of s = sum alpha y x that the conjugate sees: 0 where some weight of 0 is best, and never
//                      steeper than s itself, so that an error of s lengthens the vector of these parts by no more
//   conjugate(length)  sup over theta of s . theta - penalty(theta), from the length of that vector
//   longest(p)         no theta of a penalty of at most p is longer
//   formula(theta), term(w)  in words: of a vector, of one weight; empty: there is none
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <variant>

#include "halfspace/core/options.hpp"
#include "halfspace/objective/penalties/elastic_net.hpp"
#include "halfspace/objective/penalties/l1.hpp"
#include "halfspace/objective/penalties/l2.hpp"
#include "halfspace/objective/penalties/none.hpp"

namespace halfspace {

using Penalties = std::tuple<L2, L1, ElasticNet, NoPenalty>;
using Penalty = detail::VariantOf<Penalties>;

[[nodiscard]] inline double value_of(const Penalty& penalty, double w) {
  return std::visit([w](const auto& p) { return p.value(w); }, penalty);
}
// How much of it is the sum of the sizes, and how much half the square: |w| and w^2/2 of value(w).
struct PenaltyParts {
  double sizes = 0, squares = 0;
};
[[nodiscard]] PenaltyParts parts_of(const Penalty& penalty);
// Whether the best plane has weights that are exactly 0.
[[nodiscard]] inline bool is_sparse_penalty(const Penalty& penalty) { return parts_of(penalty).sizes > 0; }

// The penalty that a name and a ratio stand for: an elastic net of ratio 1 is L1, of ratio 0 it is L2.
[[nodiscard]] Penalty penalty_of(const Penalty& named, double l1_ratio);

// The penalties of problems that have one.
struct AnyPenalty {
  template <class P>
  static constexpr bool has = !std::is_same_v<P, NoPenalty>;
};

template <>
struct OptionType<Penalty> : NamedOption<Penalty> {};

}  // namespace halfspace
