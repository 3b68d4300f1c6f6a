// SPDX-License-Identifier: BSD-3-Clause
// halfspace: linear classification with proofs.
#include <cstring>
#include <string>
#include <vector>

#include "app.hpp"
#include "company.hpp"
#include "memory.hpp"
#include "signals.hpp"

int main(int count, char** words) {
  using namespace halfspace::cli;
  // Known before anything can fail, so that every error is an object when one was asked for.
  bool json = false;
  for (int i = 1; i < count; ++i) json = json || std::strcmp(words[i], "--json") == 0;
  return_memory();
  install_signals(json);
  try {
    join_company(words);
    const int code = run_program(std::vector<std::string>(words + std::min(count, 1), words + count));
    close_output();
    return code;
  } catch (...) {
    return report_failure(json);
  }
}
