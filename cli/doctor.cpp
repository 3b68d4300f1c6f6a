// SPDX-License-Identifier: BSD-3-Clause
// halfspace doctor DATA
#include "halfspace/data/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "data_options.hpp"
#include "halfspace/core/error.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

// A word as a shell takes it.
std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                          "-_./,:=+%@") == std::string::npos;
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

class Doctor final : public Command {
 public:
  explicit Doctor(std::vector<std::string> args) : args_(std::move(args)) {}

  void add_options(OptionList& options) override {
    options.argument("DATA", "labelled rows; - for standard input", data_.path);
    options.text("--test", "FILE", "rows to test on later: are any of them among the training rows?",
                 test_path_);
    data_.add_reading(options);
  }

  int run(const Common& common, Output& output) override {
    std::vector<std::string> notes;
    const Dataset data = read_with_holes(common, notes);
    Examination found = examine(data, common.team());
    if (!test_path_.empty()) compare_with_test(data, common, notes, found);
    for (const std::string& note : notes) output.note(note);
    print(data, found, output);
    output.object(output.json() ? json(data, found, notes) : Json());
    return exit_done;
  }

 private:
  // Missing values are something to tell, not a reason to stop.
  [[nodiscard]] Dataset read_with_holes(const Common& common, std::vector<std::string>& notes) {
    std::error_code ignored;
    try {
      return read_data(data_, common, notes);
    } catch (const InputError& fault) {
      // What is not a file cannot be read again.
      if (data_.read.missing != Missing::Error || !std::filesystem::is_regular_file(data_.path, ignored))
        throw;
      DataOptions filled = data_;
      filled.read.missing = Missing::Mean;
      notes.clear();
      try {
        Dataset data = read_data(filled, common, notes);  // any other fault of a table is still there
        notes.emplace_back("train wants --missing mean|median|indicator|drop for this table");
        has_holes_ = true;
        return data;
      } catch (const UsageError&) {  // no table
        throw fault;
      }
    }
  }

  void compare_with_test(const Dataset& data, const Common& common, std::vector<std::string>& notes,
                         Examination& found) const {
    DataOptions options = data_;
    options.path = test_path_;
    if (data.encoding() != nullptr) {
      options.read = {};
      options.read.encoding = data.encoding();
      options.read.missing = data.encoding()->missing;
      options.read.need_labels = false;
    }
    const Dataset test = read_data(options, common, notes);
    const Overlap both = overlap(data, test, common.team());
    if (both.rows > 0)
      found.findings.insert(
          found.findings.begin(),
          {"overlap",
           fmt::format("{} of {} test rows are among the training rows, {} with the same label (the first: "
                       "row {} of the test is "
                       "row {} of the training)",
                       both.rows, test.rows(), both.same_label, both.test_row + 1, both.training_row + 1),
           "a test on rows that were trained on looks too good; take them out of one of the two"});
  }

  // With the options that were given, and those that are needed for it to work.
  [[nodiscard]] std::string next_command(const Examination& found) const {
    std::string out = "halfspace train";
    for (std::size_t k = 0; k < args_.size(); ++k) {
      const std::string& word = args_[k];
      if (word == "--json" || word == "--quiet") continue;
      if (has_holes_ && word.starts_with("--missing=")) continue;  // it refuses them
      if (has_holes_ && word == "--missing") {
        ++k;
        continue;
      }
      out += " " + shell_word(word);
    }
    if (has_holes_) out += " --missing indicator";
    for (const Finding& one : found.findings)
      if (one.kind == "scale") out += " --scale standard";
    return out + " -o MODEL";
  }

  static bool has_one_class(const Examination& found) {
    return std::any_of(found.findings.begin(), found.findings.end(),
                       [](const Finding& one) { return one.kind == "one-class"; });
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
    output.line(fmt::format(
        "expected cost: {} of memory for the rows, {} products in a pass over them for each plane",
        human_bytes(data.storage_bytes()), data.nonzeros()));
    if (!has_one_class(found)) output.line("next: " + printable(next_command(found), 1000));
  }

  [[nodiscard]] Json json(const Dataset& data, const Examination& found,
                          const std::vector<std::string>& notes) const {
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
    value["cost"] = {{"bytes", data.storage_bytes()}, {"products", data.nonzeros()}};
    value["next"] = has_one_class(found) ? Json(nullptr) : Json(next_command(found));
    value["notes"] = notes;
    return value;
  }

  std::vector<std::string> args_;  // as they were given
  std::string test_path_;
  bool has_holes_ = false;
  DataOptions data_;
};

}  // namespace

constinit const Verb doctor_verb = {
    "doctor",
    "DATA [options]",
    "what is odd about a data set before training",
    {"halfspace doctor table.csv", "halfspace doctor table.csv --test test.csv"},
    "Says what the data are and what may spoil training: equal rows with different labels, constant columns, "
    "columns "
    "of very different size, rare classes, test rows among the training rows. Ends with the command that "
    "trains.",
    [](const std::vector<std::string>& args) -> std::unique_ptr<Command> {
      return std::make_unique<Doctor>(args);
    }};

}  // namespace halfspace::cli
