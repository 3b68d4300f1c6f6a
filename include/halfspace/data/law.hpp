// SPDX-License-Identifier: BSD-3-Clause
// The law that rows were drawn from, where it is known: eta(x) = P(y = +1 | x), and with it the best classifier there is,
// which says +1 where eta(x) > 1/2.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "halfspace/data/generate.hpp"

namespace halfspace {

struct Law {
  GeneratorKind kind = GeneratorKind::Gaussians;
  double distance = 0, margin = 0, flip = 0, positive = 0.5;  // as in GeneratorOptions
  std::vector<double> direction;                              // u, of length 1
  double bayes_error = 0;
};
[[nodiscard]] Law law_of(GeneratorKind kind, const GeneratorOptions& options);

// eta of every row. Throws InputError when the rows have other columns than the law.
[[nodiscard]] std::vector<double> eta(const Law& law, const Dataset& data, const Threads& threads);
// eta(x) as a person writes it.
[[nodiscard]] std::string eta_words(const Law& law);

// The plane of the best classifier: it says +1 where weights . x + offset > 0. Nothing where it is not a plane.
struct BestPlane {
  std::vector<double> weights;
  double offset = 0;
};
[[nodiscard]] std::optional<BestPlane> best_plane(const Law& law);

}  // namespace halfspace
