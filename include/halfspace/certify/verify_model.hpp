// SPDX-License-Identifier: BSD-3-Clause
// Checks what a model file claims about its training data, with the data at hand.
#pragma once

#include <string>
#include <vector>

#include "halfspace/certify/certificate.hpp"
#include "halfspace/core/parallel.hpp"
#include "halfspace/data/dataset.hpp"
#include "halfspace/model/model.hpp"

namespace halfspace {

struct ModelCheck {
  bool holds = false;
  std::vector<std::string> lines;  // what was checked and found, one line each
  std::vector<DualityGap> gaps;    // recomputed, one per plane
};

// Models of penalised problems (svm, logistic): the data are the ones it was trained on, and the gap of every
// plane, recomputed from the model and the data alone, is what the model says. Throws UsageError for other
// models.
[[nodiscard]] ModelCheck verify(const Model& model, const Dataset& data, const Threads& threads);

}  // namespace halfspace
