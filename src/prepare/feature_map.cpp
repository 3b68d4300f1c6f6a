// SPDX-License-Identifier: BSD-3-Clause
// Applying a map. Cost of a row: fourier, its entries times half the features, and a sine and cosine each
// pair; nystrom, one kernel value per landmark and half of their square. Memory beside the result: the map
// once more in the layout of the kernel tiles and, per thread, a block of rows in double.
#include "halfspace/prepare/feature_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <variant>

#include "core/simd/dense.hpp"
#include "data/kernel/rows.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

constexpr std::size_t rows_at_once = 512;
constexpr std::size_t few_columns = 2048;  // up to here the frequencies stand in panels
constexpr std::size_t together = 64;       // features of a triangle that share one depth
constexpr std::uint64_t result_limit = std::uint64_t{16} << 30U;

std::vector<std::uint32_t> numbers(std::size_t begin, std::size_t end) {
  std::vector<std::uint32_t> out(end - begin);
  std::iota(out.begin(), out.end(), static_cast<std::uint32_t>(begin));
  return out;
}

// Features of a block of rows, row after row.
class Mapper {
 public:
  virtual ~Mapper() = default;
  Mapper() = default;
  Mapper(const Mapper&) = delete;
  Mapper& operator=(const Mapper&) = delete;
  virtual void block(const RowAccess& rows, std::size_t begin, std::size_t end, float* out) const = 0;
};

class FourierMapper final : public Mapper {
 public:
  FourierMapper(const FeatureMap& map, bool sparse, const Threads& threads)
      : map_(map), pairs_(map.outputs / 2), form_(sparse ? RowForm::Sparse : RowForm::Dense) {
    if (map.inputs <= few_columns) {
      const Matrix stored = DenseView<double>{pairs_, map.inputs, map.frequency.data(), 1};
      right_.emplace(*RowAccess::of(stored), numbers(0, pairs_), map.inputs, form_, threads);
      return;
    }
    table_.resize(map.inputs * pairs_);
    for_blocks(threads, map.inputs, row_block, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = 0; k < pairs_; ++k)
        for (std::size_t j = begin; j < end; ++j) table_[j * pairs_ + k] = map.frequency[k * map.inputs + j];
    });
  }

  void block(const RowAccess& rows, std::size_t begin, std::size_t end, float* out) const override {
    const std::size_t stride = right_ ? right_->padded() : pairs_;
    std::vector<double> angle((end - begin) * stride);
    if (right_) {
      const KernelRows<double> set(rows, numbers(begin, end), map_.inputs, form_, Threads(1), {}, false);
      const LeftRows<double> left(set, numbers(0, end - begin));
      kernel_block(KernelFunction{}, left, *right_, angle.data(), stride, Threads(1));
    } else {
      by_entries(rows, begin, end, angle.data());
    }
    const double scale = 1 / std::sqrt(static_cast<double>(pairs_));
    for (std::size_t i = 0; i < end - begin; ++i) {
      for (std::size_t k = 0; k < pairs_; ++k) {
        *out++ = static_cast<float>(scale * std::cos(angle[i * stride + k]));
        *out++ = static_cast<float>(scale * std::sin(angle[i * stride + k]));
      }
    }
  }

 private:
  // Rows of many columns have few entries: each adds its frequencies.
  void by_entries(const RowAccess& rows, std::size_t begin, std::size_t end, double* angle) const {
    std::vector<std::uint32_t> index(rows.cols());
    std::vector<double> value(rows.cols());
    for (std::size_t i = begin; i < end; ++i, angle += pairs_) {
      const std::size_t count = rows.copy_entries(i, index.data(), value.data());
      for (std::size_t at = 0; at < count && index[at] < map_.inputs; ++at) {
        const double x = value[at];
        const double* const from = table_.data() + index[at] * pairs_;
        for (std::size_t k = 0; k < pairs_; ++k) angle[k] += x * from[k];
      }
    }
  }

  const FeatureMap& map_;
  std::size_t pairs_;
  RowForm form_;
  std::optional<KernelRows<double>> right_;
  std::vector<double> table_;  // feature after feature
};

class NystromMapper final : public Mapper {
 public:
  NystromMapper(const FeatureMap& map, const Threads& threads)
      : map_(map),
        form_(form_for(RowShape{map.outputs, map.inputs, map.value.size()})),
        landmarks_(CsrView<double>{map.outputs, map.inputs, map.start.data(), map.index.data(),
                                   map.value.data(), 1}),
        right_(*RowAccess::of(landmarks_), numbers(0, map.outputs), map.inputs, form_, threads) {
    // Minus T with rows as long as those of the kernel values, for the kernel that subtracts products.
    triangle_.assign(map.outputs * right_.padded(), 0.0);
    const double* from = map.transform.data();
    for (std::size_t i = 0; i < map.outputs; ++i)
      for (std::size_t j = 0; j <= i; ++j) triangle_[i * right_.padded() + j] = -*from++;
  }

  void block(const RowAccess& rows, std::size_t begin, std::size_t end, float* out) const override {
    const std::size_t stride = right_.padded();
    const std::size_t count = end - begin;
    std::vector<double> values(count * stride);
    const KernelRows<double> set(rows, numbers(begin, end), map_.inputs, form_, Threads(1), {}, false);
    kernel_block(map_.kernel, LeftRows<double>(set, numbers(0, count)), right_, values.data(), stride,
                 Threads(1));
    for (std::size_t i = 0; i < count; ++i)
      std::fill(values.begin() + static_cast<std::ptrdiff_t>(i * stride + map_.outputs),
                values.begin() + static_cast<std::ptrdiff_t>((i + 1) * stride), 0.0);
    std::vector<double> turned(count * map_.outputs, 0.0);
    for (std::size_t j = 0; j < map_.outputs; j += together) {
      const std::size_t width = std::min(together, map_.outputs - j);
      subtract_products(values.data(), count, stride, triangle_.data() + j * stride, width, stride,
                        std::min(stride, j + together), turned.data() + j, map_.outputs);
    }
    std::transform(turned.begin(), turned.end(), out, [](double x) { return static_cast<float>(x); });
  }

 private:
  const FeatureMap& map_;
  RowForm form_;
  Matrix landmarks_;
  KernelRows<double> right_;
  std::vector<double> triangle_;
};

void check_size(const Dataset& data, const FeatureMap& map, std::size_t rows) {
  const double bytes = 4.0 * static_cast<double>(rows) * static_cast<double>(map.outputs);
  if (bytes <= static_cast<double>(result_limit)) return;
  throw UsageError(fmt::format("{} features for {} rows of {} take {:.1f} GiB; at most 16 GiB are allowed",
                               map.outputs, rows, printable(data.name()), bytes / 1073741824.0),
                   "fewer features");
}

}  // namespace

MapChoice OptionType<MapChoice>::parse(std::string_view name, std::string_view text, Range) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    throw UsageError(fmt::format("--{}: '{}' says no number of features", name, printable(text)),
                     "nystrom:M or fourier:M");
  MapChoice out;
  out.kind = OptionType<MapKind>::parse(name, text.substr(0, colon), {});
  out.size =
      static_cast<std::size_t>(OptionType<std::int64_t>::parse(name, text.substr(colon + 1), {1, 1e6}));
  if (out.kind == MapKind::Fourier && out.size % 2 != 0)
    throw UsageError(fmt::format("--{} {}: features come in pairs of cosine and sine", name, printable(text)),
                     "an even number");
  return out;
}

std::string OptionType<MapChoice>::print(const MapChoice& choice) {
  return fmt::format("{}:{}", OptionType<MapKind>::print(choice.kind), choice.size);
}

Dataset apply_features(const Dataset& data, const FeatureMap& map, std::size_t begin, std::size_t end,
                       const Threads& threads) {
  check_size(data, map, end - begin);
  auto values = std::make_shared<std::vector<float>>((end - begin) * map.outputs);
  const auto access = RowAccess::of(data.matrix());
  std::unique_ptr<const Mapper> mapper;
  if (map.kind == MapKind::Fourier) {
    mapper = std::make_unique<FourierMapper>(map, data.sparse(), threads);
  } else {
    mapper = std::make_unique<NystromMapper>(map, threads);
  }
  for_blocks(threads, end - begin, rows_at_once, [&](std::size_t first, std::size_t last) {
    float* const to = values->data() + first * map.outputs;
    mapper->block(*access, begin + first, begin + last, to);
    if (std::all_of(to, to + (last - first) * map.outputs, [](float x) { return std::isfinite(x); })) return;
    throw InputError({.file = data.name()}, "values so large that their features are not finite",
                     "smaller values", "--scale standard");
  });
  DatasetParts parts;
  parts.matrix = DenseView<float>{end - begin, map.outputs, values->data(), 1};
  parts.storage = std::move(values);
  const auto part = [&](const auto& whole) {
    return whole.empty() ? whole : whole.subspan(begin, end - begin);
  };
  const auto labels = part(data.labels());
  const auto weights = part(data.weights());
  parts.labels.assign(labels.begin(), labels.end());
  parts.classes = data.classes();
  parts.weights.assign(weights.begin(), weights.end());
  parts.name = data.name();
  return Dataset::make(std::move(parts), false);
}

Dataset apply_features(const Dataset& data, const FeatureMap& map, const Threads& threads) {
  return apply_features(data, map, 0, data.rows(), threads);
}

}  // namespace halfspace
