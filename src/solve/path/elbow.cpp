// SPDX-License-Identifier: BSD-3-Clause
#include "solve/path/elbow.hpp"

#include <cmath>
#include <numeric>

namespace halfspace {
namespace {

// A row whose part that is new is below this share of its square is taken for a combination of the others.
constexpr double least_new_part = 1e-11;
constexpr std::size_t changes_between_factorisations = 100;

// Factors of L L' + x x' in place, from row `first` on: x has an entry for each of these (plane rotations, as in Gill,
// Golub, Murray, Saunders: "Methods for modifying matrix factorizations", Mathematics of Computation 28, 1974).
void add_outer_product(std::vector<std::vector<double>>& factor, std::size_t first, std::vector<double> x) {
  for (std::size_t k = first; k < factor.size(); ++k) {
    double& diagonal = factor[k][k];
    const double length = std::hypot(diagonal, x[k - first]);
    const double cosine = diagonal / length, sine = x[k - first] / length;
    diagonal = length;
    for (std::size_t i = k + 1; i < factor.size(); ++i) {
      const double below = factor[i][k];
      factor[i][k] = cosine * below + sine * x[i - first];
      x[i - first] = cosine * x[i - first] - sine * below;
    }
  }
}

}  // namespace

Elbow::Elbow(const RowAccess& rows, Offset offset, double scale)
    : all_(rows),
      offset_(offset),
      constant_(offset == Offset::None     ? 0.0
                : offset == Offset::Lifted ? 1.0
                                           : scale),
      spread_(rows.cols(), 0.0) {}

bool Elbow::append(const std::vector<double>& products) {
  std::vector<double> line(products.size());
  double left = products.back();
  for (std::size_t k = 0; k + 1 < products.size(); ++k) {
    double sum = products[k];
    for (std::size_t j = 0; j < k; ++j) sum -= factor_[k][j] * line[j];
    line[k] = sum / factor_[k][k];
    left -= line[k] * line[k];
  }
  if (!(left > least_new_part * products.back())) return false;
  line.back() = std::sqrt(left);
  factor_.push_back(std::move(line));
  return true;
}

bool Elbow::add(std::uint32_t row) {
  all_.expand(row, 1.0, spread_.data());
  std::vector<double> products(members_.size() + 1);
  all_.dots(members_, spread_.data(), products.data());
  products.back() = all_.norm2(row);
  for (double& product : products) product += constant_;
  if (!append(products)) return false;
  members_.push_back(row);
  product_.push_back(std::move(products));
  return true;
}

void Elbow::remove(std::size_t place) {
  std::vector<double> column;
  for (std::size_t k = place + 1; k < factor_.size(); ++k) {
    column.push_back(factor_[k][place]);
    factor_[k].erase(factor_[k].begin() + static_cast<std::ptrdiff_t>(place));
    product_[k].erase(product_[k].begin() + static_cast<std::ptrdiff_t>(place));
  }
  const auto at = static_cast<std::ptrdiff_t>(place);
  members_.erase(members_.begin() + at);
  factor_.erase(factor_.begin() + at);
  product_.erase(product_.begin() + at);
  add_outer_product(factor_, place, std::move(column));
  if (++changes_ >= changes_between_factorisations) factor_again();
}

void Elbow::factor_again() {
  changes_ = 0;
  std::vector<std::vector<double>> old = std::move(factor_);
  factor_.clear();
  for (const std::vector<double>& products : product_) {
    if (append(products)) continue;
    factor_ = std::move(old);  // worse than none would be no factors at all
    return;
  }
}

std::vector<double> Elbow::solve_factored(std::vector<double> r) const {
  for (std::size_t k = 0; k < r.size(); ++k) {
    for (std::size_t j = 0; j < k; ++j) r[k] -= factor_[k][j] * r[j];
    r[k] /= factor_[k][k];
  }
  for (std::size_t k = r.size(); k-- > 0;) {
    r[k] /= factor_[k][k];
    for (std::size_t j = 0; j < k; ++j) r[j] -= factor_[k][j] * r[k];
  }
  return r;
}

// One step of refinement with the products as they are.
std::vector<double> Elbow::solve_exactly(const std::vector<double>& r) const {
  std::vector<double> g = solve_factored(r);
  std::vector<double> left = r;
  for (std::size_t k = 0; k < left.size(); ++k) {
    left[k] -= product_[k][k] * g[k];
    for (std::size_t j = 0; j < k; ++j) {
      left[k] -= product_[k][j] * g[j];
      left[j] -= product_[k][j] * g[k];
    }
  }
  const std::vector<double> more = solve_factored(std::move(left));
  for (std::size_t k = 0; k < g.size(); ++k) g[k] += more[k];
  return g;
}

Elbow::Values Elbow::solve(std::vector<double> r, double s) const {
  if (offset_ != Offset::Free) return {solve_exactly(r), 0};
  for (double& one : r) one += constant_ * s;
  Values out{solve_exactly(r), 0};
  const std::vector<double> ones = solve_exactly(std::vector<double>(r.size(), 1.0));
  out.b =
      (std::accumulate(out.g.begin(), out.g.end(), 0.0) - s) / std::accumulate(ones.begin(), ones.end(), 0.0);
  for (std::size_t k = 0; k < r.size(); ++k) out.g[k] -= out.b * ones[k];
  return out;
}

}  // namespace halfspace
