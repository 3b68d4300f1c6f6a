// SPDX-License-Identifier: BSD-3-Clause
// Scores of a kernel model: the support vectors on the left, the rows in panels on the right, so every kernel
// value is computed once for all functions that use it. The form of the rows follows from the support vectors
// alone, and sums run over the support vectors in a fixed order: a row has the same bits in every storage,
// batch and number of threads.
// Where labels are all that is wanted, values in float come first, with a bound on their error; rows that the bound leaves
// undecided are computed in double, so the labels are those of double.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <variant>
#include <vector>

#include "data/kernel/multiples.hpp"
#include "data/kernel/rows.hpp"
#include "halfspace/prepare/scaling.hpp"
#include "model/row_scores.hpp"

namespace halfspace {
namespace {

constexpr std::size_t few_rows = 256;  // for one thread at a time

// Sums of all functions for so many rows stay near the processor.
std::size_t rows_at_once(const KernelModel& model) {
  return std::clamp<std::size_t>((std::size_t{1} << 18U) / std::max<std::size_t>(1, model.offsets.size()),
                                 512, 8192);
}

KernelFunction effective(const KernelModel& model) {
  // The support vectors of a precomputed kernel point at columns: the product with them is the value.
  return model.kernel.kind == KernelKind::Precomputed ? KernelFunction{} : model.kernel;
}

Matrix stored_vectors(const KernelModel& model) {
  return CsrView<double>{model.vectors(),    model.features,     model.start.data(),
                         model.index.data(), model.value.data(), 1};
}

std::size_t classes_of_pairs(std::size_t functions) {
  std::size_t classes = 2;
  while (classes * (classes - 1) / 2 < functions) ++classes;
  return classes;
}

// In pairs, the vectors of one class are used by the same functions: they stand together, and among them those that the
// busiest functions use, so that few functions have a part in each tile. The class follows from the sign of the
// coefficient.
std::vector<std::uint32_t> order_of_vectors(const KernelModel& model) {
  std::vector<std::uint32_t> order(model.vectors());
  std::iota(order.begin(), order.end(), 0U);
  if (!model.pairs) return order;
  const std::size_t classes = classes_of_pairs(model.offsets.size());
  std::vector<std::uint32_t> owner(model.vectors(), 0);
  std::vector<std::uint8_t> used(model.vectors() * classes, 0);  // against which classes
  std::vector<std::uint32_t> often(classes * classes, 0);        // by the vectors of a class
  std::uint32_t a = 0, b = 1;
  for (std::size_t k = 0; k < model.offsets.size(); ++k) {
    for (std::uint64_t at = model.first[k]; at < model.first[k + 1]; ++at) {
      const std::uint32_t own = model.coefficient[at] > 0 ? b : a, other = model.coefficient[at] > 0 ? a : b;
      owner[model.vector[at]] = own;
      used[model.vector[at] * classes + other] = 1;
      ++often[own * classes + other];
    }
    if (++b == classes) b = ++a + 1;
  }
  std::vector<std::uint32_t> busiest(classes * classes);
  for (std::size_t c = 0; c < classes; ++c) {
    std::uint32_t* const list = busiest.data() + c * classes;
    std::iota(list, list + classes, 0U);
    std::stable_sort(list, list + classes, [&](std::uint32_t x, std::uint32_t y) {
      return often[c * classes + x] > often[c * classes + y];
    });
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) {
    if (owner[x] != owner[y]) return owner[x] < owner[y];
    for (std::size_t r = 0; r < classes; ++r) {
      const std::uint32_t other = busiest[owner[x] * classes + r];
      if (used[x * classes + other] != used[y * classes + other]) return used[x * classes + other] != 0;
    }
    return false;
  });
  return order;
}

class FunctionSums {
 public:
  FunctionSums(const KernelModel& model, const Dataset& data, const Threads& threads)
      : model_(model),
        threads_(threads),
        kernel_(effective(model)),
        vectors_(stored_vectors(model)),
        left_access_(RowAccess::of(vectors_)),
        right_access_(RowAccess::of(data.matrix())),
        order_(order_of_vectors(model)) {
    form_ = form_of_both(*left_access_, *right_access_, stores_ones(data.matrix()) && all_ones(model.value));
    single_form_ = form_;
    if (worth_multiples(form_, model.features)) {
      const Multiples left = find_multiples(*left_access_, threads);
      const Multiples right = left.unit > 0 ? hold_against(*right_access_, left.unit, threads) : left;
      if (right.unit > 0) {
        single_form_ = RowForm::Multiples;
        multiples_ = {left.unit, std::max(left.deviation, right.deviation)};
      }
    }
    double length2 = 0;
    for (std::size_t r = 0; r < model.vectors(); ++r) length2 = std::max(length2, left_access_->norm2(r));
    exact_form_ = exact_form(form_, kernel_, length2, model.features);
    const std::size_t vectors = model.vectors();
    std::vector<std::size_t> place(vectors);
    for (std::size_t r = 0; r < vectors; ++r) place[order_[r]] = r;
    sizes_.assign(model.offsets.size(), 0.0);
    row_.reserve(model.vector.size());
    for (const std::uint32_t v : model.vector) row_.push_back(static_cast<std::uint32_t>(place[v]));
    for (std::size_t k = 0; k < sizes_.size(); ++k)
      for (std::uint64_t at = model.first[k]; at < model.first[k + 1]; ++at)
        sizes_[k] += std::abs(model.coefficient[at]) * (1 + 1e-9);
    scale_ = {single_form_, vectors, 0, std::sqrt(length2) * (1 + 1e-9), multiples_.deviation};
  }

  // out[row * functions + k] for the given rows.
  template <class T>
  void compute(std::span<const std::uint32_t> rows, double* out) {
    constexpr bool single = sizeof(T) == sizeof(float);
    auto& side = [this]() -> auto& {
      if constexpr (single) {
        return single_;
      } else {
        return double_;
      }
    }
    ();
    const RowForm form = single ? single_form_ : exact_form_;
    if (!side) side.emplace(*left_access_, order_, form, multiples_.unit, model_, row_, threads_);
    if (single && scale_.entries == 0) scale_.entries = std::max<std::size_t>(1, side->rows.longest());
    const KernelRows<T> right(*right_access_, rows, model_.features, form, threads_, {}, true, {},
                              multiples_.unit);
    const std::size_t functions = sizes_.size();
    std::vector<double> sums(functions * right.padded(), 0.0);
    if (!order_.empty()) add_kernel_sums(kernel_, side->left, right, side->weights, sums.data(), threads_);
    for_blocks(threads_, rows.size(), few_rows, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        for (std::size_t k = 0; k < functions; ++k)
          out[i * functions + k] = sums[k * right.padded() + i] + model_.offsets[k];
    });
  }

  // A bound on the errors of a row's functions in float (after a batch of these), in units of the sizes.
  [[nodiscard]] double error(std::uint32_t row) const {
    return sum_error<float>(kernel_, scale_, std::sqrt(right_access_->norm2(row)) * (1 + 1e-9));
  }
  // The sums of the sizes of the coefficients.
  [[nodiscard]] const std::vector<double>& sizes() const { return sizes_; }
  [[nodiscard]] bool worth_floats() const {
    return model_.kernel.kind != KernelKind::Precomputed && form_ != RowForm::Given;
  }

 private:
  template <class T>
  struct Side {
    KernelRows<T> rows;
    LeftRows<T> left;
    LeftWeights<T> weights;
    Side(const RowAccess& access, const std::vector<std::uint32_t>& order, RowForm form, double unit,
         const KernelModel& model, const std::vector<std::uint32_t>& row, const Threads& threads)
        : rows(access, order, model.features, form, threads, {}, false, {}, unit),
          left(rows, positions(order.size())),
          weights(order.size(), model.first, row, model.coefficient) {}
    static std::vector<std::uint32_t> positions(std::size_t n) {
      std::vector<std::uint32_t> out(n);
      std::iota(out.begin(), out.end(), 0U);
      return out;
    }
  };

  const KernelModel& model_;
  const Threads& threads_;
  KernelFunction kernel_;
  Matrix vectors_;
  std::unique_ptr<RowAccess> left_access_, right_access_;
  std::vector<std::uint32_t> order_;
  RowForm form_, single_form_, exact_form_;
  Multiples multiples_;
  std::vector<std::uint32_t> row_;  // of every coefficient: the place of its vector in the order
  std::vector<double> sizes_;
  LeftScale scale_;
  std::optional<Side<float>> single_;
  std::optional<Side<double>> double_;
};

// Of each class the votes that are certain, and those that it may have: the winner is certain when no other class may
// have as many.
bool votes_decided(std::size_t classes, const double* values, const std::vector<double>& bounds) {
  std::vector<std::size_t> sure(classes, 0), most(classes, 0);
  std::size_t k = 0;
  for (std::size_t a = 0; a < classes; ++a) {
    for (std::size_t b = a + 1; b < classes; ++b, ++k) {
      const bool certain = std::abs(values[k]) > bounds[k];
      const std::size_t winner = values[k] > 0 ? b : a;
      ++most[winner];
      if (certain) {
        ++sure[winner];
      } else {
        ++most[winner == a ? b : a];
      }
    }
  }
  const auto best = static_cast<std::size_t>(std::max_element(sure.begin(), sure.end()) - sure.begin());
  for (std::size_t c = 0; c < classes; ++c)
    if (c != best && most[c] >= sure[best]) return false;
  return true;
}

// Whether values off by at most error * size[k] give the label of the true ones.
bool decided(const KernelModel& model, const double* values, double error, const std::vector<double>& sizes) {
  const std::size_t functions = sizes.size();
  std::vector<double> bounds(functions);
  for (std::size_t k = 0; k < functions; ++k)
    bounds[k] = error * sizes[k] + 1e-12 * (std::abs(model.offsets[k]) + std::abs(values[k]));
  if (functions == 1) return std::abs(values[0]) > bounds[0];
  if (model.pairs) return votes_decided(classes_of_pairs(functions), values, bounds);
  const auto best = static_cast<std::size_t>(std::max_element(values, values + functions) - values);
  for (std::size_t k = 0; k < functions; ++k)
    if (k != best && !(values[best] - values[k] > bounds[best] + bounds[k])) return false;
  return std::isfinite(values[best]);
}

// Of a batch of rows in float those whose labels the bounds leave open, once more in double.
void settle_labels(FunctionSums& sums, const KernelModel& model, std::span<const std::uint32_t> rows,
                   const Threads& threads, double* values, std::vector<std::uint32_t>& open) {
  const std::size_t functions = model.offsets.size();
  std::vector<std::uint8_t> settled(rows.size());
  for_blocks(threads, rows.size(), few_rows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      settled[i] = decided(model, values + i * functions, sums.error(rows[i]), sums.sizes()) ? 1 : 0;
  });
  open.clear();
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (settled[i] == 0) open.push_back(rows[i]);
  if (open.empty()) return;
  std::vector<double> exact(open.size() * functions);
  sums.compute<double>(open, exact.data());
  for (std::size_t i = 0; i < open.size(); ++i)
    std::copy_n(exact.data() + i * functions, functions, values + (open[i] - rows[0]) * functions);
}

// sink(first row, rows, values) for batches of rows, values[row * functions + k]; to decide, only the labels that follow from
// the values are those of double.
template <class Sink>
void each_batch(const KernelModel& model, const Dataset& data, bool decide, const Threads& threads,
                const Sink& sink) {
  FunctionSums sums(model, data, threads);
  const std::size_t at_once = std::min(rows_at_once(model), data.rows());
  std::vector<double> values(at_once * model.offsets.size());
  std::vector<std::uint32_t> all(data.rows()), open;
  std::iota(all.begin(), all.end(), 0U);
  bool floats = decide && sums.worth_floats();
  for (std::size_t begin = 0; begin < data.rows(); begin += at_once) {
    const std::size_t count = std::min(at_once, data.rows() - begin);
    const std::span<const std::uint32_t> rows(all.data() + begin, count);
    if (floats) {
      sums.compute<float>(rows, values.data());
      settle_labels(sums, model, rows, threads, values.data(), open);
      floats = open.size() * 2 < count;
    } else {
      sums.compute<double>(rows, values.data());
    }
    sink(begin, count, static_cast<const double*>(values.data()));
  }
}

}  // namespace

std::vector<double> function_values(const KernelModel& model, bool unit_rows, const Dataset& data,
                                    const Threads& threads) {
  if (unit_rows) {
    const Scaling unit{.kind = ScaleKind::Unit};
    return function_values(model, false, apply_scaling(data, unit, threads), threads);
  }
  const std::size_t functions = model.offsets.size();
  std::vector<double> out(data.rows() * functions);
  each_batch(model, data, false, threads, [&](std::size_t first, std::size_t count, const double* values) {
    std::copy_n(values, count * functions, out.data() + first * functions);
  });
  return out;
}

namespace {

// Which pairs vote for their later class when the function is exactly zero: by LIBSVM's rule the class that stands further
// back in its list, in models of ours none.
std::vector<std::uint8_t> later_at_zero(const KernelModel& model, std::size_t classes) {
  std::vector<std::uint32_t> place(classes, 0);
  for (std::size_t k = 0; k < model.order.size(); ++k) place[model.order[k]] = static_cast<std::uint32_t>(k);
  std::vector<std::uint8_t> out;
  for (std::size_t a = 0; a < classes; ++a)
    for (std::size_t b = a + 1; b < classes; ++b)
      out.push_back(!model.order.empty() && place[b] > place[a] ? 1 : 0);
  return out;
}

}  // namespace

namespace detail {

void kernel_scores(const KernelModel& model, bool unit_rows, std::size_t planes, const Dataset& data,
                   bool decide, const Threads& threads, std::span<double> out) {
  if (unit_rows) {
    const Scaling unit{.kind = ScaleKind::Unit};
    kernel_scores(model, false, planes, apply_scaling(data, unit, threads), decide, threads, out);
    return;
  }
  const std::size_t functions = model.offsets.size();
  const bool votes = model.pairs && planes > 1;
  const std::vector<std::uint8_t> zero = votes ? later_at_zero(model, planes) : std::vector<std::uint8_t>();
  each_batch(model, data, decide, threads, [&](std::size_t first, std::size_t count, const double* values) {
    if (!votes) {
      std::copy_n(values, count * functions, out.data() + first * functions);
      return;
    }
    for_blocks(threads, count, few_rows, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        std::size_t k = i * functions;
        for (std::size_t a = 0; a < planes; ++a)
          for (std::size_t b = a + 1; b < planes; ++b, ++k) {
            const bool later = values[k] > 0 || (values[k] == 0 && zero[k - i * functions] != 0);
            out[(first + i) * planes + (later ? b : a)] += 1;
          }
      }
    });
  });
}

}  // namespace detail
}  // namespace halfspace
