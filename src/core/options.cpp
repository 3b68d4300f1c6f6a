// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/core/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

std::string describe(Range range) {
  const bool low = std::isfinite(range.min);
  const bool high = std::isfinite(range.max);
  if (low && high) return fmt::format(" from {} to {}", range.min, range.max);
  if (low) return fmt::format(" of at least {}", range.min);
  if (high) return fmt::format(" of at most {}", range.max);
  return {};
}

[[noreturn]] void refuse(std::string_view name, std::string_view text, const std::string& wanted) {
  throw UsageError(fmt::format("--{}: '{}' is not {}", name, printable(text), wanted));
}

template <class T>
T parse_number(std::string_view name, std::string_view text, Range range, std::string_view what) {
  T value{};
  const char* first = text.data();
  const char* last = first + text.size();
  if (!text.empty() && *first == '+') ++first;
  const auto [end, code] = std::from_chars(first, last, value);
  const auto as_double = static_cast<double>(value);
  const bool good = code == std::errc() && end == last && first != last && std::isfinite(as_double);
  if (!good || as_double < range.min || as_double > range.max)
    refuse(name, text, fmt::format("a {}{}", what, describe(range)));
  return value;
}

}  // namespace

double OptionType<double>::parse(std::string_view name, std::string_view text, Range range) {
  return parse_number<double>(name, text, range, "number");
}
std::string OptionType<double>::print(double value) { return fmt::format("{}", value); }

std::int64_t OptionType<std::int64_t>::parse(std::string_view name, std::string_view text, Range range) {
  return parse_number<std::int64_t>(name, text, range, "whole number");
}
std::string OptionType<std::int64_t>::print(std::int64_t value) { return fmt::format("{}", value); }

bool OptionType<bool>::parse(std::string_view name, std::string_view text, Range) {
  if (text == "true" || text == "yes" || text == "1") return true;
  if (text == "false" || text == "no" || text == "0") return false;
  refuse(name, text, "yes or no");
}
std::string OptionType<bool>::print(bool value) { return value ? "true" : "false"; }

std::string join_words(std::span<const std::string_view> words, std::string_view between) {
  return fmt::format("{}", fmt::join(words, between));
}

std::size_t parse_word(std::string_view name, std::string_view text,
                       std::span<const std::string_view> words) {
  const auto found = std::find(words.begin(), words.end(), text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const std::vector<std::string> names(words.begin(), words.end());
  // Names that other programs have for them.
  static constexpr std::pair<std::string_view, std::string_view> others[] = {{"1se", "one-standard-error"},
                                                                             {"1-se", "one-standard-error"},
                                                                             {"one-se", "one-standard-error"},
                                                                             {"sigmoid", "platt"},
                                                                             {"z-score", "standard"},
                                                                             {"zscore", "standard"},
                                                                             {"min-max", "minmax"},
                                                                             {"lasso", "l1"},
                                                                             {"ridge", "l2"},
                                                                             {"never", "none"},
                                                                             {"off", "none"},
                                                                             {"no", "none"}};
  std::string near = nearest_name(text, names);
  for (const auto& [other, ours] : others)
    if (text == other && std::find(words.begin(), words.end(), ours) != words.end()) near = ours;
  throw UsageError(fmt::format("--{}: '{}' is not one of {}", name, printable(text), join_words(words, ", ")),
                   near.empty() ? "" : fmt::format("did you mean {}?", near));
}

namespace {
// A letter in the other case is no mistake of spelling.
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool same_letter(char a, char b) { return lower(a) == lower(b); }
}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    // Insertions, deletions, replacements and swaps of neighbours; a candidate that begins with the name is near.
    std::vector<std::size_t> before, above, row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= name.size(); ++i) {
      before = std::exchange(above, row);
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const std::size_t replaced = above[j - 1] + (same_letter(name[i - 1], candidate[j - 1]) ? 0 : 1);
        row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
        if (i > 1 && j > 1 && same_letter(name[i - 1], candidate[j - 2]) &&
            same_letter(name[i - 2], candidate[j - 1]))
          row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    const bool begins = name.size() >= 3 && candidate.starts_with(name);
    const std::size_t distance = begins ? 1 : row.back();
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace halfspace
