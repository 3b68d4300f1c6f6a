// SPDX-License-Identifier: BSD-3-Clause
// The plane with the fewest training errors, with a proof that no plane has fewer; or the best bounds from both sides.
#pragma once

#include <array>
#include <string_view>

#include "halfspace/core/options.hpp"
#include "halfspace/objective/offset.hpp"
#include "halfspace/solve/fit.hpp"

namespace halfspace {

struct FewestErrors {
  static constexpr std::string_view name = "fewest-errors";
  static constexpr std::string_view summary =
      "the plane with the fewest training errors, and a proof that no plane has fewer";
  static constexpr bool two_classes = true;

  Offset offset = Offset::Free;
  std::int64_t nodes = 2'000'000;

  static constexpr auto fields() {
    return std::array{
        field<&FewestErrors::offset, Only<Offset::Free, Offset::None>>(
            "offset", "OFFSET", "free: planes anywhere; none: planes through the origin"),
        field<&FewestErrors::nodes>("nodes", "N", "stop after so many nodes of the search", {0, 1e12})};
  }
};

[[nodiscard]] Fit solve(const Dataset& data, const FewestErrors& options, const Run& run);

}  // namespace halfspace
