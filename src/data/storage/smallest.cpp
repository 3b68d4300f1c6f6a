// SPDX-License-Identifier: BSD-3-Clause
#include "data/storage/smallest.hpp"

#include <algorithm>
#include <type_traits>

#include "data/storage/decimal.hpp"
#include "data/storage/value_loops.hpp"
#include "data/storage/view_pieces.hpp"

namespace halfspace {
namespace {

// Does it hold for every value that is not zero? Ends with the first for which it does not.
template <class View, class F>
bool every_value(const View& view, const F& holds) {
  const std::size_t count = stored_values(view);
  for (std::size_t from = first_value(view); from < count; from += piece) {
    for (std::size_t k = from; k < std::min(count, from + piece); ++k) {
      const double x = decode(view.value[k], view.divisor);
      if (x != 0 && !holds(x)) return false;
    }
    relieve();
  }
  return true;
}

// How many decimals fewer would do: the last digits that are zero in every value. Digits of 32 bits end in nine at most.
int spare_decimals(const Decimal* values, std::size_t count, int decimals) {
  int spare = std::min(decimals, 9);
  std::int32_t power = 1;
  for (int p = 0; p < spare; ++p) power *= 10;
  for (std::size_t k = 0; k < count && spare > 0; ++k) {
    if (k % piece == 0) relieve();
    for (; spare > 0 && values[k].digits % power != 0; --spare) power /= 10;
  }
  return spare;
}

template <class View>
int decimals_of(const View& view) {
  int decimals = 0;
  while (power10[static_cast<std::size_t>(decimals)] < view.divisor) ++decimals;
  return decimals;
}

// Whether so many decimals hold every value.
template <class View>
bool decimals_hold(const View& view, int decimals) {
  if constexpr (of_doubles<View>) {
    return in_pieces(view, stored_values(view),
                     [&](const double* x, std::size_t n) { return decimals_hold_all(x, n, decimals); });
  }
  std::int32_t digits = 0;
  return every_value(view, [&](double x) { return as_decimal(x, decimals, digits); });
}

// Raises `decimals` to the fewest that hold every value, as far as earlier ones allow; false: none do.
template <class View>
bool raise_for_all(const View& view, int& decimals) {
  const auto raise = [&](double x) { return raise_decimals(x, decimals); };
  if constexpr (of_doubles<View>) {
    return in_pieces(view, stored_values(view), [&](const double* x, std::size_t n) {
      return decimals_hold_all(x, n, decimals) || std::all_of(x, x + n, raise);
    });
  }
  return every_value(view, raise);
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
      decimals = decimals_of(view);
      decimals -=
          spare_decimals(view.value + first_value(view), stored_values(view) - first_value(view), decimals);
      return {.kind = ValueKind::Decimal, .decimals = decimals};
    }
    // An early value may be too large for the decimals that a later one needs.
    if (raise_for_all(view, decimals) && decimals_hold(view, decimals))
      return {.kind = ValueKind::Decimal, .decimals = decimals};
    return {.kind = ValueKind::Double};
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
  if constexpr (!std::is_empty_v<typename View::Value>) fits = fits || raise_for_all(view, fewest);
  const auto most = static_cast<int>(team.most(fewest));
  // Decimals that are between the fewest and those that the values have here hold them.
  if constexpr (std::is_same_v<typename View::Value, Decimal>) {
    fits = fits && (most <= decimals_of(view) || decimals_hold(view, most));
  } else if constexpr (!std::is_empty_v<typename View::Value>) {
    fits = fits && decimals_hold(view, most);
  }
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

}  // namespace halfspace
