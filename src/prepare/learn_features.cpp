// SPDX-License-Identifier: BSD-3-Clause
// Fourier: frequencies from the normal law with variance 2 gamma, whose characteristic function the kernel
// is. Nystrom: landmarks drawn without replacement among the different rows; Cholesky with the largest
// remainder first (Fine, Scheinberg, JMLR 2, 2001) leaves out those that the others span to 1e-10 of the
// largest K(x, x), so equal or dependent landmarks do no harm; then K = L L' and T = L^-1. Cost: landmarks^3.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/simd/dense.hpp"
#include "data/kernel/rows.hpp"
#include "data/storage/equal_rows.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/prepare/feature_map.hpp"

namespace halfspace {
namespace {

constexpr double map_limit = 1073741824.0;  // bytes
constexpr double least_remainder = 1e-10;
// Streams of random numbers that nothing else uses.
constexpr std::uint64_t landmark_stream = std::uint64_t{1} << 41U;
constexpr std::uint64_t frequency_stream = std::uint64_t{1} << 42U;

void check_kernel(const MapChoice& choice, const KernelFunction& kernel) {
  const std::string name = OptionType<KernelFunction>::print(kernel);
  if (choice.kind == MapKind::Fourier && kernel.kind != KernelKind::Rbf)
    throw UsageError(fmt::format("fourier features stand for rbf kernels, not for {}", name),
                     "nystrom takes any");
  if (choice.kind == MapKind::Nystrom && !kernel.semidefinite())
    throw UsageError(
        fmt::format("nystrom features need a positive semidefinite kernel of rows; {} is none", name),
        "rbf, or poly with a constant of 0 or more");
}

void check_bytes(const MapChoice& choice, double bytes) {
  if (bytes <= map_limit) return;
  throw UsageError(fmt::format("{} takes {:.1f} GiB for these data; at most 1 GiB is allowed",
                               OptionType<MapChoice>::print(choice), bytes / map_limit),
                   choice.kind == MapKind::Fourier
                       ? "fewer features, or nystrom, which keeps rows as they are"
                       : "fewer features");
}

void draw_frequencies(FeatureMap& map, std::uint64_t seed, const Threads& threads) {
  const std::size_t pairs = map.outputs / 2;
  const double deviation = std::sqrt(2 * map.kernel.gamma);
  map.frequency.resize(pairs * map.inputs);
  for_blocks(threads, pairs, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      Random random(seed, frequency_stream + k);
      for (std::size_t j = 0; j < map.inputs; ++j)
        map.frequency[k * map.inputs + j] = deviation * random.normal();
    }
  });
}

// Some of the different rows, ascending.
std::vector<std::uint32_t> draw_landmarks(const Dataset& data, const RowAccess& rows, std::size_t wanted,
                                          std::uint64_t seed, std::size_t& different) {
  std::vector<std::uint32_t> present;
  for (std::size_t i = 0; i < data.rows(); ++i)
    if (data.weight(i) > 0) present.push_back(static_cast<std::uint32_t>(i));
  const EqualRows equal = find_equal_rows(rows, present);
  std::vector<std::uint32_t> out;
  for (const std::uint32_t k : equal.first) out.push_back(present[k]);
  different = out.size();
  Random random(seed, landmark_stream);
  const std::size_t count = std::min(wanted, out.size());
  for (std::size_t k = 0; k < count; ++k) std::swap(out[k], out[k + random.below(out.size() - k)]);
  out.resize(count);
  std::sort(out.begin(), out.end());
  return out;
}

// Cholesky of the kernel matrix with the largest remainder first.
struct Triangle {
  std::vector<std::uint32_t> pivots;  // landmarks that are kept, in the order of the triangle
  std::vector<double> lower;          // L, one row of `stride` numbers for every landmark
  std::size_t stride = 0;
};

// `kernel` [n][stride]; its rows become those of L.
Triangle factor(std::vector<double> kernel, std::size_t n, std::size_t stride, const Threads& threads) {
  Triangle out{{}, std::vector<double>(n * stride, 0.0), stride};
  std::vector<double> remainder(n), column(n);
  for (std::size_t i = 0; i < n; ++i) remainder[i] = kernel[i * stride + i];
  const double least = least_remainder * *std::max_element(remainder.begin(), remainder.end());
  std::vector<bool> taken(n, false);
  while (out.pivots.size() < n) {
    const std::size_t k = out.pivots.size();
    std::size_t pivot = n;
    for (std::size_t i = 0; i < n; ++i)
      if (!taken[i] && (pivot == n || remainder[i] > remainder[pivot])) pivot = i;
    if (!(remainder[pivot] > least)) break;
    const double root = std::sqrt(remainder[pivot]);
    const double* const row = out.lower.data() + pivot * stride;
    for_blocks(k * n > 100000 ? threads : threads.alone(), n, 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) column[i] = kernel[pivot * stride + i];
      subtract_products(out.lower.data() + begin * stride, end - begin, stride, row, 1, stride, k,
                        &column[begin], 1);
    });
    for (std::size_t i = 0; i < n; ++i) {
      if (taken[i]) continue;
      const double entry = i == pivot ? root : column[i] / root;
      out.lower[i * stride + k] = entry;
      remainder[i] -= entry * entry;
    }
    taken[pivot] = true;
    out.pivots.push_back(static_cast<std::uint32_t>(pivot));
  }
  return out;
}

// The inverse of the kept part, row after row; its columns do not depend on each other.
std::vector<double> inverse(const Triangle& from, const Threads& threads) {
  const std::size_t n = from.pivots.size();
  std::vector<double> out(n * (n + 1) / 2, 0.0);
  const auto row = [&](std::size_t i) { return out.data() + i * (i + 1) / 2; };
  for_blocks(threads, n, 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < n; ++i) {
      const double* const l = from.lower.data() + from.pivots[i] * from.stride;
      double* const to = row(i);
      for (std::size_t k = begin; k < i; ++k) {
        const double* const other = row(k);
        for (std::size_t j = begin; j < std::min(end, k + 1); ++j) to[j] -= l[k] * other[j];
      }
      for (std::size_t j = begin; j < std::min(end, i); ++j) to[j] /= l[i];
      if (i < end) to[i] = 1 / l[i];
    }
  });
  return out;
}

void choose_landmarks(FeatureMap& map, const Dataset& data, std::uint64_t seed, const Threads& threads,
                      std::vector<std::string>& notes) {
  const auto access = RowAccess::of(data.matrix());
  const std::size_t wanted = map.outputs;
  std::size_t different = 0;
  const std::vector<std::uint32_t> drawn = draw_landmarks(data, *access, wanted, seed, different);
  if (different < wanted)
    notes.push_back(fmt::format("nystrom:{}: the data have {} different rows, all of them are landmarks",
                                wanted, different));
  const KernelRows<double> rows(*access, drawn, data.features(), form_for(data, map.kernel), threads);
  std::vector<std::uint32_t> all(drawn.size());
  std::iota(all.begin(), all.end(), 0U);
  std::vector<double> values(drawn.size() * rows.padded());
  kernel_block(map.kernel, LeftRows<double>(rows, all), rows, values.data(), rows.padded(), threads);
  if (!std::all_of(all.begin(), all.end(),
                   [&](std::uint32_t i) { return std::isfinite(values[i * rows.padded() + i]); }))
    throw InputError({.file = data.name()}, "values so large that their kernel is not finite",
                     "smaller values", "--scale standard");
  const Triangle triangle = factor(std::move(values), drawn.size(), rows.padded(), threads);
  map.outputs = triangle.pivots.size();
  if (map.outputs == 0)
    throw InputError({.file = data.name()}, "the kernel of every landmark with itself is zero",
                     "rows that are not all zero");
  if (map.outputs < drawn.size())
    notes.push_back(fmt::format("{} of {} landmarks depend on the others and are left out",
                                drawn.size() - map.outputs, drawn.size()));
  map.transform = inverse(triangle, threads);
  std::vector<std::uint32_t> index(access->cols());
  std::vector<double> value(access->cols());
  for (const std::uint32_t k : triangle.pivots) {
    const std::size_t count = access->copy_entries(drawn[k], index.data(), value.data());
    map.index.insert(map.index.end(), index.begin(), index.begin() + static_cast<std::ptrdiff_t>(count));
    map.value.insert(map.value.end(), value.begin(), value.begin() + static_cast<std::ptrdiff_t>(count));
    map.start.push_back(map.index.size());
  }
}

}  // namespace

FeatureMap learn_features(const Dataset& data, const MapChoice& choice, const KernelFunction& kernel,
                          std::uint64_t seed, const Threads& threads, std::vector<std::string>* notes) {
  check_kernel(choice, kernel);
  if (data.features() == 0)
    throw InputError({.file = data.name()}, "no columns to make features of", "rows that are not all zero");
  FeatureMap map;
  map.kind = choice.kind;
  map.kernel = kernel.for_features(data.features());
  map.inputs = data.features();
  map.outputs = choice.size;
  std::vector<std::string> told;
  if (choice.kind == MapKind::Fourier) {
    check_bytes(choice, 4.0 * static_cast<double>(choice.size) * static_cast<double>(map.inputs));
    draw_frequencies(map, seed, threads);
  } else {
    const auto most = static_cast<double>(std::min(choice.size, data.rows()));
    check_bytes(choice, 8 * most * most);
    choose_landmarks(map, data, seed, threads, told);
  }
  if (notes != nullptr) notes->insert(notes->end(), told.begin(), told.end());
  return map;
}

}  // namespace halfspace
