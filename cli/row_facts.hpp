// SPDX-License-Identifier: BSD-3-Clause
// What is said of rows: how many, of which classes, how they are stored.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "halfspace/core/team.hpp"
#include "halfspace/data/dataset.hpp"
#include "output.hpp"

namespace halfspace::cli {

struct RowFacts {
  std::uint64_t rows = 0, features = 0, nonzeros = 0, bytes = 0;
  std::string storage;
  std::string label_column;  // of a table
  std::vector<std::string> classes;
  std::vector<std::uint64_t> counts;  // rows of every class
  std::vector<double> weights;        // the same by weight
};
// Of the rows of all members.
[[nodiscard]] RowFacts facts_of(const Dataset& data, const Team& team = Threads(1));

// "a9a: 32561 rows, 123 features, 451592 nonzeros, sparse ones (1.9 MB)" and "classes: -1 24720, 1 7841".
[[nodiscard]] std::string describe_rows(const std::string& name, std::uint64_t rows, std::uint64_t features,
                                        std::uint64_t nonzeros, const std::string& storage,
                                        std::uint64_t bytes);
[[nodiscard]] std::string describe_data(const RowFacts& rows, const std::string& name);
[[nodiscard]] std::string describe_classes(const RowFacts& rows);
[[nodiscard]] Json classes_json(const RowFacts& rows);
// "always benign would have 0.3726": the most frequent class as an answer for all of these rows.
[[nodiscard]] std::string majority_words(const RowFacts& rows);

[[nodiscard]] inline std::string describe_data(const Dataset& data, const std::string& name) {
  return describe_data(facts_of(data), name);
}
[[nodiscard]] inline std::string describe_classes(const Dataset& data) {
  return describe_classes(facts_of(data));
}
[[nodiscard]] Json classes_json(const Dataset& data);

}  // namespace halfspace::cli
