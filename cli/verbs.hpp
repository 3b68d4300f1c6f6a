// SPDX-License-Identifier: BSD-3-Clause
// One constant per verb, each in the file of its name.
#pragma once

#include "app.hpp"

namespace halfspace::cli {

extern const Verb train_verb;
extern const Verb predict_verb;
extern const Verb evaluate_verb;
extern const Verb separable_verb;
extern const Verb verify_verb;
extern const Verb show_verb;
extern const Verb convert_verb;
extern const Verb export_verb;
extern const Verb generate_verb;
extern const Verb doctor_verb;
extern const Verb trace_verb;
extern const Verb split_verb;
extern const Verb tune_verb;
extern const Verb compare_verb;
extern const Verb curve_verb;
extern const Verb path_verb;
extern const Verb explain_verb;
extern const Verb completion_verb;
extern const Verb report_verb;
extern const Verb plot_verb;
extern const Verb playground_verb;

}  // namespace halfspace::cli
