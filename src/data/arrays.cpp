// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/data/arrays.hpp"

#include <utility>

#include "data/arrays/labels.hpp"
#include "data/arrays/rows.hpp"
#include "data/readers.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace {
namespace {

DatasetParts array_parts(ArrayRows rows, std::size_t count, std::size_t cols, const ArrayOptions& options) {
  DatasetParts parts;
  parts.matrix = rows.stored.matrix;
  parts.storage = std::move(rows.stored.storage);
  parts.nonzeros = rows.nonzeros;
  parts.name = options.name;
  parts.from_text = options.decimals;
  parts.encoding = array_encoding(cols, options);
  set_array_labels(parts, count, options);
  return parts;
}

}  // namespace

Dataset Dataset::dense(ValueArray values, std::size_t rows, std::size_t cols, const ArrayOptions& options) {
  Dataset all = make(array_parts(dense_rows(values, rows, cols, options), rows, cols, options), false);
  refuse_regression(all, all.rows());
  return all;
}

Dataset Dataset::csr(ValueArray values, IndexArray columns, IndexArray starts, std::size_t cols,
                     const ArrayOptions& options) {
  ArrayRows found = csr_rows(values, columns, starts, cols, options);
  const std::size_t rows = std::visit([](const auto& array) { return array.size(); }, starts) - 1;
  Dataset all = make(array_parts(std::move(found), rows, cols, options), false);
  refuse_regression(all, all.rows());
  return all;
}

}  // namespace halfspace
