// SPDX-License-Identifier: BSD-3-Clause
// Features whose plain products stand for a kernel, so that a linear algorithm learns what a kernel machine
// would, in time linear in the rows.
//   fourier  cos and sin of random frequencies: products are exp(-gamma |x - z|^2) on average (Rahimi, Recht:
//   "Random
//            features for large-scale kernel machines", NIPS 2007)
//   nystrom  the kernel with some training rows, the landmarks, turned so that the products of landmarks are
//   exact
//            (Williams, Seeger: "Using the Nystrom method to speed up kernel machines", NIPS 2001)
// The numbers are rounded to float: the rows a linear algorithm sees are exactly these.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halfspace/core/kernel_function.hpp"
#include "halfspace/core/options.hpp"
#include "halfspace/core/parallel.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace {

enum class MapKind { Nystrom, Fourier };
namespace detail {
inline constexpr std::string_view map_words[] = {"nystrom", "fourier"};
}
template <>
inline constexpr std::span<const std::string_view> enum_words<MapKind> = detail::map_words;

struct FeatureMap {
  MapKind kind = MapKind::Nystrom;
  KernelFunction kernel;
  std::size_t inputs = 0;         // features of the rows that go in
  std::size_t outputs = 0;        // features of those that come out
  std::vector<double> frequency;  // fourier: outputs / 2 x inputs, row after row
  // nystrom: the landmarks, entries start[r] to start[r + 1] of index and value, and a lower triangle T, row
  // after row, with T K T' = 1 for their kernel matrix K: a row x becomes T times its kernel values with the
  // landmarks.
  std::vector<std::uint64_t> start{0};
  std::vector<std::uint32_t> index;
  std::vector<double> value;
  std::vector<double> transform;
};

// How many features of which kind: "nystrom:500", "fourier:1000".
struct MapChoice {
  MapKind kind = MapKind::Nystrom;
  std::size_t size = 0;
};
template <>
struct OptionType<MapChoice> {
  static MapChoice parse(std::string_view name, std::string_view text, Range range);
  static std::string print(const MapChoice& choice);
  static std::string choices() { return {}; }
  static constexpr bool number = false;
};

// Frequencies or landmarks by the seed; rows of weight 0 are absent, equal rows count once. Landmarks that
// depend on the others to working precision are left out, so nystrom may give fewer features than asked for:
// `notes` says so. Throws UsageError for kernels without such features and for maps above 1 GiB.
[[nodiscard]] FeatureMap learn_features(const Dataset& data, const MapChoice& choice,
                                        const KernelFunction& kernel, std::uint64_t seed,
                                        const Threads& threads, std::vector<std::string>* notes = nullptr);

// The features of the rows [begin, end), dense, with labels and weights. Columns beyond the inputs do not
// count in frequencies; they count in the lengths of rows. The same bits in every storage, range and number
// of threads. Throws UsageError above 16 GiB.
[[nodiscard]] Dataset apply_features(const Dataset& data, const FeatureMap& map, std::size_t begin,
                                     std::size_t end, const Threads& threads);
[[nodiscard]] Dataset apply_features(const Dataset& data, const FeatureMap& map, const Threads& threads);

}  // namespace halfspace
