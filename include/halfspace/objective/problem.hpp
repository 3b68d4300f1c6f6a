// SPDX-License-Identifier: BSD-3-Clause
// A problem of two classes is data, loss, penalty, offset and costs: minimise  penalty(theta)  +  sum over rows of
// cost_i loss(y_i f(x_i)),  with f(x) = theta . x + theta0 and cost_i = C times the weight of the row times the weight
// of its class. A lifted offset is penalised like a weight.
// Its dual: maximise  sum cost_i gain(alpha_i / cost_i) - conjugate(sum alpha_i y_i x_i)  over 0 <= alpha_i <=
// cost_i limit, minus conjugate(sum alpha_i y_i) when the offset is lifted, subject to sum alpha_i y_i = 0 when
// it is free.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "halfspace/data/dataset.hpp"
#include "halfspace/objective/losses.hpp"
#include "halfspace/objective/offset.hpp"
#include "halfspace/objective/penalties.hpp"

namespace halfspace {

struct Problem {
  const Dataset* data = nullptr;
  std::vector<std::int8_t> y;  // +1 or -1 for every row
  std::vector<double> cost;    // C_i >= 0; a row of cost 0 is absent
  Loss loss;
  Penalty penalty = L2{};
  Offset offset = Offset::Free;
  // The rows of the data that it is about, in order; empty: all. Only kernel problems choose.
  std::vector<std::uint32_t> chosen;
  // By feature: 1 where a plane may have a weight, 0 where it is to be 0. Empty: everywhere.
  std::vector<std::uint8_t> usable;

  // Row i of the problem as a row of the data.
  [[nodiscard]] std::size_t row(std::size_t i) const { return chosen.empty() ? i : chosen[i]; }
  [[nodiscard]] std::size_t rows() const { return y.size(); }
  [[nodiscard]] std::size_t features() const { return data->features(); }
};

// One class against the others. class_weights: one per class of the data, empty: all 1.
[[nodiscard]] Problem make_problem(const Dataset& data, std::uint32_t positive, Loss loss, Offset offset,
                                   double C, const std::vector<double>& class_weights = {},
                                   Penalty penalty = L2{});

// What is minimised, in words: "minimise |theta|^2/2 + 10 sum hinge(m)".
[[nodiscard]] std::string formula(const Loss& loss, const Penalty& penalty, Offset offset, double C);

}  // namespace halfspace
