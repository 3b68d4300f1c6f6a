// SPDX-License-Identifier: BSD-3-Clause
// The one list of penalties. A penalty is a sum over the weights (and over a lifted offset, which is a weight), and its
// conjugate a function of the length of a vector; gaps, printed formulas and `verify` take both from here.
//   value(w)           what one weight costs
//   beyond(s)          the part of s = sum alpha y x that the conjugate sees: 0 where some weight of 0 is best, and never
//                      steeper than s itself, so that an error of s lengthens the vector of these parts by no more
//   conjugate(length)  sup over theta of s . theta - penalty(theta), from the length of that vector
//   longest(p)         no theta of a penalty of at most p is longer
//   formula(theta), term(w)  in words: of a vector, of one weight; empty: there is none
#pragma once

#include <string>
#include <tuple>
#include <variant>

#include "halfspace/core/options.hpp"
#include "halfspace/objective/penalties/l2.hpp"
#include "halfspace/objective/penalties/none.hpp"

namespace halfspace {

using Penalties = std::tuple<L2, NoPenalty>;
using Penalty = detail::VariantOf<Penalties>;

template <>
struct OptionType<Penalty> : NamedOption<Penalty> {};

}  // namespace halfspace
