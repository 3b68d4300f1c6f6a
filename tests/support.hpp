// SPDX-License-Identifier: BSD-3-Clause
// Small data sets and models for tests, written as they are read by people.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "halfspace/core/error.hpp"
#include "halfspace/data/builder.hpp"
#include "halfspace/data/dataset.hpp"
#include "halfspace/model/model.hpp"

namespace halfspace::testing {

using Rows = std::vector<std::vector<double>>;

// So many of the random cases, or of the columns of a large one: sanitizers look for other things than figures, and take
// twenty to fifty times as long.
#ifdef HALFSPACE_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
template <typename T>
constexpr T fewer_if_sanitized(T all, int times = 10) {
  return sanitized ? static_cast<T>(all / static_cast<T>(times)) : all;
}

// Rows may have different lengths: what is missing is zero. No labels yet.
inline DatasetParts parts_from(const Rows& rows, std::vector<double> weights = {}, std::size_t features = 0) {
  MatrixBuilder builder;
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j) builder.add(static_cast<std::uint32_t>(j), row[j]);
    builder.end_row();
    features = std::max(features, row.size());
  }
  StoredMatrix stored = builder.finish(features, Threads(1));
  DatasetParts parts;
  parts.matrix = stored.matrix;
  parts.storage = stored.storage;
  parts.weights = std::move(weights);
  parts.name = "test";
  return parts;
}
// `labels` empty: a set without labels.
inline Dataset dataset_from(const Rows& rows, const std::vector<std::string>& labels = {},
                            std::vector<double> weights = {}, std::size_t features = 0) {
  DatasetParts parts = parts_from(rows, std::move(weights), features);
  for (const std::string& label : labels) {
    auto found = std::find(parts.classes.begin(), parts.classes.end(), label);
    if (found == parts.classes.end()) found = parts.classes.insert(parts.classes.end(), label);
    parts.labels.push_back(static_cast<std::uint32_t>(found - parts.classes.begin()));
  }
  sort_classes(parts.classes, parts.labels);
  return Dataset::make(std::move(parts));
}
inline Dataset dataset_from(const Rows& rows, const std::vector<int>& labels,
                            std::vector<double> weights = {}) {
  std::vector<std::string> names;
  for (const int label : labels) names.push_back(std::to_string(label));
  return dataset_from(rows, names, std::move(weights));
}

inline Model linear_model(const Rows& planes, std::vector<double> offsets, std::vector<std::string> classes) {
  LinearModel linear{.features = planes.at(0).size(), .planes = planes.size()};
  for (const auto& plane : planes) linear.weights.insert(linear.weights.end(), plane.begin(), plane.end());
  linear.offsets = std::move(offsets);
  Model model;
  model.form = std::move(linear);
  model.classes = std::move(classes);
  return model;
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

// The message of the InputError that `f` throws; empty when it throws none.
template <class F>
std::string input_error(F&& f) {
  try {
    f();
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

}  // namespace halfspace::testing
