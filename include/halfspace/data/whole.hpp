// SPDX-License-Identifier: BSD-3-Clause
// What the members of a team have read, each by itself, made parts of one data set.
#pragma once

#include <string>

#include "halfspace/core/team.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace {

// No rows: of a member for which none are left.
[[nodiscard]] Dataset no_rows(const std::string& name);

// The rows of this member as a part of those of all: the classes of all, sorted, as many features as any has, weights
// where any has them, dense or sparse as a reader of all rows would have stored them. What fits already is not copied.
// UsageError for tables whose columns are not the same. All members call it.
[[nodiscard]] Dataset part_of_whole(const Dataset& mine, const Team& team);

}  // namespace halfspace
