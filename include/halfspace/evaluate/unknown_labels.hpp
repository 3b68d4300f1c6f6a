// SPDX-License-Identifier: BSD-3-Clause
// Labels of new rows that the model does not know: often the same classes, written in another way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "halfspace/data/dataset.hpp"
#include "halfspace/model/model.hpp"

namespace halfspace {

struct UnknownLabel {
  std::string label;
  std::uint64_t rows = 0;  // of weight above 0
  std::string nearest;     // the class that was likely meant; empty: none is near
};
// In the order of the classes of the data; none for a model of one class against the rest, to which all others are the rest.
[[nodiscard]] std::vector<UnknownLabel> unknown_labels(const Model& model, const Dataset& data);

// "'<=50K.' (12435 rows; did you mean '<=50K'?)", the first few of them.
[[nodiscard]] std::string unknown_words(const std::vector<UnknownLabel>& unknown);
// "--rename '<=50K.=<=50K'" for those that have a nearest class; empty: none has.
[[nodiscard]] std::string rename_hint(const std::vector<UnknownLabel>& unknown);

// Throws InputError when no row has a label that the model knows: every figure would be about the names.
void check_some_known(const Model& model, const Dataset& data);

}  // namespace halfspace
