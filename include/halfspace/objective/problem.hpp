// SPDX-License-Identifier: BSD-3-Clause
// A penalised binary problem: minimise  1/2 |theta|^2  +  sum over rows of cost_i loss(y_i f(x_i)),
// with f(x) = theta . x + theta0 and cost_i = C times the weight of the row times the weight of its class.
// Offset: free (theta0 is not penalised), lifted (1/2 theta0^2 is added), none (theta0 = 0).
// Its dual: maximise  sum cost_i gain(alpha_i / cost_i) - 1/2 |sum alpha_i y_i x_i|^2  over 0 <= alpha_i <=
// cost_i limit, minus 1/2 (sum alpha_i y_i)^2 when the offset is lifted, subject to sum alpha_i y_i = 0 when
// it is free.
#pragma once

#include <cstdint>
#include <vector>

#include "halfspace/core/options.hpp"
#include "halfspace/data/dataset.hpp"
#include "halfspace/objective/losses.hpp"

namespace halfspace {

enum class Offset { Free, Lifted, None };
namespace detail {
inline constexpr std::string_view offset_words[] = {"free", "lifted", "none"};
}
template <>
inline constexpr std::span<const std::string_view> enum_words<Offset> = detail::offset_words;

struct Problem {
  const Dataset* data = nullptr;
  std::vector<std::int8_t> y;  // +1 or -1 for every row
  std::vector<double> cost;    // C_i >= 0; a row of cost 0 is absent
  Loss loss;
  Offset offset = Offset::Free;
  // The rows of the data that it is about, in order; empty: all. Only kernel problems choose.
  std::vector<std::uint32_t> chosen;

  // Row i of the problem as a row of the data.
  [[nodiscard]] std::size_t row(std::size_t i) const { return chosen.empty() ? i : chosen[i]; }
  [[nodiscard]] std::size_t rows() const { return y.size(); }
  [[nodiscard]] std::size_t features() const { return data->features(); }
};

// One class against the others. class_weights: one per class of the data, empty: all 1.
[[nodiscard]] Problem make_problem(const Dataset& data, std::uint32_t positive, Loss loss, Offset offset,
                                   double C, const std::vector<double>& class_weights = {});

}  // namespace halfspace
