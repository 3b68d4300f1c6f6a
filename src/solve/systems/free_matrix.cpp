// SPDX-License-Identifier: BSD-3-Clause
#include "solve/systems/free_matrix.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/row_sums.hpp"

namespace halfspace {

FreeMatrix::FreeMatrix(const RowAccess& rows, bool with_offset, std::size_t places, const Team& team)
    : normal_(rows, with_offset, false, team), team_(team), features_(rows.cols()), free_(places, 0) {}

void FreeMatrix::correct(const FreeRows& rows) {
  constexpr int most_corrections = 50;  // then G is formed anew: its rounding errors add up
  enter_.clear();
  weight_.clear();
  now_.clear();
  now_cost_.clear();
  for (std::size_t k = 0; k < rows.place.size(); ++k) {
    const char now = rows.alpha[k] > 0 && rows.alpha[k] < rows.cost[k] ? 1 : 0;
    if (now != 0) {
      now_.push_back(rows.row[k]);
      now_cost_.push_back(rows.cost[k]);
    }
    char& was = free_[rows.place[k]];
    if (now == was) continue;
    enter_.push_back(rows.row[k]);
    weight_.push_back(now != 0 ? rows.cost[k] : -rows.cost[k]);
    was = now;
  }
  free_cost_ = 0;
  add_in_turn(team_, free_cost_, [&](double& sum) {
    for (const double cost : now_cost_) sum += cost;
  });
  ++corrections_;
  if (team_.total(enter_.size()) > team_.total(now_.size()) || corrections_ > most_corrections) {
    form_anew();
  } else {
    normal_.add(enter_, weight_);
  }
}

void FreeMatrix::form_anew() {
  corrections_ = 0;
  normal_.clear();
  normal_.add(now_, now_cost_);
}

void FreeMatrix::solve(double delta, double rho, std::vector<double>& x) {
  const std::size_t size = normal_.size();
  double ridge = 1e-13;
  while (true) {
    lower_.resize(size * size);
    for (std::size_t j = 0; j < size; ++j)
      std::copy_n(normal_.lower() + j * size, j + 1, lower_.begin() + static_cast<std::ptrdiff_t>(j * size));
    for (std::size_t j = 0; j < features_; ++j) lower_[j * size + j] += delta;
    if (size > features_)
      lower_[features_ * size + features_] += std::max(delta * rho, 1e-9 * (free_cost_ + delta));
    const bool factored = cholesky_.factor(std::move(lower_), size, ridge, team_.threads());
    if (factored) cholesky_.solve(x.data());
    lower_ = cholesky_.release();
    if (factored) return;
    // Rows that were taken off again may have left less than nothing of a column.
    if (corrections_ > 0) {
      form_anew();
      continue;
    }
    ridge *= 100;
    if (ridge > 1e3) throw std::range_error("the matrix of a Newton step is not finite");
  }
}

}  // namespace halfspace
