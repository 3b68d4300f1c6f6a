// SPDX-License-Identifier: BSD-3-Clause
// New rows, read the way the training rows of a model were: columns found by name, the same categories, words and fills,
// indices counted alike. What predict() and evaluate() take.
#pragma once

#include <string>

#include "halfspace/data/read.hpp"
#include "halfspace/model/model.hpp"

namespace halfspace {

// `data` as read() takes it, with or without labels. Of the options, format, zero_based, missing, missing_words, delimiter,
// decimal, threads and notes are consulted: all else follows from the model. Rows without names for a model of a table are taken by position;
// notes say so, and that features are ignored which the model has not seen. Throws InputError.
[[nodiscard]] Dataset read_for_model(const std::string& data, const Model& model,
                                     const ReadOptions& options = {});
// The same, some rows at a time, as read_in_blocks() has it.
void read_blocks_for_model(const std::string& data, const Model& model, const ReadOptions& options,
                           const TakeBlock& take);

}  // namespace halfspace
