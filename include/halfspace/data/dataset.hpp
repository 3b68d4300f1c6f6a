// SPDX-License-Identifier: BSD-3-Clause
// Dataset: rows, labels and weights that are valid by construction: finite values, indices in range, one
// label per row, weights >= 0. Copying is cheap (the storage is shared and never changes).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halfspace/core/team.hpp"
#include "halfspace/data/arrays.hpp"
#include "halfspace/data/encoding.hpp"
#include "halfspace/data/matrix.hpp"

namespace halfspace {

// A number that its row does not have, and that stands there as its column says (Column::fill).
struct Hole {
  std::uint32_t row = 0, feature = 0;
};

class Spill;

// What a reader hands over. `storage` keeps alive whatever `matrix` points into.
struct DatasetParts {
  Matrix matrix;
  std::shared_ptr<const void> storage;
  std::vector<std::uint32_t> labels;               // class of every row; empty: the rows have no labels
  std::vector<std::string> classes;                // sorted; the last one is the positive class
  std::vector<double> weights;                     // empty: all 1
  std::shared_ptr<const Encoding> encoding;        // tables only
  bool from_text = false;                          // the values were written as decimals
  std::string name;                                // path or description, for messages
  std::shared_ptr<const std::vector<Hole>> holes;  // rows ascending; null: not a table whose holes are filled

  std::shared_ptr<Spill> spill;  // whose files the rows lie in; null: in memory

  bool may_be_empty = false;  // what a member of a team has may be no row at all

  // From a cache: arrays that lie inside `storage`, instead of the vectors above, and what is known without looking
  // at the rows. check_cache() holds all of it against the rows.
  std::span<const std::uint32_t> stored_labels;
  std::span<const double> stored_weights;
  std::optional<std::uint64_t> nonzeros;
  std::string stored_fingerprint;
};

class Dataset {
 public:
  Dataset() = default;
  // Checks sizes and, with `check_values`, every index and value. Labels and weights are always checked unless they
  // are stored ones. Throws InputError naming `parts.name`.
  static Dataset make(DatasetParts parts, bool check_values = true);

  // Rows in arrays of the caller: all values row after row (or column after column), or the arrays of compressed sparse rows
  // (those of scipy's csr_matrix: data, indices, indptr). Everything is checked: sizes, ranges, values that are not
  // finite, columns given twice in a row are an InputError with row and column, counted from 1. Borrowed values are never
  // copied; column numbers of 64 bits and row starts of 32 bits are converted into arrays of the set's own.
  static Dataset dense(ValueArray values, std::size_t rows, std::size_t cols,
                       const ArrayOptions& options = {});
  static Dataset csr(ValueArray values, IndexArray columns, IndexArray starts, std::size_t cols,
                     const ArrayOptions& options = {});

  [[nodiscard]] const Matrix& matrix() const { return parts_->matrix; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t features() const { return features_; }
  [[nodiscard]] std::uint64_t nonzeros() const { return nonzeros_; }
  [[nodiscard]] bool sparse() const;
  [[nodiscard]] std::string storage_name() const;  // "sparse ones", "dense float32", "sparse decimal 6", ...
  [[nodiscard]] std::uint64_t storage_bytes() const;

  [[nodiscard]] bool labelled() const { return !labels_.empty(); }
  [[nodiscard]] std::span<const std::uint32_t> labels() const { return labels_; }
  [[nodiscard]] const std::vector<std::string>& classes() const { return parts_->classes; }
  [[nodiscard]] std::span<const double> weights() const { return weights_; }
  [[nodiscard]] double weight(std::size_t row) const { return weights_.empty() ? 1.0 : weights_[row]; }
  [[nodiscard]] const std::shared_ptr<const Encoding>& encoding() const { return parts_->encoding; }
  // Whether it is known which numbers are fills; a cache has forgotten.
  [[nodiscard]] bool knows_holes() const { return parts_->holes != nullptr; }
  [[nodiscard]] std::span<const Hole> holes() const {
    return parts_->holes != nullptr ? std::span<const Hole>(*parts_->holes) : std::span<const Hole>();
  }
  // Where copies of these rows go, when the rows themselves are not to stay in memory; null: they are in memory.
  [[nodiscard]] const std::shared_ptr<Spill>& spill() const { return parts_->spill; }
  // The values were read from text, so that decimals are meant.
  [[nodiscard]] bool from_text() const { return parts_->from_text; }
  [[nodiscard]] const std::string& name() const { return parts_->name; }
  [[nodiscard]] std::string feature_name(
      std::uint32_t feature) const;  // from the table, else the number from 1

  // Fingerprint of shape, entries as doubles, labels and weights: equal for equal data, whatever file, array or
  // storage it came from. Zeros are no entries, -0 and stored ones neither.
  [[nodiscard]] std::string fingerprint() const;
  // Of the rows of all members, in order.
  [[nodiscard]] std::string fingerprint(const Team& team) const;
  // The one that a cache was written with; empty for data from elsewhere.
  [[nodiscard]] const std::string& stored_fingerprint() const { return parts_->stored_fingerprint; }

  // The chosen rows in the order given, sharing nothing with this set.
  [[nodiscard]] Dataset subset(std::span<const std::uint32_t> rows) const;
  // The rows [first, last), sharing this set's storage. What a member of a team has of the whole (core/team.hpp), which
  // may be no row at all.
  [[nodiscard]] Dataset part(std::size_t first, std::size_t last) const;
  // The same rows with other labels (class of every row, sorted class names); the matrix is shared.
  [[nodiscard]] Dataset relabelled(std::vector<std::uint32_t> labels, std::vector<std::string> classes) const;
  // The same rows with other weights, one for each (none: all 1); matrix and labels are shared, so that a set costs eight
  // bytes a row. A row of weight 0 is absent: the folds of a cross-validation are such sets.
  [[nodiscard]] Dataset reweighted(std::vector<double> weights) const;
  // One class against the rest: classes become {"rest", label}, or another name where one is called rest. Throws
  // InputError when no row has the label.
  [[nodiscard]] Dataset one_against_rest(const std::string& label) const;

 private:
  std::shared_ptr<const DatasetParts> parts_ = std::make_shared<DatasetParts>();
  std::span<const std::uint32_t> labels_;  // in *parts_ or its storage
  std::span<const double> weights_;
  std::size_t rows_ = 0;
  std::size_t features_ = 0;
  std::uint64_t nonzeros_ = 0;
};

// Sorts class names (numerically when all are numbers, else by bytes) and renumbers labels accordingly.
void sort_classes(std::vector<std::string>& classes, std::vector<std::uint32_t>& labels);

}  // namespace halfspace
