// SPDX-License-Identifier: BSD-3-Clause
// Which tensors a model has. Linear: "weights" [planes, features] or, when fewer than a third of the weights
// are not zero, "weights.start" [planes + 1], "weights.value" [n] and "weights.index" [n]; "offsets"
// [planes], and "order" as kernel models have it. Lookup: "values" [n] and "labels" [n]. Voted: the rows "rows.start" [r + 1], "rows.value" [n],
// "rows.constant" [r], "rows.index" [n], and the mistakes "mistakes.first" [planes + 1], "mistakes.survived" [k],
// "mistakes.row" [k], "mistakes.positive" [k]. Kernel: the support vectors "vectors.start" [r + 1], "vectors.value" [n],
// "vectors.index" [n], and the functions "functions.first" [f + 1], "functions.coefficient" [m], "functions.vector" [m],
// "offsets" [f], "functions.sigmoid" [f, 2] where they have probabilities, and "order" [classes] when ties go another way
// than by the order of the classes. Any: "encoding" and "certificate", JSON texts as bytes, when there;
// scaling and feature map as preparation_tensors.cpp says.
#include "halfspace/model/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <set>
#include <type_traits>
#include <utility>

#include "data/text/other_file.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "model/file/model_json.hpp"
#include "model/file/safetensors.hpp"
#include "model/file/tensor_reader.hpp"
#include "model/foreign/liblinear_text.hpp"
#include "model/foreign/libsvm_text.hpp"

namespace halfspace {
namespace {

using detail::bytes_of;
using detail::check_starts;
using detail::Dtype;
using detail::Tensor;
using detail::TensorReader;

static_assert(std::endian::native == std::endian::little, "tensors are copied as they lie in memory");

// A sparse model may take this much memory, or this many times its file, whichever is more: a few bytes
// cannot make the reader fill the machine.
constexpr std::uint64_t free_weights = std::uint64_t{4} << 20U;  // 32 MiB of doubles
constexpr std::uint64_t growth_limit = 1024;

bool may_grow(std::uint64_t weights, std::uint64_t stored) {
  return weights <= free_weights || weights / growth_limit <= stored;
}

// ---------------------------------------------------------------------------------------------- writing

struct SparseWeights {
  std::vector<std::uint64_t> start{0};
  std::vector<double> value;
  std::vector<std::uint32_t> index;
};

bool stored(double weight) { return std::bit_cast<std::uint64_t>(weight) != 0; }  // -0.0 is kept

SparseWeights sparse_weights(const LinearModel& model) {
  SparseWeights sparse;
  for (std::size_t k = 0; k < model.planes; ++k) {
    const auto plane = model.plane(k);
    for (std::size_t j = 0; j < plane.size(); ++j) {
      if (!stored(plane[j])) continue;
      sparse.value.push_back(plane[j]);
      sparse.index.push_back(static_cast<std::uint32_t>(j));
    }
    sparse.start.push_back(sparse.value.size());
  }
  return sparse;
}

bool better_sparse(const LinearModel& model) {
  const auto count =
      static_cast<std::uint64_t>(std::count_if(model.weights.begin(), model.weights.end(), stored));
  return count < model.weights.size() / 3 && may_grow(model.weights.size(), count);
}

// The tensors of four bytes come last, so that every tensor lies on a multiple of its size.
std::vector<Tensor> linear_tensors(const LinearModel& model, SparseWeights& sparse) {
  const Tensor offsets{"offsets", Dtype::F64, {model.planes}, bytes_of(model.offsets)};
  std::vector<Tensor> out;
  if (!better_sparse(model)) {
    out = {{"weights", Dtype::F64, {model.planes, model.features}, bytes_of(model.weights)}, offsets};
  } else {
    sparse = sparse_weights(model);
    out = {{"weights.start", Dtype::U64, {sparse.start.size()}, bytes_of(sparse.start)},
           {"weights.value", Dtype::F64, {sparse.value.size()}, bytes_of(sparse.value)},
           offsets,
           {"weights.index", Dtype::U32, {sparse.index.size()}, bytes_of(sparse.index)}};
  }
  if (!model.order.empty()) out.push_back({"order", Dtype::U32, {model.order.size()}, bytes_of(model.order)});
  return out;
}

std::vector<Tensor> voted_tensors(const VotedModel& model) {
  return {{"rows.start", Dtype::U64, {model.start.size()}, bytes_of(model.start)},
          {"rows.value", Dtype::F64, {model.value.size()}, bytes_of(model.value)},
          {"rows.constant", Dtype::F64, {model.constant.size()}, bytes_of(model.constant)},
          {"mistakes.first", Dtype::U64, {model.first.size()}, bytes_of(model.first)},
          {"mistakes.survived", Dtype::U64, {model.survived.size()}, bytes_of(model.survived)},
          {"rows.index", Dtype::U32, {model.index.size()}, bytes_of(model.index)},
          {"mistakes.row", Dtype::U32, {model.row.size()}, bytes_of(model.row)},
          {"mistakes.positive", Dtype::U8, {model.positive.size()}, bytes_of(model.positive)}};
}

// A file that load() would refuse is not written.
void check_finite(const std::vector<double>& values) {
  if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) {
    throw InputError({}, "the model has a weight that is not finite", "nothing was written",
                     "scale the data");
  }
}

// The dual points of all planes, one after the other.
struct DualArrays {
  std::vector<std::uint64_t> start{0};
  std::vector<double> alpha;
  std::vector<std::uint32_t> rows;
};
DualArrays dual_arrays(const std::vector<DualPoint>& points) {
  DualArrays out;
  for (const DualPoint& point : points) {
    out.alpha.insert(out.alpha.end(), point.alpha.begin(), point.alpha.end());
    out.rows.insert(out.rows.end(), point.rows.begin(), point.rows.end());
    out.start.push_back(out.alpha.size());
  }
  return out;
}

// ---------------------------------------------------------------------------------------------- reading

void read_sparse_weights(TensorReader& tensors, LinearModel& model) {
  const auto start = tensors.values<std::uint64_t>("weights.start", Dtype::U64, {model.planes + 1});
  const Tensor& starts = *tensors.find("weights.start");
  const std::uint64_t count = tensors.get("weights.index", Dtype::U32).bytes.size() / sizeof(std::uint32_t);
  const auto index = tensors.values<std::uint32_t>("weights.index", Dtype::U32, {count});
  const auto value = tensors.values<double>("weights.value", Dtype::F64, {count});
  const Tensor& indices = *tensors.find("weights.index");

  std::uint64_t total = 0;
  if (!checked_mul(model.planes, model.features, total) || !may_grow(total, count)) {
    tensors.refuse(
        starts, 0,
        fmt::format("{} stored weights for {} planes of {} features", count, model.planes, model.features));
  }
  if (start.front() != 0) tensors.refuse(starts, 0, "does not begin with 0");
  if (start.back() != count)
    tensors.refuse(starts, model.planes * 8, "does not end with the number of weights");
  for (std::size_t k = 0; k < model.planes; ++k) {
    if (start[k] > start[k + 1] || start[k + 1] > count) tensors.refuse(starts, (k + 1) * 8, "not ascending");
    for (std::uint64_t i = start[k]; i < start[k + 1]; ++i) {
      const bool ascends = i == start[k] || index[i] > index[i - 1];
      if (!ascends || index[i] >= model.features)
        tensors.refuse(indices, i * 4, "not ascending below the features");
    }
  }
  model.weights.assign(total, 0.0);
  for (std::size_t k = 0; k < model.planes; ++k) {
    double* const plane = model.weights.data() + k * model.features;
    for (std::uint64_t i = start[k]; i < start[k + 1]; ++i) plane[index[i]] = value[i];
  }
}

void read_form(TensorReader& tensors, LinearModel& model, std::size_t classes) {
  if (tensors.find("weights") != nullptr) {
    model.weights = tensors.values<double>("weights", Dtype::F64, {model.planes, model.features});
  } else {
    read_sparse_weights(tensors, model);
  }
  model.offsets = tensors.values<double>("offsets", Dtype::F64, {model.planes});
  if (model.planes > 1) model.order = detail::read_order(tensors, classes);
}

void read_form(TensorReader& tensors, LookupModel& model, std::size_t classes) {
  const Tensor& values = tensors.get("values", Dtype::F64);
  const std::uint64_t count = values.bytes.size() / sizeof(double);
  model.values = tensors.values<double>("values", Dtype::F64, {count});
  model.labels = tensors.values<std::uint32_t>("labels", Dtype::U32, {count});
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0 && !(model.values[i - 1] < model.values[i])) tensors.refuse(values, i * 8, "not ascending");
    if (model.labels[i] >= classes) {
      tensors.refuse(*tensors.find("labels"), i * 4, fmt::format("class {} of {}", model.labels[i], classes));
    }
  }
}

void read_form(TensorReader& tensors, VotedModel& model, std::size_t) {
  constexpr std::uint64_t exact = std::uint64_t{1} << 53U;  // counts are added as doubles
  const std::uint64_t rows = tensors.get("rows.constant", Dtype::F64).bytes.size() / sizeof(double);
  const std::uint64_t entries = tensors.get("rows.index", Dtype::U32).bytes.size() / sizeof(std::uint32_t);
  const std::uint64_t mistakes = tensors.get("mistakes.row", Dtype::U32).bytes.size() / sizeof(std::uint32_t);
  if (model.features > free_weights && model.features / growth_limit > entries + 1) {
    tensors.refuse(*tensors.find("rows.index"), 0,
                   fmt::format("{} entries for {} features", entries, model.features));
  }
  model.start = tensors.values<std::uint64_t>("rows.start", Dtype::U64, {rows + 1});
  model.value = tensors.values<double>("rows.value", Dtype::F64, {entries});
  model.constant = tensors.values<double>("rows.constant", Dtype::F64, {rows});
  model.index = tensors.values<std::uint32_t>("rows.index", Dtype::U32, {entries});
  model.first = tensors.values<std::uint64_t>("mistakes.first", Dtype::U64, {model.planes + 1});
  model.survived = tensors.values<std::uint64_t>("mistakes.survived", Dtype::U64, {mistakes});
  model.row = tensors.values<std::uint32_t>("mistakes.row", Dtype::U32, {mistakes});
  model.positive = tensors.values<std::uint8_t>("mistakes.positive", Dtype::U8, {mistakes});
  check_starts(tensors, "rows.start", model.start, entries);
  check_starts(tensors, "mistakes.first", model.first, mistakes);
  for (std::uint64_t r = 0; r < rows; ++r) {
    for (std::uint64_t at = model.start[r]; at < model.start[r + 1]; ++at) {
      const bool ascends = at == model.start[r] || model.index[at] > model.index[at - 1];
      if (!ascends || model.index[at] >= model.features)
        tensors.refuse(*tensors.find("rows.index"), at * 4, "not ascending below the features");
    }
  }
  for (std::uint64_t k = 0; k < mistakes; ++k) {
    if (model.row[k] >= rows) tensors.refuse(*tensors.find("mistakes.row"), k * 4, "no such row");
    if (model.positive[k] > 1) tensors.refuse(*tensors.find("mistakes.positive"), k, "neither 0 nor 1");
    if (model.survived[k] > exact) tensors.refuse(*tensors.find("mistakes.survived"), k * 8, "above 2^53");
  }
}

void read_form(TensorReader& tensors, KernelModel& model, std::size_t classes) {
  detail::read_kernel_tensors(tensors, model, classes);
}

void read_dual(TensorReader& tensors, Model& model) {
  if (tensors.find("dual.start") == nullptr) return;
  const auto start = tensors.values<std::uint64_t>("dual.start", Dtype::U64, {model.functions() + 1});
  const Tensor& starts = *tensors.find("dual.start");
  const std::uint64_t count = tensors.get("dual.rows", Dtype::U32).bytes.size() / sizeof(std::uint32_t);
  const auto rows = tensors.values<std::uint32_t>("dual.rows", Dtype::U32, {count});
  const auto alpha = tensors.values<double>("dual.alpha", Dtype::F64, {count});
  if (start.front() != 0 || start.back() != count) tensors.refuse(starts, 0, "does not span the dual values");
  for (std::size_t k = 0; k + 1 < start.size(); ++k) {
    if (start[k] > start[k + 1] || start[k + 1] > count) tensors.refuse(starts, (k + 1) * 8, "not ascending");
    DualPoint& point = model.dual.emplace_back();
    point.rows.assign(rows.begin() + static_cast<std::ptrdiff_t>(start[k]),
                      rows.begin() + static_cast<std::ptrdiff_t>(start[k + 1]));
    point.alpha.assign(alpha.begin() + static_cast<std::ptrdiff_t>(start[k]),
                       alpha.begin() + static_cast<std::ptrdiff_t>(start[k + 1]));
    for (std::size_t i = 0; i < point.rows.size(); ++i) {
      if (i > 0 && point.rows[i] <= point.rows[i - 1])
        tensors.refuse(*tensors.find("dual.rows"), (start[k] + i) * 4, "not ascending");
      if (!(point.alpha[i] > 0))
        tensors.refuse(*tensors.find("dual.alpha"), (start[k] + i) * 8, "not above 0");
    }
  }
}

Model read_native(std::string_view bytes, const std::string& name) {
  const detail::TensorFile file = detail::read_tensors(bytes, name);
  TensorReader tensors(file, name);
  Model model = detail::fields_from_json(file.fields, file.fields_place);
  std::visit([&](auto& form) { read_form(tensors, form, model.classes.size()); }, model.form);
  read_dual(tensors, model);
  detail::read_preparation(tensors, model);
  if (const Tensor* const encoding = tensors.find("encoding")) {
    const Place place = tensors.place(*encoding, 0);
    model.encoding = detail::encoding_from_json(tensors.text(*encoding), place);
    const auto& columns = model.encoding->columns;
    if (!columns.empty() && model.encoding->features() > model.features()) {
      throw InputError(place, fmt::format("the encoding has {} features, the model {}",
                                          model.encoding->features(), model.features()));
    }
  }
  if (const Tensor* const certificate = tensors.find("certificate"))
    model.certificate = tensors.text(*certificate);
  tensors.no_others();
  if (detail::file_checksum(bytes, file.checksum_at) != file.checksum) {
    throw InputError(file.checksum_place, "the checksum does not match", "the file is damaged");
  }
  return model;
}

// A LIBLINEAR model is text from its first byte; the header length of ours has a zero among its eight bytes.
bool looks_like_text(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 8);
  return !head.empty() && std::all_of(head.begin(), head.end(), [](char c) {
    return (c >= 0x20 && c < 0x7F) || c == '\n' || c == '\r' || c == '\t';
  });
}

// What begins like a page, an archive or a picture is called so. Lengths of our headers come first: they may look like
// anything.
void refuse_other_files(std::string_view bytes, const std::string& name) {
  if (bytes.size() >= 9 && bytes[7] == 0 && bytes[6] == 0 && bytes[8] == '{') return;
  const auto other = other_file(bytes);
  if (!other) return;
  Place place{.file = name, .line = other->line, .column = other->column};
  if (!looks_like_text(bytes) && !other->what.starts_with("text")) place = {.file = name, .byte = 0};
  throw InputError(place, "the file is " + other->what,
                   "a model of halfspace, LIBLINEAR or LIBSVM was expected", other->hint);
}

}  // namespace

std::string to_bytes(const Model& model) {
  std::vector<Tensor> tensors;
  SparseWeights sparse;  // keeps what the tensors point into
  std::string encoding;
  if (const auto* linear = std::get_if<LinearModel>(&model.form)) {
    check_finite(linear->weights);
    check_finite(linear->offsets);
    tensors = linear_tensors(*linear, sparse);
  } else if (const auto* voted = std::get_if<VotedModel>(&model.form)) {
    check_finite(voted->value);
    check_finite(voted->constant);
    tensors = voted_tensors(*voted);
  } else if (const auto* kernel = std::get_if<KernelModel>(&model.form)) {
    check_finite(kernel->value);
    check_finite(kernel->coefficient);
    check_finite(kernel->offsets);
    check_finite(kernel->sigmoid);
    tensors = detail::kernel_tensors(*kernel);
  } else {
    const auto& lookup = std::get<LookupModel>(model.form);
    check_finite(lookup.values);
    tensors.push_back({"values", Dtype::F64, {lookup.values.size()}, bytes_of(lookup.values)});
    tensors.push_back({"labels", Dtype::U32, {lookup.labels.size()}, bytes_of(lookup.labels)});
  }
  const DualArrays dual = dual_arrays(model.dual);
  if (!model.dual.empty()) {
    check_finite(dual.alpha);
    tensors.insert(tensors.begin(), {{"dual.start", Dtype::U64, {dual.start.size()}, bytes_of(dual.start)},
                                     {"dual.alpha", Dtype::F64, {dual.alpha.size()}, bytes_of(dual.alpha)}});
    tensors.push_back({"dual.rows", Dtype::U32, {dual.rows.size()}, bytes_of(dual.rows)});
  }
  check_finite(model.calibrator.scores);
  check_finite(model.calibrator.probabilities);
  std::vector<Tensor> eight, four;
  detail::preparation_tensors(model, eight, four);
  if (model.map != nullptr) {
    check_finite(model.map->value);
    check_finite(model.map->transform);
  }
  tensors.insert(tensors.begin(), eight.begin(), eight.end());
  tensors.insert(tensors.end(), four.begin(), four.end());
  if (model.encoding) {
    encoding = detail::encoding_to_json(*model.encoding);
    tensors.push_back({"encoding", Dtype::U8, {encoding.size()}, encoding});
  }
  if (!model.certificate.empty()) {
    tensors.push_back({"certificate", Dtype::U8, {model.certificate.size()}, model.certificate});
  }
  return detail::write_tensors(detail::fields_to_json(model), tensors);
}

Model model_from_bytes(std::string_view bytes, const std::string& name) {
  // As the length of a header these would be more than any file has.
  for (const std::string_view mark : {"\xEF\xBB\xBF", "\xFF\xFE", "\xFE\xFF"})
    if (bytes.starts_with(mark))
      throw InputError({.file = name, .line = 1, .column = 1},
                       mark.size() == 3 ? "a byte order mark" : "UTF-16 text",
                       "a model of halfspace, LIBLINEAR or LIBSVM, without a mark before it");
  if (bytes.empty())
    throw InputError({.file = name, .line = 1, .column = 1}, "the file is empty", "a model was expected");
  refuse_other_files(bytes, name);
  if (detail::is_libsvm_model(bytes)) return detail::model_from_libsvm(bytes, name);
  return looks_like_text(bytes) ? detail::model_from_liblinear(bytes, name) : read_native(bytes, name);
}

void save(const Model& model, const std::string& path) {
  const std::string bytes = to_bytes(model);
  write_file(path, [&](ByteSink& sink) { sink.write(bytes); });
}

Model load(const std::string& path, const Threads& threads) {
  const auto source = open_source(path);
  if (auto model = detail::model_from_plain_liblinear(*source, path, threads)) {
    source->check_unchanged();
    return std::move(*model);
  }
  return model_from_bytes(read_model_bytes(*source, path), path);
}

}  // namespace halfspace
