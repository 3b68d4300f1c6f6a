// SPDX-License-Identifier: BSD-3-Clause
// The door: what a user of the library needs (docs/library.md).
//
//   namespace hs = halfspace;
//   const hs::Dataset data = hs::read("data/breast_cancer.csv");
//   const hs::Fit fit = hs::train(data, {.scale = hs::ScaleKind::Standard}, hs::Svm{.C = 1});
//   const std::vector<std::uint32_t> labels = hs::predict(fit.model(), data, hs::Threads(0));
//   hs::save(fit.model(), "m.safetensors");
//   const bool proved = hs::verify(hs::load("m.safetensors"), data).holds;
//
// Threads: data sets, models, fits and proofs are values that no function changes. Any number of threads may read one and
// call any function with it at once; who writes to one makes sure that nobody reads it. Run::observe is never called by two
// threads at once. Lifetimes: copies of a Dataset share storage that lives as long as the last of them; all else that
// functions return is owned by who gets it.
#pragma once

#include "halfspace/certify/certificate.hpp"   // IWYU pragma: export
#include "halfspace/certify/separation.hpp"    // IWYU pragma: export
#include "halfspace/certify/verify_model.hpp"  // IWYU pragma: export
#include "halfspace/core/error.hpp"            // IWYU pragma: export
#include "halfspace/core/stop.hpp"             // IWYU pragma: export
#include "halfspace/core/version.hpp"          // IWYU pragma: export
#include "halfspace/data/generate.hpp"         // IWYU pragma: export
#include "halfspace/data/law.hpp"              // IWYU pragma: export
#include "halfspace/data/read.hpp"             // IWYU pragma: export
#include "halfspace/data/split.hpp"            // IWYU pragma: export
#include "halfspace/data/write.hpp"            // IWYU pragma: export
#include "halfspace/evaluate/evaluation.hpp"   // IWYU pragma: export
#include "halfspace/model/geometry.hpp"        // IWYU pragma: export
#include "halfspace/model/model_file.hpp"      // IWYU pragma: export
#include "halfspace/model/predict.hpp"         // IWYU pragma: export
#include "halfspace/model/read_for_model.hpp"  // IWYU pragma: export
#include "halfspace/prepare/against_rest.hpp"  // IWYU pragma: export
#include "halfspace/solve/separability.hpp"    // IWYU pragma: export
#include "halfspace/train/train.hpp"           // IWYU pragma: export
