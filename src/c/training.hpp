// SPDX-License-Identifier: BSD-3-Clause
// What a halfspace_training says, in the terms of the library, and what comes back.
#pragma once

#include <optional>
#include <utility>

#include "c/handles.hpp"
#include "halfspace/train/train.hpp"

namespace halfspace::c {

[[nodiscard]] Run run_of(const halfspace_training& how);
[[nodiscard]] Preparation preparation_of(const halfspace_training& how);
[[nodiscard]] Algorithm algorithm_of(const halfspace_training& how);
[[nodiscard]] Facts options_of(const halfspace_training& how);
[[nodiscard]] Json report_of(const Fit& fit);

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

inline void hand_out(Fit fit, halfspace_model*& model, char** report) {
  if (report != nullptr) *report = allocate_json(report_of(fit));
  if (fit.has_model()) model = new halfspace_model{std::move(fit).model()};
}

}  // namespace halfspace::c
