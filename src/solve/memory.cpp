// SPDX-License-Identifier: BSD-3-Clause
// Counted in the solvers, checked by measuring: numbers for a row and for a feature where most of them are there at once.
#include "halfspace/solve/memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/row_sums.hpp"
#include "data/storage/spill.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/solve/algorithms.hpp"
#include "solve/systems/newton_system.hpp"

namespace halfspace {
namespace {

constexpr std::uint64_t megabyte = 1'000'000;
// The program itself; rows that are mapped (Spill::mapped_share at its least); for every thread pieces of text, panels and
// stacks, and what it maps between two looks at the size of the process.
constexpr std::uint64_t program = 16 * megabyte, mapped = 12 * megabyte, for_a_thread = 6 * megabyte;

std::uint64_t base(const MemoryShape& shape) {
  // Class of every row, twice while text is read.
  return program + mapped + for_a_thread * static_cast<std::uint64_t>(shape.threads) +
         shape.rows * (8 + (shape.weighted ? 8U : 0U));
}

// Sums of vectors by slices, and vectors of a solver.
std::uint64_t for_vectors(const MemoryShape& shape, std::uint64_t planes) {
  const std::uint64_t values = (shape.features + 1) * planes;
  return values * sizeof(double) * (slices_of(shape.rows, values) + 16);
}

// A matrix of all features with its factor and what corrects it, where there are few.
std::uint64_t for_matrices(const MemoryShape& shape) {
  const std::uint64_t d = shape.features + 1;
  return d <= NewtonSystem::factor_limit + 1 ? 4 * d * d * sizeof(double) : 0;
}

// Spreads of the columns, which a model keeps.
std::uint64_t for_columns(const MemoryShape& shape) {
  const std::uint64_t parts = std::min<std::uint64_t>(256, shape.rows / row_block + 1);
  return parts * shape.features * sizeof(double) * (shape.weighted ? 2 : 1);
}

// Problem, sample and solver of one plane, bytes a row.
constexpr std::uint64_t newton_row = 140, semismooth_row = 250, softmax_row = 60;

std::uint64_t for_planes(const MemoryShape& shape, std::uint64_t bytes_a_row) {
  const bool two = shape.classes <= 2;
  const std::uint64_t at_once =
      two ? 1 : std::min<std::uint64_t>(shape.classes, static_cast<std::uint64_t>(shape.threads));
  return base(shape) +
         std::max(for_columns(shape),
                  at_once * (shape.rows * bytes_a_row + for_vectors(shape, 1) + for_matrices(shape))) +
         (two ? 0 : shape.classes * shape.features * sizeof(double) * 3);
}

void check_penalty(const Penalty& penalty, bool debias) {
  if (std::holds_alternative<L2>(penalty) && !debias) return;
  throw UsageError(
      fmt::format("--penalty {}{} goes from column to column: with --memory rows lie in files, row after row",
                  OptionType<Penalty>::print(penalty), debias ? " with --debias" : ""),
      "--penalty l2, or no --memory");
}

}  // namespace

MemoryShape memory_shape(const Dataset& data, int threads) {
  return {data.rows(),   data.features(),         std::max<std::uint64_t>(2, data.classes().size()),
          data.sparse(), !data.weights().empty(), threads};
}

std::uint64_t memory_of(const Svm& options, const MemoryShape& shape) {
  if (options.kernel.kind != KernelKind::Linear)
    throw UsageError("--kernel: kernel machines need the rows in memory", "no --memory, or --kernel linear");
  check_penalty(options.penalty, options.debias);
  const bool hinge = std::holds_alternative<Hinge>(options.loss);
  // A dual value stays for every row that supports a plane.
  const std::uint64_t kept = hinge && shape.classes > 2 ? 12 * shape.rows * shape.classes : 0;
  return for_planes(shape, hinge ? semismooth_row : newton_row) + kept;
}

std::uint64_t memory_of(const LogisticRegression& options, const MemoryShape& shape) {
  check_penalty(options.penalty, options.debias);
  if (shape.classes <= 2 || options.multiclass != LogisticClasses::Softmax)
    return for_planes(shape, newton_row);
  const std::uint64_t stride = (shape.classes + 3) / 4 * 4;
  return base(shape) + std::max(for_columns(shape), shape.rows * (softmax_row + 4 * stride * sizeof(double)) +
                                                        for_vectors(shape, stride) + for_matrices(shape));
}

std::uint64_t memory_of_walk(const MemoryShape& shape) {
  const std::uint64_t planes = shape.classes <= 2 ? 1 : shape.classes;
  return base(shape) +
         std::max(for_columns(shape), shape.rows * 40 + shape.features * planes * sizeof(double) * 8);
}

void detail::refuse_spilled(std::string_view algorithm) {
  throw UsageError(fmt::format("--memory: {} needs the rows in memory", algorithm),
                   "rows that lie in files are for logistic, svm, perceptron, averaged-perceptron, "
                   "passive-aggressive, pegasos and sgd");
}

void detail::check_memory(const MemoryShape& shape, std::uint64_t need, std::uint64_t limit) {
  if (need <= limit) return;
  throw UsageError(
      fmt::format("--memory {}: {} rows with {} features take up to {} MB besides the rows themselves",
                  limit / megabyte, shape.rows, shape.features, need / megabyte + 1),
      fmt::format("--memory {}", need / megabyte + 1));
}
void detail::check_memory(const Dataset& data, std::uint64_t need) {
  check_memory(memory_shape(data, 1), need, data.spill()->memory());
}

}  // namespace halfspace
