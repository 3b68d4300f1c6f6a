// SPDX-License-Identifier: BSD-3-Clause
#include "model/foreign/liblinear_weights.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <string_view>

#include "core/in_order.hpp"
#include "data/text/lines.hpp"
#include "data/text/plain_decimal.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace::detail {
namespace {

// The weight at p, which it moves to the space behind it. `end` is the end of the lines.
bool read_weight(const char*& p, const char* end, double& weight) {
  PlainDecimal number;
  const char* behind = p;
  if (*p != '+' && read_plain_decimal(behind, number) && to_double(number, weight)) {
    p = behind;
    return true;
  }
  const auto [stop, code] = std::from_chars(p, end, weight);
  p = stop;
  return code == std::errc() && std::isfinite(weight);
}

// Appends the weights of whole lines. False: they are not as LIBLINEAR writes them.
bool read_lines(std::string_view text, std::size_t columns, std::vector<double>& weights) {
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p != end) {
    for (std::size_t k = 0; k < columns; ++k) {
      double weight = 0;
      if (!read_weight(p, end, weight) || *p != ' ') return false;
      ++p;
      weights.push_back(weight);
    }
    if (*p != '\n') return false;
    ++p;
  }
  return true;
}

bool ends_in_line_end(const ByteSource& source) {
  char last = 0;
  return *source.read_at(source.known_size() - 1, {&last, 1}) == 1 && last == '\n';
}

}  // namespace

std::optional<std::vector<double>> plain_liblinear_weights(const ByteSource& source, std::uint64_t begin,
                                                           std::uint64_t lines, std::size_t columns,
                                                           const std::string& name, const Threads& threads) {
  const std::uint64_t size = source.known_size();
  // A weight takes two characters at least, so this is never more than what is really there.
  std::uint64_t count = 0;
  if (!checked_mul(lines, columns, count) || begin >= size || count > (size - begin) / 2 ||
      !ends_in_line_end(source))
    return std::nullopt;
  std::vector<double> weights(count);
  const std::uint64_t pieces = (size - begin + text_piece_bytes - 1) / text_piece_bytes;
  std::atomic<std::uint64_t> next_piece{0};
  std::atomic<bool> plain{true};
  std::uint64_t placed = 0;
  InOrder order;
  threads.run(static_cast<std::size_t>(threads.count()), [&](std::size_t) {
    TextLines text;
    std::vector<double> some;
    for (std::uint64_t t = next_piece++; t < pieces; t = next_piece++) {
      some.clear();
      std::exception_ptr failure;
      try {
        const std::uint64_t from = begin + t * text_piece_bytes;
        if (plain) fetch_lines(source, begin, from, std::min(size, from + text_piece_bytes), name, text);
        if (plain && !read_lines(text.view(), columns, some)) plain = false;
      } catch (...) {
        failure = std::current_exception();
      }
      std::uint64_t place = 0;
      order.turn(static_cast<std::size_t>(t), [&] {
        place = placed;
        placed += some.size();
      });
      if (failure) std::rethrow_exception(failure);
      if (place + some.size() > count) plain = false;
      if (plain) std::copy(some.begin(), some.end(), weights.begin() + static_cast<std::ptrdiff_t>(place));
    }
  });
  if (!plain || placed != count) return std::nullopt;
  return weights;
}

}  // namespace halfspace::detail
