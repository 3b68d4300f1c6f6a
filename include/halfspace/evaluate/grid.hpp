// SPDX-License-Identifier: BSD-3-Clause
// Values of an option to try: a list, or a range that is looked at coarsely first and then more finely where it is best.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halfspace/solve/algorithm.hpp"

namespace halfspace {

// One option and its values. A range whose ends differ by a factor of ten or more is spaced evenly in the logarithm.
struct Axis {
  std::string option;
  std::string prefix;          // "rbf:" of a kernel whose gamma is searched
  std::vector<double> values;  // ascending; of a range the coarse ones
  bool range = false;          // may be refined between its ends
  bool logarithmic = false;
  bool whole = false;  // the option takes whole numbers only

  [[nodiscard]] std::string text(double value) const;
  // The neighbours of a value at a step of half^depth of the coarse one, within the range.
  [[nodiscard]] std::vector<double> around(double value, int depth) const;
  // Below 0: the first value makes the smoother, plainer classifier; 0: nobody knows.
  [[nodiscard]] double plainer(double a, double b) const;
};

// An option of which values can be tried: its value is a number, or it is a kernel.
[[nodiscard]] bool can_be_searched(const OptionInfo& option);
// "LOW:HIGH", "LOW:HIGH:COUNT" or "A,B,C", of numbers that may be written 2^-10; of a kernel "rbf:LOW:HIGH" or "rbf:A,B".
// Nothing when the text is one value. `per_decade`: coarse points for a factor of ten. Throws UsageError.
[[nodiscard]] std::optional<Axis> parse_axis(const Algorithm& algorithm, const std::string& option,
                                             std::string_view text, double per_decade = 1);
// The range of the option that decides how complex the classifier gets: C, nu, lambda or passes; nothing when the
// algorithm has none of them.
[[nodiscard]] std::optional<std::pair<std::string, std::string>> usual_axis(const Algorithm& algorithm);
// 2^-10 as a plain number; texts that are no power are given back as they are.
[[nodiscard]] std::string plain_number(std::string_view text);

}  // namespace halfspace
