// SPDX-License-Identifier: BSD-3-Clause
// halfspace convert DATA -o FILE
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "data_options.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/label_text.hpp"
#include "halfspace/data/write.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

class Convert final : public Command {
 public:
  void add_options(OptionList& options) override {
    options.argument("DATA", "rows to convert; - for standard input", data_.path);
    options.text("-o,--output", "FILE", "where the rows go; - for standard output", output_path_).required =
        true;
    OptionSpec to{"--to", "FORMAT",
                  "format of FILE; auto goes by its name (.hsd .csv .tsv .npy, else libsvm)"};
    to.choices = "auto|libsvm|csv|npy|hsd";
    to.fallback = "auto";
    to.set = [this](const std::string& text) { to_ = OptionType<Format>::parse("to", text, {}); };
    options.add(std::move(to));
    data_.add_reading(options);
  }

  int run(const Common& common, Output& output) override {
    if (output_path_ == "-" && common.json) throw UsageError("--json and -o - both want standard output");
    if (output_path_ == "-") output.divert();
    if (to_ == Format::Idx) throw UsageError("--to idx: IDX files are read, not written", "--to npy");
    check_output(output_path_, {data_.path});
    std::vector<std::string> notes;
    const Dataset data = read_data(data_, common, notes);
    write(data, output_path_, to_);
    if (const std::string note = note_on_labels(data); !note.empty()) notes.push_back(note);
    for (const std::string& note : notes) output.note(note);
    if (output_path_ != "-") {
      output.line(describe_data(data, data_.path));
      output.line(fmt::format("{} written", printable(output_path_, 200)));
    }
    Json value;
    value["schema"] = "halfspace.convert/1";
    value["rows"] = data.rows();
    value["features"] = data.features();
    value["nonzeros"] = data.nonzeros();
    value["storage"] = data.storage_name();
    value["classes"] = classes_json(data);
    value["data"] = data.fingerprint();
    value["notes"] = notes;
    value["output"] = output_path_;
    output.object(value);
    return exit_done;
  }

 private:
  // libsvm text has no place for names.
  [[nodiscard]] std::string note_on_labels(const Dataset& data) const {
    if (written_format(output_path_, to_) != Format::Libsvm || !data.labelled()) return {};
    const auto is_number = [](const std::string& name) { return label_number(name).has_value(); };
    if (std::all_of(data.classes().begin(), data.classes().end(), is_number)) return {};
    std::string words;
    for (std::size_t k = 0; k < std::min<std::size_t>(data.classes().size(), 10); ++k)
      words += fmt::format("{}{} for {}", k == 0 ? "" : ", ", k, printable(data.classes()[k]));
    return fmt::format("libsvm text has numbers for labels: {}{}", words,
                       data.classes().size() > 10 ? ", ..." : "");
  }

  DataOptions data_;
  std::string output_path_;
  Format to_ = Format::Auto;
};

}  // namespace

constinit const Verb convert_verb = {
    "convert",
    "DATA -o FILE [--to FORMAT] [options]",
    "rows from one format to another",
    {"halfspace convert table.csv -o table.hsd --label species", "halfspace convert a9a.xz -o a9a.csv"},
    "Reads rows and writes them in another format. Files ending in .hsd hold the rows as they lie in memory, "
    "so that reading them again takes next to no time; names that also end in .gz, .bz2, .xz or .zst are "
    "compressed.",
    [](const std::vector<std::string>&) -> std::unique_ptr<Command> { return std::make_unique<Convert>(); }};

}  // namespace halfspace::cli
