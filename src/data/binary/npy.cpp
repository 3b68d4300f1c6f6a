// SPDX-License-Identifier: BSD-3-Clause
// NumPy arrays: X of one or two dimensions, y of one dimension of numbers or of texts of fixed width.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "data/binary/npy_header.hpp"
#include "data/binary/rows.hpp"
#include "data/readers.hpp"
#include "data/text/table.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

BinaryErrors errors_of(const NpyHeader& header, const std::string& name) {
  return {.bad_value =
              [&](std::uint64_t row, std::uint64_t column, const std::string& why) {
                const std::uint64_t cols = header.shape.size() > 1 ? header.shape[1] : 1;
                const std::uint64_t element =
                    header.fortran_order ? column * header.shape[0] + row : row * cols + column;
                throw InputError(Place{.file = name, .byte = header.bytes + element * header.item_bytes},
                                 fmt::format("row {} col {} {}", row, column, why));
              },
          .too_short = [&](std::uint64_t bytes) { refuse_npy_size(header, name, bytes); },
          .too_long = [&] { refuse_npy_size(header, name, UINT64_MAX); }};
}

void append_utf8(std::string& to, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { to.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0U | code >> 6U);
    put(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    put(0xE0U | code >> 12U);
    put(0x80U | (code >> 6U & 0x3FU));
    put(0x80U | (code & 0x3FU));
  } else {
    put(0xF0U | code >> 18U);
    put(0x80U | (code >> 12U & 0x3FU));
    put(0x80U | (code >> 6U & 0x3FU));
    put(0x80U | (code & 0x3FU));
  }
}

// The text of one item; zeros at its end only fill it up. False for what is no text.
bool read_text(const NpyHeader& header, std::string_view item, std::string& text) {
  text.clear();
  if (header.kind == NpyKind::Bytes) {
    text = item.substr(0, item.find_last_not_of('\0') + 1);
    return !text.empty();
  }
  std::size_t end = item.size();
  while (end >= 4 && item.substr(end - 4, 4) == std::string_view("\0\0\0\0", 4)) end -= 4;
  for (std::size_t at = 0; at < end; at += 4) {
    std::uint32_t code = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t place = header.elements.big_endian ? at + k : at + 3 - k;
      code = code << 8U | static_cast<unsigned char>(item[place]);
    }
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return false;
    append_utf8(text, code);
  }
  return !text.empty();
}

void read_text_labels(ByteSource& source, const std::string& name, const NpyHeader& header,
                      DatasetParts& parts) {
  const BinaryErrors errors = errors_of(header, name);
  std::map<std::string, std::uint32_t> numbers;
  std::vector<char> item;
  std::string text;
  for (std::uint64_t row = 0; row < header.shape[0]; ++row) {
    read_piece(source, item, header.item_bytes);
    if (item.size() < header.item_bytes) errors.too_short(row * header.item_bytes + item.size());
    if (!read_text(header, {item.data(), item.size()}, text))
      errors.bad_value(row, 0, "is an empty or damaged text");
    const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
    if (find_invalid_utf8(text) != std::string_view::npos || std::any_of(text.begin(), text.end(), control))
      errors.bad_value(row, 0, "is not text (UTF-8 without control characters)");
    const auto [at, added] = numbers.try_emplace(text, static_cast<std::uint32_t>(numbers.size()));
    if (added) parts.classes.push_back(text);
    parts.labels.push_back(at->second);
  }
  expect_end(source, errors);
  sort_classes(parts.classes, parts.labels);
}

void read_npy_labels(ByteSource& source, const std::string& name, const std::string& matrix_name,
                     std::uint64_t rows, DatasetParts& parts) {
  const NpyHeader header = read_npy_header(source, name);
  if (header.shape.size() != 1) {
    throw InputError(Place{.file = name, .byte = header.shape_at},
                     fmt::format("labels of shape {}", header.shape_text()),
                     "an array of one dimension is expected");
  }
  if (header.shape[0] != rows) {
    throw InputError(Place{.file = name, .byte = header.size_at[0]},
                     fmt::format("{} labels", header.shape[0]),
                     fmt::format("{} has {} rows", printable(matrix_name), rows));
  }
  check_npy_size(header, source, name);
  if (header.kind == NpyKind::Numbers) {
    set_number_labels(parts, read_numbers(source, header.elements, rows, errors_of(header, name)));
  } else {
    read_text_labels(source, name, header, parts);
  }
}

Shape matrix_shape(const NpyHeader& header, const std::string& name) {
  if (header.kind != NpyKind::Numbers) {
    throw InputError(Place{.file = name, .byte = header.descr_at},
                     fmt::format("unsupported dtype '{}' of X", printable(header.descr)),
                     "features are numbers");
  }
  if (header.shape.empty() || header.shape.size() > 2) {
    throw InputError(Place{.file = name, .byte = header.shape_at},
                     fmt::format("shape {}", header.shape_text()),
                     "X has one or two dimensions: rows and features");
  }
  const Shape shape{header.shape[0], header.shape.size() == 2 ? header.shape[1] : 1};
  if (shape.cols > most_features) {
    throw InputError(Place{.file = name, .byte = header.size_at[1]}, fmt::format("{} features", shape.cols),
                     fmt::format("at most {} are possible", most_features));
  }
  return shape;
}

}  // namespace

DatasetParts read_npy(ByteSource& matrix, const std::string& name, ByteSource* labels,
                      const std::string& labels_name, const ReadOptions& options) {
  if (labels == nullptr && options.need_labels) {
    throw InputError(Place{name}, "no labels", "an NPY file of labels is needed", "give both as X.npy,y.npy");
  }
  const NpyHeader header = read_npy_header(matrix, name);
  const Shape shape = matrix_shape(header, name);
  check_npy_size(header, matrix, name);
  const BinaryErrors errors = errors_of(header, name);
  const std::uint64_t cols = std::max<std::uint64_t>(shape.cols, options.features);
  const bool by_columns = header.fortran_order && shape.cols > 1;
  StoredMatrix stored = by_columns
                            ? read_columns(matrix, header.elements, shape, cols, errors, options.threads)
                            : read_rows(matrix, header.elements, shape, cols, errors, options.threads);
  DatasetParts parts;
  parts.name = name;
  parts.matrix = stored.matrix;
  parts.storage = std::move(stored.storage);
  if (labels != nullptr) read_npy_labels(*labels, labels_name, name, shape.rows, parts);
  return parts;
}

}  // namespace halfspace
