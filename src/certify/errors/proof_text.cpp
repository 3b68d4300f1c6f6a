// SPDX-License-Identifier: BSD-3-Clause
#include "certify/errors/proof_text.hpp"

#include "certify/separation/refusal.hpp"

namespace halfspace::detail {
namespace {

unsigned value_of(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'A' && c <= 'Z') return static_cast<unsigned>(c - 'A') + 10;
  if (c >= 'a' && c <= 'z') return static_cast<unsigned>(c - 'a') + 36;
  if (c == '-') return 62;
  require(c == '_', "the proof has a character that is none of its alphabet");
  return 63;
}

}  // namespace

char ProofReader::letter() {
  require(at_ < text_.size(), "the proof ends too early");
  return text_[at_++];
}

std::uint64_t ProofReader::number(std::uint64_t most) {
  std::uint64_t out = 0;
  for (unsigned shift = 0;; shift += 5) {
    const unsigned digit = value_of(letter());
    require(shift < 60, "a number of the proof is too long");
    out |= std::uint64_t{digit & 31U} << shift;
    if (digit < 32) break;
  }
  require(out <= most, "a number of the proof is out of range");
  return out;
}

std::int64_t ProofReader::signed_number(std::int64_t most) {
  const std::uint64_t both = number(2 * static_cast<std::uint64_t>(most) + 1);
  const auto size = static_cast<std::int64_t>(both / 2);
  return both % 2 == 1 ? -size : size;
}

}  // namespace halfspace::detail
