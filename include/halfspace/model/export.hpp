// SPDX-License-Identifier: BSD-3-Clause
// A model in a form that runs without halfspace: a program in another language, a graph, a document, or the text of another
// tool. What is written is run on rows before it is handed over, and compared with the model (docs/export.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halfspace/core/options.hpp"
#include "halfspace/core/parallel.hpp"
#include "halfspace/model/model.hpp"

namespace halfspace {

enum class Target { Onnx, C, JavaScript, Sql, Json, Liblinear, Libsvm };
namespace detail {
inline constexpr std::string_view target_words[] = {"onnx", "c",         "javascript", "sql",
                                                    "json", "liblinear", "libsvm"};
}
template <>
inline constexpr std::span<const std::string_view> enum_words<Target> = detail::target_words;

// liblinear for planes, libsvm for kernel machines.
[[nodiscard]] Target usual_target(const Model& model);
// What the ending of a file's name says: .onnx, .h, .js and .mjs, .sql, .json; others say nothing.
[[nodiscard]] std::optional<Target> target_of_name(std::string_view name);

struct ExportOptions {
  // What the functions of a C program begin with ("model" unless given) and the table of an SQL query ("rows").
  std::string name;
  // Compared on these, the first thousand (of very large models fewer, 20 at least), not on rows drawn from the model.
  const Dataset* rows = nullptr;
};

// What came out of the comparison. Labels may differ only where the scores differ by rounding and one of them decides.
struct ExportCheck {
  std::size_t rows = 0;
  std::size_t other_labels = 0;
  double score = 0;        // the largest difference of two scores
  double probability = 0;  // and of two probabilities
  bool same_bits = true;   // of every score
  bool probabilities = false;
  std::string ran;      // what was run here
  std::string not_ran;  // and what was not
};

struct Exported {
  std::string bytes;
  ExportCheck check;
  std::vector<std::string> notes;  // what a user of it has to know
  std::string left_out;  // the one of them that says which answers of the model it does not give; empty: none
};

// Throws UsageError for what the target cannot say, with the targets that can, and InputError when what was made does not
// give what the model gives.
[[nodiscard]] Exported export_model(const Model& model, Target target, const ExportOptions& options = {},
                                    const Threads& threads = Threads(1));

// The rows that exports are compared on: 20, the same for the same model. Some are rows that the model keeps (support
// vectors); the others are drawn from what it knows of its columns, some of them moved to where the label turns.
[[nodiscard]] Dataset probe_rows(const Model& model);

}  // namespace halfspace
