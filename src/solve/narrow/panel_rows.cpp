// SPDX-License-Identifier: BSD-3-Clause
#include "solve/narrow/panel_rows.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "core/relief.hpp"
#include "halfspace/data/matrix.hpp"

namespace halfspace {
namespace {

// Entry by entry into columns of zeros.
template <class View>
void scatter_rows(const View& view, const PanelList& list, std::size_t begin, std::size_t end, double* x,
                  std::size_t stride) {
  using Value = typename View::Value;
  const double unit = std::is_same_v<Value, Decimal> ? 1 / view.divisor : 1.0;
  for (std::size_t k = begin; k < end; ++k, ++x) {
    const auto row = counted_row(view, list.row(k));
    for (std::size_t e = 0; e < row.size; ++e) {
      double value = 1;
      if constexpr (std::is_same_v<Value, Decimal>) {
        value = static_cast<double>(row.value[e].digits) * unit;
      } else if constexpr (!std::is_empty_v<Value>) {
        value = static_cast<double>(row.value[e]);
      }
      if constexpr (is_sparse<View>) {
        x[row.index[e] * stride] = value;
      } else {
        x[e * stride] = value;
      }
    }
  }
}

// Eight dense rows at a time. Places without a row show another one: their cost is 0. False: the rows lie too far apart.
template <class V>
bool spread_all(const DenseView<V>& view, const PanelList& list, std::size_t begin, std::size_t end,
                Panel& panel) {
  const double unit = std::is_same_v<V, Decimal> ? 1 / view.divisor : 1.0;
  if ((list.row(end - 1) - list.row(begin)) * view.cols > std::size_t{INT32_MAX}) return false;
  for (std::size_t r = 0; r < panel.rows; r += panel_lanes) {
    const std::size_t base = list.row(r < panel.skip ? begin : std::min(end - 1, begin + r - panel.skip));
    std::array<std::int32_t, panel_lanes> offset{};
    for (std::size_t lane = 0; lane < panel_lanes; ++lane) {
      const std::size_t place = r + lane;
      if (place >= panel.skip && place - panel.skip < end - begin)
        offset[lane] = static_cast<std::int32_t>((list.row(begin + place - panel.skip) - base) * view.cols);
    }
    double* const to = panel.x.data() + r;
    const V* const from = view.value + base * view.cols;
    if constexpr (std::is_same_v<V, Decimal>) {
      spread_rows(&from->digits, offset.data(), view.cols, unit, to, panel.stride);
    } else {
      spread_rows(from, offset.data(), view.cols, unit, to, panel.stride);
    }
  }
  return true;
}

}  // namespace

void fill_panel(const Problem& problem, const PanelList& list, std::size_t begin, std::size_t end,
                std::size_t skip, Panel& panel) {
  panel.skip = skip;
  panel.used = end - begin;
  const std::size_t d = problem.features(), last = skip + panel.used;
  panel.rows = (last + panel_lanes - 1) / panel_lanes * panel_lanes;
  std::visit(
      [&]<class View>(const View& view) {
        if constexpr (!is_sparse<View>)
          if (spread_all(view, list, begin, end, panel)) return;
        for (std::size_t c = 0; c < d; ++c)
          std::fill_n(panel.x.begin() + static_cast<std::ptrdiff_t>(c * panel.stride), panel.rows, 0.0);
        scatter_rows(view, list, begin, end, panel.x.data() + skip, panel.stride);
      },
      problem.data->matrix());
  if (problem.offset != Offset::None)
    std::fill_n(panel.x.begin() + static_cast<std::ptrdiff_t>(d * panel.stride), panel.rows, 1.0);
  std::fill_n(panel.y.begin(), panel.rows, 1.0);
  std::fill_n(panel.cost.begin(), panel.rows, 0.0);
  for (std::size_t k = begin; k < end; ++k) {
    panel.y[skip + k - begin] = problem.y[list.row(k)];
    panel.cost[skip + k - begin] = list.cost[k];
  }
}

}  // namespace halfspace
