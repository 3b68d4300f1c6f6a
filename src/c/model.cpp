// SPDX-License-Identifier: BSD-3-Clause
// The C interface: models, what they say of rows and of themselves.
#include "halfspace/model/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "c/handles.hpp"
#include "halfspace/certify/certificate.hpp"
#include "halfspace/certify/verify_model.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/model/predict.hpp"
#include "model/row_scores.hpp"

namespace halfspace::c {
namespace {

constexpr const char* form_names[] = {"linear", "lookup", "voted", "kernel"};

// Planes that score rows as they are read.
const LinearModel* planes_of(const Model& model) {
  const LinearModel* linear = std::get_if<LinearModel>(&model.form);
  return linear == nullptr || model.unit_rows || has_preparation(model) ? nullptr : linear;
}

template <class V>
Matrix plain_rows(const halfspace_array& array) {
  return DenseView<V>{.rows = array.rows, .cols = array.cols, .value = static_cast<const V*>(array.data)};
}

// One look at every value: what is not finite in a row makes its score no finite number, whatever the weights. False, with
// nothing said, where that happened, or the rows or the model are of another kind.
bool scores_unchecked(const Model& model, const halfspace_array& array, const Threads& threads, double* out) {
  const LinearModel* planes = planes_of(model);
  const bool wide = array.type == HALFSPACE_FLOAT64;
  const auto item = static_cast<std::int64_t>(wide ? sizeof(double) : sizeof(float));
  if (planes == nullptr || array.rows == 0 || array.data == nullptr ||
      !is_aligned(array, static_cast<std::size_t>(item)) || (!wide && array.type != HALFSPACE_FLOAT32) ||
      (array.cols > 1 && array.col_stride != item) ||
      (array.rows > 1 && array.row_stride != item * static_cast<std::int64_t>(array.cols)))
    return false;
  const bool constant =
      std::all_of(planes->weights.begin(), planes->weights.end(), [](double w) { return w == 0; });
  if (constant) return false;
  DatasetParts parts;
  parts.matrix = wide ? plain_rows<double>(array) : plain_rows<float>(array);
  parts.nonzeros = array.rows * array.cols;
  const Dataset rows = Dataset::make(std::move(parts), false);
  const std::size_t size = array.rows * planes->planes;
  detail::linear_scores(*planes, false, rows, threads, {out, size});
  return std::all_of(out, out + size, [](double x) { return std::isfinite(x); });
}

Json facts_json(const Facts& facts) {
  Json out = Json::object();
  for (const auto& [key, value] : facts) out[key] = value;
  return out;
}

// What a table needs to be read as the training table was; null: no table, or one with more than numbers and categories.
Json columns_json(const Model& model) {
  if (model.encoding == nullptr) return nullptr;
  Json out = Json::array();
  for (const Column& column : model.encoding->columns) {
    const bool category = column.kind == ColumnKind::Category;
    if (column.kind == ColumnKind::Words || column.fill || column.missing_feature || column.reference)
      return nullptr;
    out.push_back(
        {{"name", column.name}, {"categories", category ? Json(column.categories) : Json(nullptr)}});
  }
  return out;
}

// The certificates in words.
Json proofs_json(const Model& model) {
  Json out = Json::array();
  if (model.certificate.empty()) return out;
  for (const Certificate& one : certificates_from_json(model.certificate, {})) out.push_back(describe(one));
  return out;
}

Json describe_model(const Model& model) {
  Json names = nullptr, label = nullptr;
  if (model.encoding != nullptr) {
    names = Json::array();
    for (std::uint32_t j = 0; j < model.encoding->features(); ++j)
      names.push_back(model.encoding->feature_name(j));
    label = model.encoding->label_column;
  }
  return {{"algorithm", model.algorithm},
          {"options", facts_json(model.options)},
          {"facts", facts_json(model.facts)},
          {"classes", model.classes},
          {"features", model.features()},
          {"planes", model.planes()},
          {"form", form_names[model.form.index()]},
          {"linear", planes_of(model) != nullptr},
          {"probabilities", has_probabilities(model)},
          {"calibration", OptionType<CalibrationKind>::print(model.calibrator.kind)},
          {"names", names},
          {"columns", columns_json(model)},
          {"label", label}};
}

}  // namespace
}  // namespace halfspace::c

using namespace halfspace;
using namespace halfspace::c;

std::int32_t halfspace_predict(const halfspace_model* model, const halfspace_dataset* data,
                               std::int32_t threads, std::uint32_t* labels, halfspace_error* error) {
  return guarded(error, [&] {
    const std::vector<std::uint32_t> found =
        predict(need(model, "model").model, need(data, "data").data, Threads(threads));
    std::copy(found.begin(), found.end(), &need(labels, "labels"));
  });
}

std::int32_t halfspace_scores(const halfspace_model* model, const halfspace_dataset* data,
                              std::int32_t threads, double* out, halfspace_error* error) {
  return guarded(error, [&] {
    const std::vector<double> found =
        scores(need(model, "model").model, need(data, "data").data, Threads(threads));
    std::copy(found.begin(), found.end(), &need(out, "scores"));
  });
}

std::int32_t halfspace_scores_dense(const halfspace_model* model, const halfspace_array* values,
                                    std::int32_t threads, double* out, halfspace_error* error) {
  return guarded(error, [&] {
    const Model& scorer = need(model, "model").model;
    const halfspace_array& array = need(values, "values");
    if (array.cols != scorer.features())
      throw UsageError("the model takes " + std::to_string(scorer.features()) + " columns, not " +
                       std::to_string(array.cols));
    double* const to = array.rows == 0 ? out : &need(out, "scores");
    if (scores_unchecked(scorer, array, Threads(threads), to)) return;
    halfspace_rows rows{};
    rows.hold = HALFSPACE_BORROW;
    rows.threads = threads;
    const std::vector<double> found = scores(scorer, dense_set(array, rows), Threads(threads));
    std::copy(found.begin(), found.end(), to);
  });
}

std::int32_t halfspace_probabilities(const halfspace_model* model, const halfspace_dataset* data,
                                     std::int32_t threads, double* out, halfspace_error* error) {
  return guarded(error, [&] {
    const std::vector<double> found =
        probabilities(need(model, "model").model, need(data, "data").data, Threads(threads));
    std::copy(found.begin(), found.end(), &need(out, "probabilities"));
  });
}

std::int32_t halfspace_probabilities_of(const halfspace_model* model, const double* scores,
                                        std::uint64_t rows, double* out, halfspace_error* error) {
  return guarded(error, [&] {
    const Model& given = need(model, "model").model;
    if (!has_probabilities(given)) throw UsageError("the model has no probabilities");
    if (labels_follow_probabilities(given))
      throw UsageError("the model has probabilities of pairs, which its scores do not say");
    const std::span<const double> known(rows == 0 ? scores : &need(scores, "scores"), rows * given.planes());
    const std::vector<double> found = probabilities_from_scores(given, known);
    std::copy(found.begin(), found.end(), &need(out, "probabilities"));
  });
}

std::int32_t halfspace_model_save(const halfspace_model* model, const char* path, halfspace_error* error) {
  return guarded(error, [&] { save(need(model, "model").model, &need(path, "path")); });
}

std::int32_t halfspace_model_load(const char* path, halfspace_model** out, halfspace_error* error) {
  return guarded(error, [&] { need(out, "out") = new halfspace_model{load(&need(path, "path"))}; });
}

std::int32_t halfspace_model_bytes(const halfspace_model* model, char** bytes, std::uint64_t* size,
                                   halfspace_error* error) {
  return guarded(error, [&] {
    const std::string all = to_bytes(need(model, "model").model);
    need(size, "size") = all.size();
    need(bytes, "bytes") = allocate_text(all);
  });
}

std::int32_t halfspace_model_from_bytes(const char* bytes, std::uint64_t size, halfspace_model** out,
                                        halfspace_error* error) {
  return guarded(error, [&] {
    need(out, "out") = new halfspace_model{model_from_bytes({&need(bytes, "bytes"), size}, "model bytes")};
  });
}

std::int32_t halfspace_model_describe(const halfspace_model* model, char** json, halfspace_error* error) {
  return guarded(error,
                 [&] { need(json, "json") = allocate_json(describe_model(need(model, "model").model)); });
}

std::int32_t halfspace_model_certificate(const halfspace_model* model, char** json, halfspace_error* error) {
  return guarded(error, [&] {
    const Model& given = need(model, "model").model;
    need(json, "json") = allocate_json(
        {{"certificate", given.certificate.empty() ? Json(nullptr) : Json::parse(given.certificate)},
         {"proofs", proofs_json(given)}});
  });
}

std::int32_t halfspace_model_planes(const halfspace_model* model, double* weights, double* offsets,
                                    halfspace_error* error) {
  return guarded(error, [&] {
    const LinearModel* planes = planes_of(need(model, "model").model);
    if (planes == nullptr) throw UsageError("the model has no planes of the rows as they are");
    std::copy(planes->weights.begin(), planes->weights.end(), &need(weights, "weights"));
    std::copy(planes->offsets.begin(), planes->offsets.end(), &need(offsets, "offsets"));
  });
}

std::int32_t halfspace_model_deviations(const halfspace_model* model, double* deviations,
                                        halfspace_error* error) {
  return guarded(error, [&] {
    const Model& shown = need(model, "model").model;
    double* const to = &need(deviations, "deviations");
    std::fill(to, to + shown.features(), std::numeric_limits<double>::quiet_NaN());
    std::copy(shown.deviations.begin(), shown.deviations.end(), to);
  });
}

void halfspace_model_free(halfspace_model* model) { delete model; }

std::int32_t halfspace_verify(const halfspace_model* model, const halfspace_dataset* data,
                              std::int32_t threads, char** json, halfspace_error* error) {
  return guarded(error, [&] {
    const ModelCheck check = verify(need(model, "model").model, need(data, "data").data, Threads(threads));
    Json gaps = Json::array(), lines = Json::array();
    for (const DualityGap& gap : check.gaps) gaps.push_back({{"primal", gap.primal}, {"dual", gap.dual}});
    for (const std::string& line : check.lines) lines.push_back(without_dashes(line));
    need(json, "json") = allocate_json(Json{{"holds", check.holds}, {"lines", lines}, {"gaps", gaps}});
  });
}
