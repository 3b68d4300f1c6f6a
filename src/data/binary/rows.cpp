// SPDX-License-Identifier: BSD-3-Clause
#include "data/binary/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "data/readers.hpp"

namespace halfspace {
namespace {

constexpr std::uint64_t chunk_elements = 1U << 16;

template <class T>
T load(const char* from, bool big_endian) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), from, sizeof(T));
  if (big_endian) std::reverse(bytes.begin(), bytes.end());
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

// Is the double that became of `value` the same number?
template <class T>
bool kept(T value, double x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isfinite(x);
  } else if constexpr (sizeof(T) == 8) {
    constexpr double beyond = std::is_signed_v<T> ? 9223372036854775808.0 : 18446744073709551616.0;
    return x < beyond && static_cast<T>(x) == value;
  } else {
    return true;
  }
}

template <class T>
std::string why_not(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return fmt::format("is not finite: {}", value);
  } else {
    return fmt::format("is {}, which a 64-bit floating-point number cannot hold", value);
  }
}

struct Bad {
  std::uint64_t element;
  std::string why;
};

template <class T>
std::optional<Bad> decode_as(const char* from, std::uint64_t stride, bool big_endian, std::span<double> to) {
  for (std::size_t k = 0; k < to.size(); ++k) {
    const T value = load<T>(from + k * stride, big_endian);
    to[k] = static_cast<double>(value);
    if (!kept(value, to[k])) return Bad{k, why_not(value)};
  }
  return std::nullopt;
}

// Elements that lie `stride` bytes apart; stops at the first that is no value.
std::optional<Bad> decode_elements(Elements elements, const char* from, std::uint64_t stride,
                                   std::span<double> to) {
  const bool big = elements.big_endian;
  switch (elements.type) {
    case ElementType::Bool:
      for (std::size_t k = 0; k < to.size(); ++k) to[k] = from[k * stride] != 0 ? 1 : 0;
      return std::nullopt;
    case ElementType::U8: return decode_as<std::uint8_t>(from, stride, big, to);
    case ElementType::I8: return decode_as<std::int8_t>(from, stride, big, to);
    case ElementType::U16: return decode_as<std::uint16_t>(from, stride, big, to);
    case ElementType::I16: return decode_as<std::int16_t>(from, stride, big, to);
    case ElementType::U32: return decode_as<std::uint32_t>(from, stride, big, to);
    case ElementType::I32: return decode_as<std::int32_t>(from, stride, big, to);
    case ElementType::U64: return decode_as<std::uint64_t>(from, stride, big, to);
    case ElementType::I64: return decode_as<std::int64_t>(from, stride, big, to);
    case ElementType::F32: return decode_as<float>(from, stride, big, to);
    case ElementType::F64: break;
  }
  return decode_as<double>(from, stride, big, to);
}

std::uint64_t rows_per_chunk(const Shape& shape) {
  return std::max<std::uint64_t>(1, chunk_elements / shape.cols);
}

// Rows [first, first + count) whose elements are `across` bytes apart in a row and `down` bytes apart in a
// column.
PackedBlock decode_rows(Elements elements, const char* from, std::uint64_t across, std::uint64_t down,
                        std::uint64_t first, std::uint64_t count, std::uint64_t cols,
                        const BinaryErrors& errors) {
  RowBlock block;
  std::vector<double> row(cols);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (const auto bad = decode_elements(elements, from + i * down, across, row)) {
      errors.bad_value(first + i, bad->element, bad->why);
    }
    for (std::uint64_t j = 0; j < cols; ++j) block.add(static_cast<std::uint32_t>(j), row[j]);
    block.end_row();
  }
  return pack(block);
}

}  // namespace

std::uint64_t Elements::bytes() const {
  switch (type) {
    case ElementType::Bool:
    case ElementType::U8:
    case ElementType::I8: return 1;
    case ElementType::U16:
    case ElementType::I16: return 2;
    case ElementType::U32:
    case ElementType::I32:
    case ElementType::F32: return 4;
    case ElementType::U64:
    case ElementType::I64:
    case ElementType::F64: break;
  }
  return 8;
}

void read_piece(ByteSource& source, std::vector<char>& buffer, std::uint64_t size) {
  constexpr std::uint64_t first_step = std::uint64_t{1} << 20;
  buffer.clear();
  while (buffer.size() < size) {
    const std::size_t at = buffer.size();
    const std::size_t step = std::min<std::uint64_t>(size - at, std::max<std::uint64_t>(first_step, at));
    buffer.resize(at + step);
    const std::size_t got = source.read(std::span<char>(buffer).subspan(at));
    buffer.resize(at + got);
    if (got < step) return;
  }
}

void expect_end(ByteSource& source, const BinaryErrors& errors) {
  char next = 0;
  if (source.read({&next, 1}) > 0) errors.too_long();
}

StoredMatrix read_rows(ByteSource& source, Elements elements, Shape shape, std::uint64_t cols,
                       const BinaryErrors& errors, const Threads& threads) {
  const std::uint64_t row_bytes = shape.cols * elements.bytes();
  const std::uint64_t chunk = rows_per_chunk(shape);
  const std::uint64_t wave = chunk * static_cast<std::uint64_t>(threads.count()) * 4;
  std::vector<PackedBlock> blocks;
  std::vector<char> buffer;
  for (std::uint64_t first = 0; first < shape.rows; first += wave) {
    const std::uint64_t rows = std::min(wave, shape.rows - first);
    read_piece(source, buffer, rows * row_bytes);
    if (buffer.size() < rows * row_bytes) errors.too_short(first * row_bytes + buffer.size());
    const std::size_t done = blocks.size();
    blocks.resize(done + (rows + chunk - 1) / chunk);
    for_blocks(threads, rows, chunk, [&](std::size_t begin, std::size_t end) {
      blocks[done + begin / chunk] =
          decode_rows(elements, buffer.data() + begin * row_bytes, elements.bytes(), row_bytes, first + begin,
                      end - begin, shape.cols, errors);
    });
  }
  expect_end(source, errors);
  return join(std::move(blocks), cols, threads);
}

StoredMatrix read_columns(ByteSource& source, Elements elements, Shape shape, std::uint64_t cols,
                          const BinaryErrors& errors, const Threads& threads) {
  const std::uint64_t expected = shape.elements() * elements.bytes();
  std::vector<char> bytes;
  read_piece(source, bytes, expected);
  if (bytes.size() < expected) errors.too_short(bytes.size());
  expect_end(source, errors);
  const std::uint64_t chunk = rows_per_chunk(shape);
  std::vector<PackedBlock> blocks((shape.rows + chunk - 1) / chunk);
  for_blocks(threads, shape.rows, chunk, [&](std::size_t begin, std::size_t end) {
    blocks[begin / chunk] =
        decode_rows(elements, bytes.data() + begin * elements.bytes(), shape.rows * elements.bytes(),
                    elements.bytes(), begin, end - begin, shape.cols, errors);
  });
  return join(std::move(blocks), cols, threads);
}

std::vector<double> read_numbers(ByteSource& source, Elements elements, std::uint64_t count,
                                 const BinaryErrors& errors) {
  std::vector<double> numbers;
  std::vector<char> buffer;
  while (numbers.size() < count) {
    const std::uint64_t done = numbers.size();
    const std::uint64_t size = std::min(chunk_elements, count - done);
    read_piece(source, buffer, size * elements.bytes());
    if (buffer.size() < size * elements.bytes()) errors.too_short(done * elements.bytes() + buffer.size());
    numbers.resize(done + size);
    const auto part = std::span<double>(numbers).subspan(done);
    if (const auto bad = decode_elements(elements, buffer.data(), elements.bytes(), part)) {
      errors.bad_value(done + bad->element, 0, bad->why);
    }
  }
  expect_end(source, errors);
  return numbers;
}

void set_number_labels(DatasetParts& parts, const std::vector<double>& numbers) {
  std::vector<double> values = numbers;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  parts.classes.clear();
  for (const double value : values) parts.classes.push_back(label_text(value));
  parts.labels.clear();
  parts.labels.reserve(numbers.size());
  for (const double value : numbers) {
    const auto rank = std::lower_bound(values.begin(), values.end(), value) - values.begin();
    parts.labels.push_back(static_cast<std::uint32_t>(rank));
  }
}

}  // namespace halfspace
