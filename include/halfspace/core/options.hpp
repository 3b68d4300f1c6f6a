// SPDX-License-Identifier: BSD-3-Clause
// The options table. An algorithm is a plain struct with defaults; its fields() list each member once, and
// from that list follow the command-line flags, their help, the JSON keys and the docs tables.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halfspace {

struct Range {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
};

// How a type of option is read from and printed as text. parse() throws UsageError naming what is accepted.
template <class T>
struct OptionType;

template <>
struct OptionType<double> {
  static double parse(std::string_view name, std::string_view text, Range range);
  static std::string print(double value);
  static std::string choices() { return {}; }
  static constexpr bool number = true;
};
template <>
struct OptionType<std::int64_t> {
  static std::int64_t parse(std::string_view name, std::string_view text, Range range);
  static std::string print(std::int64_t value);
  static std::string choices() { return {}; }
  static constexpr bool number = true;
};
template <>
struct OptionType<bool> {
  static bool parse(std::string_view name, std::string_view text, Range range);
  static std::string print(bool value);
  static std::string choices() { return {}; }
  static constexpr bool number = false;
};
template <>
struct OptionType<std::string> {
  static std::string parse(std::string_view, std::string_view text, Range) { return std::string(text); }
  static std::string print(const std::string& value) { return value; }
  static std::string choices() { return {}; }
  static constexpr bool number = false;
};

// An enum used as an option specialises enum_words with its words in the order of its values, counted from 0.
template <class E>
inline constexpr std::span<const std::string_view> enum_words;

// Index of `text` among words; throws UsageError listing the words, with the nearest one offered.
[[nodiscard]] std::size_t parse_word(std::string_view name, std::string_view text,
                                     std::span<const std::string_view> words);
[[nodiscard]] std::string join_words(std::span<const std::string_view> words, std::string_view between);

template <class E>
requires std::is_enum_v<E>
struct OptionType<E> {
  static E parse(std::string_view name, std::string_view text, Range) {
    return static_cast<E>(parse_word(name, text, enum_words<E>));
  }
  static std::string print(E value) { return std::string(enum_words<E>[static_cast<std::size_t>(value)]); }
  static std::string choices() { return join_words(enum_words<E>, "|"); }
  static constexpr bool number = false;
};

// One option of the struct Params.
template <class Params>
struct Field {
  std::string_view name;  // as on the command line, without the dashes
  std::string_view unit;  // what stands for the value in the help; empty for a flag
  std::string_view help;
  bool flag = false;
  bool number = false;
  void (*set)(Params&, std::string_view name, std::string_view text, Range) = nullptr;
  std::string (*get)(const Params&) = nullptr;
  std::string (*choices)() = nullptr;
  Range range;
};

template <class T>
struct MemberOf;
template <class P, class T>
struct MemberOf<T P::*> {
  using Params = P;
  using Type = T;
};

template <auto Member>
[[nodiscard]] constexpr auto field(std::string_view name, std::string_view unit, std::string_view help,
                                   Range range = {}) {
  using Params = typename MemberOf<decltype(Member)>::Params;
  using Type = typename MemberOf<decltype(Member)>::Type;
  return Field<Params>{name,
                       unit,
                       help,
                       std::is_same_v<Type, bool>,
                       OptionType<Type>::number,
                       [](Params& p, std::string_view n, std::string_view text, Range r) {
                         p.*Member = OptionType<Type>::parse(n, text, r);
                       },
                       [](const Params& p) { return OptionType<Type>::print(p.*Member); },
                       &OptionType<Type>::choices,
                       range};
}

// The name among candidates that a person most likely meant, or empty when none is near.
[[nodiscard]] std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

}  // namespace halfspace
