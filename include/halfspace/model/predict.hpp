// SPDX-License-Identifier: BSD-3-Clause
// What a model says of rows: their classes, scores and probabilities.
//
// A model and a data set never change under these functions: any number of threads may ask the same model at once. What
// comes back refers to nothing of the caller. A label is the number of a class, model.classes[label] its name; `abstained`
// for a score of exactly zero, when the model's tie rule is Tie::Abstain.
//
// Rows are taken as they were read, before any scaling or features: the model keeps those. They must have the width of the
// training rows. Data that say only which columns are not zero (sparse data, libsvm text) may have fewer, those being
// zeros, or more, which are ignored. The columns of a table must be those of the training table: read_for_model() reads
// new tables so. Throws InputError, with both numbers or names, and for scores that leave the range of numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halfspace/model/model.hpp"

namespace halfspace {

[[nodiscard]] std::vector<std::uint32_t> predict(const Model& model, const Dataset& data,
                                                 const Threads& threads = Threads(1));
// One row: all of its values, or the columns (from 0, ascending) that are not zero and their values. The bits are those that
// the row has in a data set. For many rows a data set is faster: some models prepare themselves for all rows at once.
[[nodiscard]] std::uint32_t predict(const Model& model, std::span<const double> row);
[[nodiscard]] std::uint32_t predict(const Model& model, std::span<const std::uint32_t> columns,
                                    std::span<const double> values);

// The scores of one row: one between two classes, above 0 for the last, else one per class. scores(model, data) has those
// of a data set.
[[nodiscard]] std::vector<double> score(const Model& model, std::span<const double> row);
[[nodiscard]] std::vector<double> score(const Model& model, std::span<const std::uint32_t> columns,
                                        std::span<const double> values);

// The probability of every class, row after row. Throws UsageError for a model that has none: has_probabilities() asks.
[[nodiscard]] std::vector<double> probabilities(const Model& model, const Dataset& data,
                                                const Threads& threads = Threads(1));
[[nodiscard]] std::vector<double> probabilities(const Model& model, std::span<const double> row);
[[nodiscard]] std::vector<double> probabilities(const Model& model, std::span<const std::uint32_t> columns,
                                                std::span<const double> values);

}  // namespace halfspace
