// SPDX-License-Identifier: BSD-3-Clause
#include "data/kernel/multiples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/kernel/rows.hpp"

namespace halfspace {
namespace {

constexpr double largest_multiple = 2047;
constexpr std::size_t sampled_rows = 256;

// The nearest whole number of one that is not large: adding this number leaves no room for anything else.
double nearest(double x) { return (x + 0x1.8p52) - 0x1.8p52; }

}  // namespace

Multiples hold_against(const RowAccess& rows, double unit, const Threads& threads) {
  const double per_unit = 1 / unit;
  const std::size_t blocks = (rows.rows() + row_block - 1) / row_block;
  constexpr double too_far = std::numeric_limits<double>::infinity();
  std::vector<double> worst(blocks, 0.0);
  for_blocks(threads, rows.rows(), row_block, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> index(rows.cols());
    std::vector<double> value(rows.cols());
    double& block_worst = worst[begin / row_block];
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t count = rows.copy_entries(i, index.data(), value.data());
      double square = 0, length2 = 0, largest = 0, furthest = 0;
      for (std::size_t k = 0; k < count; ++k) {
        const double multiple = nearest(value[k] * per_unit);
        const double off = std::abs(value[k] - multiple * unit);
        square += off * off;
        length2 += multiple * multiple;
        largest = std::max(largest, std::abs(multiple));
        furthest = std::max(furthest, off);
      }
      // Sums of products fit 32 bits if the lengths do.
      const bool holds =
          largest <= largest_multiple && length2 < 0x1.0p31 && furthest <= 0x1.0p-20 * unit * largest;
      block_worst = std::max(block_worst, holds || count == 0 ? std::sqrt(square) * (1 + 1e-9) : too_far);
    }
  });
  double deviation = 0;
  for (const double w : worst) deviation = std::max(deviation, w);
  return std::isfinite(deviation) ? Multiples{unit, deviation} : Multiples{};
}

// The unit is the least value of a sample, made exact by the largest.
Multiples find_multiples(const RowAccess& rows, const Threads& threads) {
  std::vector<std::uint32_t> index(rows.cols());
  std::vector<double> value(rows.cols());
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::size_t i = 0; i < std::min(sampled_rows, rows.rows()); ++i) {
    const std::size_t count = rows.copy_entries(i, index.data(), value.data());
    for (std::size_t k = 0; k < count; ++k) {
      least = std::min(least, std::abs(value[k]));
      most = std::max(most, std::abs(value[k]));
    }
  }
  if (!(most > 0) || most / least > largest_multiple) return {};
  return hold_against(rows, most / std::nearbyint(most / least), threads);
}

template <class T>
void KernelRows<T>::pack_multiples(const RowAccess& rows, std::span<const std::uint32_t> chosen,
                                   const Threads& threads) {
  // Blocks of rows by themselves, then one after the other.
  struct Block {
    std::vector<std::uint32_t> index, value;
  };
  std::vector<Block> blocks((size_ + row_block - 1) / row_block);
  start_.assign(size_ + 1, 0);
  const double per_unit = 1 / unit_;
  for_blocks(threads, size_, row_block, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> index(rows.cols());
    std::vector<double> value(rows.cols());
    Block& block = blocks[begin / row_block];
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t count = rows.copy_entries(chosen[i], index.data(), value.data());
      const std::size_t before = block.index.size();
      double length2 = 0;
      for (std::size_t k = 0; k < count; ++k) {
        const double multiple = nearest(value[k] * per_unit);
        length2 += multiple * multiple;
        if (index[k] >= features_) continue;
        const auto half = static_cast<std::uint32_t>(static_cast<std::int32_t>(multiple)) & 0xFFFFU;
        if (block.index.size() == before || block.index.back() != index[k] / 2) {
          block.index.push_back(index[k] / 2);
          block.value.push_back(0);
        }
        block.value.back() |= index[k] % 2 == 1 ? half << 16U : half;
      }
      start_[i + 1] = block.index.size() - before;
      length2_[i] = static_cast<T>(unit_ * unit_ * length2);
    }
  });
  for (std::size_t i = 0; i < size_; ++i) start_[i + 1] += start_[i];
  index_.reserve(start_.back());
  pair_value_.reserve(start_.back());
  for (const Block& block : blocks) {
    index_.insert(index_.end(), block.index.begin(), block.index.end());
    pair_value_.insert(pair_value_.end(), block.value.begin(), block.value.end());
  }
}

template <class T>
void KernelRows<T>::fill_pairs(const Threads& threads) {
  const std::size_t pairs = (features_ + 1) / 2;
  pairs_.assign(padded() * pairs, 0);
  for_blocks(threads, size_, 16 * width_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::uint32_t* const to = pairs_.data() + (i / width_) * pairs * width_ + i % width_;
      for (std::uint64_t at = start_[i]; at < start_[i + 1]; ++at) to[index_[at] * width_] = pair_value_[at];
    }
  });
}

template void KernelRows<float>::pack_multiples(const RowAccess&, std::span<const std::uint32_t>,
                                                const Threads&);
template void KernelRows<double>::pack_multiples(const RowAccess&, std::span<const std::uint32_t>,
                                                 const Threads&);
template void KernelRows<float>::fill_pairs(const Threads&);
template void KernelRows<double>::fill_pairs(const Threads&);

}  // namespace halfspace
