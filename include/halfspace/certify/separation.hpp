// SPDX-License-Identifier: BSD-3-Clause
// The proof that two classes can or cannot be separated by a plane, as a value, as a file, and its check in
// exact arithmetic. docs/separability.md says what each part means.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halfspace/certify/certificate.hpp"
#include "halfspace/core/options.hpp"
#include "halfspace/core/parallel.hpp"
#include "halfspace/data/dataset.hpp"
#include "halfspace/objective/problem.hpp"

namespace halfspace {

enum class Separation { Separable, Touching, Overlapping };
// Which numbers the data stand for: the shortest decimals that read as the stored doubles, or the doubles.
enum class Values { Decimals, Doubles };
namespace detail {
inline constexpr std::string_view separation_words[] = {"separable", "touching", "overlapping"};
inline constexpr std::string_view values_words[] = {"decimals", "doubles"};
}  // namespace detail
template <>
inline constexpr std::span<const std::string_view> enum_words<Separation> = detail::separation_words;
template <>
inline constexpr std::span<const std::string_view> enum_words<Values> = detail::values_words;

// Exact numbers are texts: whole "-12", fraction "3/8" or decimal "0.25". Rows and columns count from 0 here,
// from 1 in the file.
struct ExactPlane {
  std::vector<std::uint32_t> columns;  // ascending
  std::vector<std::string> weights;
  std::string offset = "0";
};
struct Combination {
  std::vector<std::uint32_t> rows;  // no row twice
  std::vector<std::string> weights;
};

struct SeparationProof {
  std::string fingerprint;
  std::uint64_t rows = 0, features = 0;  // of the whole data set
  Values values = Values::Decimals;
  std::vector<std::string> positive, negative;  // class names with y = +1, y = -1; others do not take part
  Offset offset = Offset::Free;
  Separation verdict = Separation::Separable;
  ExactPlane plane;                    // separable, touching
  std::vector<Combination> witnesses;  // touching, overlapping
  std::vector<ExactPlane> null_space;  // touching, overlapping: planes on which all the fixed rows lie
  bool complete = false;               // touching: the rows on the plane lie on every plane of this kind
  // Separable; empty when not bracketed. The plane with the margin is `margin_plane`, or `plane` when that is
  // empty.
  std::string margin_lower, margin_upper, radius;
  ExactPlane margin_plane;
  Combination hull;
};

// The reading that belongs to the data: decimals where they came from text or are stored as decimals.
[[nodiscard]] Values values_of(const Dataset& data);

// y of every row: +1, -1, or 0 for rows of other classes and rows of weight 0. Throws InputError for a class
// that the data do not have or that is named twice, and when a side has no row: of one class alone there is
// nothing to separate.
[[nodiscard]] std::vector<std::int8_t> sides(const Dataset& data, std::span<const std::string> positive,
                                             std::span<const std::string> negative);

// The weights of a combination over their sum, which is positive: exactly, in lowest terms ("3/8"), and rounded.
struct Share {
  std::string exact;
  double rounded = 0;
};
[[nodiscard]] std::vector<Share> shares(const Combination& combination);

// The certificate file. Reading throws InputError naming `name`.
[[nodiscard]] std::string to_json(const SeparationProof& proof);
[[nodiscard]] SeparationProof separation_from_json(std::string_view text, const std::string& name);

// What was checked, beside the verdict: which rows it is about. Empty when the proof was refused before that
// was known.
struct SeparationVerdict : Verdict {
  std::string about;  // both sides, their rows, and what takes no part, in one line
  std::uint64_t positive_rows = 0, negative_rows = 0;
  std::uint64_t absent_rows = 0;             // of other classes or of weight 0
  std::vector<std::string> absent_classes;   // none of whose rows takes part
  std::vector<std::uint32_t> rows_on_plane;  // touching: rows that lie on the plane of the proof
};

// Holds when every claim of the proof is true of the data, in exact arithmetic. Takes nothing of the proof on
// trust, not even that its row numbers are rows: a forged one costs no more than an honest one may need.
[[nodiscard]] SeparationVerdict verify(const SeparationProof& proof, const Dataset& data,
                                       const Threads& threads = Threads(1));
// The same, and the proof is about the numbers that the caller means: which they are is not the claimant's choice.
[[nodiscard]] SeparationVerdict verify(const SeparationProof& proof, const Dataset& data,
                                       const Threads& threads, Values meant);

}  // namespace halfspace
