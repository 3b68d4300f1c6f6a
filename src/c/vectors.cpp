// SPDX-License-Identifier: BSD-3-Clause
// The C interface: what a model was made of (support vectors, dual values), and the model in other forms.
#include <fmt/format.h>

#include <optional>
#include <variant>
#include <vector>

#include "c/handles.hpp"
#include "halfspace/model/export.hpp"

namespace halfspace::c {
namespace {

template <class T>
constexpr std::int32_t type_of = std::is_same_v<T, double>          ? HALFSPACE_FLOAT64
                                 : std::is_same_v<T, std::uint64_t> ? HALFSPACE_UINT64
                                                                    : HALFSPACE_UINT32;

template <class T>
halfspace_array view_of(const T* data, std::size_t size) {
  return {size == 0 ? nullptr : data, type_of<T>, size, 1, sizeof(T), sizeof(T)};
}
template <class T>
halfspace_array view_of(const std::vector<T>& list) {
  return view_of(list.data(), list.size());
}

void check_function(const Model& model, std::uint64_t function) {
  if (function >= model.functions())
    throw UsageError(fmt::format("function {} of {}", function, model.functions()));
}

Json check_json(const ExportCheck& check) {
  return {{"rows", check.rows},
          {"other_labels", check.other_labels},
          {"same_bits", check.same_bits},
          {"score_difference", check.score},
          {"probability_difference", check.probabilities ? Json(check.probability) : Json(nullptr)},
          {"ran", check.ran},
          {"not_ran", check.not_ran}};
}

}  // namespace
}  // namespace halfspace::c

using namespace halfspace;
using namespace halfspace::c;

std::int32_t halfspace_model_vectors(const halfspace_model* model, halfspace_array* values,
                                     halfspace_array* columns, halfspace_array* starts,
                                     halfspace_error* error) {
  return guarded(error, [&] {
    static const KernelModel none;
    const KernelModel* kernel = std::get_if<KernelModel>(&need(model, "model").model.form);
    if (kernel == nullptr) kernel = &none;
    need(values, "values") = view_of(kernel->value);
    need(columns, "columns") = view_of(kernel->index);
    need(starts, "starts") = view_of(kernel->start);
  });
}

std::int32_t halfspace_model_function(const halfspace_model* model, std::uint64_t function,
                                      halfspace_array* vectors, halfspace_array* coefficients, double* offset,
                                      halfspace_error* error) {
  return guarded(error, [&] {
    const Model& given = need(model, "model").model;
    check_function(given, function);
    need(vectors, "vectors") = view_of<std::uint32_t>(nullptr, 0);
    need(coefficients, "coefficients") = view_of<double>(nullptr, 0);
    need(offset, "offset") = 0;
    const KernelModel* kernel = std::get_if<KernelModel>(&given.form);
    if (kernel == nullptr) return;
    const std::size_t from = kernel->first[function], size = kernel->first[function + 1] - from;
    *vectors = view_of(kernel->vector.data() + from, size);
    *coefficients = view_of(kernel->coefficient.data() + from, size);
    *offset = kernel->offsets[function];
  });
}

std::int32_t halfspace_model_dual(const halfspace_model* model, std::uint64_t function, halfspace_array* rows,
                                  halfspace_array* alpha, halfspace_error* error) {
  return guarded(error, [&] {
    const Model& given = need(model, "model").model;
    check_function(given, function);
    const bool known = function < given.dual.size();
    need(rows, "rows") = known ? view_of(given.dual[function].rows) : view_of<std::uint32_t>(nullptr, 0);
    need(alpha, "alpha") = known ? view_of(given.dual[function].alpha) : view_of<double>(nullptr, 0);
  });
}

std::int32_t halfspace_model_export(const halfspace_model* model, const char* to, const char* name,
                                    const halfspace_dataset* rows, std::int32_t threads, char** bytes,
                                    std::uint64_t* size, char** json, halfspace_error* error) {
  return guarded(error, [&] {
    const Model& given = need(model, "model").model;
    const char* const asked = &need(to, "to");
    const std::optional<Target> by_name = target_of_name(asked);
    const Target target = by_name ? *by_name : OptionType<Target>::parse("to", asked, {});
    const Exported made = export_model(
        given, target, {text_or(name), rows == nullptr ? nullptr : &rows->data}, Threads(threads));
    need(size, "size") = made.bytes.size();
    Json notes = Json::array();
    for (const std::string& note : made.notes) notes.push_back(without_dashes(note));
    need(bytes, "bytes") = allocate_text(made.bytes);
    if (json != nullptr) *json = allocate_json({{"check", check_json(made.check)}, {"notes", notes}});
  });
}
