// SPDX-License-Identifier: BSD-3-Clause
// Can a plane separate two classes? Decided exactly, with a proof that verify() of certify/separation.hpp
// checks.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "halfspace/certify/separation.hpp"
#include "halfspace/solve/fit.hpp"

namespace halfspace {

// Whether the widest margin is bracketed: Auto does so where it is quick, up to 1500 features or rows.
enum class MarginWork { Auto, None, Full };
namespace detail {
inline constexpr std::string_view margin_words[] = {"auto", "none", "full"};
}
template <>
inline constexpr std::span<const std::string_view> enum_words<MarginWork> = detail::margin_words;

struct SeparabilityOptions {
  Offset offset = Offset::Free;
  std::optional<Values> values;  // default: decimals for text and decimal storage, else doubles
  MarginWork margin = MarginWork::None;
  double margin_gap = 1e-6;         // upper / lower - 1
  std::size_t most_columns = 4000;  // more after peeling: no exact basis is tried
};

// Bounds of the widest margin, in exact arithmetic: those of the proof as doubles.
struct MarginBounds {
  double lower = 0, upper = 0, radius = 0;
  // A perceptron with this offset makes at most so many mistakes (free: with a lifted one).
  double mistakes = 0;
};

// The plane with the widest margin and the weights of the rows that bound it, as numbers: those that the proof writes as
// text (margin_plane, hull).
struct WidestPlane {
  std::vector<double> theta;
  double theta0 = 0;
  std::vector<std::pair<std::uint32_t, double>> hull;  // rows ascending
};

struct Separability {
  // False: no proof was found within the limits, and nothing is said about the verdict; the data are too
  // large, or the run was stopped.
  bool decided = false;
  StopCause stopped =
      StopCause::None;  // before there was a verdict, or before the margin was as narrow as asked
  // Stopped between a plane and its proof: the plane with the widest margin so far, about which nothing is proved.
  std::vector<double> plane;
  double plane0 = 0;
  SeparationProof proof;
  SeparationVerdict check;  // of the proof, by the checker; it holds
  double check_seconds = 0;
  std::optional<MarginBounds> margin;    // separable, when asked for
  WidestPlane widest;                    // with a margin
  std::optional<double> margin_at_most;  // not decided: no unit vector has a margin above this
  std::string method;  // what settled it: peeling, duplicates, probe, simplex, rational simplex
  std::uint64_t core_rows = 0, core_columns = 0;  // what peeling and merging left
  std::uint64_t pivots = 0, newton_steps = 0;
};

// The classes named `positive` against those named `negative`; other rows do not take part.
[[nodiscard]] Separability separability(const Dataset& data, std::vector<std::string> positive,
                                        std::vector<std::string> negative, const SeparabilityOptions& options,
                                        const Run& run = {});
// Throws std::logic_error should the checker refuse the proof.
// The last class against all others.
[[nodiscard]] Separability separability(const Dataset& data, const SeparabilityOptions& options = {},
                                        const Run& run = {});

}  // namespace halfspace
