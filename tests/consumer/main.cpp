// SPDX-License-Identifier: BSD-3-Clause
// Uses the library the way a stranger's program does: only installed headers, only the exported target.
#include <halfspace/core/parallel.hpp>
#include <halfspace/core/random.hpp>
#include <halfspace/core/version.hpp>
#include <iostream>

int main() {
  const halfspace::Threads threads(2);
  const int sum = halfspace::sum_blocks(
      threads, 100, 7, 0, [](std::size_t begin, std::size_t end) { return static_cast<int>(end - begin); });
  std::cout << "halfspace " << halfspace::version() << '\n';
  return sum == 100 && !halfspace::version().empty() ? 0 : 1;
}
