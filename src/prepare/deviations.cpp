// SPDX-License-Identifier: BSD-3-Clause
// Distances are taken from the first row. It is a row of the data, so its square distance from the mean is at most rows times
// the variance, and little is lost when the one is taken from the other. Columns of one value come out as 0 exactly.
#include "prepare/deviations.hpp"

#include <algorithm>
#include <cmath>

#include "core/relief.hpp"
#include "core/row_sums.hpp"
#include "core/simd/row_loops.hpp"

namespace halfspace {
namespace {

constexpr double least_square = 1e-250;  // below, squares have lost digits

template <class View>
class Distances {
 public:
  Distances(const View& view, const Team& team)
      : view_(view), team_(team), list_(team.stretch(view.rows)), d_(view.cols), middle_(d_, 0.0) {}

  std::optional<std::vector<double>> deviations() {
    std::vector<double> out(d_, 0.0);
    if (list_.total == 0) return out;
    add_in_turn(team_, middle_, [&](std::vector<double>& to) {
      if (list_.first != 0 || view_.rows == 0) return;
      for_entries(view_.row(0), [&](std::uint32_t j, double x) { to[j] = x; });
    });
    std::vector<std::vector<double>> part;
    slice_sums(team_, list_, slices_of(list_.total, 3 * d_), 3 * d_, part,
               [&](std::size_t begin, std::size_t end, double* sums) { add(begin, end, sums); });
    const auto n = static_cast<double>(list_.total);
    bool unsure = false;
    for (std::size_t j = 0; j < d_; ++j) {
      double first = 0, second = 0, there = 0;
      for (const auto& v : part) {
        first += v[j];
        second += v[d_ + j];
        there += v[2 * d_ + j];
      }
      first -= (n - there) * middle_[j];
      second += (n - there) * middle_[j] * middle_[j];
      if (!std::isfinite(second) || (second > 0 && second < least_square)) return std::nullopt;
      if (second == 0 && there < n && middle_[j] != 0) return std::nullopt;  // zeros beside a value too small
      unsure = unsure || (second == 0 && there > 0);
      out[j] = std::sqrt(std::max(0.0, (second - first * (first / n)) / n));
    }
    if (unsure && team_.any(hidden_differences(out))) return std::nullopt;
    return out;
  }

 private:
  // For every column: the sum of x - middle over the entries, that of its square, and how many entries there are. Zeros of
  // dense rows are none, so that the sums have the same bits in any storage.
  void add(std::size_t begin, std::size_t end, double* sums) const {
    double* const first = sums;
    double* const second = sums + d_;
    double* const there = sums + 2 * d_;
    const double* const middle = middle_.data();
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = counted_row(view_, i);
      if constexpr (is_sparse<View>) {
        for_entries(row, [=](std::uint32_t j, double x) {
          const double away = x - middle[j];
          first[j] += away;
          second[j] += away * away;
          ++there[j];
        });
      } else {
        for (std::size_t j = 0; j < row.size; ++j) {
          const double x = decode(row.value[j], row.divisor), away = x != 0 ? x - middle[j] : 0.0;
          first[j] += away;
          second[j] += away * away;
          there[j] += x != 0 ? 1.0 : 0.0;
        }
      }
    }
  }

  // Whether a column without a deviation has values that differ by too little to be squared.
  [[nodiscard]] bool hidden_differences(const std::vector<double>& found) const {
    for (std::size_t i = 0; i < view_.rows; ++i) {
      const auto row = counted_row(view_, i);
      bool differs = false;
      if constexpr (is_sparse<View>) {
        for_entries(
            row, [&](std::uint32_t j, double x) { differs = differs || (found[j] == 0 && x != middle_[j]); });
      } else {
        for (std::size_t j = 0; j < row.size; ++j)
          differs = differs || (found[j] == 0 && decode(row.value[j], row.divisor) != middle_[j]);
      }
      if (differs) return true;
    }
    return false;
  }

  const View& view_;
  const Team& team_;
  Stretch list_;
  std::size_t d_;
  std::vector<double> middle_;
};

}  // namespace

std::optional<std::vector<double>> detail::deviations_in_one_pass(const Dataset& data, const Team& team) {
  if (team.any(!data.weights().empty())) return std::nullopt;
  return std::visit(
      [&](const auto& view) { return Distances<std::decay_t<decltype(view)>>(view, team).deviations(); },
      data.matrix());
}

}  // namespace halfspace
