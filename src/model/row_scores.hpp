// SPDX-License-Identifier: BSD-3-Clause
// Scores of stored rows under a linear model. The sum of a score runs over the features in ascending order,
// one addition after the other, so a row gets the same bits whether it is stored dense or sparse, alone or in
// a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "halfspace/core/parallel.hpp"
#include "halfspace/data/dataset.hpp"
#include "halfspace/model/model.hpp"

namespace halfspace::detail {

// out[row * planes + k] = w_k . x (divided by |x| when unit_rows) + offset_k.
void linear_scores(const LinearModel& model, bool unit_rows, const Dataset& data, const Threads& threads,
                   std::span<double> out);

// The same for some of the rows, in this order, where they lie.
void linear_scores_of(const LinearModel& model, bool unit_rows, const Dataset& data,
                      std::span<const std::uint32_t> rows, const Threads& threads, std::span<double> out);

// out[row * planes + k] = share of the votes of plane k's walk, -1 to 1. `decide`: between two classes, votes are
// counted only until nothing can turn their sign.
void voted_scores(const VotedModel& model, bool unit_rows, const Dataset& data, bool decide,
                  const Threads& threads, std::span<double> out);

// The same for a walk with a kernel.
void kernel_votes(const VotedModel& model, bool unit_rows, const Dataset& data, const Threads& threads,
                  std::span<double> out);

// The functions of the model, or the votes of its pairs. `decide`: only the labels that they give are wanted.
void kernel_scores(const KernelModel& model, bool unit_rows, std::size_t planes, const Dataset& data,
                   bool decide, const Threads& threads, std::span<double> out);

// |x| of a row, also where its square is not a number.
void row_norms(const Dataset& data, const Threads& threads, std::span<double> out);

// out[row] = value of one feature (divided by |x| when unit_rows).
void feature_values(std::uint32_t feature, bool unit_rows, const Dataset& data, const Threads& threads,
                    std::span<double> out);

}  // namespace halfspace::detail
