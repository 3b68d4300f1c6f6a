// SPDX-License-Identifier: BSD-3-Clause
// The languages that a graph is printed in, one file each.
#pragma once

#include <string>

#include "model/travel/graph.hpp"

namespace halfspace::travel {

[[nodiscard]] std::string to_c(const Graph& graph, const std::string& name);
[[nodiscard]] std::string to_javascript(const Graph& graph);
[[nodiscard]] std::string to_sql(const Graph& graph, const Model& model, const std::string& table);
[[nodiscard]] std::string to_onnx(const Graph& graph);

// JSON is a document, not a program: it is read back as a model.
[[nodiscard]] std::string to_json(const Model& model);
[[nodiscard]] Model model_from_document(const std::string& text);

}  // namespace halfspace::travel
