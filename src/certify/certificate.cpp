// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/certify/certificate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "certify/rounding.hpp"

namespace halfspace {
namespace {

struct Teller {
  std::string operator()(const std::monostate&) const { return "none"; }
  std::string operator()(const Separator& s) const {
    return fmt::format("separator: every training row is on its side, margin at least {:.6g}", s.margin);
  }
  std::string operator()(const MistakeBound& b) const {
    if (b.mistakes == 0) return "no mistakes were made, so nothing is bounded";
    const std::string upper = fmt::format("no plane has a margin above {:.6g}", b.margin_upper);
    if (b.margin_lower <= 0)
      return fmt::format("mistake bound: {} after {} mistakes (radius {:.6g})", upper, b.mistakes, b.radius);
    const double ratio = b.radius / b.margin_lower;
    return fmt::format(
        "separated: best margin between {:.6g} and {:.6g}; {} mistakes <= (R/margin)^2 = {:.6g}",
        b.margin_lower, b.margin_upper, b.mistakes, ratio * ratio);
  }
  std::string operator()(const DualityGap& g) const {
    if (!std::isfinite(g.relative())) return "duality gap: none, the numbers leave the range of doubles";
    return fmt::format("duality gap: the objective {:.8g} is at most {:.3g} above the best one ({})",
                       g.primal, g.gap(), relative_words(g));
  }
  std::string operator()(const ErrorBounds& b) const {
    return b.lower == b.upper ? fmt::format("errors {}: no plane has fewer", b.upper)
                              : fmt::format("errors {}, and no plane has fewer than {}", b.upper, b.lower);
  }
};

template <class View>
Verdict check_rows(const View& view, const Dataset& data, std::uint32_t positive, const Separator& claim,
                   const Threads& threads) {
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  struct First {
    std::size_t row = std::numeric_limits<std::size_t>::max();
    First& operator+=(const First& other) {
      row = std::min(row, other.row);
      return *this;
    }
  };
  const First bad =
      sum_blocks(threads, view.rows, row_block, First{}, [&](std::size_t begin, std::size_t end) {
        First found;
        for (std::size_t i = begin; i < end && found.row == none; ++i) {
          if (data.weight(i) == 0) continue;
          double sum = claim.theta0;
          double size = std::abs(claim.theta0);
          std::size_t terms = 1;
          for_entries(view.row(i), [&](std::uint32_t j, double x) {
            const double term = claim.theta[j] * x;
            sum += term;
            size += std::abs(term);
            ++terms;
          });
          const double margin = data.labels()[i] == positive ? sum : -sum;
          // The smallest normal number covers underflow of products.
          const double error =
              size * rounding(terms) + static_cast<double>(terms) * std::numeric_limits<double>::min();
          if (!(margin > error)) found.row = i;
        }
        return found;
      });
  if (bad.row != none) return {false, fmt::format("row {} is not proved to be on its side", bad.row + 1)};
  return {true, fmt::format("all {} rows are on their side, rounding counted", view.rows)};
}

}  // namespace

std::string relative_words(const DualityGap& gap) {
  return std::abs(gap.primal) >= 1 ? fmt::format("{:.2g} of it", gap.relative())
                                   : fmt::format("{:.2g}, measured against 1", gap.relative());
}

std::string describe(const Certificate& certificate) { return std::visit(Teller{}, certificate); }

Verdict verify(const Separator& claim, const Dataset& data, const Threads& threads, std::uint32_t positive) {
  if (claim.theta.size() != data.features()) {
    return {false, fmt::format("the plane has {} weights, the data {} features", claim.theta.size(),
                               data.features())};
  }
  return std::visit([&](const auto& view) { return check_rows(view, data, positive, claim, threads); },
                    data.matrix());
}

}  // namespace halfspace
