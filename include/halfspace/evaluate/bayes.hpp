// SPDX-License-Identifier: BSD-3-Clause
// A model beside the best classifier of the law its rows were drawn from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "halfspace/core/error.hpp"
#include "halfspace/data/law.hpp"
#include "halfspace/model/model.hpp"

namespace halfspace {

// {"schema": "halfspace.law/1", "kind", "distance", "margin", "flip", "positive", "direction", "bayes_error", "eta"}
[[nodiscard]] std::string to_json(const Law& law);
[[nodiscard]] Law law_from_json(std::string_view text, const Place& place);  // throws InputError

struct BayesComparison {
  double bayes_error = 0;       // of the law
  double model_error = 0;       // on these rows
  double best_error = 0;        // of the best classifier on these rows
  std::uint64_t differing = 0;  // rows where the two disagree
  // What the model loses by disagreeing: the mean of |2 eta(x) - 1| over all rows, where it disagrees. Its mean over draws is
  // err(model) - err(best) exactly, and the luck of the labels is not in it.
  double excess = 0;
};
// Throws UsageError when the model is not between the classes -1 and 1 of the law, InputError for other rows.
[[nodiscard]] BayesComparison compare_with_bayes(const Model& model, const Dataset& data, const Law& law,
                                                 const Threads& threads);

}  // namespace halfspace
