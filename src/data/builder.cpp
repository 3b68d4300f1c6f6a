// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/data/builder.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

namespace halfspace {
namespace {

constexpr std::array<double, max_decimals + 1> power10 = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
constexpr double digits_limit = 2147483647.0;

bool is_float(double x) { return static_cast<double>(static_cast<float>(x)) == x; }

// The integer k with k / 10^decimals == x exactly as doubles, if there is one that fits 32 bits.
bool as_decimal(double x, int decimals, std::int32_t& digits) {
  const double power = power10[static_cast<std::size_t>(decimals)];
  const double k = std::nearbyint(x * power);
  if (!(std::abs(k) <= digits_limit) || k / power != x) return false;
  digits = static_cast<std::int32_t>(k);
  return true;
}

// Fewest decimals that hold every value, or -1.
int fewest_decimals(const std::vector<double>& values) {
  int decimals = 0;
  std::int32_t digits = 0;
  for (const double x : values) {
    while (!as_decimal(x, decimals, digits)) {
      if (++decimals > max_decimals ||
          std::abs(x) * power10[static_cast<std::size_t>(decimals)] > digits_limit)
        return -1;
    }
  }
  return decimals;
}

enum class Kind { Ones, Float, Decimal, Double };

struct Common {
  Kind kind = Kind::Ones;
  int decimals = 0;
};

// Smallest storage that keeps the values of every block.
Common common_storage(const std::vector<PackedBlock>& blocks) {
  bool floats = false, decimals = false;
  int most = 0;
  for (const PackedBlock& b : blocks) {
    if (std::holds_alternative<std::vector<double>>(b.value)) return {Kind::Double, 0};
    floats = floats || std::holds_alternative<std::vector<float>>(b.value);
    if (std::holds_alternative<std::vector<Decimal>>(b.value)) {
      decimals = true;
      most = std::max(most, b.decimals);
    }
  }
  if (!decimals) return {floats ? Kind::Float : Kind::Ones, 0};
  if (most > 9) {  // then not even 1 = 10^most / 10^most fits
    for (const PackedBlock& b : blocks)
      if (b.value.index() == 0 && !b.index.empty()) return {Kind::Double, 0};
  }
  // A float block next to a decimal one may need more decimals than that one has.
  for (const PackedBlock& b : blocks) {
    if (const auto* values = std::get_if<std::vector<float>>(&b.value)) {
      std::int32_t digits = 0;
      for (const float x : *values) {
        while (!as_decimal(static_cast<double>(x), most, digits))
          if (++most > max_decimals) return {Kind::Double, 0};
      }
    }
  }
  for (const PackedBlock& b : blocks) {
    double largest = 1;
    if (std::holds_alternative<std::vector<Decimal>>(b.value)) {
      largest = static_cast<double>(b.max_digits) * power10[static_cast<std::size_t>(most - b.decimals)];
    } else if (const auto* values = std::get_if<std::vector<float>>(&b.value)) {
      for (const float x : *values) largest = std::max(largest, std::abs(static_cast<double>(x)));
      largest *= power10[static_cast<std::size_t>(most)];
    } else if (!b.index.empty()) {
      largest = power10[static_cast<std::size_t>(most)];
    }
    if (largest > digits_limit) return {Kind::Double, 0};
  }
  return {Kind::Decimal, most};
}

template <class V>
struct Encoder {
  int decimals;
  V operator()(double x) const {
    if constexpr (std::is_same_v<V, Decimal>) {
      std::int32_t digits = 0;
      as_decimal(x, decimals, digits);
      return {digits};
    } else {
      return static_cast<V>(x);
    }
  }
};

// f(k, value as V) for every entry of the block.
template <class V, class F>
void for_values(const PackedBlock& b, int decimals, F&& f) {
  const Encoder<V> encode{decimals};
  const std::size_t n = b.index.size();
  if (b.value.index() == 0) {
    const V one = encode(1.0);
    for (std::size_t k = 0; k < n; ++k) f(k, one);
  } else if (const auto* floats = std::get_if<std::vector<float>>(&b.value)) {
    for (std::size_t k = 0; k < n; ++k) f(k, encode(static_cast<double>((*floats)[k])));
  } else if (const auto* digits = std::get_if<std::vector<Decimal>>(&b.value)) {
    const double power = power10[static_cast<std::size_t>(b.decimals)];
    if constexpr (std::is_same_v<V, Decimal>) {
      const auto factor = static_cast<std::int32_t>(power10[static_cast<std::size_t>(decimals - b.decimals)]);
      for (std::size_t k = 0; k < n; ++k) f(k, Decimal{(*digits)[k].digits * factor});
    } else {
      for (std::size_t k = 0; k < n; ++k) f(k, encode(decode((*digits)[k], power)));
    }
  } else {
    const auto& doubles = std::get<std::vector<double>>(b.value);
    for (std::size_t k = 0; k < n; ++k) f(k, encode(doubles[k]));
  }
}

// Uninitialised memory of its own, in large pages when the system has them: far fewer page faults, and the whole of
// it goes back when the data set goes.
template <class T>
class Pages {
 public:
  Pages() = default;
  explicit Pages(std::size_t count) : bytes_(count * sizeof(T)) {
    if (bytes_ == 0) return;
    void* const at = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<T*>(at);
    if (bytes_ >= large) static_cast<void>(::madvise(at, bytes_, MADV_HUGEPAGE));
  }
  ~Pages() {
    if (data_ != nullptr) ::munmap(data_, bytes_);
  }
  Pages(Pages&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  [[nodiscard]] T* get() const { return data_; }
  T& operator[](std::size_t i) const { return data_[i]; }

 private:
  static constexpr std::size_t large = std::size_t{8} << 20U;
  T* data_ = nullptr;
  std::size_t bytes_ = 0;
};

template <class V>
struct Arrays {
  Pages<std::uint64_t> start;
  Pages<std::uint32_t> index;
  Pages<V> value;
};

struct Layout {
  std::vector<std::uint64_t> first_row, first_entry;  // of every block
  std::uint64_t rows = 0, entries = 0;
};

template <class V>
StoredMatrix join_sparse(std::vector<PackedBlock>& blocks, const Layout& layout, std::size_t cols,
                         int decimals, const Threads& threads) {
  auto arrays = std::make_shared<Arrays<V>>();
  arrays->start = Pages<std::uint64_t>(layout.rows + 1);
  arrays->index = Pages<std::uint32_t>(layout.entries);
  if constexpr (!std::is_empty_v<V>) arrays->value = Pages<V>(layout.entries);
  arrays->start[layout.rows] = layout.entries;
  threads.run(blocks.size(), [&](std::size_t t) {
    const PackedBlock block = std::exchange(blocks[t], PackedBlock{});  // freed when done
    const std::uint64_t at = layout.first_entry[t];
    for (std::size_t r = 0; r < block.rows(); ++r)
      arrays->start[layout.first_row[t] + r] = at + block.start[r];
    std::copy(block.index.begin(), block.index.end(), arrays->index.get() + at);
    if constexpr (!std::is_empty_v<V>) {
      V* to = arrays->value.get() + at;
      for_values<V>(block, decimals, [to](std::size_t k, V v) { to[k] = v; });
    }
  });
  const CsrView<V> view{layout.rows,         cols,
                        arrays->start.get(), arrays->index.get(),
                        arrays->value.get(), power10[static_cast<std::size_t>(decimals)]};
  return {view, std::move(arrays)};
}

template <class V>
StoredMatrix join_dense(std::vector<PackedBlock>& blocks, const Layout& layout, std::size_t cols,
                        int decimals, const Threads& threads) {
  auto arrays = std::make_shared<Arrays<V>>();
  arrays->value = Pages<V>(layout.rows * cols);
  threads.run(blocks.size(), [&](std::size_t t) {
    const PackedBlock block = std::exchange(blocks[t], PackedBlock{});
    V* to = arrays->value.get() + layout.first_row[t] * cols;
    std::fill(to, to + block.rows() * cols, V{});
    std::size_t row = 0;
    for_values<V>(block, decimals, [&](std::size_t k, V v) {
      while (k >= block.start[row + 1]) ++row;
      to[row * cols + block.index[k]] = v;
    });
  });
  return {DenseView<V>{layout.rows, cols, arrays->value.get(), power10[static_cast<std::size_t>(decimals)]},
          std::move(arrays)};
}

template <class V>
StoredMatrix join_as(std::vector<PackedBlock>& blocks, const Layout& layout, std::size_t cols, int decimals,
                     const Threads& threads) {
  constexpr double value_bytes = std::is_empty_v<V> ? 0 : sizeof(V);
  const double sparse_bytes =
      static_cast<double>(layout.entries) * (4 + value_bytes) + 8 * static_cast<double>(layout.rows + 1);
  if constexpr (!std::is_empty_v<V>) {
    const double dense_bytes = static_cast<double>(layout.rows) * static_cast<double>(cols) * value_bytes;
    if (dense_bytes < sparse_bytes) return join_dense<V>(blocks, layout, cols, decimals, threads);
  }
  return join_sparse<V>(blocks, layout, cols, decimals, threads);
}

}  // namespace

PackedBlock pack(const RowBlock& block) {
  PackedBlock packed;
  packed.start = block.start;
  packed.index = block.index;
  const std::vector<double>& values = block.value;
  if (std::all_of(values.begin(), values.end(), [](double x) { return x == 1; })) return packed;
  if (std::all_of(values.begin(), values.end(), is_float)) {
    packed.value = std::vector<float>(values.begin(), values.end());
    return packed;
  }
  packed.decimals = fewest_decimals(values);
  std::vector<Decimal> digits;
  if (packed.decimals >= 0) {
    digits.resize(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
      // An early value may overflow with the decimals that a later one needs.
      if (!as_decimal(values[k], packed.decimals, digits[k].digits)) {
        packed.decimals = -1;
        break;
      }
      packed.max_digits = std::max(packed.max_digits, std::abs(static_cast<std::int64_t>(digits[k].digits)));
    }
  }
  if (packed.decimals >= 0) {
    packed.value = std::move(digits);
  } else {
    packed.decimals = 0;
    packed.max_digits = 0;
    packed.value = values;
  }
  return packed;
}

StoredMatrix join(std::vector<PackedBlock> blocks, std::size_t cols, const Threads& threads) {
  Layout layout;
  for (const PackedBlock& b : blocks) {
    layout.first_row.push_back(layout.rows);
    layout.first_entry.push_back(layout.entries);
    layout.rows += b.start.empty() ? 0 : b.rows();
    layout.entries += b.index.size();
  }
  const Common common = common_storage(blocks);
  switch (common.kind) {
    case Kind::Ones: return join_as<One>(blocks, layout, cols, 0, threads);
    case Kind::Float: return join_as<float>(blocks, layout, cols, 0, threads);
    case Kind::Decimal: return join_as<Decimal>(blocks, layout, cols, common.decimals, threads);
    case Kind::Double: break;
  }
  return join_as<double>(blocks, layout, cols, 0, threads);
}

void MatrixBuilder::end_row() {
  block_.end_row();
  ++rows_;
  if (block_.index.size() >= (1U << 16U)) {
    packed_.push_back(pack(block_));
    block_.clear();
  }
}

StoredMatrix MatrixBuilder::finish(std::size_t cols, const Threads& threads) {
  if (block_.rows() > 0) packed_.push_back(pack(block_));
  block_.clear();
  rows_ = 0;
  return join(std::exchange(packed_, {}), cols, threads);
}

}  // namespace halfspace
