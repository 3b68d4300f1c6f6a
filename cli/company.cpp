// SPDX-License-Identifier: BSD-3-Clause
#include "company.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "halfspace/core/error.hpp"

namespace halfspace::cli {
namespace {

// How many processes a launcher has started, by what it puts into their environment: Open MPI's mpirun, that of MPICH, srun.
long processes_started() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}) {
    const char* const text = std::getenv(name);
    if (text == nullptr) continue;
    // Slurm says so to every command of a job; srun with PMIx tells the processes of a step that they belong together.
    if (std::strcmp(name, "SLURM_NTASKS") == 0 && std::getenv("PMIX_NAMESPACE") == nullptr) continue;
    long count = 0;
    std::from_chars(text, text + std::strlen(text), count);
    return count;
  }
  return 1;
}

}  // namespace

Company& company() {
  static Company the;
  return the;
}

void join_company(char** words) {
  if (words[0] == nullptr || words[1] == nullptr || std::strcmp(words[1], "train") != 0) return;
  const long count = processes_started();
  if (count <= 1) return;
  std::error_code code;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", code);
  const std::string other = (self.parent_path() / "halfspace-mpi").string();
  if (!code) ::execv(other.c_str(), words);
  throw UsageError(
      fmt::format("this is one of {} processes, and each would train on all rows: there is no {}", count,
                  printable(other, 300)),
      "cmake --preset mpi builds it; one process needs no mpirun");
}

TrafficOfAll traffic_of_all(const Traffic& mine, double seconds, const Team& team) {
  TrafficOfAll out{.mine = mine, .processes = team.count()};
  const std::vector<double> shares = team.join({seconds > 0 ? std::min(1.0, mine.seconds / seconds) : 0.0});
  out.least_waiting = *std::min_element(shares.begin(), shares.end());
  out.most_waiting = *std::max_element(shares.begin(), shares.end());
  for (const double share : shares) out.mean_waiting += share / static_cast<double>(shares.size());
  return out;
}

}  // namespace halfspace::cli
