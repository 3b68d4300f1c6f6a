// SPDX-License-Identifier: BSD-3-Clause
// libsvm text and tables. Numbers are the shortest decimals that read back as the same doubles.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "data/readers.hpp"
#include "data/write/writers.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

template <class Number>
void append_number(std::string& to, Number value) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  to.append(digits, end);
}

// One text per class for libsvm, which knows numbers only.
std::vector<std::string> libsvm_labels(const std::vector<std::string>& classes) {
  std::vector<std::string> labels;
  const auto numbers = class_numbers(classes);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    labels.push_back(numbers ? label_text((*numbers)[k]) : fmt::format("{}", k));
  }
  return labels;
}

bool last_feature_appears(const Dataset& data) {
  return std::visit(
      [&](const auto& view) {
        bool appears = false;
        for (std::size_t i = 0; i < view.rows && !appears; ++i) {
          if constexpr (is_sparse<std::decay_t<decltype(view)>>) {
            const auto row = view.row(i);
            appears = row.size > 0 && row.index[row.size - 1] + std::uint64_t{1} == view.cols;
          } else {
            appears = decode(view.value[(i + 1) * view.cols - 1], view.divisor) != 0;
          }
        }
        return appears;
      },
      data.matrix());
}

// A cell as RFC 4180 has it; spaces at the ends are quoted too, because some readers drop them. Cells between
// tabs are never quoted, so they cannot hold everything.
std::string cell(const std::string& text, char delimiter) {
  const bool special =
      text.find_first_of("\r\n") != std::string::npos || text.find(delimiter) != std::string::npos;
  if (delimiter == '\t') {
    if (!special) return text;
    throw UsageError(fmt::format("'{}' cannot be a cell between tabs", printable(text)),
                     "write .csv instead");
  }
  const bool spaces = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (!special && !spaces && text.find('"') == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

// Different names for all columns, the ones of labels and weights taken already.
std::vector<std::string> column_names(const Dataset& data) {
  std::set<std::string> taken = {"label", "weight"};
  std::vector<std::string> names;
  for (std::size_t j = 0; j < data.features(); ++j) {
    std::string name = data.feature_name(static_cast<std::uint32_t>(j));
    if (!data.encoding() || name.empty()) name = fmt::format("f{}", j + 1);
    while (!taken.insert(name).second) name += '_';
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

void write_libsvm(const Dataset& data, ByteSink& sink, bool zero_based) {
  const std::vector<std::string> labels = libsvm_labels(data.classes());
  const std::uint64_t first = zero_based ? 0 : 1;
  const bool mark_width = data.features() > 0 && !last_feature_appears(data);
  BufferedOutput out(sink);
  std::visit(
      [&](const auto& view) {
        for (std::size_t i = 0; i < view.rows; ++i) {
          std::string& text = out.text();
          text += labels[data.labels()[i]];
          for_entries(view.row(i), [&](std::uint32_t column, double x) {
            text += ' ';
            append_number(text, column + first);
            text += ':';
            append_number(text, x);
          });
          if (i == 0 && mark_width) {
            text += ' ';
            append_number(text, view.cols - 1 + first);
            text += ":0";
          }
          text += '\n';
          out.flush_when_full();
        }
      },
      data.matrix());
  out.flush();
}

void write_table(const Dataset& data, ByteSink& sink, char delimiter) {
  std::vector<std::string> labels;
  for (const std::string& name : data.classes()) labels.push_back(cell(name, delimiter));
  BufferedOutput out(sink);
  std::string line;  // every cell ends with a delimiter, the last of which becomes the end of the line
  for (const std::string& name : column_names(data)) line += cell(name, delimiter) + delimiter;
  if (!data.weights().empty()) line += std::string("weight") + delimiter;
  if (data.labelled()) line += std::string("label") + delimiter;
  const auto end_line = [&] {
    if (!line.empty()) line.pop_back();
    out.text() += line;
    out.text() += '\n';
    out.flush_when_full();
    line.clear();
  };
  end_line();
  std::visit(
      [&](const auto& view) {
        for (std::size_t i = 0; i < view.rows; ++i) {
          std::uint64_t next = 0;
          const auto zeros_up_to = [&](std::uint64_t column) {
            for (; next < column; ++next) line.append({'0', delimiter});
          };
          for_entries(view.row(i), [&](std::uint32_t column, double x) {
            zeros_up_to(column);
            append_number(line, x);
            line += delimiter;
            ++next;
          });
          zeros_up_to(view.cols);
          if (!data.weights().empty()) {
            append_number(line, data.weights()[i]);
            line += delimiter;
          }
          if (data.labelled()) line += labels[data.labels()[i]] + delimiter;
          end_line();
        }
      },
      data.matrix());
  out.flush();
}

}  // namespace halfspace
