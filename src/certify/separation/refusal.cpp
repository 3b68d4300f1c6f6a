// SPDX-License-Identifier: BSD-3-Clause
#include "certify/separation/refusal.hpp"

#include <algorithm>
#include <bit>

#include "certify/separation/exact_number.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace::detail {
namespace {

constexpr std::size_t spare_bits = 8192;         // of one number
constexpr std::size_t bits_per_character = 256;  // 1e-300 has a thousand bits in six characters
constexpr std::size_t spare_total = std::size_t{1} << 22U;

}  // namespace

NumberLimits::NumberLimits(std::size_t rows, std::size_t columns, std::size_t value_bits) {
  const std::size_t order = std::min(rows, columns) + 1;
  bits_ = 2 * order * (value_bits + static_cast<std::size_t>(std::bit_width(order))) + spare_bits;
}

mpq_class NumberLimits::number(const std::string& text) const {
  // The text may have both a numerator and a denominator of that length.
  if (most_bits(text) > 2 * bits_) {
    throw Refused{fmt::format("a number of {} characters: no proof about these rows needs more than {} bits",
                              text.size(), bits_)};
  }
  mpq_class out;
  if (!exact_number(text, out)) throw Refused{fmt::format("'{}' is not a number", printable(text))};
  return out;
}

WholeNumbers NumberLimits::numbers(const std::vector<std::string>& texts) const {
  std::vector<mpq_class> read;
  read.reserve(texts.size());
  std::size_t characters = 0, bits = 0;
  const auto grows = [&](std::size_t by) {
    bits += by;
    require(bits <= characters * bits_per_character + spare_total,
            "the numbers are far longer than they are written");
  };
  for (const std::string& text : texts) {
    characters += text.size();
    read.push_back(number(text));
    grows(bits_of(read.back().get_num()) + bits_of(read.back().get_den()));
  }
  mpz_class denominator;
  if (!common_denominator(read, bits_, denominator))
    throw Refused{
        fmt::format("a common denominator of more than {} bits: no proof about these rows needs it", bits_)};
  if (denominator > 1) {
    const std::size_t each = bits_of(denominator);
    for (std::size_t k = 0; k < read.size(); ++k) grows(each);
  }
  return over_denominator(read, std::move(denominator));
}

}  // namespace halfspace::detail
