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

namespace {

// Null also where a calibrator takes their place.
const KernelModel* with_sigmoids(const Model& model) {
  if (model.calibrator.on()) return nullptr;
  const auto* kernel = std::get_if<KernelModel>(&model.form);
  return kernel != nullptr && !kernel->sigmoid.empty() ? kernel : nullptr;
}

bool is_liblinear_logistic(const Model& model) {
  if (model.algorithm != "liblinear") return false;
  return std::any_of(model.options.begin(), model.options.end(), [](const auto& option) {
    return option.first == "solver_type" &&
           (option.second == "L2R_LR" || option.second == "L1R_LR" || option.second == "L2R_LR_DUAL");
  });
}

// Its scores are log-odds, like those of logistic regression.
bool is_logistic_descent(const Model& model) {
  return model.algorithm == "sgd" && std::find(model.options.begin(), model.options.end(),
                                               Facts::value_type("loss", "logistic")) != model.options.end();
}

// The classes in the order of the model that was read: sweeps of the coupling and ties follow it.
std::vector<std::uint32_t> foreign_order(const Model& model, const KernelModel& kernel) {
  if (!kernel.order.empty()) return kernel.order;
  // Two classes: LIBSVM's second class wins at a score of zero.
  if (model.classes.size() == 2 && model.tie == Tie::Negative) return {1, 0};
  std::vector<std::uint32_t> order(model.classes.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<std::uint32_t>(k);
  return order;
}

// r[a][b], the probability of class a among a and b, from the values of the functions of one row.
using Pairwise = std::vector<std::vector<double>>;
void pairwise_probabilities(const KernelModel& kernel, const double* f, Pairwise& r) {
  constexpr double least = 1e-7;  // LIBSVM's: no pair is ever sure
  std::size_t k = 0;
  for (std::size_t a = 0; a + 1 < r.size(); ++a) {
    for (std::size_t b = a + 1; b < r.size(); ++b, ++k) {
      const double later = sigmoid(-(kernel.sigmoid[2 * k] * f[k] + kernel.sigmoid[2 * k + 1]));
      r[b][a] = std::clamp(later, least, 1 - least);
      r[a][b] = 1 - r[b][a];
    }
  }
}

// Wu, Lin, Weng, "Probability estimates for multi-class classification by pairwise coupling", JMLR 5 (2004), second method:
// minimise sum over pairs of (r_ba p_a - r_ab p_b)^2 with sum p = 1, that is p'Qp, one class after the other and scaled back
// to sum 1 after each. The classes in the given order from equal shares, until all of Qp are within 0.005 / classes of p'Qp:
// where LIBSVM stops.
void couple(const Pairwise& r, const std::vector<std::uint32_t>& order, double* p) {
  const std::size_t n = order.size();
  std::vector<double> Q(n * n, 0.0), Qp(n);
  for (const std::uint32_t t : order) {
    for (const std::uint32_t j : order) {
      if (j == t) continue;
      Q[t * n + t] += r[j][t] * r[j][t];
      Q[t * n + j] = -r[j][t] * r[t][j];
    }
  }
  std::fill(p, p + n, 1 / static_cast<double>(n));
  const double near = 0.005 / static_cast<double>(n);
  for (std::size_t sweep = 0; sweep < std::max<std::size_t>(100, n); ++sweep) {
    double pQp = 0;
    for (const std::uint32_t t : order) {
      Qp[t] = 0;
      for (const std::uint32_t j : order) Qp[t] += Q[t * n + j] * p[j];
      pQp += p[t] * Qp[t];
    }
    double furthest = 0;
    for (const double q : Qp) furthest = std::max(furthest, std::abs(q - pQp));
    if (furthest < near) return;
    for (const std::uint32_t t : order) {
      const double step = (pQp - Qp[t]) / Q[t * n + t];
      const double sum = 1 + step;
      pQp = (pQp + step * (step * Q[t * n + t] + 2 * Qp[t])) / (sum * sum);
      p[t] += step;
      for (std::size_t j = 0; j < n; ++j) {
        Qp[j] = (Qp[j] + step * Q[t * n + j]) / sum;
        p[j] /= sum;
      }
    }
  }
}

std::vector<double> coupled_probabilities(const Model& model, const KernelModel& kernel,
                                          std::span<const double> values) {
  const std::size_t classes = model.classes.size();
  const std::size_t functions = kernel.offsets.size();
  const std::vector<std::uint32_t> order = foreign_order(model, kernel);
  Pairwise r(classes, std::vector<double>(classes, 0.0));
  std::vector<double> out(values.size() / functions * classes);
  for (std::size_t i = 0; i < values.size() / functions; ++i) {
    pairwise_probabilities(kernel, values.data() + i * functions, r);
    double* p = out.data() + i * classes;
    if (classes == 2) {
      p[0] = r[0][1];
      p[1] = r[1][0];
    } else {
      couple(r, order, p);
    }
  }
  return out;
}

}  // namespace

bool has_probabilities(const Model& model) {
  return model.calibrator.on() || model.algorithm == "logistic" || is_logistic_descent(model) ||
         is_liblinear_logistic(model) || with_sigmoids(model) != nullptr;
}

std::optional<double> score_of_probability(const Model& model, double p) {
  if (model.planes() != 1 || !has_probabilities(model) || with_sigmoids(model) != nullptr)
    return std::nullopt;
  if (model.calibrator.on()) return model.calibrator.score_of(p);
  return std::log(p) - std::log1p(-p);
}

std::vector<double> probability_scores(const Model& model, const Dataset& data, const Threads& threads) {
  const KernelModel* kernel = with_sigmoids(model);
  return kernel != nullptr ? function_values(*kernel, model.unit_rows, data, threads)
                           : scores(model, data, threads);
}

bool labels_follow_probabilities(const Model& model) { return with_sigmoids(model) != nullptr; }

std::vector<std::uint32_t> labels_from_probabilities(const Model& model,
                                                     std::span<const double> probabilities) {
  const std::size_t classes = model.classes.size();
  std::vector<std::uint32_t> order(classes);
  for (std::size_t k = 0; k < classes; ++k) order[k] = static_cast<std::uint32_t>(k);
  if (const KernelModel* kernel = with_sigmoids(model)) order = foreign_order(model, *kernel);
  std::vector<std::uint32_t> labels(probabilities.size() / classes);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double* p = probabilities.data() + i * classes;
    labels[i] = order[0];
    for (const std::uint32_t c : order)
      if (p[c] > p[labels[i]]) labels[i] = c;
  }
  return labels;
}

std::vector<double> probabilities_from_scores(const Model& model, std::span<const double> scores) {
  if (const KernelModel* kernel = with_sigmoids(model)) return coupled_probabilities(model, *kernel, scores);
  const std::size_t planes = model.planes();
  const std::size_t classes = model.classes.size();
  const std::size_t rows = scores.size() / planes;
  const bool softmax = is_softmax(model);
  std::vector<double> out(rows * classes);
  for (std::size_t i = 0; i < rows; ++i) {
    double* p = out.data() + i * classes;
    if (model.calibrator.on()) {
      model.calibrator.probabilities_of(scores.subspan(i * planes, planes), p);
      continue;
    }
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
