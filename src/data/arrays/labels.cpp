// SPDX-License-Identifier: BSD-3-Clause
#include "data/arrays/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <type_traits>

#include "data/csv/layout.hpp"
#include "data/readers.hpp"
#include "data/text/table.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

[[noreturn]] void refuse_label(const std::string& name, std::size_t row, const std::string& found,
                               const std::string& expected = {}) {
  throw InputError({.file = name}, fmt::format("row {}: {}", row + 1, found), expected);
}

void check_count(std::size_t count, std::size_t rows, const char* what, const std::string& name) {
  if (count != rows) throw InputError({.file = name}, fmt::format("{} {} for {} rows", count, what, rows));
}

template <class T>
double label_number(T label, std::size_t row, const std::string& name) {
  const double x = static_cast<double>(label);
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(x)) refuse_label(name, row, fmt::format("label {}", label), "a finite number");
  } else if constexpr (sizeof(T) == 8) {
    constexpr double beyond = 9223372036854775808.0;
    if (!(x < beyond) || static_cast<T>(x) != label)
      refuse_label(name, row,
                   fmt::format("label {}, which a 64-bit floating-point number cannot hold", label));
  }
  return x == 0 ? 0.0 : x;
}

// Sorted, each once.
template <class T>
std::vector<double> different_numbers(std::span<const T> labels, std::size_t begin, std::size_t end,
                                      const std::string& name) {
  std::vector<double> found;
  for (std::size_t i = begin; i < end; ++i) {
    const double x = label_number(labels[i], i, name);
    const auto place = std::lower_bound(found.begin(), found.end(), x);
    if (place == found.end() || *place != x) found.insert(place, x);
  }
  return found;
}

template <class T>
void set_numbers(DatasetParts& parts, std::span<const T> labels, const Threads& threads) {
  constexpr std::size_t block = 16384;
  std::vector<std::vector<double>> found((labels.size() + block - 1) / block);
  for_blocks(threads, labels.size(), block, [&](std::size_t begin, std::size_t end) {
    found[begin / block] = different_numbers(labels, begin, end, parts.name);
  });
  std::vector<double> all, both;
  for (const std::vector<double>& some : found) {
    both.clear();
    std::set_union(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(both));
    std::swap(all, both);
    if (all.size() > most_classes) too_many_classes(all.size(), parts.name);
  }
  for (const double x : all) parts.classes.push_back(label_text(x));
  parts.labels.resize(labels.size());
  for_blocks(threads, labels.size(), block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto place = std::lower_bound(all.begin(), all.end(), static_cast<double>(labels[i]));
      parts.labels[i] = static_cast<std::uint32_t>(place - all.begin());
    }
  });
}

void check_word(const std::string& word, std::size_t row, const std::string& name) {
  if (word.empty()) refuse_label(name, row, "the label is empty");
  if (find_invalid_utf8(word) != std::string_view::npos)
    refuse_label(name, row, fmt::format("the label '{}' is not UTF-8", printable(word, 40)));
}

// As in a table: numbers when all of them are.
void set_words(DatasetParts& parts, std::span<const std::string> labels) {
  TextTable words;
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::uint32_t id = words.intern(labels[i]);
    if (id == first.size()) {
      check_word(labels[i], i, parts.name);
      first.push_back(i);
      if (first.size() > most_classes) too_many_classes(first.size(), parts.name);
    }
    parts.labels.push_back(id);
  }
  std::vector<double> numbers;
  std::size_t damaged = words.size();  // what would be a number if it were finite and in range
  bool texts = false;
  for (std::uint32_t k = 0; k < words.size(); ++k) {
    const NumberResult number = cell_number(words.text(k));
    texts = texts || number.fault == NumberFault::NotANumber;
    if (number.fault == NumberFault::None)
      numbers.push_back(number.value);
    else
      damaged = std::min<std::size_t>(damaged, k);
  }
  if (!texts && damaged < words.size() && !numbers.empty())
    refuse_label(parts.name, first[damaged], fmt::format("label {}", printable(labels[first[damaged]], 40)),
                 "a finite number among numbers");
  TextTable classes;
  std::vector<std::uint32_t> map;
  for (std::uint32_t k = 0; k < words.size(); ++k)
    map.push_back(numbers.size() == words.size() ? classes.intern(label_text(numbers[k]))
                                                 : classes.intern(words.text(k)));
  for (std::uint32_t& label : parts.labels) label = map[label];
  for (std::uint32_t k = 0; k < classes.size(); ++k) parts.classes.emplace_back(classes.text(k));
  sort_classes(parts.classes, parts.labels);
}

void set_classes(DatasetParts& parts, const ClassLabels& labels) {
  std::set<std::string_view> different;
  for (const std::string& name : labels.names) {
    if (name.empty() || find_invalid_utf8(name) != std::string_view::npos || !different.insert(name).second)
      throw InputError({.file = parts.name}, fmt::format("a class called '{}'", printable(name, 40)),
                       "different names in UTF-8 that are not empty");
  }
  if (labels.names.size() > most_classes) too_many_classes(labels.names.size(), parts.name);
  for (std::size_t i = 0; i < labels.numbers.size(); ++i) {
    if (labels.numbers[i] >= labels.names.size())
      refuse_label(parts.name, i,
                   fmt::format("class number {} of {} names", labels.numbers[i], labels.names.size()),
                   "classes are counted from 0");
  }
  parts.labels.assign(labels.numbers.begin(), labels.numbers.end());
  parts.classes = labels.names;
  sort_classes(parts.classes, parts.labels);
}

}  // namespace

void set_array_labels(DatasetParts& parts, std::size_t rows, const ArrayOptions& options) {
  std::visit(
      [&](const auto& labels) {
        using L = std::decay_t<decltype(labels)>;
        if constexpr (std::is_same_v<L, ClassLabels>) {
          check_count(labels.numbers.size(), rows, "labels", parts.name);
          set_classes(parts, labels);
        } else if constexpr (!std::is_same_v<L, std::monostate>) {
          check_count(labels.size(), rows, "labels", parts.name);
          if constexpr (std::is_same_v<L, std::span<const std::string>>)
            set_words(parts, labels);
          else
            set_numbers(parts, labels, options.threads);
        }
      },
      options.labels);
  if (options.weights.empty()) return;
  check_count(options.weights.size(), rows, "weights", parts.name);
  for (std::size_t i = 0; i < rows; ++i) {
    if (const double w = options.weights[i]; !(w >= 0) || !std::isfinite(w))
      refuse_label(parts.name, i, fmt::format("weight {}", w), "a finite number of at least 0");
  }
  parts.weights.assign(options.weights.begin(), options.weights.end());
}

std::shared_ptr<const Encoding> array_encoding(std::size_t cols, const ArrayOptions& options) {
  if (options.names.empty()) {
    if (!options.label_name.empty() || !options.weight_name.empty())
      throw UsageError("a name of the labels or weights without names of the columns");
    return nullptr;
  }
  if (options.names.size() != cols)
    throw InputError({.file = options.name},
                     fmt::format("{} names for {} columns", options.names.size(), cols));
  auto encoding = std::make_shared<Encoding>();
  std::set<std::string_view> different;
  const auto add = [&](const std::string& name) {
    if (find_invalid_utf8(name) != std::string_view::npos || !different.insert(name).second)
      throw InputError({.file = options.name}, fmt::format("a column called '{}'", printable(name, 40)),
                       "different names in UTF-8");
  };
  for (const std::string& name : options.names) {
    add(name);
    encoding->columns.push_back(
        {.name = name, .first_feature = static_cast<std::uint32_t>(encoding->columns.size())});
  }
  if (!options.label_name.empty()) add(options.label_name);
  if (!options.weight_name.empty()) add(options.weight_name);
  encoding->label_column = options.label_name;
  encoding->weight_column = options.weight_name;
  return encoding;
}

}  // namespace halfspace
