// SPDX-License-Identifier: BSD-3-Clause
// halfspace doctor DATA
#include "halfspace/data/doctor.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "data_options.hpp"
#include "halfspace/core/error.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

class Doctor final : public Command {
 public:
  void add_options(OptionList& options) override {
    options.argument("DATA", "labelled rows; - for standard input", data_.path);
    data_.add_reading(options);
  }

  int run(const Common& common, Output& output) override {
    std::vector<std::string> notes;
    const Dataset data = read_with_holes(common, notes);
    const Examination found = examine(data, common.team());
    for (const std::string& note : notes) output.note(note);
    print(data, found, output);
    output.object(output.json() ? json(data, found, notes) : Json());
    return exit_done;
  }

 private:
  // Missing values are something to tell, not a reason to stop.
  [[nodiscard]] Dataset read_with_holes(const Common& common, std::vector<std::string>& notes) const {
    std::error_code ignored;
    try {
      return read_data(data_, common, notes);
    } catch (const InputError& fault) {
      // What is not a file cannot be read again.
      if (data_.read.missing != Missing::Error || !std::filesystem::is_regular_file(data_.path, ignored)) throw;
      DataOptions filled = data_;
      filled.read.missing = Missing::Mean;
      notes.clear();
      try {
        Dataset data = read_data(filled, common, notes);  // any other fault of a table is still there
        notes.emplace_back("train wants --missing mean|median|drop for this table");
        return data;
      } catch (const UsageError&) {  // no table
        throw fault;
      }
    }
  }

  void print(const Dataset& data, const Examination& found, const Output& output) const {
    output.line(describe_data(data, data_.path));
    if (data.encoding() != nullptr && !data.encoding()->label_column.empty()) {
      output.line(fmt::format("label: {} ({} values; --label to change)",
                              printable(data.encoding()->label_column), data.classes().size()));
    }
    if (data.labelled()) output.line(describe_classes(data));
    output.line(fmt::format("{} distinct rows, values from {:.6g} to {:.6g}", found.distinct_rows,
                            found.min_value, found.max_value));
    for (const Finding& finding : found.findings) {
      output.line(fmt::format("! {}: {}", finding.kind, finding.text));
      if (!finding.advice.empty()) output.line(fmt::format("    -> {}", finding.advice));
    }
    if (found.findings.empty()) output.line("nothing odd found");
    output.line(fmt::format("next: halfspace train {} -o MODEL", printable(data_.path, 200)));
  }

  static Json json(const Dataset& data, const Examination& found, const std::vector<std::string>& notes) {
    Json value;
    value["schema"] = "halfspace.doctor/1";
    value["rows"] = data.rows();
    value["features"] = data.features();
    value["nonzeros"] = data.nonzeros();
    value["storage"] = data.storage_name();
    value["classes"] = classes_json(data);
    value["distinct_rows"] = found.distinct_rows;
    value["min_value"] = found.min_value;
    value["max_value"] = found.max_value;
    value["findings"] = Json::array();
    for (const Finding& one : found.findings) {
      value["findings"].push_back({{"kind", one.kind}, {"text", one.text}, {"advice", one.advice}});
    }
    value["notes"] = notes;
    return value;
  }

  DataOptions data_;
};

}  // namespace

constinit const Verb doctor_verb = {
    "doctor",
    "DATA [options]",
    "what is odd about a data set before training",
    {"halfspace doctor table.csv", "halfspace doctor a9a --json"},
    "Says what the data are and what may spoil training: equal rows with different labels, constant columns, "
    "columns "
    "of very different size, rare classes.",
    [](const std::vector<std::string>&) -> std::unique_ptr<Command> { return std::make_unique<Doctor>(); }};

}  // namespace halfspace::cli
