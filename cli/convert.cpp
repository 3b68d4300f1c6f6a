// SPDX-License-Identifier: BSD-3-Clause
// halfspace convert DATA -o FILE
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "data_options.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/write.hpp"
#include "signals.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

class Convert final : public Command {
 public:
  void add_options(OptionList& options) override {
    options.argument("DATA", "rows to convert; - for standard input", data_.path);
    options.text("-o,--output", "FILE", "where the rows go; - for standard output", output_path_).required =
        true;
    options.value("--to", "FORMAT",
                  "format of FILE; auto goes by its name (.hsd .csv .tsv .npy, else libsvm)", to_);
    data_.add_reading(options);
  }

  int run(const Common& common, Output& output) override {
    if (output_path_ == "-" && common.json) throw UsageError("--json and -o - both want standard output");
    if (output_path_ == "-") output.divert();
    if (to_ == Format::Idx) throw UsageError("--to idx: IDX files are read, not written", "--to npy");
    std::vector<std::string> notes;
    const Dataset data = read_data(data_, common, notes);
    finish_in_order();
    write(data, output_path_, to_);
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
    "Reads rows and writes them in another format. Files ending in .hsd are opened by mapping them into "
    "memory, which "
    "takes no time; names that also end in .gz, .bz2, .xz or .zst are compressed.",
    [](const std::vector<std::string>&) -> std::unique_ptr<Command> { return std::make_unique<Convert>(); }};

}  // namespace halfspace::cli
