// SPDX-License-Identifier: BSD-3-Clause
// Arrays in memory -> a set -> a certified support vector machine -> scores: once from dense numbers that are copied, once
// from compressed sparse rows with 64-bit indices (those of scipy) that are read where they are.
#include <cstdint>
#include <iostream>
#include <memory>
#include <vector>

#include "halfspace/halfspace.hpp"

namespace hs = halfspace;

int main() {
  // Four rows of three columns, row after row.
  const std::vector<double> x{1.5, 0, 2, 0, 0, 3.5, -1, 0, -2, 0, -4, 0};
  const std::vector<std::string> y{"yes", "yes", "no", "no"};
  const hs::Dataset dense =
      hs::Dataset::dense(x, 4, 3, {.labels = y, .names = {"length", "width", "height"}});
  const hs::Fit one = hs::train(dense, hs::Svm{}, {});

  // The same rows without their zeros. The set keeps the arrays for as long as it reads them.
  struct Arrays {
    std::vector<double> data{1.5, 2, 3.5, -1, -2, -4};
    std::vector<std::int64_t> indices{0, 2, 2, 0, 2, 1}, indptr{0, 2, 3, 5, 6};
  };
  const auto arrays = std::make_shared<const Arrays>();
  const hs::Dataset sparse = hs::Dataset::csr(arrays->data, arrays->indices, arrays->indptr, 3,
                                              {.hold = hs::Hold::BorrowOnly, .owner = arrays, .labels = y});
  const hs::Fit other = hs::train(sparse, hs::Svm{}, {});

  if (dense.fingerprint() != sparse.fingerprint()) return 1;  // the same entries, labels and weights
  for (const hs::Fit* fit : {&one, &other}) {
    for (const double score : hs::scores(fit->model(), dense, hs::Threads(1))) std::cout << score << ' ';
    std::cout << '\n';
  }
  return 0;
}
