// SPDX-License-Identifier: BSD-3-Clause
// One class against the rest: which class is meant, and the rows with their labels seen so.
#pragma once

#include <string>
#include <vector>

#include "halfspace/data/dataset.hpp"

namespace halfspace {

// The class that `label` names: the one of that name, else the one that is the same number ("+1" and "1.0" mean "1"), else
// `label` itself.
[[nodiscard]] std::string class_meant(const std::vector<std::string>& classes, const std::string& label);

// The same rows with two classes, the one that is meant last. Of two classes the other keeps its name; more of them are
// called by a name that no class has ("rest", unless there is a class of that name). Throws InputError when no row has the
// label.
[[nodiscard]] Dataset against_rest(const Dataset& data, const std::string& label);

}  // namespace halfspace
