// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

std::optional<double> as_plain_number(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || code != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

// 3, 0.1, 1e-4, 2^-10.
std::optional<double> grid_number(std::string_view text) {
  const std::size_t power = text.find('^');
  if (power == std::string_view::npos) return as_plain_number(text);
  const auto base = as_plain_number(text.substr(0, power)),
             exponent = as_plain_number(text.substr(power + 1));
  if (!base || !exponent) return std::nullopt;
  const double value = std::pow(*base, *exponent);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::vector<std::string_view> parts_of(std::string_view text, char between) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(between, begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

// As many digits as a person would write: a grid is no finer than that.
double rounded_value(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double unit = std::pow(10.0, 3 - std::floor(std::log10(std::abs(value))));
  const double near = std::round(value * unit) / unit;
  return std::isfinite(near) ? near : value;
}

std::vector<double> spaced(double low, double high, std::size_t count, bool logarithmic) {
  std::vector<double> out;
  for (std::size_t k = 0; k < count; ++k) {
    const double t = count == 1 ? 0 : static_cast<double>(k) / static_cast<double>(count - 1);
    out.push_back(k == 0           ? low
                  : k + 1 == count ? high
                  : logarithmic
                      ? rounded_value(std::exp(std::log(low) + t * (std::log(high) - std::log(low))))
                      : rounded_value(low + t * (high - low)));
  }
  return out;
}

std::size_t coarse_count(double low, double high, bool logarithmic, double per_decade) {
  if (!logarithmic) return 9;
  const double decades = std::log10(high) - std::log10(low);
  return static_cast<std::size_t>(std::clamp(std::round(decades * per_decade) + 1, 5.0, 41.0));
}

// Two numbers with something else than a colon between them, as other people write a range; empty: it is none.
std::string as_range(std::string_view text) {
  for (const std::string_view mark :
       {std::string_view(".."), std::string_view("-"), std::string_view("to")}) {
    for (std::size_t at = text.find(mark, 1); at != std::string_view::npos; at = text.find(mark, at + 1)) {
      const std::string_view low = text.substr(0, at), high = text.substr(at + mark.size());
      if (grid_number(low) && grid_number(high)) return fmt::format("{}:{}", low, high);
    }
  }
  return {};
}

[[noreturn]] void refuse_axis(const std::string& option, std::string_view text) {
  throw UsageError(
      fmt::format("--{} {}: wanted LOW:HIGH, LOW:HIGH:COUNT or values with commas", option, printable(text)),
      fmt::format("--{} 1e-4:1e4", option));
}

void round_whole(Axis& axis) {
  for (double& value : axis.values) value = std::round(value);
}

// The option does not take a fraction where it takes the whole number beside it.
bool takes_whole_numbers_only(const Algorithm& algorithm, const std::string& option, double value) {
  Algorithm probe = Algorithm::by_name(algorithm.name());
  const auto takes = [&](double number) {
    try {
      probe.set(option, OptionType<double>::print(number));
      return true;
    } catch (const UsageError&) {
      return false;
    }
  };
  return takes(std::ceil(value)) && !takes(std::ceil(value) - 0.5);
}

}  // namespace

std::string plain_number(std::string_view text) {
  const auto value = text.find('^') == std::string_view::npos ? std::nullopt : grid_number(text);
  return value ? OptionType<double>::print(*value) : std::string(text);
}

std::string Axis::text(double value) const { return prefix + OptionType<double>::print(value); }

std::vector<double> Axis::around(double value, int depth) const {
  if (!range || values.size() < 2) return {};
  const double low = values.front(), high = values.back();
  const double steps = static_cast<double>(values.size() - 1) * std::exp2(depth);
  std::vector<double> out;
  for (const double side : {-1.0, 1.0}) {
    double near = logarithmic ? value * std::exp(side * std::log(high / low) / steps)
                              : value + side * (high - low) / steps;
    near = whole ? std::round(near) : rounded_value(near);
    if (near >= low && near <= high && near != value) out.push_back(near);
  }
  return out;
}

double Axis::plainer(double a, double b) const {
  if (option == "C" || option == "passes" || option == "kernel") return a - b;
  if (option == "lambda" || option == "nu") return b - a;
  return 0;
}

bool can_be_searched(const OptionInfo& option) {
  return option.number || option.name == "kernel" || as_plain_number(option.fallback).has_value();
}

std::optional<Axis> parse_axis(const Algorithm& algorithm, const std::string& option, std::string_view text,
                               double per_decade) {
  Axis axis{.option = option};
  std::string_view rest = text;
  if (option == "kernel") {
    if (!rest.starts_with("rbf:")) return std::nullopt;
    axis.prefix = "rbf:";
    rest.remove_prefix(4);
  }
  const bool list = rest.find(',') != std::string_view::npos;
  const std::vector<std::string_view> parts = parts_of(rest, list ? ',' : ':');
  if (parts.size() < 2) {
    if (const std::string range = as_range(rest); !range.empty())
      throw UsageError(fmt::format("--{}: '{}' is not a number", option, printable(text)),
                       fmt::format("a range is --{} {}{}", option, axis.prefix, range));
    return std::nullopt;
  }
  std::vector<double> numbers;
  for (const std::string_view part : parts) {
    const auto number = grid_number(part);
    if (!number) refuse_axis(option, text);
    numbers.push_back(*number);
  }
  if (list) {
    axis.values = std::move(numbers);
    std::sort(axis.values.begin(), axis.values.end());
  } else {
    const double low = numbers[0], high = numbers[1];
    if (low > high && parts.size() <= 3)
      throw UsageError(
          fmt::format("--{} {}: LOW is above HIGH", option, printable(text)),
          fmt::format("--{} {}{}:{}", option, axis.prefix, printable(parts[1]), printable(parts[0])));
    if (parts.size() > 3 || !(low < high)) refuse_axis(option, text);
    axis.range = true;
    axis.logarithmic = low > 0 && high / low >= 10 * (1 - 1e-12);
    std::size_t count = coarse_count(low, high, axis.logarithmic, per_decade);
    if (parts.size() == 3) {
      if (!(numbers[2] >= 2 && numbers[2] <= 1000) || numbers[2] != std::floor(numbers[2]))
        refuse_axis(option, text);
      count = static_cast<std::size_t>(numbers[2]);
      axis.range = false;  // so many and no more
    }
    axis.values = spaced(low, high, count, axis.logarithmic);
  }
  if (axis.prefix.empty()) {
    axis.whole = option == "passes" || takes_whole_numbers_only(algorithm, option, axis.values.back());
    if (axis.whole) round_whole(axis);
  }
  axis.values.erase(std::unique(axis.values.begin(), axis.values.end()), axis.values.end());
  return axis;
}

std::optional<std::pair<std::string, std::string>> usual_axis(const Algorithm& algorithm) {
  static constexpr std::pair<std::string_view, std::string_view> usual[] = {
      {"C", "1e-4:1e4"}, {"nu", "0.1:0.9"}, {"lambda", "1e-6:1"}, {"passes", "1:100"}};
  const std::vector<OptionInfo> options = algorithm.options();
  for (const auto& axis : usual) {
    if (std::any_of(options.begin(), options.end(),
                    [&](const OptionInfo& info) { return info.name == axis.first; }))
      return std::pair(std::string(axis.first), std::string(axis.second));
  }
  return std::nullopt;
}

}  // namespace halfspace
