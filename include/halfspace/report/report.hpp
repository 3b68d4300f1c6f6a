// SPDX-License-Identifier: BSD-3-Clause
// What there is to say about a model, as one JSON object (docs/report.md), and the page that shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halfspace/certify/verify_model.hpp"
#include "halfspace/data/dataset.hpp"
#include "halfspace/model/model.hpp"
#include "halfspace/solve/run.hpp"

namespace halfspace {

struct ReportInput {
  const Model& model;
  const Dataset& data;            // what it was trained on, or other labelled rows; read for the model
  const Dataset* test = nullptr;  // rows to judge it by; null: `data`
  std::string model_name, data_name, test_name;  // as the commands of the report call them
  std::vector<std::string> notes;                // what a person should be told first
  // What verify() found, when it was asked.
  std::optional<ModelCheck> check;
  // What `halfspace path` or `tune` and `halfspace curve` have printed with --json, shown as they are; empty: nothing.
  std::string path_json, path_name, curve_json, curve_name;
  // Lines of `halfspace trace` on the rows of `data`, to replay in place of the model's own walk.
  std::string trace_lines, trace_name;
  // Two columns for pictures of planes that move; none: those of data with two, or the two that move the score most.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> columns;
};

// The object with the schema halfspace.report/1, as text. What takes long (separability, baselines, the perceptron's walk
// once more) is done where it is quick, and left out with a word otherwise. Throws InputError when rows have no labels.
[[nodiscard]] std::string report_json(const ReportInput& input, const Run& run = {});

// One HTML file with that object in it; throws InputError for what is no such object.
[[nodiscard]] std::string report_page(std::string_view json);

}  // namespace halfspace
