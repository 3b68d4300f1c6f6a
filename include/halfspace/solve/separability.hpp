// SPDX-License-Identifier: BSD-3-Clause
// Can a plane separate two classes? Decided exactly, with a proof that verify() of certify/separation.hpp
// checks.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "halfspace/certify/separation.hpp"
#include "halfspace/solve/fit.hpp"

namespace halfspace {

struct SeparabilityOptions {
  Offset offset = Offset::Free;
  std::optional<Values> values;  // default: decimals for text and decimal storage, else doubles
};

struct Separability {
  // False: no proof was found within the limits, and nothing is said about the verdict; the data are too
  // large.
  bool decided = false;
  SeparationProof proof;
  std::string method;  // what settled it: peeling, duplicates, probe, simplex, rational simplex
  std::uint64_t core_rows = 0, core_columns = 0;  // what peeling and merging left
  std::uint64_t pivots = 0;
};

// The classes named `positive` against those named `negative`; other rows do not take part.
[[nodiscard]] Separability separability(const Dataset& data, std::vector<std::string> positive,
                                        std::vector<std::string> negative, const SeparabilityOptions& options,
                                        const Run& run = {});
// The last class against all others.
[[nodiscard]] Separability separability(const Dataset& data, const SeparabilityOptions& options = {},
                                        const Run& run = {});

}  // namespace halfspace
