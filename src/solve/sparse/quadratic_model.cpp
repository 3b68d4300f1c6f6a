// SPDX-License-Identifier: BSD-3-Clause
// Sweeps over all coordinates find which of them move; sweeps over those alone follow until they have settled.
#include "solve/sparse/quadratic_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/simd/dense.hpp"
#include "core/simd/row_loops.hpp"

namespace halfspace {
namespace {

double soft(double x, double size) { return x > size ? x - size : x < -size ? x + size : 0.0; }

// What both forms of H have: slope(j) of the smooth part, diagonal(j), move(j, by).
template <class Model>
class Sweeps {
 public:
  Sweeps(Model& model, QuadraticTask& task, const Threads& threads)
      : model_(model), task_(task), threads_(threads) {}

  // Coordinate j alone; its violation before.
  double step(std::uint32_t j) {
    const double slope = model_.slope(j), w = task_.w[j], size = task_.sizes[j], square = task_.squares[j];
    const double off = violation(slope, w, size, square);
    if (off == 0) return 0;
    const double c = model_.diagonal(j);
    double next = w;
    if (c + square > 0) {
      next = soft(c * w - slope, size) / (c + square);
    } else if (std::abs(slope) <= size) {
      next = 0;  // no row sees it
    }
    if (next == w || !std::isfinite(next)) return off;
    model_.move(j, next - w);
    task_.w[j] = next;
    return off;
  }
  // All coordinates; those that moved or are not 0 become the active ones.
  double all() {
    threads_.check();
    ++count;
    double sum = 0;
    active_.clear();
    for (std::uint32_t j = 0; j < task_.w.size(); ++j) {
      const double off = step(j);
      sum += off;
      if (off > 0 || task_.w[j] != 0) active_.push_back(j);
    }
    return sum;
  }
  double active() {
    threads_.check();
    ++count;
    double sum = 0;
    for (const std::uint32_t j : active_) sum += step(j);
    return sum;
  }
  // Until no violation is above `least`, or the sweeps are used up.
  bool settle(double least, int sweeps) {
    for (const int last = count + sweeps; count < last;) {
      if (all() <= least) return true;
      for (int inner = 0; inner < 50 && count < last; ++inner)
        if (active() <= 0.5 * least) break;
    }
    return false;
  }

  int count = 0;

 private:
  Model& model_;
  QuadraticTask& task_;
  const Threads& threads_;
  std::vector<std::uint32_t> active_;
};

class MatrixModel {
 public:
  MatrixModel(const std::vector<double>& H, const QuadraticTask& task)
      : H_(H), n_(task.w.size()), q_(task.g) {}
  [[nodiscard]] double slope(std::uint32_t j) const { return q_[j]; }
  [[nodiscard]] double diagonal(std::uint32_t j) const { return H_[j * n_ + j]; }
  void move(std::uint32_t j, double by) { axpy(by, H_.data() + j * n_, q_.data(), n_); }
  // Slopes afresh, for w - w0 = by.
  void refresh(const std::vector<double>& g, const std::vector<double>& by) {
    q_ = g;
    for (std::uint32_t j = 0; j < n_; ++j)
      if (by[j] != 0) move(j, by[j]);
  }
  [[nodiscard]] double at(std::size_t i, std::size_t j) const { return H_[i * n_ + j]; }

 private:
  const std::vector<double>& H_;
  std::size_t n_;
  std::vector<double> q_;
};

// To the minimum among the weights that are not 0 (and those without a size), or to where the first becomes 0: the
// objective is a parabola on the way. False: nothing to do there.
bool face_step(MatrixModel& model, QuadraticTask& task, const Threads& threads) {
  std::vector<std::uint32_t> face;
  for (std::uint32_t j = 0; j < task.w.size(); ++j)
    if (task.w[j] != 0 || task.sizes[j] == 0) face.push_back(j);
  const std::size_t n = face.size();
  if (n == 0) return false;
  std::vector<double> lower(n * n), step(n);
  for (std::size_t a = 0; a < n; ++a) {
    const std::uint32_t j = face[a];
    for (std::size_t b = 0; b <= a; ++b) lower[a * n + b] = model.at(j, face[b]);
    lower[a * n + a] += task.squares[j];
    if (!(lower[a * n + a] > 0)) return false;
    const double w = task.w[j];
    step[a] = -(model.slope(j) +
                (w > 0   ? task.sizes[j]
                 : w < 0 ? -task.sizes[j]
                         : 0.0) +
                task.squares[j] * w);
  }
  Cholesky factor;
  if (!factor.factor(std::move(lower), n, 1e-12, threads)) return false;
  factor.solve(step.data());
  double t = 1;
  std::size_t first = n;
  for (std::size_t a = 0; a < n; ++a) {
    const double w = task.w[face[a]];
    if (!std::isfinite(step[a])) return false;
    if (task.sizes[face[a]] == 0 || w * (w + t * step[a]) >= 0) continue;
    t = -w / step[a];
    first = a;
  }
  for (std::size_t a = 0; a < n; ++a) {
    const std::uint32_t j = face[a];
    const double next = a == first ? 0.0 : task.w[j] + t * step[a];
    if (next == task.w[j]) continue;
    model.move(j, next - task.w[j]);
    task.w[j] = next;
  }
  return true;
}

class ColumnModel {
 public:
  ColumnModel(ChosenColumns& columns, const std::vector<double>& h, const QuadraticTask& task)
      : walk_(columns.walk()), g_(task.g), columns_(columns.size()), score_(h.size(), 0.0), root_(h.size()) {
    for (std::size_t i = 0; i < h.size(); ++i) root_[i] = static_cast<float>(std::sqrt(h[i]));
    value_.resize(walk_.value.size());
    diagonal_.assign(task.w.size(), 0.0);
    for (std::size_t j = 0; j < columns_; ++j) {
      double sum = 0;
      for (std::uint64_t e = walk_.start[j]; e < walk_.start[j + 1]; ++e) {
        value_[e] = walk_.value[e] * root_[walk_.row[e]];
        sum += static_cast<double>(value_[e]) * static_cast<double>(value_[e]);
      }
      diagonal_[j] = sum;
    }
    if (task.w.size() > columns_)
      for (const float r : root_) diagonal_[columns_] += static_cast<double>(r) * static_cast<double>(r);
  }
  [[nodiscard]] double diagonal(std::uint32_t j) const { return diagonal_[j]; }
  [[nodiscard]] double slope(std::uint32_t j) const {
    if (j >= columns_) {
      double sum = g_[j];
      for (std::size_t i = 0; i < root_.size(); ++i) sum += static_cast<double>(root_[i]) * score_[i];
      return sum;
    }
    const std::uint64_t begin = walk_.start[j];
    return g_[j] + dot(SparseRow<float, std::uint32_t>{walk_.row.data() + begin, value_.data() + begin,
                                                       walk_.start[j + 1] - begin, 1},
                       score_.data());
  }
  void move(std::uint32_t j, double by) {
    if (j >= columns_) {
      for (std::size_t i = 0; i < root_.size(); ++i) score_[i] += by * static_cast<double>(root_[i]);
      return;
    }
    const std::uint64_t begin = walk_.start[j];
    axpy(by,
         SparseRow<float, std::uint32_t>{walk_.row.data() + begin, value_.data() + begin,
                                         walk_.start[j + 1] - begin, 1},
         score_.data());
  }

 private:
  const ChosenColumns::Walk& walk_;
  const std::vector<double>& g_;
  std::size_t columns_;
  std::vector<double> score_;  // sqrt(h) times the change of the scores
  std::vector<float> root_, value_;
  std::vector<double> diagonal_;
};

}  // namespace

double violation(double slope, double w, double size, double square) {
  const double s = slope + square * w;
  if (w > 0) return std::abs(s + size);
  if (w < 0) return std::abs(s - size);
  return std::max(0.0, std::abs(s) - size);
}

void solve_by_matrix(const std::vector<double>& H, QuadraticTask& task, double least,
                     const Threads& threads) {
  constexpr std::size_t most_face = 3000;
  constexpr int patience = 30, rounds = 40;
  MatrixModel model(H, task);
  Sweeps sweeps(model, task, threads);
  const std::vector<double> start = task.w;
  for (int round = 0; round < rounds; ++round) {
    if (sweeps.settle(least, patience)) return;
    for (int faces = 0; faces < 5; ++faces) {
      const auto before = static_cast<std::size_t>(
          std::count_if(task.w.begin(), task.w.end(), [](double w) { return w != 0; }));
      if (before > most_face || !face_step(model, task, threads)) break;
      const auto after = static_cast<std::size_t>(
          std::count_if(task.w.begin(), task.w.end(), [](double w) { return w != 0; }));
      if (after == before) break;  // the minimum of the face was reached
    }
    std::vector<double> by(task.w.size());
    for (std::size_t j = 0; j < by.size(); ++j) by[j] = task.w[j] - start[j];
    model.refresh(task.g, by);
  }
}

int solve_by_columns(ChosenColumns& columns, const std::vector<double>& h, QuadraticTask& task, double least,
                     int most, const Threads& threads) {
  ColumnModel model(columns, h, task);
  Sweeps sweeps(model, task, threads);
  sweeps.settle(least, most);
  return sweeps.count;
}

}  // namespace halfspace
