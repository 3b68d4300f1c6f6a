// SPDX-License-Identifier: BSD-3-Clause
#include "certify/separation/span.hpp"

#include <algorithm>

#include "certify/separation/echelon.hpp"

namespace halfspace::detail {
namespace {

// The weights of all planes of the null space by column, so that one walk over the entries of a row gives its scores on all
// of them, and planes that do not touch a row cost nothing.
struct KernelColumns {
  struct Weight {
    std::uint32_t plane;
    std::int64_t small;
    mpz_class whole;
  };
  std::vector<std::uint32_t> first;  // of every place, and one more
  std::vector<Weight> weights;
  bool is_short = true;
};

class SpanCheck {
 public:
  SpanCheck(const ExactRows& rows, const NumberLimits& limits, std::span<const char> fixed,
            std::span<const char> claimed, const std::vector<ExactPlane>& null_space, Offset offset,
            std::size_t features)
      : rows_(rows),
        limits_(limits),
        fixed_(fixed),
        claimed_(claimed),
        null_space_(null_space),
        with_offset_(offset != Offset::None),
        place_(features, none) {}

  void check(const std::string& seed) {
    find_places();
    const auto fixed = static_cast<std::size_t>(std::count(fixed_.begin(), fixed_.end(), 1));
    // Before any work: there are not enough of both, or more planes than are independent.
    require(null_space_.size() <= size_, "the null space has more planes than there are columns");
    require(null_space_.size() + fixed >= size_,
            "the witnesses and the null space are too few to span the rows");
    read_null_space();
    give_own_columns();
    check_rows_on_null_space();
    check_rank(seed);
  }

 private:
  // Columns that the claimed rows have, and the constant, which comes last.
  void find_places() {
    const std::size_t words = place_.size() / 64 + 1;
    std::vector<std::vector<std::uint64_t>> used(rows_.slices(), std::vector<std::uint64_t>(words, 0));
    rows_.each([&](std::size_t slice, std::size_t i, const ExactRows::Row& row) {
      if (claimed_[i] == 0) return;
      for (std::size_t k = 0; k < row.size; ++k)
        if (row.number[k] != 0) used[slice][row.columns[k] / 64] |= std::uint64_t{1} << (row.columns[k] % 64);
    });
    for (std::size_t j = 0; j < place_.size(); ++j)
      if (std::any_of(used.begin(), used.end(),
                      [&](const auto& u) { return (u[j / 64] >> (j % 64) & 1U) != 0; }))
        place_[j] = static_cast<std::uint32_t>(size_++);
    size_ += with_offset_ ? 1 : 0;
  }

  void read_null_space() {
    std::vector<std::vector<KernelColumns::Weight>> columns(size_);
    std::size_t bits = 0;
    for (std::uint32_t p = 0; p < null_space_.size(); ++p) {
      std::vector<std::string> texts = null_space_[p].weights;
      texts.push_back(null_space_[p].offset);
      std::vector<mpz_class> weights = limits_.numbers(texts).numbers;
      require(with_offset_ || weights.back() == 0, "a plane has an offset, but there is none");
      for (std::size_t k = 0; k < weights.size(); ++k) {
        const bool constant = k + 1 == weights.size();
        if (weights[k] == 0) continue;
        const std::uint32_t at =
            constant ? static_cast<std::uint32_t>(size_ - 1) : place_[null_space_[p].columns[k]];
        require(at != none, "the null space uses a column that no row on the plane has");
        bits = std::max(bits, bits_of(weights[k]));
        columns[at].push_back({p, 0, std::move(weights[k])});
      }
    }
    columns_.is_short = rows_.sums_are_short(bits);
    for (auto& column : columns) {
      columns_.first.push_back(static_cast<std::uint32_t>(columns_.weights.size()));
      for (KernelColumns::Weight& weight : column) {
        if (columns_.is_short) weight.small = weight.whole.get_si();
        columns_.weights.push_back(std::move(weight));
      }
    }
    columns_.first.push_back(static_cast<std::uint32_t>(columns_.weights.size()));
  }

  // Planes are independent when each has a column that no other one has, as in a reduced echelon form. A row on all of
  // them is then known by its other columns: these decide on the rank.
  void give_own_columns() {
    std::vector<char> has_own(null_space_.size(), 0);
    others_.assign(size_, none);
    for (std::size_t at = 0; at < size_; ++at) {
      const std::uint32_t begin = columns_.first[at], end = columns_.first[at + 1];
      if (end - begin == 1 && has_own[columns_.weights[begin].plane] == 0) {
        has_own[columns_.weights[begin].plane] = 1;
      } else {
        others_[at] = static_cast<std::uint32_t>(rank_++);
      }
    }
    require(std::all_of(has_own.begin(), has_own.end(), [](char own) { return own != 0; }),
            "a plane of the null space has no column of its own");
  }

  void check_rows_on_null_space() {
    if (null_space_.empty()) return;
    std::vector<std::uint32_t> bad(rows_.slices(), none);
    std::vector<std::vector<Int128>> short_sums(rows_.slices(), std::vector<Int128>(null_space_.size(), 0));
    std::vector<std::vector<mpz_class>> sums(rows_.slices());
    rows_.each([&](std::size_t slice, std::size_t i, const ExactRows::Row& row) {
      if (claimed_[i] == 0 || bad[slice] != none) return;
      const bool on =
          columns_.is_short ? on_null_space(row, short_sums[slice]) : on_null_space(row, sums[slice]);
      if (!on) bad[slice] = static_cast<std::uint32_t>(i);
    });
    for (const std::uint32_t row : bad) require_none(row, "is not on a plane of the null space");
  }

  template <class Sum>
  [[nodiscard]] bool on_null_space(const ExactRows::Row& row, std::vector<Sum>& sums) const {
    sums.resize(null_space_.size());
    const auto each = [&](const auto& f) {
      for (std::size_t k = 0; k < row.size; ++k) {
        if (row.number[k] == 0) continue;
        const std::uint32_t at = place_[row.columns[k]];
        for (std::uint32_t e = columns_.first[at]; e < columns_.first[at + 1]; ++e) f(k, columns_.weights[e]);
      }
    };
    const std::uint32_t constant = with_offset_ ? columns_.first[size_ - 1] : columns_.first[size_];
    for (std::uint32_t e = constant; e < columns_.first[size_]; ++e) {
      const KernelColumns::Weight& weight = columns_.weights[e];
      if constexpr (std::is_same_v<Sum, Int128>) {
        sums[weight.plane] = static_cast<Int128>(weight.small) * rows_.one().get_si();
      } else {
        sums[weight.plane] = weight.whole * rows_.one();
      }
    }
    each([&](std::size_t k, const KernelColumns::Weight& weight) {
      if constexpr (std::is_same_v<Sum, Int128>) {
        ExactRows::add_short(sums[weight.plane], weight.small, row, k);
      } else {
        rows_.add_product(sums[weight.plane], weight.whole, row, k);
      }
    });
    bool zero = true;
    const auto look = [&](const KernelColumns::Weight& weight) {
      zero = zero && sums[weight.plane] == 0;
      sums[weight.plane] = 0;
    };
    for (std::uint32_t e = constant; e < columns_.first[size_]; ++e) look(columns_.weights[e]);
    each([&](std::size_t, const KernelColumns::Weight& weight) { look(weight); });
    return zero;
  }

  void check_rank(const std::string& seed) {
    std::size_t rank = rank_modulo(Echelon::mersenne);
    if (rank < rank_) {
      // A number of 31 bits that the data cannot have been made for.
      mpz_class prime = 0;
      for (const char c : seed) prime = (prime * 257 + static_cast<unsigned char>(c)) % (1U << 30U);
      prime += 1U << 30U;
      mpz_nextprime(prime.get_mpz_t(), prime.get_mpz_t());
      if (prime < (mpz_class(1) << 31)) rank = std::max(rank, rank_modulo(prime.get_ui()));
    }
    if (rank < rank_) {
      throw Refused{fmt::format("the witnesses span {} dimensions and {} are explained, of {}", rank,
                                null_space_.size(), size_)};
    }
  }

  // Of the fixed rows in the columns that are no plane's own, as far as it is needed.
  std::size_t rank_modulo(std::uint64_t prime) {
    Echelon span(prime);
    ExactRows::Reader reader(rows_);
    for (std::size_t i = 0; i < fixed_.size() && span.rank() < rank_; ++i) {
      if (fixed_[i] == 0) continue;
      require(claimed_[i] != 0, "a witness row is not on the plane");
      const ExactRows::Row& row = rows_.read(i, reader);
      Echelon::Remainders remainders(rank_, 0);
      for (std::size_t k = 0; k < row.size; ++k) {
        if (row.number[k] == 0) continue;
        const std::uint32_t at = others_[place_[row.columns[k]]];
        if (at != none) remainders[at] = span.remainder(rows_.value(row, k));
      }
      if (with_offset_ && others_[size_ - 1] != none)
        remainders[others_[size_ - 1]] = span.remainder(rows_.one());
      span.add(std::move(remainders));
    }
    return span.rank();
  }

  const ExactRows& rows_;
  const NumberLimits& limits_;
  std::span<const char> fixed_, claimed_;
  const std::vector<ExactPlane>& null_space_;
  bool with_offset_;
  std::vector<std::uint32_t> place_;  // of every feature among the columns that count
  std::size_t size_ = 0;              // how many these are, with the constant
  KernelColumns columns_;
  std::vector<std::uint32_t> others_;  // place of a column among those that are no plane's own
  std::size_t rank_ = 0;               // how many these are: what the fixed rows must have
};

}  // namespace

void check_span(const ExactRows& rows, const NumberLimits& limits, std::span<const char> fixed,
                std::span<const char> claimed, const std::vector<ExactPlane>& null_space, Offset offset,
                std::size_t features, const std::string& seed) {
  SpanCheck(rows, limits, fixed, claimed, null_space, offset, features).check(seed);
}

}  // namespace halfspace::detail
