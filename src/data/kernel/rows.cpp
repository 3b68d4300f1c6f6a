// SPDX-License-Identifier: BSD-3-Clause
#include "data/kernel/rows.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>

namespace halfspace {
namespace {

constexpr std::size_t few_columns = 2048;  // a panel of all columns stays near the processor
constexpr std::uint64_t panel_bytes = std::uint64_t{1} << 30U;  // sparse rows get panels up to here

// Rows without features have places in memory too, so that going from one to the next is no arithmetic on nothing.
std::size_t stored_columns(std::size_t features) { return std::max<std::size_t>(features, 1); }

}  // namespace

bool stores_ones(const Matrix& matrix) {
  return std::holds_alternative<CsrView<One>>(matrix) ||
         std::holds_alternative<CsrView<One, std::uint16_t>>(matrix);
}

RowForm form_for(const RowShape& shape) {
  const double mean =
      static_cast<double>(shape.entries) / static_cast<double>(std::max<std::size_t>(1, shape.rows));
  if (shape.ones && shape.longest <= detail::longest_ones && shape.features <= few_columns &&
      shape.rows * shape.features <= panel_bytes)
    return RowForm::Ones;
  return mean * 2.2 >= static_cast<double>(shape.features) ? RowForm::Dense : RowForm::Sparse;
}

bool worth_multiples(RowForm form, std::size_t features) {
  return form == RowForm::Sparse && features <= few_columns;
}

RowForm form_for(const Dataset& data, const KernelFunction& kernel) {
  if (kernel.kind == KernelKind::Precomputed) return RowForm::Given;
  RowShape shape{data.rows(), data.features(), data.nonzeros(), 0, stores_ones(data.matrix())};
  if (shape.ones) shape.longest = longest_row(*RowAccess::of(data.matrix()));
  return form_for(shape);
}

std::size_t longest_row(const RowAccess& rows) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) out = std::max(out, rows.entries(i));
  return out;
}

bool all_ones(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return v == 1; });
}

RowForm form_of_both(const RowAccess& left, const RowAccess& right, bool ones) {
  RowShape shape{left.rows(), left.cols(), 0, 0, ones};
  for (std::size_t i = 0; i < left.rows(); ++i) shape.entries += left.entries(i);
  if (ones) shape.longest = std::max(longest_row(left), longest_row(right));
  return form_for(shape);
}

RowForm exact_form(RowForm form, const KernelFunction& kernel, double length2, std::size_t features) {
  if (kernel.kind != KernelKind::Rbf || form == RowForm::Ones || features > few_columns) return form;
  const double lost = kernel.gamma * 4 * length2 * static_cast<double>(features + 4) * 0x1.0p-52;
  return lost > 1e-10 ? RowForm::Differences : form;
}

template <class T>
KernelRows<T>::KernelRows(const RowAccess& rows, std::span<const std::uint32_t> chosen, std::size_t features,
                          RowForm form, const Threads& threads, std::span<const std::uint32_t> columns,
                          bool panels, std::span<const double> length2, double multiples_of)
    : size_(chosen.size()),
      features_(features),
      width_(detail::tiles().width),
      form_(form),
      unit_(multiples_of) {
  length2_.assign(padded(), T{0});
  if (form != RowForm::Differences && form != RowForm::Multiples) {
    for_blocks(threads, size_, row_block, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        length2_[i] = static_cast<T>(length2.empty() ? rows.norm2(chosen[i]) : length2[chosen[i]]);
    });
  }
  switch (form) {
    case RowForm::Dense:
    case RowForm::Differences: pack_dense(rows, chosen, threads); break;
    case RowForm::Sparse:
      pack_sparse(rows, chosen);
      if (panels && features_ <= few_columns && padded() * features_ * sizeof(T) <= panel_bytes)
        fill_panels(threads);
      break;
    case RowForm::Multiples:
      pack_multiples(rows, chosen, threads);
      if (panels) fill_pairs(threads);
      break;
    case RowForm::Ones: pack_ones(rows, chosen, panels, threads); break;
    case RowForm::Given: pack_given(rows, chosen, columns, threads); break;
  }
}

template <class T>
KernelRows<T>::KernelRows(const KernelRows& from, std::span<const std::uint32_t> which)
    : size_(which.size()),
      features_(from.features_),
      width_(from.width_),
      form_(from.form_),
      unit_(from.unit_) {
  length2_.assign(padded(), T{0});
  for (std::size_t k = 0; k < size_; ++k) length2_[k] = from.length2_[which[k]];
  const auto in_panel = [this](std::size_t i) { return (i / width_) * features_ * width_ + i % width_; };
  switch (form_) {
    case RowForm::Dense:
    case RowForm::Differences:
      panel_.assign(padded() * stored_columns(features_), T{0});
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
    case RowForm::Multiples:
      for (const std::uint32_t i : which) {
        for (std::uint64_t at = from.start_[i]; at < from.start_[i + 1]; ++at) {
          index_.push_back(from.index_[at]);
          pair_value_.push_back(from.pair_value_[at]);
        }
        start_.push_back(index_.size());
      }
      fill_pairs(Threads(1));
      break;
    case RowForm::Ones:
      for (const std::uint32_t i : which) {
        index_.insert(index_.end(), from.index_.begin() + static_cast<std::ptrdiff_t>(from.start_[i]),
                      from.index_.begin() + static_cast<std::ptrdiff_t>(from.start_[i + 1]));
        start_.push_back(index_.size());
        ones_length_.push_back(from.ones_length_[i]);
      }
      fill_ones(Threads(1));
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
  panel_.assign(padded() * stored_columns(features_), T{0});
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
  panel_.assign(padded() * stored_columns(features_), T{0});
  for_blocks(threads, size_, 16 * width_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      T* const to = panel_.data() + (i / width_) * features_ * width_ + i % width_;
      for (std::uint64_t at = start_[i]; at < start_[i + 1]; ++at) to[index_[at] * width_] = value_[at];
    }
  });
}

template <class T>
void KernelRows<T>::pack_ones(const RowAccess& rows, std::span<const std::uint32_t> chosen, bool panels,
                              const Threads& threads) {
  std::vector<std::uint32_t> index(rows.cols());
  std::vector<double> value(rows.cols());
  start_.reserve(size_ + 1);
  for (const std::uint32_t i : chosen) {
    const std::size_t count = rows.copy_entries(i, index.data(), value.data());
    ones_length_.push_back(static_cast<std::uint8_t>(count));
    for (std::size_t k = 0; k < count && index[k] < features_; ++k) index_.push_back(index[k]);
    start_.push_back(index_.size());
  }
  if (panels) fill_ones(threads);
}

template <class T>
void KernelRows<T>::fill_ones(const Threads& threads) {
  // Two panels in one.
  const std::size_t both = 2 * width_;
  const std::size_t pairs = (panels() + 1) / 2;
  ones_length_.resize(pairs * both, 0);
  ones_.assign(pairs * both * features_, 0);
  for_blocks(threads, size_, 64 * width_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::uint8_t* const to = ones_.data() + (i / both) * features_ * both + i % both;
      for (std::uint64_t at = start_[i]; at < start_[i + 1]; ++at) to[index_[at] * both] = 1;
    }
  });
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
std::size_t KernelRows<T>::longest() const {
  if (form_ == RowForm::Ones) {
    const auto most = std::max_element(ones_length_.begin(), ones_length_.end());
    return most == ones_length_.end() ? 0 : *most;
  }
  if (form_ != RowForm::Sparse && form_ != RowForm::Multiples) return features_;
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < size_; ++i) out = std::max(out, start_[i + 1] - start_[i]);
  return static_cast<std::size_t>(out);
}

template <class T>
double KernelRows<T>::cost() const {
  const double scale = std::is_same_v<T, double> ? 2 : 1;
  const auto rows = static_cast<double>(std::max<std::size_t>(1, size_));
  switch (form_) {
    case RowForm::Dense:
    case RowForm::Differences: return scale * static_cast<double>(features_);
    case RowForm::Sparse: return scale * 2.2 * static_cast<double>(index_.size()) / rows;
    case RowForm::Multiples: return 1.5 * static_cast<double>(index_.size()) / rows;
    case RowForm::Ones: return static_cast<double>(index_.size()) / rows;
    case RowForm::Given: break;
  }
  return 0;
}

template <class T>
std::uint64_t KernelRows<T>::bytes() const {
  return (panel_.size() + value_.size()) * sizeof(T) + ones_.size() +
         (index_.size() + pair_value_.size() + pairs_.size()) * sizeof(std::uint32_t);
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
  if (rows.form_ == RowForm::Dense || rows.form_ == RowForm::Differences) {
    const std::size_t d = rows.features_;
    packed_.assign((which_.size() + group - 1) / group * group * stored_columns(d), T{0});
    for (std::size_t r = 0; r < which_.size(); ++r) {
      const std::size_t i = which_[r];
      const T* const from = rows.panel_.data() + (i / rows.width_) * d * rows.width_ + i % rows.width_;
      T* const to = packed_.data() + (r / group) * d * group + r % group;
      for (std::size_t j = 0; j < d; ++j) to[j * group] = from[j * rows.width_];
    }
  } else if (rows.form_ == RowForm::Sparse || rows.form_ == RowForm::Ones) {
    const bool ones = rows.form_ == RowForm::Ones;
    for (const std::uint32_t i : which_) {
      const std::uint64_t at = rows.start_[i];
      entries_.push_back({rows.index_.data() + at, ones ? nullptr : rows.value_.data() + at,
                          static_cast<std::size_t>(rows.start_[i + 1] - at)});
    }
  } else if (rows.form_ == RowForm::Multiples) {
    for (const std::uint32_t i : which_) {
      const std::uint64_t at = rows.start_[i];
      pairs_.push_back({rows.index_.data() + at, rows.pair_value_.data() + at,
                        static_cast<std::size_t>(rows.start_[i + 1] - at)});
    }
  }
}

template class KernelRows<float>;
template class KernelRows<double>;
template class LeftRows<float>;
template class LeftRows<double>;

}  // namespace halfspace
