// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/model/calibrator.hpp"

#include <algorithm>
#include <cmath>

namespace halfspace {
namespace {

// 1 / (1 + exp(-t)) without overflow on either side.
double logistic_share(double t) {
  if (t >= 0) return 1 / (1 + std::exp(-t));
  const double e = std::exp(t);
  return e / (1 + e);
}

}  // namespace

double Calibrator::free_probability(double score) const {
  if (kind != CalibrationKind::Isotonic) return logistic_share(slope * score + shift);
  const auto after = std::upper_bound(scores.begin(), scores.end(), score);
  if (after == scores.begin()) return probabilities.front();
  if (after == scores.end()) return probabilities.back();
  const auto k = static_cast<std::size_t>(after - scores.begin());
  const double share = (score - scores[k - 1]) / (scores[k] - scores[k - 1]);
  const double p = probabilities[k - 1] + share * (probabilities[k] - probabilities[k - 1]);
  return std::clamp(p, probabilities[k - 1], probabilities[k]);  // whatever rounding did
}

double Calibrator::score_of(double p) const {
  constexpr double beyond = 1e300;
  double score = 0;
  if (kind != CalibrationKind::Isotonic) {
    const double logit = std::log(p) - std::log1p(-p) - shift;
    score = slope > 0 ? std::clamp(logit / slope, -beyond, beyond) : (logit < 0 ? -beyond : beyond);
  } else {
    const auto above = std::upper_bound(probabilities.begin(), probabilities.end(), p);
    if (above == probabilities.begin()) {
      score = -beyond;
    } else if (above == probabilities.end()) {
      score = beyond;
    } else {
      const auto k = static_cast<std::size_t>(above - probabilities.begin());
      const double share = (p - probabilities[k - 1]) / (probabilities[k] - probabilities[k - 1]);
      score = scores[k - 1] + share * (scores[k] - scores[k - 1]);
    }
  }
  // Probabilities are held on the side of the label.
  return p > 0.5 ? std::max(score, 0.0) : p < 0.5 ? std::min(score, 0.0) : 0.0;
}

void Calibrator::probabilities_of(std::span<const double> f, double* p) const {
  if (f.size() == 1) {
    const double free = free_probability(f[0]);
    const double other =
        kind == CalibrationKind::Isotonic ? 1 - free : logistic_share(-(slope * f[0] + shift));
    p[1] = f[0] > 0 ? std::max(free, 0.5) : f[0] < 0 ? std::min(free, 0.5) : 0.5;
    p[0] = f[0] > 0 ? std::min(other, 0.5) : f[0] < 0 ? std::max(other, 0.5) : 0.5;
    return;
  }
  const double largest = *std::max_element(f.begin(), f.end());
  double sum = 0;
  for (std::size_t k = 0; k < f.size(); ++k)
    sum += p[k] =
        kind == CalibrationKind::Isotonic ? free_probability(f[k]) : std::exp(slope * (f[k] - largest));
  for (std::size_t k = 0; k < f.size(); ++k) p[k] /= sum;
}

}  // namespace halfspace
