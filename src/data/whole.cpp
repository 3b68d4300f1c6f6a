// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/data/whole.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <type_traits>
#include <utility>

#include "data/storage/decimal.hpp"
#include "data/storage/smallest.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

// Texts one after the other, each with its length before it.
void put_text(std::string& out, const std::string& text) {
  const std::uint64_t size = text.size();
  out.append(reinterpret_cast<const char*>(&size), sizeof size);
  out.append(text);
}

std::vector<std::vector<std::string>> gather_texts(const std::vector<std::string>& mine, const Team& team) {
  std::string bytes;
  for (const std::string& text : mine) put_text(bytes, text);
  std::vector<std::vector<std::string>> out;
  for (const Members::Bytes& one : team.gather(std::as_bytes(std::span(bytes)))) {
    out.emplace_back();
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= one.size();) {
      std::uint64_t size = 0;
      std::memcpy(&size, one.data() + at, sizeof size);
      at += sizeof size;
      size = std::min<std::uint64_t>(size, one.size() - at);
      out.back().emplace_back(reinterpret_cast<const char*>(one.data() + at), size);
      at += size;
    }
  }
  return out;
}

std::string print_of(const Encoding& table) {
  std::string all;
  for (const Column& column : table.columns) {
    put_text(all, column.name);
    for (const std::string& category : column.categories) put_text(all, category);
    const std::uint64_t more[] = {static_cast<std::uint64_t>(column.kind),
                                  column.hash_bits,
                                  column.fill ? 1U : 0U,
                                  column.missing_feature ? 1U : 0U,
                                  column.reference ? 1U : 0U,
                                  column.first_feature,
                                  column.categories.size()};
    all.append(reinterpret_cast<const char*>(more), sizeof more);
    const double fill = column.fill.value_or(0);
    all.append(reinterpret_cast<const char*>(&fill), sizeof fill);
  }
  put_text(all, table.label_column);
  put_text(all, table.weight_column);
  Fingerprint hash;
  hash.add(std::as_bytes(std::span(all)));
  return hash.hex();
}

// Kinds, categories and fills are learned from rows: parts of a table that were read apart may differ in them.
void check_columns(const Dataset& mine, const Team& team) {
  std::vector<std::string> prints;
  if (mine.rows() > 0) prints.push_back(mine.encoding() ? print_of(*mine.encoding()) : std::string());
  std::set<std::string> different;
  for (const auto& one : gather_texts(prints, team)) different.insert(one.begin(), one.end());
  if (different.size() <= 1) return;
  throw UsageError("the parts of the table differ in their columns, categories or fills",
                   "halfspace convert makes libsvm text or .hsd of the whole table");
}

template <class To>
struct Arrays {
  std::vector<std::uint64_t> start{0};
  std::vector<std::uint32_t> index;
  std::vector<To> value;
};

template <class To>
To value_as(double x, int decimals) {
  if constexpr (std::is_same_v<To, Decimal>) {
    std::int32_t digits = 0;
    as_decimal(x, decimals, digits);
    return {digits};
  } else {
    return static_cast<To>(x);
  }
}

template <class To, class View>
StoredMatrix copy_sparse(const View& view, std::size_t cols, const SmallestStorage& storage) {
  auto arrays = std::make_shared<Arrays<To>>();
  for (std::size_t i = 0; i < view.rows; ++i) {
    for_entries(view.row(i), [&](std::uint32_t j, double x) {
      arrays->index.push_back(j);
      if constexpr (!std::is_empty_v<To>) arrays->value.push_back(value_as<To>(x, storage.decimals));
    });
    arrays->start.push_back(arrays->index.size());
  }
  CsrView<To> out{
      .rows = view.rows, .cols = cols, .start = arrays->start.data(), .index = arrays->index.data()};
  if constexpr (!std::is_empty_v<To>) out.value = arrays->value.data();
  out.divisor = storage.divisor();
  return {out, arrays};
}

template <class To, class View>
StoredMatrix copy_dense(const View& view, std::size_t cols, const SmallestStorage& storage) {
  auto arrays = std::make_shared<Arrays<To>>();
  arrays->value.resize(view.rows * cols);
  for (std::size_t i = 0; i < view.rows; ++i)
    for_entries(view.row(i), [&](std::uint32_t j, double x) {
      arrays->value[i * cols + j] = value_as<To>(x, storage.decimals);
    });
  return {DenseView<To>{view.rows, cols, arrays->value.data(), storage.divisor()}, arrays};
}

template <class To, class View>
StoredMatrix copy_as(const View& view, std::size_t cols, const SmallestStorage& storage) {
  if constexpr (!std::is_empty_v<To>) {
    if (!storage.sparse) return copy_dense<To>(view, cols, storage);
  }
  return copy_sparse<To>(view, cols, storage);
}

StoredMatrix copy_rows(const Matrix& matrix, std::size_t cols, const SmallestStorage& storage) {
  return std::visit(
      [&](const auto& view) {
        switch (storage.kind) {
          case ValueKind::Ones: return copy_as<One>(view, cols, storage);
          case ValueKind::Float: return copy_as<float>(view, cols, storage);
          case ValueKind::Decimal: return copy_as<Decimal>(view, cols, storage);
          case ValueKind::Double: break;
        }
        return copy_as<double>(view, cols, storage);
      },
      matrix);
}

Matrix with_columns(Matrix matrix, std::size_t cols) {
  std::visit([&](auto& view) { view.cols = cols; }, matrix);
  return matrix;
}

}  // namespace

Dataset no_rows(const std::string& name) {
  static constexpr std::uint64_t no_start = 0;
  DatasetParts parts;
  parts.matrix = CsrView<One>{.start = &no_start};
  parts.name = name;
  parts.may_be_empty = true;
  return Dataset::make(std::move(parts), false);
}

Dataset part_of_whole(const Dataset& mine, const Team& team) {
  if (team.alone()) return mine;
  check_columns(mine, team);
  // The classes of all; where all members know the same ones, in the order that they have.
  std::vector<std::string> classes;
  bool same = true;
  for (const auto& theirs : gather_texts(mine.classes(), team)) {
    same = same && (classes.empty() || theirs.empty() || theirs == classes);
    for (const std::string& name : theirs)
      if (std::find(classes.begin(), classes.end(), name) == classes.end()) classes.push_back(name);
  }
  std::vector<std::uint32_t> none;
  if (!same) sort_classes(classes, none);
  std::vector<std::uint32_t> number;
  for (const std::string& name : mine.classes())
    number.push_back(
        static_cast<std::uint32_t>(std::find(classes.begin(), classes.end(), name) - classes.begin()));

  DatasetParts parts;
  for (const std::uint32_t label : mine.labels()) parts.labels.push_back(number[label]);
  parts.weights.assign(mine.weights().begin(), mine.weights().end());
  if (team.any(!mine.weights().empty()) && parts.weights.empty()) parts.weights.assign(mine.rows(), 1.0);
  parts.classes = std::move(classes);
  parts.nonzeros = mine.nonzeros();
  parts.encoding = mine.encoding();
  parts.from_text = mine.from_text();
  parts.name = mine.name();
  if (mine.knows_holes())
    parts.holes = std::make_shared<const std::vector<Hole>>(mine.holes().begin(), mine.holes().end());
  parts.may_be_empty = true;

  const auto cols = static_cast<std::size_t>(team.most(static_cast<double>(mine.features())));
  const SmallestStorage storage = smallest_storage(mine.matrix(), mine.nonzeros(), team, cols);
  if (storage.sparse == mine.sparse() && (mine.sparse() || cols == mine.features())) {
    parts.matrix = with_columns(mine.matrix(), cols);
    parts.storage = std::make_shared<const Dataset>(mine);
  } else {
    StoredMatrix copy = copy_rows(mine.matrix(), cols, storage);
    parts.matrix = copy.matrix;
    parts.storage = std::move(copy.storage);
  }
  return Dataset::make(std::move(parts), false);
}

}  // namespace halfspace
