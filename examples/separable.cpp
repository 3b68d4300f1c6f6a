// SPDX-License-Identifier: BSD-3-Clause
// Which classes of a table can a plane tell from all others? Every answer with a proof that is checked apart from the solver.
//   separable TABLE
#include <cstdio>
#include <halfspace/halfspace.hpp>

int main(int count, char** words) {
  namespace hs = halfspace;
  try {
    const hs::Dataset data = hs::read(count > 1 ? words[1] : "data/iris.csv");
    for (const std::string& name : data.classes()) {
      const hs::Dataset rows = hs::against_rest(data, name);
      const hs::Separability answer = hs::separability(rows);
      const bool proved = answer.decided && hs::verify(answer.proof, rows).holds;
      std::printf(
          "%s: %s\n", name.c_str(),
          proved ? hs::OptionType<hs::Separation>::print(answer.proof.verdict).c_str() : "not decided");
    }
    return 0;
  } catch (const std::exception& error) {
    std::puts(error.what());
    return 3;
  }
}
