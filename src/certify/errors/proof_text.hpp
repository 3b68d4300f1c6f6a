// SPDX-License-Identifier: BSD-3-Clause
// The proof of a lower bound on errors as text: a letter for its kind, then whole numbers, five bits a character, the
// lowest first; characters from the 33rd of the alphabet on say that more follow. docs/algorithms/fewest-errors.md has
// the grammar.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace halfspace::detail {

inline constexpr std::string_view proof_alphabet =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

class ProofWriter {
 public:
  void letter(char kind) { text_ += kind; }
  void number(std::uint64_t n) {
    for (; n >= 32; n >>= 5U) text_ += proof_alphabet[32 + (n & 31U)];
    text_ += proof_alphabet[n];
  }
  void signed_number(std::int64_t n) {
    const auto size = static_cast<std::uint64_t>(n < 0 ? -n : n);
    number(2 * size + (n < 0 ? 1 : 0));
  }
  void append(const ProofWriter& other) { text_ += other.text_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::size_t size() const { return text_.size(); }
  void cut(std::size_t size) { text_.resize(size); }

 private:
  std::string text_;
};

// Throws Refused (certify/separation/refusal.hpp) for what no writer writes.
class ProofReader {
 public:
  explicit ProofReader(std::string_view text) : text_(text) {}
  [[nodiscard]] char letter();
  [[nodiscard]] std::uint64_t number(std::uint64_t most);
  [[nodiscard]] std::int64_t signed_number(std::int64_t most);
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] std::size_t left() const { return text_.size() - at_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace halfspace::detail
