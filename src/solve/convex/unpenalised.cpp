// SPDX-License-Identifier: BSD-3-Clause
// Logistic regression without a penalty: maximum likelihood by Newton's method, with standard errors.
//
// Problem    minimise sum cost_i log(1 + exp(-m_i)).
// Step       H s = -g with H = X' D X by Cholesky; a one-dimensional Newton search along s.
// Existence  a best plane exists if and only if the classes overlap (Albert, Anderson 1984). A plane on the
//            way that has every row on its side shows that they do not: it is checked with rounding
//            counted, and the fit is refused. Scores that keep growing are a sign that the classes touch:
//            then separability() decides, exactly. Columns that depend on each other have no best plane of
//            their own either: the factor fails.
// Errors     standard errors are the roots of the diagonal of H^-1 at the optimum (Wald).
// Cost       a step: rows * features^2 / 2 or the sum of squared row lengths, and features^3 / 3.
// Reference  Albert, Anderson: On the existence of maximum likelihood estimates in logistic regression
//            models, Biometrika 71 (1984).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "core/simd/dense.hpp"
#include "core/simd/row_loops.hpp"
#include "halfspace/certify/certificate.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/objective/class_weights.hpp"
#include "halfspace/solve/penalised.hpp"
#include "halfspace/solve/separability.hpp"
#include "solve/convex/dependent_columns.hpp"
#include "solve/convex/solver.hpp"
#include "solve/systems/line_losses.hpp"
#include "solve/systems/normal_matrix.hpp"

namespace halfspace {
namespace {

constexpr std::size_t unpenalised_features = 2000;
constexpr int unpenalised_steps = 100;

class Likelihood {
 public:
  Likelihood(const Problem& problem, const Run& run)
      : p_(problem),
        run_(run),
        clock_(run),
        rows_(RowAccess::of(problem.data->matrix())),
        n_(rows_->rows()),
        d_(rows_->cols()),
        has_offset_(problem.offset != Offset::None),
        matrix_(*rows_, has_offset_, true, run_.threads) {
    for (auto* v : {&z_, &dz_, &u_, &h_}) v->assign(n_, 0.0);
    for (auto* v : {&g_, &step_, &theta_}) v->assign(d_ + 1, 0.0);
  }

  Fit run() {
    Fit fit;
    try {
      return steps(fit);
    } catch (const Stopped& stopped) {
      fit.answer.stop = stop_of(stopped);
      // The scores of the plane as it is, if there is time for them.
      run_.threads = closing_team(run_);
      scores();
      finish(fit);
      return fit;
    }
  }

 private:
  Fit steps(Fit& fit) {
    fit.answer.stop = Stop::Limit;
    double moved = 0;
    bool has_best = false;  // decided exactly
    for (int step = 0; step < unpenalised_steps; ++step) {
      gradient();
      if (step > 0 && separates()) return refuse(fit, separated());
      if (!factor()) {
        return refuse(fit, step == 0 || moved < 0.01
                               ? Reason{dependent(), nullptr}
                               : runs_away().value_or(Reason{unsettled, nullptr, Stop::Limit}));
      }
      for (std::size_t j = 0; j <= d_; ++j) step_[j] = -g_[j];
      cholesky_.solve(step_.data());
      if (!has_offset_) step_[d_] = 0;
      const double decrement = -dot(g_.data(), step_.data(), d_ + 1) / 2;
      ++fit.trace.iterations;
      const double before = std::exchange(moved, search());
      // Where the likelihood is flat, steps still move scores of rows that hardly count: they get shorter fast, until
      // rounding allows no more. Scores that run away keep moving.
      const bool flat = decrement <= 1e-14 * std::max(1.0, loss_);
      if (moved <= 1e-7 || (flat && moved <= 1e-3 && moved >= before / 2)) {
        fit.answer.stop = Stop::Converged;
        break;
      }
      if (flat && moved > 0.1 && !has_best) {
        if (const auto why = runs_away()) return refuse(fit, *why);
        has_best = true;
      }
      Stop why = Stop::Limit;
      if (!clock_.go_on(
              {static_cast<double>(step) / unpenalised_steps, fit.trace.iterations, std::nan(""), "newton"},
              why)) {
        fit.answer.stop = why;
        break;
      }
    }
    finish(fit);
    return std::move(fit);
  }

  void gradient() {
    loss_ = loss_slopes(p_, z_.data(), u_.data(), h_.data(), run_.threads);
    std::fill(g_.begin(), g_.end(), 0.0);
    add_row_sum(*rows_, u_.data(), g_.data(), run_.threads);
    if (has_offset_) g_[d_] = std::accumulate(u_.begin(), u_.end(), 0.0);
  }

  bool factor() {
    std::vector<std::uint32_t> chosen;
    std::vector<double> weight;
    for (std::size_t i = 0; i < n_; ++i) {
      if (!(h_[i] > 0)) continue;
      chosen.push_back(static_cast<std::uint32_t>(i));
      weight.push_back(h_[i]);
    }
    matrix_.clear();
    matrix_.add(chosen, weight);
    const std::size_t size = matrix_.size();
    return cholesky_.factor({matrix_.lower(), matrix_.lower() + size * size}, size, 0, run_.threads);
  }

  void scores() {
    row_products(*rows_, theta_.data(), z_.data(), run_.threads);
    for (double& z : z_) z += theta_[d_];
  }

  // Moves along the step; returns the largest change of a score.
  double search() {
    row_products(*rows_, step_.data(), dz_.data(), run_.threads);
    for (double& v : dz_) v += step_[d_];
    const double slope0 = dot(g_.data(), step_.data(), d_ + 1);
    double low = 0, high = std::numeric_limits<double>::infinity(), t = 1;
    for (int trial = 0; trial < 60 && slope0 < 0; ++trial) {
      const LineSums at = line_sums(p_, z_.data(), dz_.data(), t, run_.threads);
      if (std::abs(at.slope) <= 0.1 * std::abs(slope0)) break;
      (at.slope > 0 ? high : low) = t;
      double next = at.curvature > 0 ? t - at.slope / at.curvature : 2 * t;
      if (!(next > low && next < high)) next = std::isfinite(high) ? (low + high) / 2 : 2 * t;
      t = next;
    }
    axpy(t, step_.data(), theta_.data(), d_ + 1);
    scores();
    double most = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      if (p_.cost[i] > 0) most = std::max(most, std::abs(t * dz_[i]));
    }
    return most;
  }

  [[nodiscard]] bool separates() const {
    for (std::size_t i = 0; i < n_; ++i)
      if (p_.cost[i] > 0 && !(p_.y[i] * z_[i] > 0)) return false;
    const Separator claim{{theta_.begin(), theta_.end() - 1}, theta_[d_], 0};
    return verify(claim, *p_.data, run_.threads).holds;
  }

  // Why there is no best plane, and what proves it.
  struct Reason {
    std::string why;
    std::shared_ptr<const SeparationProof> proof;
    Stop stop = Stop::Refused;  // a limit where it is not decided
  };
  // A plane was found on the way; the proof in whole numbers comes from those who can do that, unless it takes too long.
  [[nodiscard]] Reason separated() const {
    if (std::optional<Reason> exact = runs_away(); exact && exact->proof != nullptr) return *exact;
    return {
        "the classes are separable: a plane has every row on its side (checked with rounding counted), so "
        "every longer one fits better and there is no best one",
        nullptr};
  }
  // Nothing when the classes overlap, because then there is a best plane.
  [[nodiscard]] std::optional<Reason> runs_away() const {
    SeparabilityOptions options;
    options.offset = p_.offset;
    const Separability exact = separability(*p_.data, options, run_);
    if (!exact.decided)
      return Reason{unsettled, nullptr,
                    exact.stopped == StopCause::None ? Stop::Limit : stop_of(exact.stopped)};
    if (exact.proof.verdict == Separation::Overlapping) return std::nullopt;
    const auto proof = std::make_shared<const SeparationProof>(exact.proof);
    if (exact.proof.verdict == Separation::Separable)
      return Reason{
          "the classes are separable (decided exactly), so every longer plane fits better and there is no "
          "best one",
          proof};
    return Reason{
        "the classes touch (decided exactly): in one direction no row gets worse and some get better "
        "for ever, so there is no best plane",
        proof};
  }
  static constexpr const char* unsettled =
      "the steps do not settle: the likelihood seems to have no largest value";
  [[nodiscard]] std::string dependent() const {
    for (std::size_t j = 0; j < d_; ++j)
      if (!(matrix_value(j) > 0)) {
        const std::string name = printable(p_.data->feature_name(static_cast<std::uint32_t>(j)));
        return has_values(j)
                   ? fmt::format(
                         "the values of column {} are so small that their squares vanish, so its "
                         "weight has no number (--scale standard)",
                         name)
                   : fmt::format("column {} is zero in every row, so its weight is not determined", name);
      }
    return fmt::format("the columns{} depend on each other, so the weights are not determined{}",
                       has_offset_ ? " and the constant" : "", combinations());
  }
  // ": a=x is a combination of a=y and the constant (--one-hot reference, or --ignore one of them)"
  [[nodiscard]] std::string combinations() const {
    const std::size_t size = matrix_.size();
    const auto found = dependent_columns({matrix_.lower(), size * size}, size, has_offset_);
    std::string text;
    bool categories = false;
    for (const DependentColumn& one : found) {
      const std::string name = p_.data->feature_name(one.column);
      categories = categories || name.find('=') != std::string::npos;
      text += fmt::format("{} {} is a combination of {}", text.empty() ? ":" : ";", printable(name),
                          parts(one.of));
    }
    if (text.empty()) return text;
    return fmt::format("{} ({}--ignore one of them)", text, categories ? "--one-hot reference, or " : "");
  }
  [[nodiscard]] std::string parts(const std::vector<std::uint32_t>& columns) const {
    constexpr std::size_t most_parts = 6;
    std::string text;
    for (std::size_t k = 0; k < std::min(columns.size(), most_parts); ++k)
      text +=
          fmt::format("{}{}", k == 0 ? "" : ", ",
                      columns[k] == DependentColumn::constant ? "the constant"
                                                              : printable(p_.data->feature_name(columns[k])));
    return columns.size() > most_parts ? fmt::format("{} and {} more", text, columns.size() - most_parts)
                                       : text;
  }
  [[nodiscard]] double matrix_value(std::size_t j) const { return matrix_.lower()[j * matrix_.size() + j]; }

  [[nodiscard]] bool has_values(std::size_t column) const {
    std::vector<double> row(d_);
    for (std::size_t i = 0; i < n_; ++i) {
      rows_->expand(i, 1.0, row.data());
      if (p_.cost[i] > 0 && row[column] != 0) return true;
    }
    return false;
  }

  // The columns of the plane that proves it are those whose weights grow without end.
  [[nodiscard]] Fit refuse(const Fit& fit, const Reason& reason) const {
    constexpr std::size_t most_names = 10;
    Fit no = Fit::without_model(reason.stop, reason.why + "; --penalty l2 has a best plane for any data",
                                reason.proof);
    no.trace.iterations = fit.trace.iterations;
    if (reason.proof != nullptr) {
      const std::vector<std::uint32_t>& columns = reason.proof->plane.columns;
      std::string names;
      for (std::size_t k = 0; k < std::min(columns.size(), most_names); ++k)
        names += (k > 0 ? ", " : "") + printable(p_.data->feature_name(columns[k]));
      if (columns.size() > most_names) names += fmt::format(" and {} more", columns.size() - most_names);
      no.words.summary.push_back(names.empty() ? "what grows without end is the offset"
                                               : "weights that grow without end: " + names);
    }
    return no;
  }

  void finish(Fit& fit) {
    gradient();
    LinearModel linear{.features = d_, .planes = 1};
    linear.weights.assign(theta_.begin(), theta_.end() - 1);
    linear.offsets = {theta_[d_]};
    fit.answer.model.emplace().form = std::move(linear);
    fit.trace.figures.emplace_back("log_likelihood", -loss_);
    fit.trace.figures.emplace_back("deviance", 2 * loss_);
    fit.words.notes.push_back(formula(p_.loss, p_.penalty, p_.offset, 1));
    fit.words.notes.emplace_back("solved by newton; an unpenalised fit has no duality gap to certify");
    if (fit.answer.stop != Stop::Converged || !factor()) return;
    const std::size_t size = matrix_.size();
    fit.proof.estimates.resize(size);
    run_.threads.run((size + 63) / 64, [&](std::size_t block) {
      std::vector<double> x(size);
      for (std::size_t j = block * 64; j < std::min(size, (block + 1) * 64); ++j) {
        std::fill(x.begin(), x.end(), 0.0);
        x[j] = 1;
        cholesky_.solve(x.data());
        Estimate& one = fit.proof.estimates[j];
        if (j < d_) one.feature = static_cast<std::uint32_t>(j);
        one.value = theta_[j];
        one.error = std::sqrt(x[j]);
      }
    });
  }

  const Problem& p_;
  Run run_;
  Clock clock_;
  std::unique_ptr<RowAccess> rows_;
  std::size_t n_, d_;
  bool has_offset_;
  NormalMatrix matrix_;
  Cholesky cholesky_;
  std::vector<double> z_, dz_, u_, h_, g_, step_, theta_;
  double loss_ = 0;
};

}  // namespace

Fit detail::solve_unpenalised(const Dataset& data, const LogisticRegression& options, const Run& run) {
  if (data.classes().size() != 2)
    throw UsageError("--penalty none is for two classes", "--positive LABEL: one class against the rest");
  if (data.features() > unpenalised_features)
    throw UsageError(fmt::format("--penalty none is for at most {} features", unpenalised_features),
                     "--penalty l2");
  if (options.offset == Offset::Lifted)
    throw UsageError("--offset lifted penalises the offset; --penalty none has no penalty",
                     "--offset free or none");
  if (options.C != 1) throw UsageError("--C weighs losses against a penalty; --penalty none has none");
  const Problem problem = make_problem(data, 1, Logistic{}, options.offset, 1,
                                       class_weights(data, options.class_weight), options.penalty);
  return Likelihood(problem, run).run();
}

}  // namespace halfspace
