// SPDX-License-Identifier: BSD-3-Clause
// train by several processes, each with a share of the rows (docs/cluster.md). Alone, all of this is nothing.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "company.hpp"
#include "data_options.hpp"
#include "holdout.hpp"

namespace halfspace::cli {

// This process and the others of its company; alone where there are none.
[[nodiscard]] Team team_of_company(const Common& common);

struct OneProcessOptions {
  const Holdout& holdout;
  bool stream = false, calibrate = false, starts = false;
};
// UsageError for what needs all rows in one process.
void check_company(const OneProcessOptions& options);

// work() by the one that speaks for all: writing, and judging by other rows. The others wait for how it ends.
void by_speaker(const Team& team, const std::function<void()>& work);

// "4 processes: 61 rounds, 1.2 kB in a round to each, waiting 12 % of the time (5 to 20 %)".
[[nodiscard]] std::string traffic_words(const TrafficOfAll& traffic);
[[nodiscard]] Json traffic_json(const TrafficOfAll& traffic);

}  // namespace halfspace::cli
