// SPDX-License-Identifier: BSD-3-Clause
// halfspace-mpi: the program halfspace, whose processes train together when mpirun or srun starts several of them.
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "app.hpp"
#include "company.hpp"
#include "halfspace/core/stop.hpp"
#include "memory.hpp"
#include "mpi_members.hpp"
#include "signals.hpp"
#include "world.hpp"

namespace {

using namespace halfspace;

// What the others do not know yet they are told where they wait.
void tell_others(Members& members) {
  try {
    throw;
  } catch (const Stopped&) {  // all of them are stopped at the same sum
  } catch (...) {
    Team(Threads(1), members).abandon(std::current_exception());
  }
}

int run(const std::vector<std::string>& words, bool json, const mpi::MpiMembers& reached) {
  try {
    const int code = cli::run_program(words);
    cli::close_output();
    return code;
  } catch (...) {
    if (cli::company().members != nullptr) tell_others(*cli::company().members);
    if (reached.broken()) cli::keep_silent(false);
    return cli::report_failure(json);
  }
}

}  // namespace

int main(int count, char** words) {
  using namespace halfspace::cli;
  bool json = false;
  for (int i = 1; i < count; ++i) json = json || std::strcmp(words[i], "--json") == 0;
  return_memory();
  install_signals(json);
  try {
    mpi::World world;
    mpi::MpiMembers reached(world);
    world.begin_pulse();
    CountedMembers members(reached);
    if (world.count() > 1) {
      company() = {&members, world.threads()};
      expect_launcher();
    }
    const int code = run(std::vector<std::string>(words + std::min(count, 1), words + count), json, reached);
    if (reached.broken()) world.end_all(code);
    world.leave(code);
    return code;
  } catch (...) {
    return report_failure(json);
  }
}
