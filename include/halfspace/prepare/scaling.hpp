// SPDX-License-Identifier: BSD-3-Clause
// Scaling learned on training rows. standard and minmax are x -> (x - shift) * factor per column and fold
// into the weights of a linear model; unit divides every row by its norm and stays a step before the model.
#pragma once

#include <string_view>
#include <vector>

#include "halfspace/core/options.hpp"
#include "halfspace/core/team.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace {

enum class ScaleKind { None, Standard, MinMax, Unit };
namespace detail {
inline constexpr std::string_view scale_words[] = {"none", "standard", "minmax", "unit"};
}
template <>
inline constexpr std::span<const std::string_view> enum_words<ScaleKind> = detail::scale_words;

struct Scaling {
  ScaleKind kind = ScaleKind::None;
  std::vector<double> shift;   // empty for None and Unit
  std::vector<double> factor;  // 0 for a constant column
};

// By the rows of all members of the team.
[[nodiscard]] Scaling learn_scaling(const Dataset& data, ScaleKind kind, const Team& team);
// Of every column over the rows by weight; 0 for a constant one. The factors of the standard scaling, turned over.
[[nodiscard]] std::vector<double> column_deviations(const Dataset& data, const Team& team);
// What is refused because it would grow too large is so by the rows of all members.
[[nodiscard]] Dataset apply_scaling(const Dataset& data, const Scaling& scaling, const Team& team);
// The rows [begin, end) of any data, as a model sees them: columns that the scaling does not know become zero.
[[nodiscard]] Dataset apply_scaling(const Dataset& data, const Scaling& scaling, std::size_t begin,
                                    std::size_t end, const Threads& threads);

}  // namespace halfspace
