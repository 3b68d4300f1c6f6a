// SPDX-License-Identifier: BSD-3-Clause
#include "data/kernel_rows.hpp"

#include <algorithm>
#include <variant>

namespace halfspace {
namespace {

constexpr std::size_t few_columns = 2048;  // a panel of all columns stays near the processor
constexpr std::uint64_t panel_bytes = std::uint64_t{1} << 30U;  // sparse rows get panels up to here

}  // namespace

RowForm form_for(std::size_t rows, std::size_t features, std::uint64_t entries, bool ones) {
  const double mean = static_cast<double>(entries) / static_cast<double>(std::max<std::size_t>(1, rows));
  const std::size_t words = (features + 31) / 32;
  if (ones && static_cast<double>(words) * 5 <= mean * 2) return RowForm::Bits;
  return mean * 2.2 >= static_cast<double>(features) ? RowForm::Dense : RowForm::Sparse;
}

RowForm form_for(const Dataset& data, const KernelFunction& kernel) {
  if (kernel.kind == KernelKind::Precomputed) return RowForm::Given;
  return form_for(data.rows(), data.features(), data.nonzeros(),
                  std::holds_alternative<CsrView<One>>(data.matrix()));
}

template <class T>
KernelRows<T>::KernelRows(const RowAccess& rows, std::span<const std::uint32_t> chosen, std::size_t features,
                          RowForm form, const Threads& threads, std::span<const std::uint32_t> columns,
                          bool panels)
    : size_(chosen.size()),
      features_(features),
      width_(detail::tiles().width),
      words_((features + 31) / 32),
      form_(form) {
  length2_.assign(padded(), T{0});
  for_blocks(threads, size_, row_block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) length2_[i] = static_cast<T>(rows.norm2(chosen[i]));
  });
  switch (form) {
    case RowForm::Dense: pack_dense(rows, chosen, threads); break;
    case RowForm::Sparse:
      pack_sparse(rows, chosen);
      if (panels && features_ <= few_columns && padded() * features_ * sizeof(T) <= panel_bytes)
        fill_panels(threads);
      break;
    case RowForm::Bits: pack_bits(rows, chosen); break;
    case RowForm::Given: pack_given(rows, chosen, columns, threads); break;
  }
}

template <class T>
KernelRows<T>::KernelRows(const KernelRows& from, std::span<const std::uint32_t> which)
    : size_(which.size()),
      features_(from.features_),
      width_(from.width_),
      words_(from.words_),
      form_(from.form_) {
  length2_.assign(padded(), T{0});
  for (std::size_t k = 0; k < size_; ++k) length2_[k] = from.length2_[which[k]];
  const auto in_panel = [this](std::size_t i) { return (i / width_) * features_ * width_ + i % width_; };
  switch (form_) {
    case RowForm::Dense:
      panel_.assign(padded() * features_, T{0});
      for (std::size_t k = 0; k < size_; ++k) {
        const T* const row = from.panel_.data() + in_panel(which[k]);
        T* const to = panel_.data() + in_panel(k);
        for (std::size_t j = 0; j < features_; ++j) to[j * width_] = row[j * width_];
      }
      break;
    case RowForm::Sparse:
      for (const std::uint32_t i : which) {
        for (std::uint64_t at = from.start_[i]; at < from.start_[i + 1]; ++at) {
          index_.push_back(from.index_[at]);
          value_.push_back(from.value_[at]);
        }
        start_.push_back(index_.size());
      }
      if (features_ <= few_columns) fill_panels(Threads(1));
      break;
    case RowForm::Bits:
      bits_.reserve(size_ * words_);
      bit_panel_.assign(padded() * words_, 0);
      for (std::size_t k = 0; k < size_; ++k) {
        for (std::size_t w = 0; w < words_; ++w) {
          bits_.push_back(from.bits_[which[k] * words_ + w]);
          bit_panel_[((k / width_) * words_ + w) * width_ + k % width_] = bits_.back();
        }
      }
      break;
    case RowForm::Given:
      panel_.assign(size_ * padded(), T{0});
      for (std::size_t k = 0; k < size_; ++k)
        for (std::size_t l = 0; l < size_; ++l)
          panel_[k * padded() + l] = from.panel_[which[k] * from.padded() + which[l]];
      break;
  }
}

template <class T>
void KernelRows<T>::pack_dense(const RowAccess& rows, std::span<const std::uint32_t> chosen,
                               const Threads& threads) {
  panel_.assign(padded() * features_, T{0});
  for_blocks(threads, size_, 16 * width_, [&](std::size_t begin, std::size_t end) {
    std::vector<double> row(rows.cols());
    for (std::size_t i = begin; i < end; ++i) {
      rows.expand(chosen[i], 1.0, row.data());
      T* const to = panel_.data() + (i / width_) * features_ * width_ + i % width_;
      const std::size_t last = std::min(features_, row.size());
      for (std::size_t j = 0; j < last; ++j) to[j * width_] = static_cast<T>(row[j]);
    }
  });
}

template <class T>
void KernelRows<T>::pack_sparse(const RowAccess& rows, std::span<const std::uint32_t> chosen) {
  std::vector<std::uint32_t> index(rows.cols());
  std::vector<double> value(rows.cols());
  std::size_t total = 0;
  for (const std::uint32_t i : chosen) total += rows.entries(i);
  start_.reserve(size_ + 1);
  index_.reserve(total);
  value_.reserve(total);
  for (const std::uint32_t i : chosen) {
    const std::size_t count = rows.copy_entries(i, index.data(), value.data());
    for (std::size_t k = 0; k < count && index[k] < features_; ++k) {
      index_.push_back(index[k]);
      value_.push_back(static_cast<T>(value[k]));
    }
    start_.push_back(index_.size());
  }
}

template <class T>
void KernelRows<T>::fill_panels(const Threads& threads) {
  panel_.assign(padded() * features_, T{0});
  for_blocks(threads, size_, 16 * width_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      T* const to = panel_.data() + (i / width_) * features_ * width_ + i % width_;
      for (std::uint64_t at = start_[i]; at < start_[i + 1]; ++at) to[index_[at] * width_] = value_[at];
    }
  });
}

template <class T>
void KernelRows<T>::pack_bits(const RowAccess& rows, std::span<const std::uint32_t> chosen) {
  std::vector<std::uint32_t> index(rows.cols());
  std::vector<double> value(rows.cols());
  bits_.assign(size_ * words_, 0);
  bit_panel_.assign(padded() * words_, 0);
  for (std::size_t i = 0; i < size_; ++i) {
    const std::size_t count = rows.copy_entries(chosen[i], index.data(), value.data());
    for (std::size_t k = 0; k < count && index[k] < features_; ++k)
      bits_[i * words_ + index[k] / 32] |= std::uint32_t{1} << (index[k] % 32);
    for (std::size_t w = 0; w < words_; ++w)
      bit_panel_[((i / width_) * words_ + w) * width_ + i % width_] = bits_[i * words_ + w];
  }
}

template <class T>
void KernelRows<T>::pack_given(const RowAccess& rows, std::span<const std::uint32_t> chosen,
                               std::span<const std::uint32_t> columns, const Threads& threads) {
  panel_.assign(size_ * padded(), T{0});
  for_blocks(threads, size_, 64, [&](std::size_t begin, std::size_t end) {
    std::vector<double> row(rows.cols());
    for (std::size_t i = begin; i < end; ++i) {
      rows.expand(chosen[i], 1.0, row.data());
      for (std::size_t k = 0; k < columns.size(); ++k)
        panel_[i * padded() + k] = static_cast<T>(row[columns[k]]);
    }
  });
}

template <class T>
double KernelRows<T>::cost() const {
  const double scale = sizeof(T) / sizeof(float);
  const auto rows = static_cast<double>(std::max<std::size_t>(1, size_));
  switch (form_) {
    case RowForm::Dense: return scale * static_cast<double>(features_);
    case RowForm::Sparse: return scale * 2.2 * static_cast<double>(index_.size()) / rows;
    case RowForm::Bits: return 5 * static_cast<double>(words_);
    case RowForm::Given: break;
  }
  return 0;
}

template <class T>
double KernelRows<T>::own_value(const KernelFunction& kernel, std::size_t row) const {
  if (form_ == RowForm::Given) return static_cast<double>(panel_[row * padded() + row]);
  const auto length2 = static_cast<double>(length2_[row]);
  return kernel(length2, length2, length2);
}

template <class T>
LeftRows<T>::LeftRows(const KernelRows<T>& rows, std::span<const std::uint32_t> which)
    : rows_(&rows), which_(which.begin(), which.end()) {
  constexpr std::size_t group = detail::tile_rows;
  for (const std::uint32_t i : which_) length2_.push_back(rows.length2_[i]);
  if (rows.form_ == RowForm::Dense) {
    const std::size_t d = rows.features_;
    packed_.assign((which_.size() + group - 1) / group * group * d, T{0});
    for (std::size_t r = 0; r < which_.size(); ++r) {
      const std::size_t i = which_[r];
      const T* const from = rows.panel_.data() + (i / rows.width_) * d * rows.width_ + i % rows.width_;
      T* const to = packed_.data() + (r / group) * d * group + r % group;
      for (std::size_t j = 0; j < d; ++j) to[j * group] = from[j * rows.width_];
    }
  } else if (rows.form_ == RowForm::Sparse) {
    for (const std::uint32_t i : which_) {
      const std::uint64_t at = rows.start_[i];
      entries_.push_back({rows.index_.data() + at, rows.value_.data() + at,
                          static_cast<std::size_t>(rows.start_[i + 1] - at)});
    }
  } else if (rows.form_ == RowForm::Bits) {
    bits_.reserve(which_.size() * rows.words_);
    for (const std::uint32_t i : which_) {
      const auto first = rows.bits_.begin() + static_cast<std::ptrdiff_t>(i * rows.words_);
      bits_.insert(bits_.end(), first, first + static_cast<std::ptrdiff_t>(rows.words_));
    }
  }
}

// Working memory of a thread for panels that are filled when they are met. A column that does not occur in
// the panel has place 0, which holds zeros.
template <class T>
struct PanelScratch {
  std::vector<std::uint32_t> place;
  AlignedVector<T> panel;
  std::vector<std::uint32_t> used;
};

template <class T>
class TileWalk {
 public:
  TileWalk(const KernelFunction& kernel, const LeftRows<T>& left, const KernelRows<T>& right)
      : kernel_(kernel), left_(left), right_(right), operations_(detail::tiles().template of<T>()) {}

  // sink(first left row, rows, first right row, tile) for every tile, by panels.
  template <class Sink>
  void run(const Threads& threads, const Sink& sink) {
    const std::size_t groups = (left_.size() + detail::tile_rows - 1) / detail::tile_rows;
    const std::size_t chunk = std::clamp<std::size_t>(2048 / std::max<std::size_t>(1, groups), 1,
                                                      std::max<std::size_t>(1, right_.panels() / 16));
    for_blocks(threads, right_.panels(), chunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) one_panel(p, groups, sink);
    });
  }

 private:
  static PanelScratch<T>& scratch() {
    static thread_local PanelScratch<T> own;
    return own;
  }

  template <class Sink>
  void one_panel(std::size_t p, std::size_t groups, const Sink& sink) {
    const std::size_t width = right_.width_;
    alignas(64) T tile[detail::tile_rows * detail::widest_panel];
    const bool filled = right_.form_ == RowForm::Sparse && right_.panel_.empty();
    if (filled) fill(p);
    for (std::size_t g = 0; g < groups; ++g) {
      const std::size_t first = g * detail::tile_rows;
      const std::size_t rows = std::min(detail::tile_rows, left_.size() - first);
      products(p, first, rows, filled, tile);
      operations_.apply(kernel_, left_.length2_.data() + first, rows, right_.length2_.data() + p * width,
                        tile);
      sink(first, rows, p * width, static_cast<const T*>(tile));
    }
    if (filled) clear();
  }

  void products(std::size_t p, std::size_t first, std::size_t rows, bool filled, T* tile) const {
    const std::size_t width = right_.width_;
    const std::size_t columns = right_.features_;
    const T* const panel = right_.panel_.data() + p * columns * width;
    switch (right_.form_) {
      case RowForm::Dense:
        operations_.dense(left_.packed_.data() + first * columns, panel, columns, tile);
        break;
      case RowForm::Sparse:
        if (filled) {
          const PanelScratch<T>& own = scratch();
          operations_.sparse(left_.entries_.data() + first, rows, own.place.data(), own.panel.data(), tile);
        } else {
          operations_.sparse(left_.entries_.data() + first, rows, nullptr, panel, tile);
        }
        break;
      case RowForm::Bits:
        operations_.bits(left_.bits_.data() + first * right_.words_, rows, right_.words_,
                         right_.bit_panel_.data() + p * right_.words_ * width, tile);
        break;
      case RowForm::Given:
        for (std::size_t r = 0; r < rows; ++r) {
          const T* const row =
              left_.rows_->panel_.data() + std::size_t{left_.which_[first + r]} * right_.padded() + p * width;
          std::copy(row, row + width, tile + r * width);
        }
        break;
    }
  }

  void fill(std::size_t p) const {
    PanelScratch<T>& own = scratch();
    const std::size_t width = right_.width_;
    if (own.place.size() < right_.features_) own.place.resize(right_.features_, 0);
    own.used.clear();
    own.panel.assign(width, T{0});
    const std::size_t last = std::min(right_.size_, (p + 1) * width);
    for (std::size_t i = p * width; i < last; ++i) {
      for (std::uint64_t at = right_.start_[i]; at < right_.start_[i + 1]; ++at) {
        std::uint32_t& place = own.place[right_.index_[at]];
        if (place == 0) {
          own.used.push_back(right_.index_[at]);
          place = static_cast<std::uint32_t>(own.used.size());
          own.panel.resize(own.panel.size() + width, T{0});
        }
        own.panel[place * width + (i - p * width)] = right_.value_[at];
      }
    }
  }
  static void clear() {
    PanelScratch<T>& own = scratch();
    for (const std::uint32_t j : own.used) own.place[j] = 0;
  }

  const KernelFunction& kernel_;
  const LeftRows<T>& left_;
  const KernelRows<T>& right_;
  const detail::TileOperations<T>& operations_;
};

template <class T>
void kernel_block(const KernelFunction& kernel, const LeftRows<T>& left, const KernelRows<T>& right, T* out,
                  std::size_t stride, const Threads& threads) {
  const std::size_t width = detail::tiles().width;
  TileWalk<T>(kernel, left, right)
      .run(threads, [&](std::size_t first, std::size_t rows, std::size_t column, const T* tile) {
        for (std::size_t r = 0; r < rows; ++r)
          std::copy(tile + r * width, tile + (r + 1) * width, out + (first + r) * stride + column);
      });
}

template <class T>
void add_kernel_sums(const KernelFunction& kernel, const LeftRows<T>& left, const KernelRows<T>& right,
                     std::span<const double> weights, std::size_t planes, double* sums,
                     const Threads& threads) {
  constexpr std::size_t group = detail::tile_rows;
  const std::size_t groups = (left.size() + group - 1) / group;
  // The weights of a group for each plane that has any, six to a plane.
  struct Part {
    std::size_t plane;
    T weight[group];
  };
  std::vector<std::vector<Part>> parts(groups);
  for (std::size_t g = 0; g < groups; ++g) {
    for (std::size_t p = 0; p < planes; ++p) {
      Part part{p, {}};
      bool any = false;
      for (std::size_t r = g * group; r < std::min(left.size(), (g + 1) * group); ++r) {
        part.weight[r % group] = static_cast<T>(weights[p * left.size() + r]);
        any = any || part.weight[r % group] != 0;
      }
      if (any) parts[g].push_back(part);
    }
  }
  const auto& operations = detail::tiles().of<T>();
  TileWalk<T>(kernel, left, right)
      .run(threads, [&](std::size_t first, std::size_t rows, std::size_t column, const T* tile) {
        for (const Part& part : parts[first / group])
          operations.add(tile, rows, part.weight, sums + part.plane * right.padded() + column);
      });
}

template class KernelRows<float>;
template class KernelRows<double>;
template class LeftRows<float>;
template class LeftRows<double>;
template void kernel_block(const KernelFunction&, const LeftRows<float>&, const KernelRows<float>&, float*,
                           std::size_t, const Threads&);
template void kernel_block(const KernelFunction&, const LeftRows<double>&, const KernelRows<double>&, double*,
                           std::size_t, const Threads&);
template void add_kernel_sums(const KernelFunction&, const LeftRows<float>&, const KernelRows<float>&,
                              std::span<const double>, std::size_t, double*, const Threads&);
template void add_kernel_sums(const KernelFunction&, const LeftRows<double>&, const KernelRows<double>&,
                              std::span<const double>, std::size_t, double*, const Threads&);

}  // namespace halfspace
