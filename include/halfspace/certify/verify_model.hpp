// SPDX-License-Identifier: BSD-3-Clause
// Checks what a model file claims about its training data, with the data at hand.
#pragma once

#include <string>
#include <vector>

#include "halfspace/certify/certificate.hpp"
#include "halfspace/core/parallel.hpp"
#include "halfspace/data/dataset.hpp"
#include "halfspace/data/read.hpp"
#include "halfspace/model/model.hpp"

namespace halfspace {

struct ModelCheck {
  bool holds = false;
  std::vector<std::string> lines;  // what was checked and found, one line each
  std::vector<DualityGap> gaps;    // recomputed, one per plane
  std::vector<Certificate> found;  // of other kinds: recomputed, one per plane
};

// How the training rows of a model are to be read again: by the choices that the model records (label, columns left
// out, missing values, ...), everything else learned from the file once more.
[[nodiscard]] ReadOptions training_read(const Model& model);

// Models of penalised problems (svm, logistic, nu-svm) and of hard margins: the data are the ones it was trained on, and
// the gap of every plane, recomputed from the model and the data alone, is what the model says (docs/proofs.md). How a
// table became features, the scaling and the features made of rows are learned from the data again and compared. `data`
// is read by training_read(), so that nothing of it comes from the model. Throws UsageError for other models, and
// InputError, naming `file`, when what the model says of itself cannot be.
[[nodiscard]] ModelCheck verify(const Model& model, const Dataset& data, const Threads& threads = Threads(1),
                                const std::string& file = {});

}  // namespace halfspace
