// SPDX-License-Identifier: BSD-3-Clause
#include "report/least_errors.hpp"

#include "halfspace/core/error.hpp"
#include "halfspace/solve/fewest_errors.hpp"

namespace halfspace::report {
namespace {

constexpr double most_searched_numbers = 3e5;  // rows times columns

}  // namespace

std::optional<LeastErrors> least_errors(const Dataset& data, Offset offset, std::int64_t nodes,
                                        const Run& run) {
  if (static_cast<double>(data.rows()) * static_cast<double>(data.features() + 1) > most_searched_numbers)
    return std::nullopt;
  try {
    const Offset planes = offset == Offset::None ? Offset::None : Offset::Free;
    const Fit fit = solve(data, FewestErrors{.offset = planes, .nodes = nodes}, run);
    if (fit.answer.stop == Stop::Time || fit.answer.stop == Stop::Cancelled) return std::nullopt;
    if (!fit.proof.objective || fit.proof.certificates.empty()) return std::nullopt;
    const auto* bounds = std::get_if<ErrorBounds>(&fit.proof.certificates.front());
    if (bounds == nullptr) return std::nullopt;
    return LeastErrors{fit.proof.objective->primal, fit.proof.objective->dual, bounds->upper == bounds->lower,
                       bounds->errors};
  } catch (const Stopped& stopped) {
    if (stopped.cause() != StopCause::Time) throw;
  } catch (const UsageError&) {  // values or weights that it does not take
  } catch (const InputError&) {
  }
  return std::nullopt;
}

}  // namespace halfspace::report
