// SPDX-License-Identifier: BSD-3-Clause
// The tensors of a kernel model, out and in.
#include "model/file/tensor_reader.hpp"

namespace halfspace::detail {

// The tensors of four bytes come last, so that every tensor lies on a multiple of its size.
std::vector<Tensor> kernel_tensors(const KernelModel& model) {
  std::vector<Tensor> out = {
      {"vectors.start", Dtype::U64, {model.start.size()}, bytes_of(model.start)},
      {"vectors.value", Dtype::F64, {model.value.size()}, bytes_of(model.value)},
      {"functions.first", Dtype::U64, {model.first.size()}, bytes_of(model.first)},
      {"functions.coefficient", Dtype::F64, {model.coefficient.size()}, bytes_of(model.coefficient)},
      {"offsets", Dtype::F64, {model.offsets.size()}, bytes_of(model.offsets)},
      {"vectors.index", Dtype::U32, {model.index.size()}, bytes_of(model.index)},
      {"functions.vector", Dtype::U32, {model.vector.size()}, bytes_of(model.vector)}};
  if (!model.sigmoid.empty())
    out.insert(out.begin(),
               {"functions.sigmoid", Dtype::F64, {model.offsets.size(), 2}, bytes_of(model.sigmoid)});
  if (!model.order.empty()) out.push_back({"order", Dtype::U32, {model.order.size()}, bytes_of(model.order)});
  return out;
}

namespace {

void check_rows(TensorReader& tensors, const KernelModel& model) {
  for (std::size_t r = 0; r < model.vectors(); ++r) {
    for (std::uint64_t at = model.start[r]; at < model.start[r + 1]; ++at) {
      const bool ascends = at == model.start[r] || model.index[at] > model.index[at - 1];
      if (!ascends || model.index[at] >= model.features)
        tensors.refuse(*tensors.find("vectors.index"), at * 4, "not ascending below the features");
    }
  }
  for (std::size_t k = 0; k < model.offsets.size(); ++k) {
    for (std::uint64_t at = model.first[k]; at < model.first[k + 1]; ++at) {
      const bool ascends = at == model.first[k] || model.vector[at] > model.vector[at - 1];
      if (!ascends || model.vector[at] >= model.vectors())
        tensors.refuse(*tensors.find("functions.vector"), at * 4, "not ascending below the support vectors");
    }
  }
}

}  // namespace

std::vector<std::uint32_t> read_order(TensorReader& tensors, std::size_t classes) {
  if (tensors.find("order") == nullptr) return {};
  std::vector<std::uint32_t> order = tensors.values<std::uint32_t>("order", Dtype::U32, {classes});
  std::vector<bool> seen(classes, false);
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (order[k] >= classes || seen[order[k]])
      tensors.refuse(*tensors.find("order"), k * 4, "not every class once");
    seen[order[k]] = true;
  }
  return order;
}

void read_kernel_tensors(TensorReader& tensors, KernelModel& model, std::size_t classes) {
  const std::uint64_t functions = classes == 2  ? 1
                                  : model.pairs ? std::uint64_t{classes} * (classes - 1) / 2
                                                : classes;
  const Tensor& starts = tensors.get("vectors.start", Dtype::U64);
  const std::uint64_t entries = tensors.get("vectors.index", Dtype::U32).bytes.size() / sizeof(std::uint32_t);
  const std::uint64_t terms =
      tensors.get("functions.vector", Dtype::U32).bytes.size() / sizeof(std::uint32_t);
  model.start = tensors.values<std::uint64_t>("vectors.start", Dtype::U64,
                                              {starts.bytes.size() / sizeof(std::uint64_t)});
  model.value = tensors.values<double>("vectors.value", Dtype::F64, {entries});
  model.index = tensors.values<std::uint32_t>("vectors.index", Dtype::U32, {entries});
  model.first = tensors.values<std::uint64_t>("functions.first", Dtype::U64, {functions + 1});
  model.coefficient = tensors.values<double>("functions.coefficient", Dtype::F64, {terms});
  model.vector = tensors.values<std::uint32_t>("functions.vector", Dtype::U32, {terms});
  model.offsets = tensors.values<double>("offsets", Dtype::F64, {functions});
  check_starts(tensors, "vectors.start", model.start, entries);
  check_starts(tensors, "functions.first", model.first, terms);
  // Columns are looked up in tables as long as there are features.
  constexpr std::uint64_t free_features = std::uint64_t{16} << 20U;
  if (model.features > free_features && model.features / 1024 > entries + 1)
    tensors.refuse(starts, 0, fmt::format("{} entries for {} features", entries, model.features));
  check_rows(tensors, model);
  model.order = read_order(tensors, classes);
  if (tensors.find("functions.sigmoid") != nullptr && (model.pairs || classes == 2))
    model.sigmoid = tensors.values<double>("functions.sigmoid", Dtype::F64, {functions, 2});
}

}  // namespace halfspace::detail
