// SPDX-License-Identifier: BSD-3-Clause
// Tensors of a model file by name, each checked for type, shape and finite numbers, and none left unasked
// for.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "halfspace/core/error.hpp"
#include "halfspace/model/model.hpp"
#include "model/file/safetensors.hpp"

namespace halfspace::detail {

template <class T>
std::string_view bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

class TensorReader {
 public:
  TensorReader(const detail::TensorFile& file, const std::string& name) : file_(file), name_(name) {}

  [[nodiscard]] const Tensor* find(std::string_view name) {
    const auto found = std::find_if(file_.tensors.begin(), file_.tensors.end(),
                                    [&](const Tensor& tensor) { return tensor.name == name; });
    if (found == file_.tensors.end()) return nullptr;
    asked_.insert(found->name);
    return &*found;
  }

  [[nodiscard]] const Tensor& get(std::string_view name, Dtype dtype) {
    const Tensor* const tensor = find(name);
    if (tensor == nullptr) throw InputError(file_.fields_place, fmt::format("no tensor '{}'", name));
    if (tensor->dtype != dtype) refuse(*tensor, 0, "wrong dtype");
    return *tensor;
  }

  template <class T>
  [[nodiscard]] std::vector<T> values(std::string_view name, Dtype dtype,
                                      const std::vector<std::uint64_t>& shape) {
    const Tensor& tensor = get(name, dtype);
    if (tensor.shape != shape) {
      refuse(tensor, 0,
             fmt::format("shape [{}]; [{}] expected", fmt::join(tensor.shape, ", "), fmt::join(shape, ", ")));
    }
    std::vector<T> out(tensor.bytes.size() / sizeof(T));  // as many as the file really has
    if (!out.empty()) std::memcpy(out.data(), tensor.bytes.data(), tensor.bytes.size());
    if constexpr (std::is_same_v<T, double>) {
      const auto bad = std::find_if(out.begin(), out.end(), [](double v) { return !std::isfinite(v); });
      if (bad != out.end())
        refuse(tensor, static_cast<std::size_t>(bad - out.begin()) * sizeof(T), "not finite");
    }
    return out;
  }

  [[nodiscard]] std::string_view text(const Tensor& tensor) const {
    if (tensor.dtype != Dtype::U8 || tensor.shape.size() != 1 || tensor.bytes.empty()) {
      refuse(tensor, 0, "not a text (dtype U8, one dimension)");
    }
    return tensor.bytes;
  }

  void no_others() const {
    for (const Tensor& tensor : file_.tensors) {
      if (!asked_.contains(tensor.name)) refuse(tensor, 0, "unknown here");
    }
  }

  [[nodiscard]] Place place(const Tensor& tensor, std::uint64_t within) const {
    return {.file = name_, .byte = tensor.place + within};
  }
  [[noreturn]] void refuse(const Tensor& tensor, std::uint64_t within, const std::string& why) const {
    throw InputError(place(tensor, within), fmt::format("tensor '{}': {}", printable(tensor.name), why));
  }

 private:
  const detail::TensorFile& file_;
  const std::string& name_;
  std::set<std::string_view> asked_;
};

// 0 = start[0] <= start[1] <= ... <= the last, which is `count`.
inline void check_starts(TensorReader& tensors, std::string_view name,
                         const std::vector<std::uint64_t>& start, std::uint64_t count) {
  const Tensor& tensor = *tensors.find(name);
  if (start.empty() || start.front() != 0) tensors.refuse(tensor, 0, "does not begin with 0");
  for (std::size_t k = 0; k + 1 < start.size(); ++k)
    if (start[k] > start[k + 1]) tensors.refuse(tensor, (k + 1) * 8, "not ascending");
  if (start.back() != count)
    tensors.refuse(tensor, (start.size() - 1) * 8, "does not end with the number of entries");
}

// Kernel models.
[[nodiscard]] std::vector<Tensor> kernel_tensors(const KernelModel& model);
// "order", or nothing when it is not there.
[[nodiscard]] std::vector<std::uint32_t> read_order(TensorReader& tensors, std::size_t classes);
void read_kernel_tensors(TensorReader& tensors, KernelModel& model, std::size_t classes);

// Scaling and feature map, when the model has them. Written into `eight` (8 bytes a number) and `four`.
void preparation_tensors(const Model& model, std::vector<Tensor>& eight, std::vector<Tensor>& four);
void read_preparation(TensorReader& tensors, Model& model);

}  // namespace halfspace::detail
