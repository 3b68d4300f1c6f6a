// SPDX-License-Identifier: BSD-3-Clause
// Which form a data set is written in.
#include "halfspace/data/write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "data/write/writers.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

bool named(std::string_view path, std::string_view ending) {
  return lower_case(without_packing(path)).ends_with(ending);
}

std::string_view before_comma(std::string_view path) { return path.substr(0, path.find(',')); }

}  // namespace

Format written_format(std::string_view path, Format format) {
  if (format != Format::Auto) return format;
  if (named(path, ".hsd")) return Format::Hsd;
  if (named(path, ".csv") || named(path, ".tsv")) return Format::Csv;
  if (named(before_comma(path), ".npy")) return Format::Npy;
  for (const std::string_view ending : {".idx", ".idx1", ".idx3", "-ubyte"})
    if (named(before_comma(path), ending)) return Format::Idx;
  return Format::Libsvm;
}

namespace {

void refuse_weights(const Dataset& data, std::string_view format) {
  if (!data.weights().empty()) {
    throw UsageError(fmt::format("{} has no place for the weights of rows", format),
                     "write .csv or .hsd instead");
  }
}

void write_npy(const Dataset& data, const std::string& path) {
  refuse_weights(data, "npy");
  const std::string first(before_comma(path));
  const bool pair = first.size() < path.size();
  if (data.labelled() != pair) {
    throw UsageError(data.labelled() ? "npy needs two names for rows and labels: X.npy,y.npy"
                                     : "these rows have no labels: npy needs one name");
  }
  if (pair) {
    const std::string second = path.substr(first.size() + 1);
    if (second == first) throw UsageError("rows and labels cannot go to the same file");
    write_packed_file(second, [&](ByteSink& sink) { write_npy_labels(data, sink); });
  }
  write_packed_file(first, [&](ByteSink& sink) { write_npy_matrix(data, sink); });
}

}  // namespace

std::optional<std::vector<double>> class_numbers(const std::vector<std::string>& classes) {
  std::vector<double> numbers;
  for (const std::string& name : classes) {
    double number = 0;
    const char* const last = name.data() + name.size();
    const auto [end, error] = std::from_chars(name.data(), last, number);
    if (error != std::errc() || end != last || !std::isfinite(number)) return std::nullopt;
    numbers.push_back(number);
  }
  std::vector<double> sorted = numbers;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return std::nullopt;
  return numbers;
}

void write(const Dataset& data, const std::string& path, Format format, bool zero_based) {
  format = written_format(path, format);
  if (zero_based && format != Format::Libsvm)
    throw UsageError("counting features from 0 is for libsvm text only");
  switch (format) {
    case Format::Csv: {
      const char delimiter = named(path, ".tsv") ? '\t' : ',';
      return write_packed_file(path, [&](ByteSink& sink) { write_table(data, sink, delimiter); });
    }
    case Format::Npy: return write_npy(data, path);
    case Format::Hsd: return write_packed_file(path, [&](ByteSink& sink) { write_cache(data, sink); });
    case Format::Idx: throw UsageError("idx is read but not written", "write .npy or .hsd instead");
    case Format::Libsvm:
    case Format::Auto: break;
  }
  refuse_weights(data, "libsvm text");
  if (!data.labelled()) {
    throw UsageError("libsvm text needs a label in every row, and these rows have none",
                     "write .csv or .hsd instead");
  }
  write_packed_file(path, [&](ByteSink& sink) { write_libsvm(data, sink, zero_based); });
}

}  // namespace halfspace
