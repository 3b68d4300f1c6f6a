// SPDX-License-Identifier: BSD-3-Clause
#include "memory.hpp"

#include <malloc.h>

namespace halfspace::cli {

void return_memory() { ::mallopt(M_MMAP_THRESHOLD, 64 * 1024); }

void keep_memory() {
  ::mallopt(M_MMAP_THRESHOLD, 32 * 1024 * 1024);
  ::mallopt(M_TRIM_THRESHOLD, 256 * 1024 * 1024);
}

}  // namespace halfspace::cli
