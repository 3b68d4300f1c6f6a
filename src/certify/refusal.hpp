// SPDX-License-Identifier: BSD-3-Clause
// What the checker of certificates says no with, and numbers that must be numbers.
#pragma once

#include <fmt/format.h>
#include <gmpxx.h>

#include <cstdint>
#include <string>
#include <vector>

#include "certify/exact_number.hpp"
#include "certify/exact_rows.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace::detail {

struct Refused {
  std::string why;
};
inline void require(bool holds, const char* why) {
  if (!holds) throw Refused{why};
}
inline constexpr std::uint32_t none = UINT32_MAX;
// `row`: the first one that breaks a rule, or none.
inline void require_none(std::uint32_t row, const char* what) {
  if (row != none) throw Refused{fmt::format("row {} {}", std::uint64_t{row} + 1, what)};
}

inline mpq_class number(const std::string& text) {
  mpq_class out;
  if (!exact_number(text, out)) throw Refused{fmt::format("'{}' is not a number", printable(text))};
  return out;
}
inline WholeNumbers numbers(const std::vector<std::string>& texts) {
  std::vector<mpq_class> out;
  for (const std::string& text : texts) out.push_back(number(text));
  return without_denominators(out);
}

}  // namespace halfspace::detail
