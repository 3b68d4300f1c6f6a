// SPDX-License-Identifier: BSD-3-Clause
// Uses the library the way a stranger's program does: only installed headers, only the exported target.
#include <cstdio>
#include <fstream>
#include <halfspace/core/version.hpp>
#include <halfspace/data/read.hpp>
#include <halfspace/solve/algorithms.hpp>
#include <iostream>

int main() {
  const std::string path = "consumer.svm";
  std::ofstream(path) << "+1 1:2 2:1\n+1 1:1 2:3\n-1 1:-1 2:-2\n-1 1:-3 2:-1\n";
  const halfspace::Dataset data = halfspace::read(path);
  const halfspace::Fit fit = halfspace::train(data, halfspace::Perceptron{.passes = {.until_clean = true}});
  std::remove(path.c_str());
  std::cout << "halfspace " << halfspace::version() << ": " << data.rows() << " rows, "
            << (fit.stop == halfspace::Stop::Clean ? "separated" : "not separated") << '\n';
  return fit.stop == halfspace::Stop::Clean && data.rows() == 4 ? 0 : 1;
}
