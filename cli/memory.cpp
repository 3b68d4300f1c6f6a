// SPDX-License-Identifier: BSD-3-Clause
#include "memory.hpp"

#include <malloc.h>

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <string>

namespace halfspace::cli {

void return_memory() { ::mallopt(M_MMAP_THRESHOLD, 64 * 1024); }

void keep_memory() {
  ::mallopt(M_MMAP_THRESHOLD, 32 * 1024 * 1024);
  ::mallopt(M_TRIM_THRESHOLD, 256 * 1024 * 1024);
}

// Not getrusage(): its peak counts the program that was there before this one.
std::uint64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    std::uint64_t kilobytes = 0;
    if (line.starts_with("VmHWM:") && std::sscanf(line.c_str() + 6, "%" SCNu64, &kilobytes) == 1)
      return kilobytes * 1024;
  }
  return 0;
}

}  // namespace halfspace::cli
