// SPDX-License-Identifier: BSD-3-Clause
// The checker of separability certificates: no solver, no linear program, only sums of whole numbers (GMP)
// and one elimination modulo a prime (separation_span.cpp). docs/separability.md says why what is checked here proves the verdict.
#include <fmt/format.h>
#include <gmpxx.h>

#include <algorithm>
#include <cmath>

#include "certify/separation/exact_rows.hpp"
#include "certify/separation/refusal.hpp"
#include "certify/separation/span.hpp"
#include "halfspace/certify/separation.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

using detail::ExactRows;
using detail::none;
using detail::NumberLimits;
using detail::Refused;
using detail::require;
using detail::require_none;
using detail::WholeNumbers;
using detail::WholePlane;

std::string counted(std::uint64_t count) { return fmt::format("{} {}", count, count == 1 ? "row" : "rows"); }

std::string names(const std::vector<std::string>& all) {
  constexpr std::size_t shown = 5;
  std::string out;
  for (std::size_t k = 0; k < std::min(all.size(), shown); ++k)
    out += fmt::format("{}{}", k == 0 ? "" : ", ", printable(all[k], 40));
  return all.size() > shown ? fmt::format("{} and {} more", out, all.size() - shown) : out;
}

// A bound as it was claimed, or, when that is long, a shorter one that it implies.
std::string bound_text(const std::string& text, const mpq_class& value, bool lower) {
  if (text.size() <= 24) return text;
  const double towards_zero = value.get_d();
  return fmt::format("{}", lower ? towards_zero : std::nextafter(towards_zero, INFINITY));
}

// What the proof says of itself, held against the data before anything else is looked at.
void check_shape(const SeparationProof& proof, const Dataset& data) {
  if (proof.rows != data.rows() || proof.features != data.features()) {
    throw Refused{fmt::format("the data have {} rows and {} features, the certificate says {} and {}",
                              data.rows(), data.features(), proof.rows, proof.features)};
  }
  require(proof.fingerprint == data.fingerprint(),
          "the data are not the ones of the certificate: another fingerprint");
  const auto check_plane = [&](const ExactPlane& plane) {
    require(plane.columns.size() == plane.weights.size(), "columns and weights differ in number");
    for (std::size_t k = 0; k < plane.columns.size(); ++k)
      require(plane.columns[k] < data.features() && (k == 0 || plane.columns[k - 1] < plane.columns[k]),
              "the columns of a plane are not columns of the data in ascending order");
  };
  std::vector<char> seen(data.rows(), 0);
  const auto check_rows = [&](const Combination& list) {
    require(list.rows.size() == list.weights.size(), "rows and weights differ in number");
    for (const std::uint32_t i : list.rows) {
      require(i < data.rows() && seen[i] == 0,
              "a list of rows has one twice, or one that the data do not have");
      seen[i] = 1;
    }
    for (const std::uint32_t i : list.rows) seen[i] = 0;
  };
  check_plane(proof.plane);
  check_plane(proof.margin_plane);
  check_rows(proof.hull);
  require(proof.null_space.size() <= data.features() + 1,
          "the null space has more planes than there are columns");
  require(proof.witnesses.size() <= data.rows(), "more witnesses than rows");
  for (const ExactPlane& plane : proof.null_space) check_plane(plane);
  for (const Combination& witness : proof.witnesses) check_rows(witness);
  // What does not belong to the verdict would be said and not checked.
  const bool separable = proof.verdict == Separation::Separable, margin = !proof.margin_lower.empty();
  require(separable ? proof.witnesses.empty() && proof.null_space.empty() && !proof.complete
                    : !margin && proof.radius.empty(),
          "the certificate has parts that do not belong to its verdict");
  require(margin == !proof.margin_upper.empty() && margin == !proof.hull.rows.empty() &&
              (margin || proof.margin_plane.columns.empty()),
          "the margin is not claimed from both sides");
  require(proof.verdict != Separation::Overlapping || (proof.plane.columns.empty() && !proof.complete),
          "the certificate has parts that do not belong to its verdict");
  require(proof.verdict != Separation::Touching || proof.complete || proof.null_space.empty(),
          "a null space, but nothing is said of every plane");
}

class Checker {
 public:
  // The shape of the proof was checked.
  Checker(const SeparationProof& proof, const Dataset& data, const std::vector<std::int8_t>& y,
          const Threads& threads)
      : proof_(proof),
        features_(data.features()),
        y_(y),
        rows_(data, y_, proof.values, threads),
        reader_(rows_),
        limits_(static_cast<std::size_t>(
                    std::count_if(y_.begin(), y_.end(), [](auto side) { return side != 0; })),
                data.features(), rows_.value_bits()) {}

  [[nodiscard]] std::vector<std::uint32_t> rows_on_plane() const { return rows_on_plane_; }

  std::string check() {
    if (proof_.verdict == Separation::Separable) return check_separable();
    check_witnesses();
    if (proof_.verdict == Separation::Touching) return check_touching();
    std::vector<char> all(y_.size(), 0);
    for (std::size_t i = 0; i < y_.size(); ++i) all[i] = y_[i] != 0 ? 1 : 0;
    span(all);
    return fmt::format("overlapping: {} witness rows span all rows", fixed_count_);
  }

 private:
  WholePlane plane_of(const ExactPlane& from) {
    std::vector<std::string> texts = from.weights;
    texts.push_back(from.offset);
    WholeNumbers whole = limits_.numbers(texts);
    const mpz_class offset = whole.numbers.back();
    require(proof_.offset != Offset::None || offset == 0, "a plane has an offset, but there is none");
    return rows_.plane(from.columns, std::move(whole.numbers), offset);
  }

  // sum weight_i y_i x_ij for every column that occurs and, last, sum weight_i y_i, all times one().
  std::vector<mpz_class> add_rows(const Combination& rows, const std::vector<mpz_class>& weights) {
    place_.resize(features_, none);
    std::vector<std::uint32_t> columns;
    std::vector<mpz_class> sums;
    mpz_class constant;
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
      const std::uint32_t i = rows.rows[r];
      if (y_[i] == 0) require_none(i, "does not take part");
      const mpz_class weight = y_[i] > 0 ? weights[r] : mpz_class(-weights[r]);
      const ExactRows::Row& row = rows_.read(i, reader_);
      for (std::size_t k = 0; k < row.size; ++k) {
        std::uint32_t& place = place_[row.columns[k]];
        if (place == none) {
          place = static_cast<std::uint32_t>(sums.size());
          columns.push_back(row.columns[k]);
          sums.emplace_back();
        }
        rows_.add_product(sums[place], weight, row, k);
      }
      constant += weight * rows_.one();
    }
    for (const std::uint32_t j : columns) place_[j] = none;
    sums.push_back(constant);
    return sums;
  }

  // What one walk over the rows finds, slice by slice.
  struct Walk {
    std::uint64_t rows = 0;
    std::uint32_t bad = none;
    mpz_class least = -1, longest = 0;  // margin of the margin's plane (-1: no row yet), |x|^2
  };

  std::string check_separable() {
    const bool margin = !proof_.margin_lower.empty(), radius = !proof_.radius.empty();
    const WholePlane plane = plane_of(proof_.plane);
    const WholePlane wide = margin ? plane_of(proof_.margin_plane) : WholePlane{};
    std::vector<Walk> walks(rows_.slices());
    rows_.each([&](std::size_t slice, std::size_t i, const ExactRows::Row& row) {
      Walk& walk = walks[slice];
      ++walk.rows;
      if (walk.bad == none && rows_.sign(row, plane) * y_[i] <= 0) walk.bad = static_cast<std::uint32_t>(i);
      if (margin) {
        mpz_class m = rows_.score(row, wide) * y_[i];
        if (m < 0) m = 0;
        if (walk.least < 0 || m < walk.least) walk.least = m;
      }
      if (radius) walk.longest = std::max(walk.longest, rows_.squares(row));
    });
    Walk all;
    for (const Walk& walk : walks) {
      all.rows += walk.rows;
      all.bad = std::min(all.bad, walk.bad);
      if (walk.least >= 0 && (all.least < 0 || walk.least < all.least)) all.least = walk.least;
      all.longest = std::max(all.longest, walk.longest);
    }
    require_none(all.bad, "is not on its side of the plane");
    if (margin) check_margin(wide, all.least);
    if (radius) check_radius(all.longest);
    return fmt::format(
        "separable: all {} rows are on their side of the plane{}", all.rows,
        margin ? fmt::format("; best margin from {} to {}",
                             bound_text(proof_.margin_lower, limits_.number(proof_.margin_lower), true),
                             bound_text(proof_.margin_upper, limits_.number(proof_.margin_upper), false))
               : std::string());
  }

  void check_margin(const WholePlane& plane, const mpz_class& least) {
    mpz_class length = proof_.offset == Offset::Lifted ? mpz_class(plane.b * plane.b) : mpz_class(0);
    for (const mpz_class& w : plane.weights) length += w * w;
    const mpq_class lower = limits_.number(proof_.margin_lower);
    const mpq_class upper = limits_.number(proof_.margin_upper);
    const mpz_class& one = rows_.one();
    require(lower > 0 && least > 0 && lower * lower * one * one * length <= least * least,
            "the lower bound of the margin is not proved");
    // The closest points: without a free offset one point of the hull of all a_i, else one of each class.
    std::vector<mpz_class> weights = limits_.numbers(proof_.hull.weights).numbers;
    mpz_class total[2] = {0, 0};
    for (std::size_t r = 0; r < weights.size(); ++r) {
      require(weights[r] > 0, "a hull weight is not positive");
      total[y_[proof_.hull.rows[r]] > 0 ? 1 : 0] += weights[r];
    }
    const bool free = proof_.offset == Offset::Free;
    require(free ? total[0] > 0 && total[1] > 0 : total[0] + total[1] > 0, "the hull weights name no point");
    for (std::size_t r = 0; r < weights.size() && free; ++r)
      weights[r] *= total[y_[proof_.hull.rows[r]] > 0 ? 0 : 1];
    std::vector<mpz_class> sums = add_rows(proof_.hull, weights);
    mpz_class distance = 0;
    if (proof_.offset != Offset::Lifted) sums.pop_back();
    for (const mpz_class& s : sums) distance += s * s;
    const mpz_class unit = (free ? mpz_class(2 * total[0] * total[1]) : mpz_class(total[0] + total[1])) * one;
    require(upper > 0 && distance <= upper * upper * unit * unit,
            "the upper bound of the margin is not proved");
  }

  void check_radius(const mpz_class& longest) {
    const mpq_class radius = limits_.number(proof_.radius);
    const mpz_class& one = rows_.one();
    const mpz_class most = proof_.offset == Offset::Lifted ? mpz_class(longest + one * one) : longest;
    require(radius >= 0 && most <= radius * radius * one * one, "a row is longer than the radius");
  }

  void check_witnesses() {
    fixed_.assign(y_.size(), 0);
    require(!proof_.witnesses.empty(), "no witness");
    for (const Combination& witness : proof_.witnesses) {
      const std::vector<mpz_class> weights = limits_.numbers(witness.weights).numbers;
      bool fresh = false;
      for (std::size_t r = 0; r < weights.size(); ++r) {
        if (fixed_[witness.rows[r]] != 0) continue;
        if (weights[r] <= 0)
          throw Refused{fmt::format("the weight of row {} is not positive", witness.rows[r] + 1)};
        fresh = true;
      }
      require(fresh, "a witness has no row of its own");
      std::vector<mpz_class> sums = add_rows(witness, weights);
      if (proof_.offset == Offset::None) sums.pop_back();
      require(std::all_of(sums.begin(), sums.end(), [](const mpz_class& s) { return s == 0; }),
              "a witness does not sum to zero");
      for (const std::uint32_t i : witness.rows) {
        fixed_count_ += fixed_[i] == 0 ? 1 : 0;
        fixed_[i] = 1;
      }
    }
  }

  std::string check_touching() {
    const WholePlane plane = plane_of(proof_.plane);
    std::vector<std::int8_t> side(y_.size(), 0);
    rows_.each([&](std::size_t, std::size_t i, const ExactRows::Row& row) {
      side[i] = static_cast<std::int8_t>(rows_.sign(row, plane) * y_[i]);
    });
    std::vector<char> on_plane(y_.size(), 0);
    std::uint64_t apart = 0;
    for (std::uint32_t i = 0; i < y_.size(); ++i) {
      if (y_[i] == 0) continue;
      if (side[i] < 0) require_none(i, "is on the wrong side of the plane");
      on_plane[i] = side[i] == 0 ? 1 : 0;
      if (side[i] == 0) rows_on_plane_.push_back(i);
      apart += side[i] > 0 ? 1 : 0;
    }
    require(apart > 0, "every row lies on the plane");
    if (proof_.complete) span(on_plane);
    return fmt::format("touching: {} rows are on their side of the plane, {} on it{}", apart,
                       rows_on_plane_.size(), proof_.complete ? ", as on every such plane" : "");
  }

  // The fixed rows span all rows of `claimed`. Where they are all of them, there is nothing to prove.
  void span(const std::vector<char>& claimed) {
    bool more = !proof_.null_space.empty();
    for (std::size_t i = 0; i < claimed.size(); ++i) more = more || (claimed[i] != 0 && fixed_[i] == 0);
    if (more) {
      detail::check_span(rows_, limits_, fixed_, claimed, proof_.null_space, proof_.offset, features_,
                         proof_.fingerprint);
    }
  }

  const SeparationProof& proof_;
  std::size_t features_;
  const std::vector<std::int8_t>& y_;
  ExactRows rows_;
  ExactRows::Reader reader_;
  NumberLimits limits_;
  std::vector<std::uint32_t> place_;  // of every feature in a list, while one is made
  std::vector<char> fixed_;           // rows that lie on every plane without a row on its wrong side
  std::uint64_t fixed_count_ = 0;
  std::vector<std::uint32_t> rows_on_plane_;
};

// Says which rows the proof is about.
void describe_sides(const SeparationProof& proof, const Dataset& data, const std::vector<std::int8_t>& y,
                    SeparationVerdict& out) {
  std::vector<char> present(data.classes().size(), 0);
  for (std::size_t i = 0; i < y.size(); ++i) {
    ++(y[i] > 0 ? out.positive_rows : y[i] < 0 ? out.negative_rows : out.absent_rows);
    if (y[i] != 0) present[data.labels()[i]] = 1;
  }
  for (std::size_t c = 0; c < present.size(); ++c)
    if (present[c] == 0) out.absent_classes.push_back(data.classes()[c]);
  const char* const planes = proof.offset == Offset::Free     ? "with an offset"
                             : proof.offset == Offset::Lifted ? "with a lifted offset"
                                                              : "through the origin";
  std::string absent = "every row takes part";
  if (out.absent_rows > 0) {
    absent = fmt::format("{} not taking part{}",
                         out.absent_rows == 1 ? "1 row is" : fmt::format("{} rows are", out.absent_rows),
                         out.absent_classes.empty()
                             ? " (weight 0)"
                             : fmt::format(", among them all of {}", names(out.absent_classes)));
  }
  out.about = fmt::format("{} ({}) against {} ({}), planes {}, numbers as {}; {}", names(proof.positive),
                          counted(out.positive_rows), names(proof.negative), counted(out.negative_rows),
                          planes, OptionType<Values>::print(proof.values), absent);
}

}  // namespace

SeparationVerdict verify(const SeparationProof& proof, const Dataset& data, const Threads& threads) {
  SeparationVerdict out;
  try {
    check_shape(proof, data);
    const std::vector<std::int8_t> y = sides(data, proof.positive, proof.negative);
    describe_sides(proof, data, y, out);
    Checker checker(proof, data, y, threads);
    out.why = checker.check();
    out.rows_on_plane = checker.rows_on_plane();
    out.holds = true;
  } catch (const Refused& refused) {
    out.why = refused.why;
  } catch (const InputError& error) {  // classes that the data do not have, or a side without a row
    out.why = error.message();
  }
  return out;
}

SeparationVerdict verify(const SeparationProof& proof, const Dataset& data, const Threads& threads,
                         Values meant) {
  if (proof.values == meant) return verify(proof, data, threads);
  SeparationVerdict out;
  out.why = fmt::format("the certificate is about the numbers as {}, the data are read as {}",
                        OptionType<Values>::print(proof.values), OptionType<Values>::print(meant));
  return out;
}

}  // namespace halfspace
