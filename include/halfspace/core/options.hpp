// SPDX-License-Identifier: BSD-3-Clause
// The options table. An algorithm is a plain struct with defaults; its fields() list each member once, and
// from that list follow the command-line flags, their help, the JSON keys and the docs tables.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
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

// A restricted choice: some words of an enum, for an algorithm that has no use for the others.
template <auto First, auto... Others>
struct Only {
  using E = decltype(First);
  static E parse(std::string_view name, std::string_view text, Range) {
    constexpr E values[] = {First, Others...};
    return values[parse_word(name, text, words())];
  }
  static std::string print(E value) { return OptionType<E>::print(value); }
  static std::string choices() { return join_words(words(), "|"); }
  static constexpr bool number = false;

 private:
  static std::span<const std::string_view> words() {
    static constexpr std::string_view of[] = {word(First), word(Others)...};
    return of;
  }
  static constexpr std::string_view word(E value) { return enum_words<E>[static_cast<std::size_t>(value)]; }
};

namespace detail {
template <class List>
struct ToVariant;
template <template <class...> class List, class... T>
struct ToVariant<List<T...>> {
  using type = std::variant<T...>;
};
template <class List>
using VariantOf = typename ToVariant<List>::type;  // one of the types of a list
}  // namespace detail

struct AnyAlternative {
  template <class T>
  static constexpr bool has = true;
};
// One type of a variant, by its name; Kind::has<T> says which of them the option takes.
template <class Variant, class Kind = AnyAlternative>
struct NamedOption;
template <class... T, class Kind>
struct NamedOption<std::variant<T...>, Kind> {
  using Variant = std::variant<T...>;
  static Variant parse(std::string_view name, std::string_view text, Range) {
    const std::vector<std::string_view> all = words();
    const std::string_view found = all[parse_word(name, text, all)];
    Variant out;
    ((T::name == found ? void(out = T{}) : void()), ...);
    return out;
  }
  static std::string print(const Variant& value) {
    return std::visit([](const auto& one) { return std::string(one.name); }, value);
  }
  static std::string choices() { return join_words(words(), "|"); }
  static constexpr bool number = false;

 private:
  static std::vector<std::string_view> words() {
    std::vector<std::string_view> out;
    ((Kind::template has<T> ? out.push_back(T::name) : void()), ...);
    return out;
  }
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
  // Throws UsageError naming the option when its value is one that set() would refuse.
  void (*check)(const Params&, std::string_view name, Range) = nullptr;
};

// What is set from C++ is held against the same ranges as what is set from text. Throws UsageError.
template <class Params>
void check_options(const Params& options) {
  for (const auto& f : Params::fields()) f.check(options, f.name, f.range);
}

template <class T>
struct MemberOf;
template <class P, class T>
struct MemberOf<T P::*> {
  using Params = P;
  using Type = T;
};

// How: the type of the member as an option, or a restriction of it (Only, NamedOption).
template <auto Member, class How = OptionType<typename MemberOf<decltype(Member)>::Type>>
[[nodiscard]] constexpr auto field(std::string_view name, std::string_view unit, std::string_view help,
                                   Range range = {}) {
  using Params = typename MemberOf<decltype(Member)>::Params;
  using Type = typename MemberOf<decltype(Member)>::Type;
  return Field<Params>{name,
                       unit,
                       help,
                       std::is_same_v<Type, bool>,
                       How::number,
                       [](Params& p, std::string_view n, std::string_view text, Range r) {
                         p.*Member = How::parse(n, text, r);
                       },
                       [](const Params& p) { return How::print(p.*Member); },
                       &How::choices,
                       range,
                       [](const Params& p, std::string_view n, Range r) {
                         static_cast<void>(How::parse(n, How::print(p.*Member), r));
                       }};
}

// The name among candidates that a person most likely meant, or empty when none is near.
[[nodiscard]] std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

}  // namespace halfspace
