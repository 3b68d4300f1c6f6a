// SPDX-License-Identifier: BSD-3-Clause
// A graph as loops in a language that looks like C. Sums, products and whatever is dear to compute or wanted twice get a variable; the rest
// is written where it is used.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/travel/graph.hpp"

namespace halfspace::travel {

// What differs between the languages. {} stands for what the comment says.
struct Dialect {
  std::string_view numbers_open, whole_open;  // of a table: its name, its length
  std::string_view table_close;
  std::string_view scalar, array;  // a variable of doubles: its name; and its length
  std::string_view counter;        // type of a loop's counter
  std::string_view exp, tanh, sqrt, abs;
};

class Loops {
 public:
  Loops(const Graph& graph, const Dialect& dialect, std::string prefix);
  // Constants and matrices.
  [[nodiscard]] std::string tables() const;
  // Statements that compute `node` from the row x and put it into the array `to`.
  [[nodiscard]] std::string body(std::size_t node, std::string_view to) const;
  [[nodiscard]] bool uses(Op op) const;

 private:
  [[nodiscard]] bool has_variable(std::size_t node) const;
  [[nodiscard]] std::string element(std::size_t node, const std::string& at) const;
  [[nodiscard]] std::string value(std::size_t node, const std::string& at) const;
  [[nodiscard]] std::string statements(std::size_t node) const;
  [[nodiscard]] std::string product(std::size_t node) const;
  [[nodiscard]] std::string table_name(std::string_view kind, std::size_t node) const;
  [[nodiscard]] std::string numbers(std::string_view kind, std::size_t node,
                                    const std::vector<double>& values) const;
  template <class T>
  [[nodiscard]] std::string whole(std::string_view kind, std::size_t node,
                                  const std::vector<T>& values) const;

  const Graph& graph_;
  Dialect dialect_;
  std::string prefix_;
  std::vector<std::size_t> uses_;
};

}  // namespace halfspace::travel
