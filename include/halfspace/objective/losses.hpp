// SPDX-License-Identifier: BSD-3-Clause
// The one list of losses, each a pure function of the signed margin m = y f(x), convex and never rising. Options,
// solvers, certificates, `verify`, docs and contract tests follow from the list and from what a loss says of itself:
//   name, formula      the word of the options, and what it stands for
//   value, slope       the loss and a subgradient in m
//   curvature          a generalised second derivative; at most largest_curvature
//   gain(a)            the dual part, -conjugate(-a) for 0 <= a <= limit: value(m) >= gain(a) - a m for every m, with
//                      equality when a = -slope(m) (Fenchel, Young)
//   smooth             the slope has no jump: Newton's method, and a dual point that follows from the margins
//   margin             there is no loss from this margin on; infinity: always some
//   best_constant(p, n)  the b with the least p value(b) + n value(-b), at most 1 + |log(p / n)| in size
//   gain_curvature     only where gain(a) = a - gain_curvature a^2 / 2, so that a coordinate step of the dual has a
//                      closed form; then curvature(m) is 0 or largest_curvature
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string_view>
#include <tuple>
#include <variant>

#include "halfspace/core/options.hpp"
#include "halfspace/objective/losses/hinge.hpp"
#include "halfspace/objective/losses/logistic.hpp"
#include "halfspace/objective/losses/perceptron.hpp"
#include "halfspace/objective/losses/smooth_hinge.hpp"
#include "halfspace/objective/losses/squared_hinge.hpp"
#include "halfspace/objective/losses/zero_one.hpp"

namespace halfspace {

using Losses = std::tuple<Hinge, SquaredHinge, SmoothHinge, Logistic, PerceptronLoss>;

using Loss = detail::VariantOf<Losses>;

[[nodiscard]] inline std::string_view name_of(const Loss& loss) {
  return std::visit([](auto l) { return l.name; }, loss);
}
[[nodiscard]] inline bool is_smooth(const Loss& loss) {
  return std::visit([](auto l) { return l.smooth; }, loss);
}

// The dual of these is a quadratic function over a box.
template <class L>
concept QuadraticGain = requires {
  { L::gain_curvature } -> std::convertible_to<double>;
};

// The losses of support vector machines: there is none beyond a margin, so that the plane is made of the rows inside.
struct MarginLoss {
  template <class L>
  static constexpr bool has = L::margin > 0 && L::margin < std::numeric_limits<double>::infinity();
};

template <>
struct OptionType<Loss> : NamedOption<Loss> {};

namespace detail {
// "LEAD: NAME FORMULA, NAME FORMULA, ..." of the losses of a kind, for the help of an option.
template <class Kind, class List = Losses>
struct LossHelp;
template <class Kind, class... L>
struct LossHelp<Kind, std::tuple<L...>> {
  static constexpr std::string_view lead = "loss of a row with margin m:";
  static constexpr std::size_t size =
      lead.size() + ((Kind::template has<L> ? L::name.size() + L::formula.size() + 3 : 0) + ...);
  static constexpr std::array<char, size> text = [] {
    std::array<char, size> out{};
    std::size_t at = 0;
    const auto add = [&](std::string_view words) {
      for (const char c : words) out[at++] = c;
    };
    const auto add_loss = [&](bool has, std::string_view name, std::string_view formula) {
      if (!has) return;
      add(at == lead.size() ? " " : ", ");
      add(name);
      add(" ");
      add(formula);
    };
    add(lead);
    (add_loss(Kind::template has<L>, L::name, L::formula), ...);
    return out;
  }();
};
// One place is left over: the first loss has no comma before it.
template <class Kind>
inline constexpr std::string_view loss_help{LossHelp<Kind>::text.data(), LossHelp<Kind>::size - 1};
}  // namespace detail

}  // namespace halfspace
