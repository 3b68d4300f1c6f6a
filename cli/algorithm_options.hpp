// SPDX-License-Identifier: BSD-3-Clause
// The options of an algorithm on the command line, for every verb that trains.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "halfspace/solve/algorithm.hpp"
#include "options.hpp"

namespace halfspace::cli {

// The algorithm decides which options there are, so it is looked for before parsing.
[[nodiscard]] std::string algorithm_named(const std::vector<std::string>& args, std::string_view fallback);
// Features are made of the rows before the algorithm sees them; then --kernel belongs to the features.
[[nodiscard]] bool makes_features(const std::vector<std::string>& args);
// `algorithm` outlives the options. `but`: an option that is left out.
void add_algorithm_options(OptionList& options, Algorithm& algorithm, std::string_view but = {});
// Why the algorithm does not have the option: which ones do. Empty when none does.
[[nodiscard]] std::string option_owners(const Algorithm& algorithm, const std::string& option);
// The same for --from, which is no option of the algorithm alone.
[[nodiscard]] std::string start_owners(const Algorithm& algorithm);

}  // namespace halfspace::cli
