// SPDX-License-Identifier: BSD-3-Clause
// The door: what a user of the library needs.
//
//   namespace hs = halfspace;
//   auto data = hs::read("data/breast_cancer.csv");
//   auto fit = hs::train(data, hs::Perceptron{.passes = {20}}, {});
//   hs::save(fit.model, "m.safetensors");
//   auto scores = hs::scores(fit.model, data, hs::Threads(2));
#pragma once

#include "halfspace/certify/certificate.hpp"  // IWYU pragma: export
#include "halfspace/core/error.hpp"           // IWYU pragma: export
#include "halfspace/core/version.hpp"         // IWYU pragma: export
#include "halfspace/data/generate.hpp"        // IWYU pragma: export
#include "halfspace/data/read.hpp"            // IWYU pragma: export
#include "halfspace/data/scaling.hpp"         // IWYU pragma: export
#include "halfspace/data/split.hpp"           // IWYU pragma: export
#include "halfspace/data/write.hpp"           // IWYU pragma: export
#include "halfspace/evaluate/evaluation.hpp"  // IWYU pragma: export
#include "halfspace/model/geometry.hpp"       // IWYU pragma: export
#include "halfspace/model/model_file.hpp"     // IWYU pragma: export
#include "halfspace/solve/algorithm.hpp"      // IWYU pragma: export
#include "halfspace/solve/algorithms.hpp"     // IWYU pragma: export
#include "halfspace/solve/separability.hpp"   // IWYU pragma: export
