// SPDX-License-Identifier: BSD-3-Clause
// The fingerprint of rows: over the arrays that they have in their smallest storage, whatever arrays they are in.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "core/relief.hpp"
#include "data/storage/decimal.hpp"
#include "data/storage/smallest.hpp"
#include "data/storage/value_loops.hpp"
#include "data/storage/view_pieces.hpp"

namespace halfspace {
namespace {

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
  Fingerprint& hash_;
  std::vector<T> buffer_;
};

// An array as it lies there, which may be in a file.
template <class T>
void add_array(Fingerprint& hash, std::span<const T> values) {
  constexpr std::size_t some = std::size_t{1} << 16U;
  for (; !values.empty(); values = values.subspan(std::min(some, values.size()))) {
    hash.add_values(values.first(std::min(some, values.size())));
    relieve();
  }
}

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
  for (std::size_t i = 0; i < view.rows; ++i) for_entries(counted_row(view, i), f);
}

template <class View>
std::size_t entries_of(const View& view, std::size_t row) {
  if constexpr (of_doubles<View> && !is_sparse<View>) {
    return count_nonzeros(view.value + row * view.cols, view.cols);
  } else {
    std::size_t count = 0;
    for_entries(view.row(row), [&](std::uint32_t, double) { ++count; });
    return count;
  }
}

template <class View>
void add_starts(Fingerprint& hash, const View& view) {
  if constexpr (is_sparse<View>) {
    add_array(hash, std::span<const std::uint64_t>(view.start, view.rows + 1));
  } else {
    HashFeed<std::uint64_t> starts(hash);
    std::uint64_t count = 0;
    starts.add(0);
    for (std::size_t i = 0; i < view.rows; ++i) {
      count += entries_of(view, i);
      starts.add(count);
    }
    starts.flush();
  }
}

// add(columns, values, count) for pieces of the entries, in their order.
template <class View, class F>
void in_entries(const View& view, const F& add) {
  static_assert(of_doubles<View>);
  if constexpr (is_sparse<View>) {
    in_pieces(view, stored_values(view), [&](const double* x, std::size_t n) {
      add(view.index + (x - view.value), x, n);
      return true;
    });
  } else {
    constexpr std::size_t room = 16;  // what is taken is written in whole vectors
    std::vector<double> values(piece + room);
    std::vector<std::uint32_t> columns(piece + room);
    std::size_t there = 0;
    for (std::size_t i = 0; i < view.rows; ++i) {
      for (std::size_t j = 0; j < view.cols; j += piece / 2) {
        const std::size_t n = std::min(piece / 2, view.cols - j);
        relieve();
        if (there + n > piece) {
          add(columns.data(), values.data(), there);
          there = 0;
        }
        there += take_nonzeros(view.value + i * view.cols + j, n, static_cast<std::uint32_t>(j),
                               values.data() + there, columns.data() + there);
      }
    }
    add(columns.data(), values.data(), there);
  }
}

template <class Index, class View>
void add_columns(Fingerprint& hash, const View& view) {
  if constexpr (of_doubles<View>) {
    std::vector<Index> columns;
    in_entries(view, [&](const auto* from, const double*, std::size_t n) {
      columns.resize(n);
      std::transform(from, from + n, columns.begin(), [](auto j) { return static_cast<Index>(j); });
      hash.add_values(std::span<const Index>(columns));
    });
    return;
  }
  if constexpr (is_sparse<View>) {
    if constexpr (std::is_same_v<Index, typename View::Index>) {
      const std::size_t first = first_value(view);
      add_array(hash, std::span<const Index>(view.index + first, stored_values(view) - first));
      return;
    }
  }
  HashFeed<Index> columns(hash);
  for_all_entries(view, [&](std::uint32_t j, double) { columns.add(static_cast<Index>(j)); });
  columns.flush();
}

// Values that are stored in this order, without any between them.
template <class To>
void add_pieces(Fingerprint& hash, const double* x, std::size_t n, int decimals, std::vector<To>& room) {
  room.resize(n);
  if constexpr (std::is_same_v<To, std::int32_t>) {
    digits_of(x, n, decimals, room.data());
  } else {
    std::transform(x, x + n, room.begin(), [](double v) { return static_cast<To>(v == 0 ? 0.0 : v); });
  }
  hash.add_values(std::span<const To>(room));
}

// Doubles that become others where they are stored in the same way, or as entries.
template <class To, class View>
bool add_doubles_as(Fingerprint& hash, const View& view, const SmallestStorage& storage) {
  if constexpr (of_doubles<View>) {
    std::vector<std::conditional_t<std::is_same_v<To, Decimal>, std::int32_t, To>> room;
    if (storage.sparse) {
      in_entries(view, [&](const auto*, const double* x, std::size_t n) {
        add_pieces(hash, x, n, storage.decimals, room);
      });
      return true;
    }
    if constexpr (!is_sparse<View>) {
      in_pieces(view, stored_values(view), [&](const double* x, std::size_t n) {
        add_pieces(hash, x, n, storage.decimals, room);
        return true;
      });
      return true;
    }
  }
  return false;
}

// Sparse values that are stored as they are to be.
template <class To, class View>
bool add_stored(Fingerprint& hash, const View& view, const SmallestStorage& storage) {
  if constexpr (is_sparse<View> && std::is_same_v<To, typename View::Value>) {
    if (!storage.sparse || view.divisor != storage.divisor()) return false;
    const std::size_t first = first_value(view);
    add_array(hash, std::span<const To>(view.value + first, stored_values(view) - first));
    return true;
  }
  return false;
}

template <class To, class View>
void add_values_as(Fingerprint& hash, const View& view, const SmallestStorage& storage) {
  if (add_stored<To>(hash, view, storage)) return;
  if (add_doubles_as<To>(hash, view, storage)) return;
  HashFeed<To> values(hash);
  if (storage.sparse) {
    for_all_entries(view, [&](std::uint32_t, double x) { values.add(value_as<To>(x, storage.decimals)); });
  } else {
    for (std::size_t i = 0; i < view.rows; ++i) {
      std::size_t next = 0;
      for_entries(counted_row(view, i), [&](std::uint32_t j, double x) {
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
    add_array(hash, std::span<const std::uint64_t>(view.start, view.rows + 1));
    add_array(hash, std::span<const typename View::Index>(view.index, count));
  }
  if constexpr (std::is_floating_point_v<V> && !is_sparse<View>) {
    std::vector<V> buffer;
    for (std::size_t k = 0; k < count; k += piece) {
      buffer.assign(view.value + k, view.value + std::min(count, k + piece));
      for (V& x : buffer) x = x == 0 ? V{0} : x;  // -0 is no entry
      relieve();
      hash.add_values(std::span<const V>(buffer));
    }
  } else if constexpr (!std::is_empty_v<V>) {
    add_array(hash, std::span<const V>(view.value, count));
  }
}

}  // namespace

void add_row_ends(Fingerprint& hash, const Matrix& matrix, std::uint64_t before) {
  std::visit(
      [&](const auto& view) {
        HashFeed<std::uint64_t> ends(hash);
        for (std::size_t i = 0; i < view.rows; ++i) {
          before += entries_of(view, i);
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
