// SPDX-License-Identifier: BSD-3-Clause
// The model, the data card with the doctor's findings, and how to do it again.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "halfspace/core/error.hpp"
#include "halfspace/core/label_text.hpp"
#include "halfspace/core/version.hpp"
#include "halfspace/data/doctor.hpp"
#include "halfspace/data/read.hpp"
#include "report/sections/sections.hpp"

namespace halfspace::report {
namespace {

// Every check of the doctor by its code: how much a finding weighs, and what is true when there is none.
struct DoctorCheck {
  std::string_view code, severity, passed;
};
constexpr std::array doctor_checks = {
    DoctorCheck{"one-class", "warning", "at least two classes have rows"},
    DoctorCheck{"contradiction", "warning", "no two equal rows have different labels"},
    DoctorCheck{"leak", "warning", "no single column tells the classes apart"},
    DoctorCheck{"row-number", "warning", "no column counts the rows"},
    DoctorCheck{"huge-values", "warning", "no value is beyond 1e30"},
    DoctorCheck{"duplicates", "note", "no row is there twice"},
    DoctorCheck{"scale", "note", "the columns are of similar size"},
    DoctorCheck{"constant-column", "note", "no column has the same value in every row"},
    DoctorCheck{"empty-column", "note", "no column is never filled"},
    DoctorCheck{"zero-rows", "note", "no row has only zeros"},
    DoctorCheck{"rare-class", "note", "every class has at least 5 rows and 1 % of them"},
    DoctorCheck{"imbalance", "note", "no class is so frequent that always answering it looks good"},
};

Json checks_of(const Examination& found) {
  Json out = Json::array();
  const bool skipped = std::any_of(found.findings.begin(), found.findings.end(),
                                   [](const Finding& one) { return one.kind == "not-checked"; });
  for (const Finding& one : found.findings) {
    const auto* const check = std::find_if(doctor_checks.begin(), doctor_checks.end(),
                                           [&](const DoctorCheck& c) { return c.code == one.kind; });
    const std::string_view severity = one.kind == "not-checked"      ? "skipped"
                                      : check == doctor_checks.end() ? "warning"
                                                                     : check->severity;
    out.push_back({{"code", one.kind}, {"severity", severity}, {"text", one.text}, {"advice", one.advice}});
  }
  std::stable_sort(out.begin(), out.end(), [](const Json& a, const Json& b) {
    return (a["severity"] == "warning") > (b["severity"] == "warning");
  });
  for (const DoctorCheck& check : doctor_checks) {
    const bool fired = std::any_of(found.findings.begin(), found.findings.end(),
                                   [&](const Finding& one) { return one.kind == check.code; });
    // What needs sorted columns may have been left out.
    if (fired || (skipped && (check.code == "leak" || check.code == "row-number"))) continue;
    out.push_back({{"code", check.code}, {"severity", "passed"}, {"text", check.passed}, {"advice", ""}});
  }
  return out;
}

Json facts_pairs(const Facts& facts) {
  Json out = Json::array();
  for (const auto& [name, value] : facts) out.push_back({printable(name), printable(value, 200)});
  return out;
}

// A word for a shell: quoted where it must be. What is too long is cut before it is quoted: a quote that stays open would
// hand the next word to the shell.
std::string shell_word(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:,=+@%").find(c) != std::string_view::npos;
  });
  if (plain) return text;
  std::string out = "'";
  for (const char c : printable(text, 1000)) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// " --NAME a,b" of the names there are.
void add_names(std::string& out, std::string_view option, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  if (!text.empty()) out += fmt::format(" --{} {}", option, shell_word(text));
}

// How the table was read, where that is not what is done with any table.
std::string table_options(const Encoding& table) {
  std::string out;
  if (!table.header) out += " --header no";
  if (!table.label_column.empty()) out += " --label " + shell_word(table.label_column);
  if (!table.weight_column.empty()) out += " --weight " + shell_word(table.weight_column);
  add_names(out, "ignore", table.ignored);
  std::vector<std::string> categorical, words;
  std::uint32_t bits = 0;
  for (const Column& column : table.columns) {
    if (column.kind == ColumnKind::Words) words.push_back(column.name);
    bits = std::max(bits, column.hash_bits);
    if (column.kind == ColumnKind::Category && !column.categories.empty() &&
        std::all_of(column.categories.begin(), column.categories.end(),
                    [](const std::string& word) { return label_number(word).has_value(); }))
      categorical.push_back(column.name);
  }
  add_names(out, "categorical", categorical);
  add_names(out, "text", words);
  if (bits > 0) out += fmt::format(" --hash {}", bits);
  if (table.missing != Missing::Error)
    out += fmt::format(" --missing {}", OptionType<Missing>::print(table.missing));
  add_names(out, "missing-words", table.missing_words);
  if (table.one_hot != OneHot::Full)
    out += fmt::format(" --one-hot {}", OptionType<OneHot>::print(table.one_hot));
  if (table.decimal != DecimalMark::Point)
    out += fmt::format(" --decimal {}", OptionType<DecimalMark>::print(table.decimal));
  return out;
}

// The training as a command, as far as the model records it.
std::string train_command(const ReportInput& input) {
  const Model& model = input.model;
  std::string out = fmt::format("halfspace train {}", shell_word(input.data_name));
  if (model.encoding != nullptr) out += table_options(*model.encoding);
  if (fact_of(model, "zero_based") == "true") out += " --zero-based";
  if (const std::string positive = fact_of(model, "positive"); !positive.empty())
    out += " --positive " + shell_word(positive);
  if (const std::string scale = fact_of(model, "scale"); !scale.empty())
    out += " --scale " + shell_word(scale);
  if (const std::string map = fact_of(model, "map"); !map.empty()) {
    const std::size_t at = map.find(" for ");
    out += " --features " + shell_word(map.substr(0, at));
    if (at != std::string::npos) out += " --kernel " + shell_word(map.substr(at + 5));
  }
  out += " --algorithm " + shell_word(model.algorithm);
  for (const auto& [name, value] : model.options) {
    if (value.empty() || value == "-" || value == "false") continue;
    out += " " + shell_word("--" + name) + (value == "true" ? "" : " " + shell_word(value));
  }
  if (const std::string how = fact_of(model, "calibration"); !how.empty())
    out += " --calibrate " + shell_word(how.substr(0, how.find(' ')));
  if (const std::string seed = fact_of(model, "seed"); !seed.empty()) out += " --seed " + shell_word(seed);
  return out + " -o " + shell_word(input.model_name);
}

}  // namespace

Json model_section(const Context& context) {
  const Model& model = context.input.model;
  constexpr std::string_view kinds[] = {"linear", "lookup", "voted", "kernel"};
  Json classes = Json::array();
  for (std::size_t k = 0; k < model.classes.size(); ++k) classes.push_back(name_of_class(model, k));
  Json preparation = Json::array();
  if (model.unit_rows) preparation.push_back("rows are divided by their length");
  if (const std::string scale = fact_of(model, "scale"); !scale.empty() && scale != "unit")
    preparation.push_back(fmt::format(
        "columns were scaled for training ({}){}", printable(scale),
        model.scaling.kind == ScaleKind::None ? "; the weights are given in the units of the columns" : ""));
  if (model.map != nullptr)
    preparation.push_back(fmt::format("features were made: {}", printable(fact_of(model, "map"))));
  return {{"algorithm", printable(model.algorithm)},
          {"kind", kinds[model.form.index()]},
          {"classes", classes},
          {"features", model.features()},
          {"planes", model.planes()},
          {"options", facts_pairs(model.options)},
          {"facts", facts_pairs(model.facts)},
          {"preparation", preparation}};
}

Json data_section(const Context& context) {
  const Dataset& data = context.input.data;
  const Examination found = examine(data, context.run.threads);
  Json classes = Json::array();
  for (std::size_t k = 0; k < data.classes().size(); ++k)
    classes.push_back({{"label", printable(data.classes()[k])},
                       {"rows", k < found.class_rows.size() ? found.class_rows[k] : 0}});
  return {{"name", short_name(context.input.data_name)},
          {"rows", data.rows()},
          {"features", data.features()},
          {"nonzeros", data.nonzeros()},
          {"storage", data.storage_name()},
          {"weighted", !data.weights().empty()},
          {"distinct_rows", found.distinct_rows},
          {"low", number(found.min_value)},
          {"high", number(found.max_value)},
          {"training", context.training},
          {"classes", classes},
          {"checks", checks_of(found)}};
}

Json reproduce_section(const Context& context) {
  const ReportInput& input = context.input;
  Json out;
  out["version"] = version();
  out["trained_by"] = printable(fact_of(input.model, "version"));
  out["seed"] = printable(fact_of(input.model, "seed"));
  if (!input.model.algorithm.empty()) out["train"] = train_command(input);
  out["verify"] =
      fmt::format("halfspace verify {} {}", shell_word(input.model_name), shell_word(input.data_name));
  out["report"] = fmt::format("halfspace report {} {}{} -o report.html", shell_word(input.model_name),
                              shell_word(input.data_name),
                              input.test != nullptr ? " --test " + shell_word(input.test_name) : "");
  out["playground"] = fmt::format("halfspace playground {}", shell_word(input.data_name));
  Json prints = Json::array();
  prints.push_back({{"what", "training data, as the model says"},
                    {"fingerprint", printable(fact_of(input.model, "data"))}});
  prints.push_back({{"what", short_name(input.data_name)}, {"fingerprint", context.fingerprint}});
  if (input.test != nullptr)
    prints.push_back({{"what", short_name(input.test_name)}, {"fingerprint", input.test->fingerprint()}});
  out["fingerprints"] = prints;
  return out;
}

}  // namespace halfspace::report
