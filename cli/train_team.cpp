// SPDX-License-Identifier: BSD-3-Clause
#include "train_team.hpp"

#include <fmt/format.h>

#include <exception>
#include <nlohmann/json.hpp>

#include "halfspace/core/error.hpp"
#include "halfspace/core/stop.hpp"

namespace halfspace::cli {

Team team_of_company(const Common& common) {
  return company().members == nullptr ? Team(common.team()) : Team(common.team(), *company().members);
}

void check_company(const OneProcessOptions& options) {
  if (company().members == nullptr) return;
  const auto refuse = [](bool given, const char* what) {
    if (given) throw UsageError(fmt::format("{} in one process", what), "without mpirun");
  };
  refuse(options.stream, "--stream takes rows as they come,");
  refuse(options.holdout.holds_out(), "--holdout draws from all rows");
  refuse(options.holdout.grouped(), "--groups is for tables, which are read");
  refuse(options.calibrate, "--calibrate holds rows out");
  refuse(options.starts, "--from is for learners that go from row to row");
}

void by_speaker(const Team& team, const std::function<void()>& work) {
  if (team.alone()) return work();
  std::exception_ptr failure;
  try {
    if (team.first()) work();
  } catch (...) {
    failure = std::current_exception();
  }
  static_cast<void>(team.gather({}, failure));
}

std::string traffic_words(const TrafficOfAll& traffic) {
  const Traffic& mine = traffic.mine;
  return fmt::format(
      "{} processes: {}, {} in a round to each, waiting {:.0f} % of the time ({:.0f} to {:.0f} %)",
      traffic.processes, counted(mine.rounds, "round"),
      human_bytes(mine.rounds == 0 ? 0 : mine.received / mine.rounds), 100 * traffic.mean_waiting,
      100 * traffic.least_waiting, 100 * traffic.most_waiting);
}

Json traffic_json(const TrafficOfAll& traffic) {
  const Traffic& mine = traffic.mine;
  Json sizes = Json::array();
  for (const auto& [bytes, rounds] : mine.sizes) sizes.push_back({{"bytes", bytes}, {"rounds", rounds}});
  return {
      {"processes", traffic.processes},
      {"rounds", mine.rounds},
      {"bytes_given", mine.given},
      {"bytes_received", mine.received},
      {"bytes_passed", mine.passed},
      {"sizes", std::move(sizes)},
      {"waiting",
       {{"mean", traffic.mean_waiting}, {"least", traffic.least_waiting}, {"most", traffic.most_waiting}}}};
}

}  // namespace halfspace::cli
