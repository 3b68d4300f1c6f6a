// SPDX-License-Identifier: BSD-3-Clause
// The offset theta0 of a plane f(x) = theta . x + theta0. Free: not penalised; lifted: the weight of a constant feature
// 1, penalised like the others; none: planes through the origin. Not every algorithm has all three: the field of its
// options says which.
#pragma once

#include <span>
#include <string_view>

#include "halfspace/core/options.hpp"

namespace halfspace {

enum class Offset { Free, Lifted, None };
namespace detail {
inline constexpr std::string_view offset_words[] = {"free", "lifted", "none"};
}
template <>
inline constexpr std::span<const std::string_view> enum_words<Offset> = detail::offset_words;

}  // namespace halfspace
