// SPDX-License-Identifier: BSD-3-Clause
#include "data/storage/smallest.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "data/storage/decimal.hpp"

namespace halfspace {
namespace {

// Rows may be a part of a set, whose first entry is not the first of its arrays.
template <class View>
std::size_t first_value(const View& view) {
  if constexpr (is_sparse<View>) return view.rows == 0 ? 0 : view.start[0];
  return 0;
}
template <class View>
std::size_t stored_values(const View& view) {
  if constexpr (is_sparse<View>) return view.rows == 0 ? 0 : view.start[view.rows];
  return view.rows * view.cols;
}

// Does it hold for every value that is not zero? Ends with the first for which it does not.
template <class View, class F>
bool every_value(const View& view, const F& holds) {
  const std::size_t count = stored_values(view);
  for (std::size_t k = first_value(view); k < count; ++k) {
    const double x = decode(view.value[k], view.divisor);
    if (x != 0 && !holds(x)) return false;
  }
  return true;
}

// How many decimals fewer would do: the last digits that are zero in every value. Digits of 32 bits end in nine at most.
int spare_decimals(const Decimal* values, std::size_t count, int decimals) {
  int spare = std::min(decimals, 9);
  std::int32_t power = 1;
  for (int p = 0; p < spare; ++p) power *= 10;
  for (std::size_t k = 0; k < count && spare > 0; ++k) {
    for (; spare > 0 && values[k].digits % power != 0; --spare) power /= 10;
  }
  return spare;
}

// Whether so many decimals hold every value.
template <class View>
bool decimals_hold(const View& view, int decimals) {
  std::int32_t digits = 0;
  return every_value(view, [&](double x) { return as_decimal(x, decimals, digits); });
}

template <class View>
SmallestStorage smallest_values(const View& view) {
  using V = typename View::Value;
  if constexpr (std::is_empty_v<V>) {
    return {};
  } else {
    if (every_value(view, [](double x) { return x == 1; })) return {};
    if (std::is_same_v<V, float> || every_value(view, is_float)) return {.kind = ValueKind::Float};
    int decimals = 0;
    if constexpr (std::is_same_v<V, Decimal>) {
      while (power10[static_cast<std::size_t>(decimals)] < view.divisor) ++decimals;
      decimals -=
          spare_decimals(view.value + first_value(view), stored_values(view) - first_value(view), decimals);
      return {.kind = ValueKind::Decimal, .decimals = decimals};
    }
    // An early value may be too large for the decimals that a later one needs.
    const bool fits = every_value(view, [&](double x) { return raise_decimals(x, decimals); }) &&
                      decimals_hold(view, decimals);
    if (fits) return {.kind = ValueKind::Decimal, .decimals = decimals};
    return {.kind = ValueKind::Double};
  }
}

// Values one after the other, handed over in large pieces.
template <class T>
class HashFeed {
 public:
  explicit HashFeed(Fingerprint& hash) : hash_(hash) { buffer_.reserve(piece); }
  HashFeed(const HashFeed&) = delete;
  HashFeed& operator=(const HashFeed&) = delete;
  ~HashFeed() = default;
  void add(T value) {
    buffer_.push_back(value);
    if (buffer_.size() == piece) flush();
  }
  void add_zeros(std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) add(T{});
  }
  void flush() {
    hash_.add_values(std::span<const T>(buffer_));
    buffer_.clear();
  }

 private:
  static constexpr std::size_t piece = 4096;
  Fingerprint& hash_;
  std::vector<T> buffer_;
};

template <class To>
To value_as(double x, int decimals) {
  if constexpr (std::is_same_v<To, Decimal>) {
    std::int32_t digits = 0;
    as_decimal(x, decimals, digits);
    return {digits};
  } else {
    return static_cast<To>(x == 0 ? 0.0 : x);  // -0 is no entry
  }
}

template <class View, class F>
void for_all_entries(const View& view, const F& f) {
  for (std::size_t i = 0; i < view.rows; ++i) for_entries(view.row(i), f);
}

template <class View>
void add_starts(Fingerprint& hash, const View& view) {
  if constexpr (is_sparse<View>) {
    hash.add_values(std::span(view.start, view.rows + 1));
  } else {
    HashFeed<std::uint64_t> starts(hash);
    std::uint64_t count = 0;
    starts.add(0);
    for (std::size_t i = 0; i < view.rows; ++i) {
      for_entries(view.row(i), [&](std::uint32_t, double) { ++count; });
      starts.add(count);
    }
    starts.flush();
  }
}

template <class Index, class View>
void add_columns(Fingerprint& hash, const View& view) {
  HashFeed<Index> columns(hash);
  for_all_entries(view, [&](std::uint32_t j, double) { columns.add(static_cast<Index>(j)); });
  columns.flush();
}

template <class To, class View>
void add_values_as(Fingerprint& hash, const View& view, const SmallestStorage& storage) {
  HashFeed<To> values(hash);
  if (storage.sparse) {
    for_all_entries(view, [&](std::uint32_t, double x) { values.add(value_as<To>(x, storage.decimals)); });
  } else {
    for (std::size_t i = 0; i < view.rows; ++i) {
      std::size_t next = 0;
      for_entries(view.row(i), [&](std::uint32_t j, double x) {
        values.add_zeros(j - next);
        values.add(value_as<To>(x, storage.decimals));
        next = std::size_t{j} + 1;
      });
      values.add_zeros(view.cols - next);
    }
  }
  values.flush();
}

template <class View>
void add_columns(Fingerprint& hash, const View& view, const SmallestStorage& storage) {
  storage.wide ? add_columns<std::uint32_t>(hash, view) : add_columns<std::uint16_t>(hash, view);
}

template <class View>
void add_values(Fingerprint& hash, const View& view, const SmallestStorage& storage) {
  switch (storage.kind) {
    case ValueKind::Ones: break;
    case ValueKind::Float: add_values_as<float>(hash, view, storage); break;
    case ValueKind::Decimal: add_values_as<Decimal>(hash, view, storage); break;
    case ValueKind::Double: add_values_as<double>(hash, view, storage); break;
  }
}

template <class View>
void add_converted(Fingerprint& hash, const View& view, const SmallestStorage& storage) {
  if (storage.sparse) {
    add_starts(hash, view);
    add_columns(hash, view, storage);
  }
  add_values(hash, view, storage);
}

template <class View>
void add_as_stored(Fingerprint& hash, const View& view) {
  using V = typename View::Value;
  const std::size_t count = stored_values(view);
  if constexpr (is_sparse<View>) {
    hash.add_values(std::span(view.start, view.rows + 1));
    hash.add_values(std::span(view.index, count));
  }
  if constexpr (std::is_floating_point_v<V> && !is_sparse<View>) {
    constexpr std::size_t piece = 4096;
    std::vector<V> buffer;
    for (std::size_t k = 0; k < count; k += piece) {
      buffer.assign(view.value + k, view.value + std::min(count, k + piece));
      for (V& x : buffer) x = x == 0 ? V{0} : x;  // -0 is no entry
      hash.add_values(std::span<const V>(buffer));
    }
  } else if constexpr (!std::is_empty_v<V>) {
    hash.add_values(std::span(view.value, count));
  }
}

template <class V>
std::size_t type_of(const SmallestStorage& s) {
  if (s.sparse) return s.wide ? Matrix(CsrView<V>{}).index() : Matrix(CsrView<V, std::uint16_t>{}).index();
  if constexpr (!std::is_empty_v<V>) return Matrix(DenseView<V>{}).index();
  return 0;
}

}  // namespace

std::size_t SmallestStorage::type() const {
  switch (kind) {
    case ValueKind::Ones: return type_of<One>(*this);
    case ValueKind::Float: return type_of<float>(*this);
    case ValueKind::Decimal: return type_of<Decimal>(*this);
    case ValueKind::Double: break;
  }
  return type_of<double>(*this);
}

double SmallestStorage::divisor() const { return power10[static_cast<std::size_t>(decimals)]; }

namespace {

// What holds the values of all members, from what holds those of each.
template <class View>
SmallestStorage values_of_all(const View& view, const SmallestStorage& mine, const Team& team) {
  const auto any = [&](ValueKind kind) { return team.any(mine.kind == kind); };
  const bool doubles = any(ValueKind::Double), decimals = any(ValueKind::Decimal),
             floats = any(ValueKind::Float);
  if (doubles) return {.kind = ValueKind::Double};
  if (!decimals) return {.kind = floats ? ValueKind::Float : ValueKind::Ones};
  int fewest = mine.decimals;
  bool fits = mine.kind != ValueKind::Float;
  if constexpr (!std::is_empty_v<typename View::Value>)
    fits = fits || every_value(view, [&](double x) { return raise_decimals(x, fewest); });
  const auto most = static_cast<int>(team.most(fewest));
  if constexpr (!std::is_empty_v<typename View::Value>) fits = fits && decimals_hold(view, most);
  if (team.any(!fits)) return {.kind = ValueKind::Double};
  return {.kind = ValueKind::Decimal, .decimals = most};
}

}  // namespace

SmallestStorage smallest_storage(const Matrix& matrix, std::uint64_t nonzeros, const Team& team,
                                 std::size_t cols) {
  return std::visit(
      [&](const auto& view) {
        SmallestStorage out = nonzeros == 0 ? SmallestStorage{} : smallest_values(view);
        if (!team.alone()) out = values_of_all(view, out, team);
        const std::uint64_t value_bytes =
            out.kind == ValueKind::Ones ? 0 : (out.kind == ValueKind::Double ? 8 : 4);
        const std::size_t width = cols > 0 ? cols : view.cols;
        out.wide = width > narrow_columns;
        out.sparse = out.kind == ValueKind::Ones ||
                     !dense_is_smaller(team.total(view.rows), width, team.total(nonzeros), value_bytes);
        return out;
      },
      matrix);
}

void add_row_ends(Fingerprint& hash, const Matrix& matrix, std::uint64_t before) {
  std::visit(
      [&](const auto& view) {
        HashFeed<std::uint64_t> ends(hash);
        for (std::size_t i = 0; i < view.rows; ++i) {
          for_entries(view.row(i), [&](std::uint32_t, double) { ++before; });
          ends.add(before);
        }
        ends.flush();
      },
      matrix);
}
void add_row_columns(Fingerprint& hash, const Matrix& matrix, const SmallestStorage& storage) {
  std::visit([&](const auto& view) { add_columns(hash, view, storage); }, matrix);
}
void add_row_values(Fingerprint& hash, const Matrix& matrix, const SmallestStorage& storage) {
  std::visit([&](const auto& view) { add_values(hash, view, storage); }, matrix);
}

void add_rows(Fingerprint& hash, const Matrix& matrix, const SmallestStorage& storage) {
  const double divisor = storage.divisor();
  hash.add_values(std::span(&divisor, 1));
  std::visit(
      [&](const auto& view) {
        if (matrix.index() == storage.type() && view.divisor == divisor)
          add_as_stored(hash, view);
        else
          add_converted(hash, view, storage);
      },
      matrix);
}

}  // namespace halfspace
