// SPDX-License-Identifier: BSD-3-Clause
// Uses the library the way a stranger's program does: only installed headers, only the exported target.
#include <cstdio>
#include <fstream>
#include <halfspace/halfspace.hpp>
#include <iostream>

int main() {
  const std::string path = "consumer.svm";
  std::ofstream(path) << "+1 1:2 2:1\n+1 1:1 2:3\n-1 1:-1 2:-2\n-1 1:-3 2:-1\n";
  const halfspace::Dataset data = halfspace::read(path);
  const halfspace::Fit fit = halfspace::train(data, {.scale = halfspace::ScaleKind::Standard},
                                              halfspace::Perceptron{.passes = {.until_clean = true}});
  const bool right = halfspace::predict(fit.model(), data)[0] == data.labels()[0];
  std::remove(path.c_str());
  std::cout << "halfspace " << halfspace::version() << ": " << data.rows() << " rows, "
            << (fit.answer.stop == halfspace::Stop::Clean ? "separated" : "not separated") << '\n';
  return fit.answer.stop == halfspace::Stop::Clean && data.rows() == 4 && right ? 0 : 1;
}
