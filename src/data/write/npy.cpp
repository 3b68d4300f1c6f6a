// SPDX-License-Identifier: BSD-3-Clause
// NumPy arrays, format version 1.0.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "data/readers.hpp"
#include "data/write/writers.hpp"

namespace halfspace {
namespace {

std::string header_text(std::string_view descr, const std::string& shape) {
  constexpr std::size_t fixed = 10;      // magic, version, length
  constexpr std::size_t alignment = 64;  // data begin at a multiple of this
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, shape);
  text.append(alignment - 1 - (fixed + text.size()) % alignment, ' ');
  text += '\n';
  std::string header = "\x93NUMPY";
  header += '\x01';
  header += '\0';
  header += static_cast<char>(text.size() & 0xFFU);
  header += static_cast<char>(text.size() >> 8U);
  return header + text;
}

template <class T>
void append_bytes(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T, class View>
void write_as(const View& view, std::string_view descr, ByteSink& sink) {
  BufferedOutput out(sink);
  out.text() = header_text(descr, fmt::format("({}, {})", view.rows, view.cols));
  for (std::size_t i = 0; i < view.rows; ++i) {
    std::uint64_t next = 0;
    const auto zeros_up_to = [&](std::uint64_t column) {
      out.text().append((column - next) * sizeof(T), '\0');
      next = column;
    };
    for_entries(view.row(i), [&](std::uint32_t column, double x) {
      zeros_up_to(column);
      append_bytes(out.text(), static_cast<T>(x));
      ++next;
    });
    zeros_up_to(view.cols);
    out.flush_when_full();
  }
  out.flush();
}

// The code points of UTF-8; nullopt when it is none.
std::optional<std::u32string> code_points(const std::string& text) {
  std::u32string points;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = [&](std::size_t i) {
      return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const unsigned first = byte(at);
    const std::size_t length = first < 0x80   ? 1
                               : first < 0xC2 ? 0
                               : first < 0xE0 ? 2
                               : first < 0xF0 ? 3
                               : first < 0xF5 ? 4
                                              : 0;
    if (length == 0) return std::nullopt;
    char32_t point = length == 1 ? first : first & (0x7FU >> length);
    for (std::size_t k = 1; k < length; ++k) {
      if ((byte(at + k) & 0xC0U) != 0x80U) return std::nullopt;
      point = point << 6U | (byte(at + k) & 0x3FU);
    }
    constexpr char32_t shortest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (point < shortest[length] || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000))
      return std::nullopt;
    points += point;
    at += length;
  }
  return points;
}

// Every class as the bytes of one item of a NumPy array, all of the same length, and the type of the array.
struct Items {
  std::string descr;
  std::vector<std::string> bytes;
};

// Numbers only when they read back as the same names.
std::optional<std::vector<double>> plain_numbers(const std::vector<std::string>& classes) {
  auto numbers = class_numbers(classes);
  for (std::size_t k = 0; numbers && k < classes.size(); ++k) {
    if (label_text((*numbers)[k]) != classes[k]) return std::nullopt;
  }
  return numbers;
}

Items items_of(const std::vector<std::string>& classes) {
  Items items;
  items.bytes.resize(classes.size());
  if (const auto numbers = plain_numbers(classes)) {
    const bool whole = std::all_of(numbers->begin(), numbers->end(), [](double x) {
      constexpr double exact = 9007199254740992.0;  // 2^53
      return std::abs(x) <= exact && x == std::floor(x);
    });
    items.descr = whole ? "<i8" : "<f8";
    for (std::size_t k = 0; k < classes.size(); ++k) {
      const double x = (*numbers)[k];
      whole ? append_bytes(items.bytes[k], static_cast<std::int64_t>(x)) : append_bytes(items.bytes[k], x);
    }
    return items;
  }
  bool text = true;
  for (std::size_t k = 0; k < classes.size() && text; ++k) {
    const auto points = code_points(classes[k]);
    text = points.has_value();
    if (points) items.bytes[k].assign(reinterpret_cast<const char*>(points->data()), 4 * points->size());
  }
  if (!text) items.bytes = classes;
  const std::size_t unit = text ? sizeof(std::uint32_t) : 1;
  std::size_t longest = unit;
  for (const std::string& item : items.bytes) longest = std::max(longest, item.size());
  for (std::string& item : items.bytes) item.resize(longest, '\0');
  items.descr = fmt::format("{}{}", text ? "<U" : "|S", longest / unit);
  return items;
}

}  // namespace

void write_npy_matrix(const Dataset& data, ByteSink& sink) {
  std::visit(
      [&](const auto& view) {
        using V = typename std::decay_t<decltype(view)>::Value;
        if constexpr (std::is_same_v<V, One>) {
          write_as<std::uint8_t>(view, "|u1", sink);
        } else if constexpr (std::is_same_v<V, float>) {
          write_as<float>(view, "<f4", sink);
        } else {
          write_as<double>(view, "<f8", sink);
        }
      },
      data.matrix());
}

void write_npy_labels(const Dataset& data, ByteSink& sink) {
  const Items items = items_of(data.classes());
  BufferedOutput out(sink);
  out.text() = header_text(items.descr, fmt::format("({},)", data.rows()));
  for (const std::uint32_t label : data.labels()) {
    out.text() += items.bytes[label];
    out.flush_when_full();
  }
  out.flush();
}

}  // namespace halfspace
