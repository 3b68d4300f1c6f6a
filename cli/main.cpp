// SPDX-License-Identifier: BSD-3-Clause
// halfspace: linear classification with proofs.
#include <malloc.h>

#include <cstring>
#include <string>
#include <vector>

#include "app.hpp"
#include "signals.hpp"

int main(int count, char** words) {
  using namespace halfspace::cli;
  // Known before anything can fail, so that every error is an object when one was asked for.
  bool json = false;
  for (int i = 1; i < count; ++i) json = json || std::strcmp(words[i], "--json") == 0;
  // Pieces of a file that is being read go back to the system as soon as they are joined, instead of making the heap
  // twice as large as the data.
  ::mallopt(M_MMAP_THRESHOLD, 64 * 1024);
  install_signals(json);
  try {
    const int code = run_program(std::vector<std::string>(words + std::min(count, 1), words + count));
    close_output();
    return code;
  } catch (...) {
    return report_failure(json);
  }
}
