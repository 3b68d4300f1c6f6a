// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "halfspace/model/model.hpp"

namespace halfspace {
namespace {

// 1 / (1 + exp(-f)) without overflow on either side.
double sigmoid(double f) {
  if (f >= 0) return 1 / (1 + std::exp(-f));
  const double e = std::exp(f);
  return e / (1 + e);
}

// log(1 / (1 + exp(-f))).
double log_sigmoid(double f) { return f >= 0 ? -std::log1p(std::exp(-f)) : f - std::log1p(std::exp(f)); }

}  // namespace

bool is_softmax(const Model& model) {
  return model.algorithm == "logistic" && model.planes() > 1 &&
         std::find(model.options.begin(), model.options.end(), Facts::value_type("multiclass", "softmax")) !=
             model.options.end();
}

bool has_probabilities(const Model& model) { return model.algorithm == "logistic"; }

std::vector<double> probabilities(const Model& model, std::span<const double> scores) {
  const std::size_t planes = model.planes();
  const std::size_t classes = model.classes.size();
  const std::size_t rows = scores.size() / planes;
  const bool softmax = is_softmax(model);
  std::vector<double> out(rows * classes);
  for (std::size_t i = 0; i < rows; ++i) {
    double* p = out.data() + i * classes;
    if (planes == 1) {
      p[1] = sigmoid(scores[i]);
      p[0] = sigmoid(-scores[i]);
      continue;
    }
    // By logarithms against the largest: when every class says no, the sum would underflow.
    const double* f = scores.data() + i * planes;
    const auto logarithm = [softmax](double score) { return softmax ? score : log_sigmoid(score); };
    double largest = logarithm(f[0]);
    for (std::size_t k = 1; k < planes; ++k) largest = std::max(largest, logarithm(f[k]));
    double sum = 0;
    for (std::size_t k = 0; k < planes; ++k) sum += p[k] = std::exp(logarithm(f[k]) - largest);
    for (std::size_t k = 0; k < planes; ++k) p[k] /= sum;
  }
  return out;
}

}  // namespace halfspace
