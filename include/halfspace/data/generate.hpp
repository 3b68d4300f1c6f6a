// SPDX-License-Identifier: BSD-3-Clause
// Data with a known best classifier.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halfspace/core/options.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace {

enum class GeneratorKind { Gaussians, Logistic, Margin, Xor, Noise };
namespace detail {
inline constexpr std::string_view generator_words[] = {"gaussians", "logistic", "margin", "xor", "noise"};
}
template <>
inline constexpr std::span<const std::string_view> enum_words<GeneratorKind> = detail::generator_words;

struct GeneratorOptions {
  std::int64_t rows = 1000;
  std::int64_t features = 2;
  double distance =
      2;  // gaussians: between the means, in standard deviations; logistic: length of the true weights
  double margin = 0.1;     // margin: no row nearer to the plane than this (rows lie in the unit ball)
  double flip = 0;         // share of labels turned over afterwards
  double positive = 0.5;   // gaussians: share of the positive class
  std::uint64_t seed = 1;  // of the rows
  std::uint64_t law_seed =
      1;  // of the direction in which the classes differ: other rows of the same law keep it
};

struct Generated {
  Dataset data;
  std::optional<double> bayes_error;  // error of the best possible classifier, where it is known
  std::string law;                    // the law the rows were drawn from, in one line
  // The best classifier says 1 where best_weights . x + best_offset > 0; no weights where it is not a plane.
  std::vector<double> best_weights;
  double best_offset = 0;
};
[[nodiscard]] Generated generate(GeneratorKind kind, const GeneratorOptions& options);

}  // namespace halfspace
