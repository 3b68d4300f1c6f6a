// SPDX-License-Identifier: BSD-3-Clause
// What a sceptic can check without trusting the solver. One certificate belongs to one binary problem.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "halfspace/core/error.hpp"
#include "halfspace/core/parallel.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace {

// The classes are apart: every row has y (theta . x + theta0) > 0. `margin` bounds the best margin from
// below: min over rows of y f(x) / |(theta, theta0)| in the space the perceptron works in (offset lifted or
// none).
struct Separator {
  std::vector<double> theta;
  double theta0 = 0;
  double margin = 0;
};

// theta = sum counts_i y_i x_i with k = sum counts_i shows that no unit vector has a margin above |theta| /
// k.
struct MistakeBound {
  std::uint64_t mistakes = 0;  // k
  double radius = 0;           // R: largest row norm (with the constant 1 when the offset is lifted)
  double margin_upper = 0;     // |theta| / k; infinity when k = 0
  double margin_lower = 0;     // from a separator; 0 when none was found
  bool lifted = true;
};

// The one meaning of a relative gap: against the objective, or against 1 where that is less. Infinite when it is no number.
[[nodiscard]] inline double relative_gap(double primal, double dual) {
  const double relative = (primal - dual) / std::max(1.0, std::abs(primal));
  return std::isfinite(relative) ? relative : std::numeric_limits<double>::infinity();
}

// primal >= objective at the plane >= best objective >= dual, rounding counted.
struct DualityGap {
  double primal = 0;
  double dual = 0;
  double rounding = 0;  // of which so much is room for rounding in `primal`; not written into models
  [[nodiscard]] double gap() const { return primal - dual; }
  [[nodiscard]] double relative() const { return relative_gap(primal, dual); }
};

// Errors are rows with y f(x) <= 0, counted by weight in exact arithmetic: the plane has `upper`, and no plane has fewer than
// `lower`. Both are exact numbers as texts ("19", "7/2").
struct ErrorBounds {
  std::string upper = "0", lower = "0";
  std::vector<std::uint32_t>
      errors;  // the rows, from 0, ascending: without them the plane separates the classes
  std::string
      proof;  // of the lower bound: docs/algorithms/fewest-errors.md; empty: equal rows of both classes are enough
};

using Certificate = std::variant<std::monostate, Separator, MistakeBound, DualityGap, ErrorBounds>;

// JSON text for the model file and reports: an array with one object per certificate; empty when there is
// none.
[[nodiscard]] std::string to_json(const std::vector<Certificate>& certificates);
// Back again, a separator without its plane. Throws InputError for what to_json would not have written.
[[nodiscard]] std::vector<Certificate> certificates_from_json(std::string_view text, const Place& place);
// The same in words, one line each.
[[nodiscard]] std::string describe(const Certificate& certificate);
// "1e-05 of it", or what it is measured against.
[[nodiscard]] std::string relative_words(const DualityGap& gap);

struct Verdict {
  bool holds = false;
  std::string why;  // what was found, in one line
};

// Every verify() takes what is claimed, the data, and the threads. This one recomputes every margin of the separator,
// rounding counted against it. The class with y = +1 is `positive`, the last of two classes where none is named.
[[nodiscard]] Verdict verify(const Separator& claim, const Dataset& data, const Threads& threads = Threads(1),
                             std::uint32_t positive = 1);

}  // namespace halfspace
