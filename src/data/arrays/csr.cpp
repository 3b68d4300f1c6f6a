// SPDX-License-Identifier: BSD-3-Clause
// Compressed sparse rows. A view wants starts of 64 bits, ascending column numbers of 16 or 32 bits and no zeros: starts and
// column numbers of other types are converted, rows that are not like that are copied.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "data/arrays/rows.hpp"
#include "data/storage/row_store.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/read.hpp"

namespace halfspace {
namespace {

constexpr std::size_t no_row = SIZE_MAX;

// What stays when values are borrowed: arrays made of those of the caller, and who owns the others.
struct CsrHeld {
  std::shared_ptr<const void> owner;
  std::unique_ptr<std::uint64_t[]> starts;
  std::unique_ptr<std::uint16_t[]> narrow;
  std::unique_ptr<std::uint32_t[]> wide;
};

struct CsrFacts {
  std::uint64_t zeros = 0;
  std::size_t zero_row = no_row,
              unsorted_row = no_row;  // the first with a stored zero, with columns out of order
  bool ones = true;
  CsrFacts& operator+=(const CsrFacts& other) {
    zeros += other.zeros;
    zero_row = std::min(zero_row, other.zero_row);
    unsorted_row = std::min(unsorted_row, other.unsorted_row);
    ones = ones && other.ones;
    return *this;
  }
};

template <class T>
bool at_most(T x, std::uint64_t limit) {
  if constexpr (std::is_signed_v<T>)
    if (x < 0) return false;
  return static_cast<std::uint64_t>(x) <= limit;
}

template <class T, class S>
bool same_bits_as() {
  return std::is_same_v<std::make_unsigned_t<S>, T>;
}

[[noreturn]] void refuse_twice(const std::string& name, std::size_t row, std::uint64_t column) {
  throw InputError({.file = name}, fmt::format("row {}, column {}: given twice", row + 1, column + 1),
                   "every column once in a row", "scipy: X.sum_duplicates()");
}

// The starts as the view wants them: where they are, or in `held`.
template <class S>
const std::uint64_t* checked_starts(std::span<const S> starts, std::uint64_t entries, CsrHeld& held,
                                    const ArrayOptions& options) {
  const std::size_t rows = starts.size() - 1;
  if (!same_bits_as<std::uint64_t, S>())
    held.starts = std::make_unique_for_overwrite<std::uint64_t[]>(starts.size());
  if (starts[0] != 0)
    throw InputError({.file = options.name}, fmt::format("row starts begin with {}", starts[0]), "0");
  for_blocks(options.threads, rows, row_block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (starts[i] > starts[i + 1] || !at_most(starts[i + 1], entries))
        throw InputError({.file = options.name},
                         fmt::format("row {} begins at {} and ends at {}", i + 1, starts[i], starts[i + 1]),
                         fmt::format("row starts that ascend, up to {} entries", entries));
      if (held.starts) held.starts[i + 1] = static_cast<std::uint64_t>(starts[i + 1]);
    }
  });
  if (!at_most(starts[rows], entries) || static_cast<std::uint64_t>(starts[rows]) != entries)
    throw InputError({.file = options.name},
                     fmt::format("row starts of {} rows end with {}, but there are {} entries", rows,
                                 starts[rows], entries));
  if (!held.starts) return reinterpret_cast<const std::uint64_t*>(starts.data());
  held.starts[0] = 0;
  return held.starts.get();
}

template <class V, class I>
struct CsrArrays {
  std::span<const V> values;
  std::span<const I> columns;
  const std::uint64_t* start;
  std::size_t rows, cols;
  const std::string& name;

  // put(k, column) for every entry.
  template <class Put>
  [[nodiscard]] CsrFacts check(std::size_t begin, std::size_t end, const Put& put) const {
    CsrFacts facts;
    for (std::size_t i = begin; i < end; ++i) {
      for (std::uint64_t k = start[i]; k < start[i + 1]; ++k) {
        const I column = columns[k];
        if (cols == 0 || !at_most(column, cols - 1))
          throw InputError({.file = name}, fmt::format("row {}: column number {} of {}", i + 1, column, cols),
                           "columns are counted from 0");
        const double x = static_cast<double>(values[k]);
        if (!std::isfinite(x)) refuse_value(name, i, static_cast<std::size_t>(column), x);
        if (k > start[i] && column <= columns[k - 1]) {
          if (column == columns[k - 1]) refuse_twice(name, i, static_cast<std::uint64_t>(column));
          facts.unsorted_row = std::min(facts.unsorted_row, i);
        }
        if (x == 0) {
          ++facts.zeros;
          facts.zero_row = std::min(facts.zero_row, i);
        }
        facts.ones = facts.ones && x == 1;
        put(k, column);
      }
    }
    return facts;
  }
  // The same where nothing is to be refused and nothing to be cleaned, and nothing where something is: in whole numbers whose
  // highest bit says that something is wrong, so that compilers look at several entries at once.
  [[nodiscard]] std::optional<CsrFacts> check_sound(std::size_t begin, std::size_t end) const {
    using Column = std::make_unsigned_t<I>;
    using Bits = std::conditional_t<sizeof(V) == 8, std::uint64_t, std::uint32_t>;
    constexpr Bits exponent = std::bit_cast<Bits>(std::numeric_limits<V>::infinity()),
                   next = Bits{1} << (std::numeric_limits<V>::digits - 1),
                   size = std::numeric_limits<Bits>::max() >> 1U, one = std::bit_cast<Bits>(V{1});
    constexpr Column most = std::numeric_limits<Column>::max() >> 1U;
    const std::uint64_t from = start[begin], to = start[end];
    if (cols == 0 || to - from > most) return std::nullopt;
    const auto last = static_cast<Column>(std::min<std::uint64_t>(cols - 1, most));
    const I* const column = columns.data();
    const V* const value = values.data();
    Bits wrong = 0, other = 0;
    for (std::uint64_t k = from; k < to; ++k) {
      const auto bits = std::bit_cast<Bits>(value[k]);
      // An exponent of ones alone belongs to infinities and NaN; only zeros are below 1 without their sign.
      wrong |= ((bits & exponent) + next) | ((bits & size) - 1);
      other |= bits ^ one;
    }
    Column outside = 0, back = 0;
    for (std::uint64_t k = from; k < to; ++k) {
      const auto j = static_cast<Column>(column[k]);
      outside |= (last - j) | j;
    }
    for (std::uint64_t k = from + 1; k < to; ++k) back += column[k] <= column[k - 1] ? 1U : 0U;
    for (std::size_t i = begin + 1; i < end; ++i) {
      const std::uint64_t k = start[i];
      if (k > from && k < start[i + 1] && column[k] <= column[k - 1]) --back;  // in another row
    }
    if (wrong > size || outside > most || back != 0) return std::nullopt;
    CsrFacts facts;
    facts.ones = other == 0;
    return facts;
  }
  template <class Put>
  [[nodiscard]] CsrFacts check_all(const Threads& threads, const Put& put) const {
    return sum_blocks(threads, rows, row_block, CsrFacts{}, [&](std::size_t begin, std::size_t end) {
      const std::optional<CsrFacts> sound = check_sound(begin, end);
      if (!sound) return check(begin, end, put);
      for (std::uint64_t k = start[begin]; k < start[end]; ++k) put(k, columns[k]);
      return *sound;
    });
  }

  // Rows [begin, end) in order and without zeros.
  [[nodiscard]] RowBlock cleaned(std::size_t begin, std::size_t end) const {
    RowBlock block;
    std::vector<std::pair<std::uint32_t, double>> row;
    for (std::size_t i = begin; i < end; ++i) {
      row.clear();
      for (std::uint64_t k = start[i]; k < start[i + 1]; ++k)
        row.emplace_back(static_cast<std::uint32_t>(columns[k]), static_cast<double>(values[k]));
      const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
      if (!std::is_sorted(row.begin(), row.end(), before)) std::sort(row.begin(), row.end(), before);
      for (std::size_t k = 0; k < row.size(); ++k) {
        if (k > 0 && row[k].first == row[k - 1].first) refuse_twice(name, i, row[k].first);
        block.add(row[k].first, row[k].second);
      }
      block.end_row();
    }
    return block;
  }
};

// Where blocks of rows end: at about 65536 entries or rows.
std::vector<std::size_t> block_ends(const std::uint64_t* start, std::size_t rows) {
  constexpr std::size_t size = 65536;
  std::vector<std::size_t> ends{0};
  for (std::size_t row = 0; row < rows;) {
    const std::size_t last = std::min(rows, row + size);
    const auto* const end = std::upper_bound(start + row + 1, start + last, start[row] + size);
    row = static_cast<std::size_t>(end - start);
    ends.push_back(row);
  }
  return ends;
}

template <class V, class I>
StoredMatrix copied_rows(const CsrArrays<V, I>& arrays, const Threads& threads) {
  const std::vector<std::size_t> ends = block_ends(arrays.start, arrays.rows);
  return store_blocks(
      {ends.size() - 1, arrays.rows, arrays.values.size(), arrays.cols},
      [&](std::size_t t) { return arrays.cleaned(ends[t], ends[t + 1]); }, threads);
}

template <class V, class Index>
Matrix view_of_rows(const std::uint64_t* start, const Index* index, std::span<const V> values,
                    std::size_t rows, std::size_t cols, bool ones) {
  if (ones) return CsrView<One, Index>{rows, cols, start, index};
  return CsrView<V, Index>{rows, cols, start, index, values.data()};
}

[[noreturn]] void refuse_cleaning(const CsrFacts& facts, const std::string& name) {
  if (facts.unsorted_row != no_row)
    refuse_copy(name, fmt::format("row {}: columns are not ascending", facts.unsorted_row + 1));
  refuse_copy(name, fmt::format("row {}: a stored zero", facts.zero_row + 1));
}

template <class V, class I>
ArrayRows csr_rows_of(const CsrArrays<V, I>& arrays, std::shared_ptr<CsrHeld> held,
                      const ArrayOptions& options) {
  const std::size_t entries = arrays.values.size();
  const bool convert = options.hold != Hold::Copy && sizeof(I) == 8;
  CsrFacts facts;
  if (convert && arrays.cols <= narrow_columns) {
    held->narrow = std::make_unique_for_overwrite<std::uint16_t[]>(entries);
    facts = arrays.check_all(options.threads, [to = held->narrow.get()](std::uint64_t k, I column) {
      to[k] = static_cast<std::uint16_t>(column);
    });
  } else if (convert) {
    held->wide = std::make_unique_for_overwrite<std::uint32_t[]>(entries);
    facts = arrays.check_all(options.threads, [to = held->wide.get()](std::uint64_t k, I column) {
      to[k] = static_cast<std::uint32_t>(column);
    });
  } else {
    facts = arrays.check_all(options.threads, [](std::uint64_t, I) {});
  }
  const std::uint64_t nonzeros = entries - facts.zeros;
  const bool clean = facts.zero_row == no_row && facts.unsorted_row == no_row;
  if (options.hold == Hold::BorrowOnly && !clean) refuse_cleaning(facts, options.name);
  if (options.hold == Hold::Copy || !clean) {
    held->narrow = {};
    held->wide = {};
    return {copied_rows(arrays, options.threads), nonzeros};
  }
  const auto view = [&](const auto* index) {
    return view_of_rows(arrays.start, index, arrays.values, arrays.rows, arrays.cols, facts.ones);
  };
  Matrix matrix;
  if (held->narrow) {
    matrix = view(held->narrow.get());
  } else if (held->wide) {
    matrix = view(held->wide.get());
  } else {
    matrix = view(reinterpret_cast<const std::uint32_t*>(arrays.columns.data()));
  }
  return {{matrix, std::move(held)}, nonzeros};
}

}  // namespace

ArrayRows csr_rows(const ValueArray& values, const IndexArray& columns, const IndexArray& starts,
                   std::size_t cols, const ArrayOptions& options) {
  const auto size_of = [](const auto& array) { return std::visit([](auto a) { return a.size(); }, array); };
  if (options.layout != Layout::RowMajor || options.stride != 0)
    throw UsageError("sparse rows have no layout and no stride of their own");
  if (size_of(values) != size_of(columns) || size_of(starts) == 0) {
    throw InputError({.file = options.name},
                     fmt::format("{} values, {} column numbers and {} row starts", size_of(values),
                                 size_of(columns), size_of(starts)),
                     "as many column numbers as values, and a start for every row and one more");
  }
  if (cols > most_features)
    throw InputError({.file = options.name}, fmt::format("{} columns", cols),
                     fmt::format("at most {} columns", most_features));
  auto held = std::make_shared<CsrHeld>();
  held->owner = options.owner;
  const std::uint64_t* const start = std::visit(
      [&](const auto& array) { return checked_starts(array, size_of(values), *held, options); }, starts);
  return std::visit(
      [&](const auto& v, const auto& c) {
        using V = std::remove_cv_t<typename std::decay_t<decltype(v)>::element_type>;
        using I = std::remove_cv_t<typename std::decay_t<decltype(c)>::element_type>;
        const CsrArrays<V, I> arrays{v, c, start, size_of(starts) - 1, cols, options.name};
        return csr_rows_of(arrays, std::move(held), options);
      },
      values, columns);
}

}  // namespace halfspace
