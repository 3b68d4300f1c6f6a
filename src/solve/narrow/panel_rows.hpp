// SPDX-License-Identifier: BSD-3-Clause
// Rows of a set as they come into a panel. Nothing is kept: writing a row out costs less than reading it back from far
// memory.
#pragma once

#include <cstdint>
#include <span>

#include "halfspace/objective/problem.hpp"
#include "solve/narrow/panel.hpp"

namespace halfspace {

// Some rows of a problem, all of them or a sample, with the costs that they have there.
struct PanelList {
  std::span<const std::uint32_t> ids;  // empty: all rows in order
  std::span<const double> cost;
  [[nodiscard]] std::size_t row(std::size_t k) const { return ids.empty() ? k : ids[k]; }
};

// The places [begin, end) of the list, at most panel.most - panel.skip of them, beginning at place `skip` of the panel. A
// value may be off by a unit of its last place, which the gap is not taken from.
void fill_panel(const Problem& problem, const PanelList& list, std::size_t begin, std::size_t end,
                std::size_t skip, Panel& panel);

}  // namespace halfspace
