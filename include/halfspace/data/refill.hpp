// SPDX-License-Identifier: BSD-3-Clause
// What stands for missing numbers, learned again from fewer rows: a fold must not know the mean of the rows held out.
#pragma once

#include "halfspace/data/dataset.hpp"

namespace halfspace {

// The same rows with their holes filled by the mean or the median (as they were read) of the rows of positive weight, and
// an encoding that says so. Data without an encoding that fills, as they are; the matrix is shared where no value changes.
[[nodiscard]] Dataset refilled(const Dataset& data);
// With the fills of another encoding of the same columns.
[[nodiscard]] Dataset filled_as(const Dataset& data, const Dataset& other);

}  // namespace halfspace
