// SPDX-License-Identifier: BSD-3-Clause
// Where an online learner starts: at zero, at the plane of a model, or at given numbers.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "halfspace/data/dataset.hpp"
#include "halfspace/solve/fit.hpp"

namespace halfspace {

// `text` is "zero" (then the answer is null), weights with commas between them (as many as there are features, and one more
// for theta0), or the path of a model of planes. Classes and features of a model must be those of the data. Throws
// UsageError or InputError.
[[nodiscard]] std::shared_ptr<const StartPlane> start_from(std::string_view text, const Dataset& data,
                                                           const Threads& threads);
// The same for rows that are yet to come: only zero or a model, whose classes are looked at when the first rows are there.
[[nodiscard]] std::shared_ptr<const StartPlane> start_of_stream(std::string_view text,
                                                                const Threads& threads);

}  // namespace halfspace
