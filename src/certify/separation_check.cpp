// SPDX-License-Identifier: BSD-3-Clause
// The checker of separability certificates: no solver, no linear program, only sums of whole numbers (GMP)
// and one elimination modulo a prime. docs/separability.md says why what is checked here proves the verdict.
#include <fmt/format.h>
#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "certify/exact_number.hpp"
#include "data/row_access.hpp"
#include "halfspace/certify/separation.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Unsigned128;

struct Refused {
  std::string why;
};
void require(bool holds, const std::string& why) {
  if (!holds) throw Refused{why};
}

mpq_class number(const std::string& text) {
  mpq_class out;
  require(detail::exact_number(text, out), fmt::format("'{}' is not a number", printable(text)));
  return out;
}

mpz_class from_int128(Int128 x) {
  const bool negative = x < 0;
  const auto size = negative ? -static_cast<Unsigned128>(x) : static_cast<Unsigned128>(x);
  const std::uint64_t parts[2] = {static_cast<std::uint64_t>(size), static_cast<std::uint64_t>(size >> 64U)};
  mpz_class out;
  mpz_import(out.get_mpz_t(), 2, -1, sizeof(std::uint64_t), 0, 0, parts);
  return negative ? mpz_class(-out) : out;
}

std::size_t bits_of(const mpz_class& x) { return x == 0 ? 0 : mpz_sizeinbase(x.get_mpz_t(), 2); }

// A list of rationals over their common denominator, which does not matter for signs.
std::vector<mpz_class> without_denominators(const std::vector<mpq_class>& from, mpz_class& denominator) {
  denominator = 1;
  for (const mpq_class& q : from)
    mpz_lcm(denominator.get_mpz_t(), denominator.get_mpz_t(), q.get_den_mpz_t());
  std::vector<mpz_class> out;
  for (const mpq_class& q : from) out.emplace_back(q.get_num() * (denominator / q.get_den()));
  return out;
}

// Weights for every column and the constant, all times `denominator`.
struct Plane {
  std::vector<mpz_class> w;  // of all features
  mpz_class b, denominator;
  std::vector<std::int64_t> small;  // the same when they fit
  std::size_t bits = 0;
};

// Rows in echelon form modulo 2^31 - 1; the rank of whole numbers is at least the rank of their remainders.
class Echelon {
 public:
  static constexpr std::uint64_t prime = 2147483647;
  void add(std::vector<std::uint64_t> row) {
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const std::uint64_t factor = row[pivots_[k]];
      if (factor == 0) continue;
      const std::uint64_t minus = prime - factor;
      for (std::size_t j = pivots_[k]; j < row.size(); ++j) row[j] = (row[j] + minus * rows_[k][j]) % prime;
    }
    const auto pivot = std::find_if(row.begin(), row.end(), [](std::uint64_t x) { return x != 0; });
    if (pivot == row.end()) return;
    const std::uint64_t inverse = power(*pivot, prime - 2);
    for (auto at = pivot; at != row.end(); ++at) *at = *at * inverse % prime;
    pivots_.push_back(static_cast<std::size_t>(pivot - row.begin()));
    rows_.push_back(std::move(row));
  }
  [[nodiscard]] std::size_t rank() const { return rows_.size(); }
  static std::uint64_t remainder(const mpz_class& x) { return mpz_fdiv_ui(x.get_mpz_t(), prime); }

 private:
  static std::uint64_t power(std::uint64_t x, std::uint64_t exponent) {
    std::uint64_t out = 1;
    for (; exponent != 0; exponent >>= 1U, x = x * x % prime)
      if ((exponent & 1U) != 0) out = out * x % prime;
    return out;
  }
  std::vector<std::vector<std::uint64_t>> rows_;
  std::vector<std::size_t> pivots_;
};

class Checker {
 public:
  Checker(const SeparationProof& proof, const Dataset& data)
      : proof_(proof), data_(data), stored_(proof.values), rows_(RowAccess::of(data.matrix())) {
    require(proof.rows == data.rows() && proof.features == data.features(),
            fmt::format("the data have {} rows and {} features, the certificate says {} and {}", data.rows(),
                        data.features(), proof.rows, proof.features));
    require(proof.fingerprint == data.fingerprint(),
            "the data are not the ones of the certificate: another fingerprint");
    y_ = sides(data, proof.positive, proof.negative);
    columns_.resize(data.features());
    find_scale();
  }

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
  // One row as whole numbers: x_j = number * base^scale_.
  std::size_t load(std::size_t i) {
    values_.resize(data_.features());
    const std::size_t count = rows_->copy_entries(i, columns_.data(), values_.data());
    return count;
  }
  mpz_class whole(double x) {
    const detail::Stored& s = stored_.of(x);
    return powers_[static_cast<std::size_t>(s.exponent - scale_)] * static_cast<long>(s.mantissa);
  }
  std::int64_t small(double x) {
    const detail::Stored& s = stored_.of(x);
    return s.mantissa * small_power_[static_cast<std::size_t>(s.exponent - scale_)];
  }

  void find_scale() {
    int highest = 0;
    double largest = 1;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      if (y_[i] == 0) continue;
      const std::size_t count = load(i);
      for (std::size_t k = 0; k < count; ++k) {
        const int exponent = stored_.of(values_[k]).exponent;
        scale_ = std::min(scale_, exponent);
        highest = std::max(highest, exponent);
        largest = std::max(largest, std::abs(values_[k]));
      }
    }
    mpz_ui_pow_ui(one_.get_mpz_t(), stored_.base(), static_cast<unsigned long>(-scale_));
    powers_.assign(1, 1);
    while (powers_.size() <= static_cast<std::size_t>(highest - scale_))
      powers_.emplace_back(powers_.back() * stored_.base());
    value_bits_ = static_cast<std::size_t>(std::ilogb(largest)) + 2 + bits_of(one_);
    if (value_bits_ > 60) return;
    small_power_.assign(static_cast<std::size_t>(highest - scale_) + 1, 1);
    for (std::size_t k = 1; k < small_power_.size(); ++k)
      small_power_[k] = small_power_[k - 1] * static_cast<std::int64_t>(stored_.base());
  }
  [[nodiscard]] std::size_t count_bits() const { return std::bit_width(data_.features() + 1); }

  Plane plane_of(const ExactPlane& from) {
    std::vector<mpq_class> weights;
    for (const std::string& text : from.weights) weights.push_back(number(text));
    weights.push_back(number(from.offset));
    require(proof_.offset != Offset::None || weights.back() == 0, "a plane has an offset, but there is none");
    Plane out;
    const std::vector<mpz_class> whole = without_denominators(weights, out.denominator);
    out.w.assign(data_.features(), 0);
    for (std::size_t k = 0; k < from.columns.size(); ++k) out.w[from.columns[k]] = whole[k];
    out.b = whole.back();
    for (const mpz_class& x : whole) out.bits = std::max(out.bits, bits_of(x));
    if (out.bits <= 62 && !small_power_.empty() && out.bits + value_bits_ + count_bits() <= 125)
      for (const mpz_class& x : out.w) out.small.push_back(x.get_si());
    return out;
  }
  // w . x_i + b without large numbers, when the plane's weights are small.
  Int128 small_score(std::size_t i, const Plane& plane) {
    const std::size_t count = load(i);
    Int128 total = static_cast<Int128>(plane.b.get_si()) * one_.get_si();
    for (std::size_t k = 0; k < count; ++k) {
      const std::int64_t w = plane.small[columns_[k]];
      if (w != 0) total += static_cast<Int128>(w) * small(values_[k]);
    }
    return total;
  }
  // y_i (w . x_i + b), times the plane's denominator and base^-scale_.
  mpz_class margin(std::size_t i, const Plane& plane) {
    mpz_class sum;
    if (!plane.small.empty()) {
      sum = from_int128(small_score(i, plane));
    } else {
      const std::size_t count = load(i);
      sum = plane.b * one_;
      for (std::size_t k = 0; k < count; ++k)
        if (plane.w[columns_[k]] != 0) add_product(sum, plane.w[columns_[k]], values_[k]);
    }
    return y_[i] > 0 ? sum : mpz_class(-sum);
  }
  int side(std::size_t i, const Plane& plane) {
    if (plane.small.empty()) return sgn(margin(i, plane));
    const Int128 score = small_score(i, plane);
    return ((score > 0) - (score < 0)) * y_[i];
  }
  // sum += weight * x
  void add_product(mpz_class& sum, const mpz_class& weight, double x) {
    if (small_power_.empty()) {
      sum += weight * whole(x);
      return;
    }
    const std::int64_t number = small(x);
    if (number >= 0) mpz_addmul_ui(sum.get_mpz_t(), weight.get_mpz_t(), static_cast<unsigned long>(number));
    if (number < 0) mpz_submul_ui(sum.get_mpz_t(), weight.get_mpz_t(), static_cast<unsigned long>(-number));
  }

  // sum weight_i y_i x_ij for every column that occurs and, last, sum weight_i y_i, times base^-scale_.
  std::vector<mpz_class> add_rows(const Combination& rows, const std::vector<mpz_class>& weights) {
    sums_.resize(data_.features());
    std::vector<std::uint32_t> touched;
    mpz_class constant;
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
      const std::size_t i = rows.rows[r];
      require(y_[i] != 0, fmt::format("row {} does not take part", i + 1));
      const mpz_class weight = y_[i] > 0 ? weights[r] : mpz_class(-weights[r]);
      const std::size_t count = load(i);
      for (std::size_t k = 0; k < count; ++k) {
        touched.push_back(columns_[k]);
        add_product(sums_[columns_[k]], weight, values_[k]);
      }
      constant += weight * one_;
    }
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    std::vector<mpz_class> out;
    for (const std::uint32_t j : touched) {
      out.push_back(sums_[j]);
      sums_[j] = 0;
    }
    out.push_back(constant);
    return out;
  }
  std::vector<mpz_class> weights_of(const Combination& c, mpz_class& denominator) {
    std::vector<mpq_class> weights;
    for (const std::string& text : c.weights) weights.push_back(number(text));
    return without_denominators(weights, denominator);
  }

  std::string check_separable() {
    const Plane plane = plane_of(proof_.plane);
    std::uint64_t taking_part = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      if (y_[i] == 0) continue;
      ++taking_part;
      require(side(i, plane) > 0, fmt::format("row {} is not on its side of the plane", i + 1));
    }
    if (!proof_.margin_lower.empty()) check_margin();
    if (!proof_.radius.empty()) check_radius();
    return fmt::format("separable: all {} rows are on their side of the plane{}", taking_part,
                       proof_.margin_lower.empty() ? std::string()
                                                   : fmt::format("; best margin from {} to {}",
                                                                 proof_.margin_lower, proof_.margin_upper));
  }

  void check_margin() {
    const Plane plane = plane_of(proof_.margin_plane);
    mpz_class length = proof_.offset == Offset::Lifted ? mpz_class(plane.b * plane.b) : mpz_class(0);
    for (const mpz_class& w : plane.w) length += w * w;
    mpz_class smallest;
    bool first = true;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      if (y_[i] == 0) continue;
      const mpz_class m = margin(i, plane);
      if (first || m < smallest) smallest = m;
      first = false;
    }
    const mpq_class lower = number(proof_.margin_lower);
    const mpq_class upper = number(proof_.margin_upper);
    require(lower > 0 && smallest > 0 && lower * lower * one_ * one_ * length <= smallest * smallest,
            "the lower bound of the margin is not proved");
    // The closest points: without a free offset one point of the hull of all a_i, else one of each class.
    mpz_class denominator;
    const std::vector<mpz_class> weights = weights_of(proof_.hull, denominator);
    mpz_class total[2] = {0, 0};
    for (std::size_t r = 0; r < weights.size(); ++r) {
      require(weights[r] > 0, "a hull weight is not positive");
      total[y_[proof_.hull.rows[r]] > 0 ? 1 : 0] += weights[r];
    }
    const bool free = proof_.offset == Offset::Free;
    require(free ? total[0] > 0 && total[1] > 0 : total[0] + total[1] > 0, "the hull weights name no point");
    std::vector<mpz_class> scaled = weights;
    for (std::size_t r = 0; r < scaled.size() && free; ++r)
      scaled[r] *= total[y_[proof_.hull.rows[r]] > 0 ? 0 : 1];
    std::vector<mpz_class> sums = add_rows(proof_.hull, scaled);
    mpz_class distance = 0;
    if (proof_.offset != Offset::Lifted) sums.pop_back();
    for (const mpz_class& s : sums) distance += s * s;
    const mpz_class unit =
        (free ? mpz_class(2 * total[0] * total[1]) : mpz_class(total[0] + total[1])) * one_;
    require(upper > 0 && distance <= upper * upper * unit * unit,
            "the upper bound of the margin is not proved");
  }

  void check_radius() {
    const mpq_class radius = number(proof_.radius);
    mpz_class longest = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      if (y_[i] == 0) continue;
      const std::size_t count = load(i);
      mpz_class sum = proof_.offset == Offset::Lifted ? mpz_class(one_ * one_) : mpz_class(0);
      if (!small_power_.empty() && 2 * value_bits_ + count_bits() <= 126) {
        Int128 squares = 0;
        for (std::size_t k = 0; k < count; ++k)
          squares += static_cast<Int128>(small(values_[k])) * small(values_[k]);
        sum += from_int128(squares);
      } else {
        for (std::size_t k = 0; k < count; ++k) {
          const mpz_class x = whole(values_[k]);
          sum += x * x;
        }
      }
      if (sum > longest) longest = sum;
    }
    require(radius >= 0 && longest <= radius * radius * one_ * one_, "a row is longer than the radius");
  }

  void check_witnesses() {
    fixed_.assign(y_.size(), 0);
    require(!proof_.witnesses.empty(), "no witness");
    for (const Combination& witness : proof_.witnesses) {
      mpz_class denominator;
      const std::vector<mpz_class> weights = weights_of(witness, denominator);
      bool fresh = false;
      for (std::size_t r = 0; r < weights.size(); ++r) {
        if (fixed_[witness.rows[r]] != 0) continue;
        require(weights[r] > 0, fmt::format("the weight of row {} is not positive", witness.rows[r] + 1));
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
    const Plane plane = plane_of(proof_.plane);
    std::vector<std::uint32_t> on_plane;
    std::uint64_t apart = 0;
    for (std::uint32_t i = 0; i < y_.size(); ++i) {
      if (y_[i] == 0) continue;
      const int m = side(i, plane);
      require(m >= 0, fmt::format("row {} is on the wrong side of the plane", i + 1));
      if (m == 0) on_plane.push_back(i);
      apart += m > 0 ? 1 : 0;
    }
    require(apart > 0, "every row lies on the plane");
    if (proof_.complete) check_span(on_plane);
    return fmt::format("touching: {} rows are on their side of the plane, {} on it{}", apart, on_plane.size(),
                       proof_.complete ? ", as on every such plane" : "");
  }

  // The fixed rows span all rows of `claimed`.
  void check_span(const std::vector<std::uint32_t>& claimed) {
    if (std::all_of(claimed.begin(), claimed.end(), [&](std::uint32_t i) { return fixed_[i] != 0; })) return;
    constexpr std::uint32_t none = UINT32_MAX;
    std::vector<std::uint32_t> place(data_.features(), none);
    std::size_t used = 0;
    for (const std::uint32_t i : claimed) {
      const std::size_t count = load(i);
      for (std::size_t k = 0; k < count; ++k)
        if (place[columns_[k]] == none) place[columns_[k]] = static_cast<std::uint32_t>(used++);
    }
    const std::size_t size = used + (proof_.offset == Offset::None ? 0 : 1);
    Echelon kernel;
    for (const ExactPlane& from : proof_.kernel) {
      const Plane plane = plane_of(from);
      for (const std::uint32_t i : claimed)
        require(side(i, plane) == 0, fmt::format("row {} is not on a plane of the kernel", i + 1));
      std::vector<std::uint64_t> remainders(size, 0);
      for (const std::uint32_t j : from.columns) {
        require(place[j] != none, fmt::format("the kernel uses column {}, which no such row has", j + 1));
        remainders[place[j]] = Echelon::remainder(plane.w[j]);
      }
      if (proof_.offset != Offset::None) remainders.back() = Echelon::remainder(plane.b);
      kernel.add(std::move(remainders));
    }
    Echelon span;
    for (std::uint32_t i = 0; i < y_.size() && span.rank() + kernel.rank() < size; ++i) {
      if (fixed_[i] == 0) continue;
      const std::size_t count = load(i);
      std::vector<std::uint64_t> remainders(size, 0);
      for (std::size_t k = 0; k < count; ++k) {
        require(place[columns_[k]] != none, "a witness row is not on the plane");
        remainders[place[columns_[k]]] = Echelon::remainder(whole(values_[k]));
      }
      if (proof_.offset != Offset::None) remainders.back() = Echelon::remainder(one_);
      span.add(std::move(remainders));
    }
    require(span.rank() + kernel.rank() >= size,
            fmt::format("the witnesses span {} dimensions and {} are explained, of {}", span.rank(),
                        kernel.rank(), size));
  }

  const SeparationProof& proof_;
  const Dataset& data_;
  detail::StoredNumbers stored_;
  std::unique_ptr<RowAccess> rows_;
  std::vector<std::int8_t> y_;
  std::vector<std::uint32_t> columns_;
  std::vector<double> values_;
  int scale_ = 0;  // every value is a whole number times base^scale_
  mpz_class one_;  // base^-scale_: what 1 becomes
  std::size_t value_bits_ = 0;
  std::vector<mpz_class> powers_, sums_;
  std::vector<std::int64_t> small_power_;  // base^k, when all whole numbers have at most 60 bits; else empty
  std::vector<char> fixed_;                // rows that lie on every plane without a row on its wrong side
  std::uint64_t fixed_count_ = 0;
};

}  // namespace

Verdict verify(const SeparationProof& proof, const Dataset& data) {
  try {
    return {true, Checker(proof, data).check()};
  } catch (const Refused& refused) {
    return {false, refused.why};
  } catch (const InputError& error) {  // a class that the data do not have
    return {false, error.message()};
  }
}

}  // namespace halfspace
