// SPDX-License-Identifier: BSD-3-Clause
// members NUMBER COUNT: a sum of COUNT numbers that goes from process to process, before which process NUMBER fails. Ends with 5
// where every other process is told so, with 1 where one is not.
#include <cstdlib>
#include <exception>
#include <new>
#include <vector>

#include "core/row_sums.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/team.hpp"
#include "mpi_members.hpp"
#include "world.hpp"

namespace {

using namespace halfspace;

int run(Members& members, std::size_t failing, std::size_t count) {
  const Team team(Threads(1), members);
  std::vector<double> sum(count, 0.0);
  try {
    if (members.number() == failing) throw std::bad_alloc();
    add_in_turn(team, sum, [](std::vector<double>& to) {
      for (double& one : to) ++one;
    });
  } catch (const std::bad_alloc&) {
    team.abandon(std::current_exception());
    return 5;
  } catch (const SystemError&) {
    return 5;
  }
  return 1;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  mpi::World world;
  mpi::MpiMembers members(world);
  world.begin_pulse();
  const int code = run(members, std::strtoul(words[1], nullptr, 10), std::strtoul(words[2], nullptr, 10));
  world.leave(code);
  return code;
}
