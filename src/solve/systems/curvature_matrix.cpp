// SPDX-License-Identifier: BSD-3-Clause
#include "solve/systems/curvature_matrix.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/row_sums.hpp"

namespace halfspace {

CurvatureMatrix::CurvatureMatrix(const RowAccess& rows, Offset offset, bool precise, const Team& team)
    : rows_(rows),
      offset_(offset),
      team_(team),
      d_(rows.cols()),
      precise_(precise),
      matrix_(rows, offset != Offset::None, precise, team) {}

CurvatureMatrix::CurvatureMatrix(const CurvatureMatrix& from, const Team& team)
    : rows_(from.rows_),
      offset_(from.offset_),
      team_(team),
      d_(from.d_),
      precise_(false),
      matrix_(rows_, offset_ != Offset::None, false, team),
      cholesky_(from.cholesky_),
      cost_(from.cost_),
      waste_(from.waste_) {}

void CurvatureMatrix::correct(std::span<const std::uint32_t> ids, std::span<const double> h,
                              std::span<const double> cost, double curvature) {
  inside_.resize(ids.size(), 0);
  std::vector<std::uint32_t> changed;
  std::vector<double> by;
  std::size_t active = 0;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const char now = h[k] > 0 ? 1 : 0;
    active += static_cast<std::size_t>(now);
    if (now == inside_[k]) continue;
    inside_[k] = now;
    changed.push_back(ids[k]);
    by.push_back(now != 0 ? h[k] : -curvature * cost[k]);
  }
  if (team_.total(changed.size()) > team_.total(active)) {
    matrix_.clear();
    changed.clear();
    by.clear();
    for (std::size_t k = 0; k < ids.size(); ++k) {
      if (inside_[k] == 0) continue;
      changed.push_back(ids[k]);
      by.push_back(h[k]);
    }
  }
  matrix_.add(changed, by);
}

void CurvatureMatrix::prepare(std::span<const std::uint32_t> rows, std::span<const double> h,
                              double rows_per_feature) {
  if (cholesky_.size() > 0 && waste_ < cost_) return;
  waste_ = 0;
  matrix_.clear();
  const Stretch list = team_.stretch(rows.size());
  const double wanted = sample_size(rows, list, rows_per_feature);
  if (wanted >= static_cast<double>(list.total)) {
    matrix_.add(rows, h);
    factor();
    return;
  }
  const double high = weight_of_one(list, h, wanted);
  std::vector<std::uint32_t> some;
  std::vector<double> heavy;
  double passed = 0.5;
  add_in_turn(team_, passed, [&](double& to) {
    const double scale = 1 / high;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      to += std::min(1.0, h[k] * scale);
      if (to < 1) continue;
      to -= 1;
      some.push_back(rows[k]);
      heavy.push_back(std::max(h[k], high));
    }
  });
  matrix_.add(some, heavy);
  raise_diagonal(rows, list, h);
  factor();
}

// The weight from which a row is always in a sample of `wanted` rows, where lighter ones are there with their share of it: of the
// rows that are heavier the number, of the others the sum says the next and never larger one. Few passes until nobody changes.
double CurvatureMatrix::weight_of_one(const Stretch& list, std::span<const double> h, double wanted) const {
  struct Parts {
    double light = 0, heavy = 0;
    Parts& operator+=(const Parts& o) {
      light += o.light;
      heavy += o.heavy;
      return *this;
    }
  };
  double high = std::numeric_limits<double>::infinity(), heavy = 0;
  for (int round = 0; round < 20; ++round) {
    const Parts sum = sum_rows(team_, list, Parts{}, [&](std::size_t begin, std::size_t end, Parts& to) {
      for (std::size_t k = begin; k < end; ++k) {
        to.light += h[k] < high ? h[k] : 0.0;
        to.heavy += h[k] < high ? 0.0 : 1.0;
      }
    });
    if ((round > 0 && sum.heavy == heavy) || !(sum.heavy < wanted) || !(sum.light > 0)) break;
    heavy = sum.heavy;
    high = sum.light / (wanted - sum.heavy);
  }
  return high;
}

// Columns that few rows have are missing from a sample, or nearly so, and H would be next to nothing there:
// their diagonal becomes that of all rows.
void CurvatureMatrix::raise_diagonal(std::span<const std::uint32_t> rows, const Stretch& list,
                                     std::span<const double> h) {
  constexpr double missed = 1.5;  // the sample shows too little by more than chance
  std::vector<double> diagonal(d_, 0.0);
  std::vector<std::vector<double>> part;
  add_list(team_, list, d_, diagonal.data(), part, [&](std::size_t begin, std::size_t end, double* to) {
    for (std::size_t k = begin; k < end; ++k) rows_.add_squares(h[k], rows[k], to);
  });
  for (std::size_t j = 0; j < d_; ++j) {
    double& at = matrix_.lower()[j * matrix_.size() + j];
    if (diagonal[j] > missed * at) at = diagonal[j];
  }
}

// Five rows a feature give a factor that conjugate gradients need two or three iterations a digit with; more
// is worth it only where it costs no more than a few products.
double CurvatureMatrix::sample_size(std::span<const std::uint32_t> rows, const Stretch& list,
                                    double rows_per_feature) {
  struct Counts {  // whole numbers
    double entries = 0, squares = 0, seen = 0;
  } counts;
  const std::size_t stride = std::max<std::size_t>(1, list.total / 1000);
  add_in_turn(team_, counts, [&](Counts& to) {
    for (std::size_t k = list.first_of(stride); k < rows.size(); k += stride, ++to.seen) {
      const auto e = static_cast<double>(rows_.entries(rows[k]) + 1);
      to.entries += e;
      to.squares += e * e;
    }
  });
  const auto [entries, squares, seen] = counts;
  const auto d = static_cast<double>(d_ + 1);
  const auto all = static_cast<double>(list.total);
  // Measured: a scattered update takes as long as an entry of a product, a blocked one a sixtieth.
  const double form =
      std::min(rows_.sparse() ? squares : std::numeric_limits<double>::infinity(), seen * d * d / 60);
  const double ratio = form / entries;
  double share = std::max(3 / ratio, rows_per_feature * d / all);
  if (share > 0.5) share = 1;
  cost_ = share * ratio + d * d * d * seen / (180 * entries * all);
  return share * all;
}

void CurvatureMatrix::factor() {
  const std::size_t size = matrix_.size();
  lower_ = cholesky_.release();
  double ridge = 0;
  do {
    lower_.resize(size * size);
    for (std::size_t j = 0; j < size; ++j)
      std::copy_n(matrix_.lower() + j * size, j + 1, lower_.begin() + static_cast<std::ptrdiff_t>(j * size));
    for (std::size_t j = 0; j < d_; ++j) lower_[j * size + j] += 1;
    if (offset_ != Offset::None) {
      double& corner = lower_[d_ * size + d_];
      corner += offset_ == Offset::Lifted ? 1.0 : 1e-12 * (1 + corner);
    }
    if (cholesky_.factor(std::move(lower_), size, ridge, team_.threads())) break;
    lower_ = cholesky_.release();
    ridge = ridge == 0 ? 1e-12 : ridge * 100;
    if (ridge > 1e3) throw std::range_error("the matrix of a Newton step is not finite");
  } while (true);
}

void CurvatureMatrix::solve(std::vector<double>& x) const { cholesky_.solve(x.data()); }

}  // namespace halfspace
