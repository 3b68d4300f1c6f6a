// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/model/read_for_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

ReadOptions options_for(const Model& model, const ReadOptions& given) {
  ReadOptions read = given;
  read.encoding = model.encoding;
  read.features = static_cast<std::uint32_t>(model.features());
  read.need_labels = false;
  if (fact(model, "zero_based") == "true") read.zero_based = true;
  return read;
}

// Rows without names, for a model whose columns have some: the first feature is the first one of the table, and so on.
// What cannot be such a row is refused.
void check_by_position(const Dataset& data, const Model& model) {
  if (model.encoding == nullptr || data.encoding() != nullptr || data.features() <= model.features()) return;
  throw InputError({.file = data.name()}, fmt::format("{} features", data.features()),
                   fmt::format("the model was trained on a table that gives {}", model.features()));
}

void add_notes(bool named, std::size_t features, const Model& model, std::vector<std::string>* notes) {
  if (notes == nullptr) return;
  if (model.encoding != nullptr && !named)
    notes->emplace_back(
        "the model was trained on a table with named columns; these rows have no names and are taken by "
        "position");
  if (features > model.features())
    notes->push_back(
        fmt::format("{} features were not seen in training and are ignored", features - model.features()));
}

}  // namespace

Dataset read_for_model(const std::string& path, const Model& model, const ReadOptions& options) {
  Dataset data = read(path, options_for(model, options));
  check_by_position(data, model);
  add_notes(data.encoding() != nullptr, data.features(), model, options.notes);
  return data;
}

void read_blocks_for_model(const std::string& path, const Model& model, const ReadOptions& options,
                           const TakeBlock& take) {
  std::mutex guard;
  std::size_t features = 0;
  bool named = true;
  read_in_blocks(path, options_for(model, options),
                 [&](std::size_t number, const Dataset& block, const Threads& threads) {
                   check_by_position(block, model);
                   {
                     const std::lock_guard lock(guard);
                     named = named && block.encoding() != nullptr;
                     features = std::max(features, block.features());
                   }
                   take(number, block, threads);
                 });
  add_notes(named, features, model, options.notes);
}

}  // namespace halfspace
