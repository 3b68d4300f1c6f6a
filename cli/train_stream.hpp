// SPDX-License-Identifier: BSD-3-Clause
// halfspace train --stream: one pass over libsvm text that need not fit into memory.
#pragma once

#include <string>

#include "app.hpp"
#include "data_options.hpp"
#include "halfspace/solve/algorithm.hpp"

namespace halfspace::cli {

// `from` is where the planes start. Gives the exit code.
[[nodiscard]] int train_stream(const Algorithm& algorithm, const DataOptions& data, const std::string& from,
                               const std::string& model_path, const Common& common, Output& output);

}  // namespace halfspace::cli
