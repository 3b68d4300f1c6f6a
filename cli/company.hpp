// SPDX-License-Identifier: BSD-3-Clause
// The processes that run this command together, where a main() that knows how they reach each other has said so
// (mpi/main.cpp). The plain program is always alone.
#pragma once

#include <cstdint>

#include "halfspace/core/counted_members.hpp"

namespace halfspace::cli {

struct Company {
  CountedMembers* members = nullptr;  // null: alone
  std::int64_t threads = 0;           // of this process where nobody says how many; 0: all allowed cores
};
[[nodiscard]] Company& company();
[[nodiscard]] inline bool speaks() {
  return company().members == nullptr || company().members->number() == 0;
}

// What a member of several sees of it: shares of its time that each waited, and bytes of a round.
struct TrafficOfAll {
  Traffic mine;
  std::size_t processes = 1;
  double least_waiting = 0, most_waiting = 0, mean_waiting = 0;  // shares of `seconds`
};
// All members call it.
[[nodiscard]] TrafficOfAll traffic_of_all(const Traffic& mine, double seconds, const Team& team);

// A process that mpirun or srun has started as one of several becomes halfspace-mpi, which lies beside this program; returns
// where that is not so. UsageError where it is, and there is no such program.
void join_company(char** words);

}  // namespace halfspace::cli
