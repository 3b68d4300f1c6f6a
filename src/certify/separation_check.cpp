// SPDX-License-Identifier: BSD-3-Clause
// The checker of separability certificates: no solver, no linear program, only sums of whole numbers (GMP)
// and one elimination modulo a prime. docs/separability.md says why what is checked here proves the verdict.
#include <fmt/format.h>
#include <gmpxx.h>

#include <algorithm>
#include <numeric>

#include "certify/echelon.hpp"
#include "certify/exact_rows.hpp"
#include "certify/refusal.hpp"
#include "halfspace/certify/separation.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

using detail::Echelon;
using detail::ExactRows;
using detail::none;
using detail::number;
using detail::numbers;
using detail::Refused;
using detail::require;
using detail::require_none;
using detail::WholeNumbers;
using detail::WholePlane;

class Checker {
 public:
  Checker(const SeparationProof& proof, const Dataset& data, const Threads& threads)
      : proof_(proof),
        features_(data.features()),
        y_(sides_of(proof, data)),
        rows_(data, y_, proof.values, threads),
        reader_(rows_) {}

  std::string check() {
    if (proof_.verdict == Separation::Separable) return check_separable();
    check_witnesses();
    if (proof_.verdict == Separation::Overlapping) {
      std::vector<std::uint32_t> all;
      for (std::uint32_t i = 0; i < y_.size(); ++i)
        if (y_[i] != 0) all.push_back(i);
      check_span(all);
      return fmt::format("overlapping: {} witness rows span all rows", fixed_count_);
    }
    return check_touching();
  }

 private:
  static std::vector<std::int8_t> sides_of(const SeparationProof& proof, const Dataset& data) {
    if (proof.rows != data.rows() || proof.features != data.features()) {
      throw Refused{fmt::format("the data have {} rows and {} features, the certificate says {} and {}",
                                data.rows(), data.features(), proof.rows, proof.features)};
    }
    require(proof.fingerprint == data.fingerprint(),
            "the data are not the ones of the certificate: another fingerprint");
    return sides(data, proof.positive, proof.negative);
  }

  WholePlane plane_of(const ExactPlane& from) {
    std::vector<std::string> texts = from.weights;
    texts.push_back(from.offset);
    WholeNumbers whole = numbers(texts);
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
        margin ? fmt::format("; best margin from {} to {}", proof_.margin_lower, proof_.margin_upper)
               : std::string());
  }

  void check_margin(const WholePlane& plane, const mpz_class& least) {
    mpz_class length = proof_.offset == Offset::Lifted ? mpz_class(plane.b * plane.b) : mpz_class(0);
    for (const mpz_class& w : plane.weights) length += w * w;
    const mpq_class lower = number(proof_.margin_lower);
    const mpq_class upper = number(proof_.margin_upper);
    const mpz_class& one = rows_.one();
    require(lower > 0 && least > 0 && lower * lower * one * one * length <= least * least,
            "the lower bound of the margin is not proved");
    // The closest points: without a free offset one point of the hull of all a_i, else one of each class.
    std::vector<mpz_class> weights = numbers(proof_.hull.weights).numbers;
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
    const mpq_class radius = number(proof_.radius);
    const mpz_class& one = rows_.one();
    const mpz_class most = proof_.offset == Offset::Lifted ? mpz_class(longest + one * one) : longest;
    require(radius >= 0 && most <= radius * radius * one * one, "a row is longer than the radius");
  }

  void check_witnesses() {
    fixed_.assign(y_.size(), 0);
    require(!proof_.witnesses.empty(), "no witness");
    for (const Combination& witness : proof_.witnesses) {
      const std::vector<mpz_class> weights = numbers(witness.weights).numbers;
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
    std::vector<std::uint32_t> on_plane;
    std::uint64_t apart = 0;
    for (std::uint32_t i = 0; i < y_.size(); ++i) {
      if (y_[i] == 0) continue;
      if (side[i] < 0) require_none(i, "is on the wrong side of the plane");
      if (side[i] == 0) on_plane.push_back(i);
      apart += side[i] > 0 ? 1 : 0;
    }
    require(apart > 0, "every row lies on the plane");
    if (proof_.complete) check_span(on_plane);
    return fmt::format("touching: {} rows are on their side of the plane, {} on it{}", apart, on_plane.size(),
                       proof_.complete ? ", as on every such plane" : "");
  }

  // The fixed rows span all rows of `claimed`.
  void check_span(const std::vector<std::uint32_t>& claimed) {
    if (std::all_of(claimed.begin(), claimed.end(), [&](std::uint32_t i) { return fixed_[i] != 0; })) return;
    std::vector<char> is_claimed(y_.size(), 0);
    for (const std::uint32_t i : claimed) is_claimed[i] = 1;
    std::vector<WholePlane> planes;
    for (const ExactPlane& from : proof_.kernel) planes.push_back(plane_of(from));
    std::vector<std::vector<char>> used(rows_.slices(), std::vector<char>(features_, 0));
    std::vector<std::uint32_t> bad(rows_.slices(), none);
    rows_.each([&](std::size_t slice, std::size_t i, const ExactRows::Row& row) {
      if (is_claimed[i] == 0 || bad[slice] != none) return;
      for (std::size_t k = 0; k < row.size; ++k) used[slice][row.columns[k]] = 1;
      for (const WholePlane& plane : planes)
        if (rows_.sign(row, plane) != 0) bad[slice] = static_cast<std::uint32_t>(i);
    });
    for (const std::uint32_t row : bad) require_none(row, "is not on a plane of the kernel");
    const std::size_t constant = proof_.offset == Offset::None ? 0 : 1;
    std::vector<std::uint32_t> place(features_, none);
    std::uint32_t count = 0;
    for (std::size_t j = 0; j < features_; ++j)
      if (std::any_of(used.begin(), used.end(), [&](const auto& slice) { return slice[j] != 0; }))
        place[j] = count++;
    const std::size_t size = count + constant;
    Echelon kernel;
    for (std::size_t p = 0; p < planes.size(); ++p) {
      Echelon::Remainders remainders(size, 0);
      for (std::size_t k = 0; k < planes[p].columns.size(); ++k) {
        const std::uint32_t j = planes[p].columns[k];
        require(place[j] != none, "the kernel uses a column that no row on the plane has");
        remainders[place[j]] = Echelon::remainder(planes[p].weights[k]);
      }
      if (constant != 0) remainders.back() = Echelon::remainder(planes[p].b);
      kernel.add(std::move(remainders));
    }
    const std::size_t rank = rank_of_fixed(place, size, size - std::min(size, kernel.rank()));
    if (rank + kernel.rank() < size)
      throw Refused{fmt::format("the witnesses span {} dimensions and {} are explained, of {}", rank,
                                kernel.rank(), size)};
  }

  // Of the fixed rows, as far as `enough`.
  std::size_t rank_of_fixed(const std::vector<std::uint32_t>& place, std::size_t size, std::size_t enough) {
    Echelon span;
    for (std::uint32_t i = 0; i < y_.size() && span.rank() < enough; ++i) {
      if (fixed_[i] == 0) continue;
      const ExactRows::Row& row = rows_.read(i, reader_);
      Echelon::Remainders remainders(size, 0);
      for (std::size_t k = 0; k < row.size; ++k) {
        require(place[row.columns[k]] != none, "a witness row is not on the plane");
        remainders[place[row.columns[k]]] = Echelon::remainder(rows_.value(row, k));
      }
      if (proof_.offset != Offset::None) remainders.back() = Echelon::remainder(rows_.one());
      span.add(std::move(remainders));
    }
    return span.rank();
  }

  const SeparationProof& proof_;
  std::size_t features_;
  std::vector<std::int8_t> y_;
  ExactRows rows_;
  ExactRows::Reader reader_;
  std::vector<std::uint32_t> place_;  // of every feature in a list, while one is made
  std::vector<char> fixed_;           // rows that lie on every plane without a row on its wrong side
  std::uint64_t fixed_count_ = 0;
};

}  // namespace

Verdict verify(const SeparationProof& proof, const Dataset& data, const Threads& threads) {
  try {
    return {true, Checker(proof, data, threads).check()};
  } catch (const Refused& refused) {
    return {false, refused.why};
  } catch (const InputError& error) {  // a class that the data do not have
    return {false, error.message()};
  }
}

}  // namespace halfspace
