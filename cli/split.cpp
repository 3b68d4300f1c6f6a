// SPDX-License-Identifier: BSD-3-Clause
// halfspace split DATA --test SHARE -o TRAIN,TEST
#include "halfspace/data/split.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "data_options.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/table_rows.hpp"
#include "halfspace/data/write.hpp"
#include "holdout.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

// "TRAIN,TEST", or "X,y,X,y" where rows and labels are two files.
std::pair<std::string, std::string> two_names(const std::string& text) {
  std::vector<std::size_t> commas;
  for (std::size_t at = text.find(','); at != std::string::npos; at = text.find(',', at + 1))
    commas.push_back(at);
  const std::size_t middle = commas.size() / 2;
  if (commas.size() != 1 && commas.size() != 3)
    throw UsageError(fmt::format("-o {}: two names with a comma between them", printable(text, 200)),
                     "-o train.csv,test.csv");
  return {text.substr(0, commas[middle]), text.substr(commas[middle] + 1)};
}

class SplitRows final : public Command {
 public:
  void add_options(OptionList& options) override {
    options.argument("DATA", "rows to split", data_.path);
    options.group("Options");
    options.text("-o,--output", "TRAIN,TEST", "where the two parts go; the names say the formats", output_)
        .required = true;
    add_share(options, "--test", "share of the rows for TEST", share_, {1e-9, 1 - 1e-9});
    groups_.add(options);
    data_.add_reading(options);
  }

  [[nodiscard]] std::string hint_for(const std::string& option) const override {
    if (option == "--stratify" || option == "--stratified")
      return "no need: every class has its share in both parts";
    if (option == "--shuffle") return "no need: rows are drawn at random, by --seed";
    return {};
  }

  int run(const Common& common, Output& output) override {
    const auto [train, test] = two_names(output_);
    if (train == test || train == "-" || test == "-")
      throw UsageError(fmt::format("-o {}: two files", printable(output_, 200)), "-o train.csv,test.csv");
    check_output(train, {data_.path});
    check_output(test, {data_.path, train});
    const Missing asked = data_.read.missing;
    const bool tables = written_format(train) == Format::Csv && written_format(test) == Format::Csv;
    if (tables && asked == Missing::Error)
      data_.read.missing = Missing::Mean;  // holes are copied as they are
    std::vector<std::string> notes;
    const Dataset data = groups_.read_rows(data_, common, notes);
    const bool copied = data.encoding() != nullptr && tables;
    check_missing(data, asked, copied);
    const auto seed = static_cast<std::uint64_t>(common.seed);
    const std::vector<std::uint32_t> groups = groups_.read(data_, common, data);
    const Split split =
        groups.empty() ? stratified_split(data, share_, seed) : grouped_split(data, groups, share_, seed);
    const std::size_t unlabelled = write_part(data, split.train, train, copied);
    (void)write_part(data, split.test, test, copied);
    if (asked != Missing::Error || data.encoding() == nullptr)
      for (const std::string& note : notes) output.note(note);
    else if (data_.read.label.empty() && !data.encoding()->label_column.empty())
      output.note(fmt::format("the label is column {} (--label NAME for another)",
                              printable(data.encoding()->label_column)));
    const std::vector<std::uint64_t> of_train = counts(data, split.train), of_test = counts(data, split.test);
    print_part(data, train, split.train.size(), of_train, output);
    print_part(data, test, split.test.size(), of_test, output);
    if (unlabelled > 0)
      output.line(fmt::format("{} without a label {} in neither of them", counted(unlabelled, "row"),
                              unlabelled == 1 ? "is" : "are"));
    if (copied) output.line("rows copied as they stand in the table");
    if (data.labelled() && data.classes().size() == 1)
      output.note(fmt::format(
          "all rows have the label {}: there is nothing to learn (--label NAME for another column)",
          printable(data.classes()[0])));
    output.object(Json{{"schema", "halfspace.split/1"},
                       {"rows", data.rows()},
                       {"seed", common.seed},
                       {"grouped", groups_.given()},
                       {"copied", copied},
                       {"without_label", unlabelled},
                       {"train", part_json(data, train, split.train.size(), of_train)},
                       {"test", part_json(data, test, split.test.size(), of_test)}});
    return exit_done;
  }

 private:
  // Copying keeps holes and categories as they stand; other formats hold what was learned from all rows.
  static void check_missing(const Dataset& data, Missing asked, bool copied) {
    if (data.encoding() == nullptr) return;
    if (copied && asked != Missing::Error)
      throw UsageError("rows of a table are copied as they stand, holes too: no --missing here",
                       "--missing for train and evaluate");
    if (copied) return;
    const Missing missing = data.encoding()->missing;
    if (missing != Missing::Error && missing != Missing::Drop)
      throw UsageError(
          fmt::format("split with --missing {}: the filled-in values would be learned from the test rows too",
                      OptionType<Missing>::print(missing)),
          "names that end in .csv or .tsv: rows are then copied as they stand; or --missing drop");
    for (const Column& column : data.encoding()->columns) {
      if (column.kind != ColumnKind::Number && column.hash_bits == 0)
        throw UsageError(fmt::format("column {} is no number: its values are to be learned from TRAIN alone",
                                     printable(column.name)),
                         "names that end in .csv or .tsv: rows are then copied as they stand");
    }
  }

  // How many rows have no label and stayed out.
  std::size_t write_part(const Dataset& data, std::span<const std::uint32_t> rows, const std::string& path,
                         bool copied) const {
    if (copied) return copy_table_rows(data_.path, data, rows, path);
    write(data.subset(rows), path, Format::Auto, data_.read.zero_based);
    return 0;
  }

  static std::vector<std::uint64_t> counts(const Dataset& data, std::span<const std::uint32_t> rows) {
    std::vector<std::uint64_t> out(data.classes().size(), 0);
    if (!data.labelled()) return out;
    for (const std::uint32_t row : rows) ++out[data.labels()[row]];
    return out;
  }

  static void print_part(const Dataset& data, const std::string& path, std::size_t rows,
                         const std::vector<std::uint64_t>& of_class, const Output& output) {
    constexpr std::size_t most = 20;
    std::string text = fmt::format("{}: {}", printable(path, 200), counted(rows, "row"));
    for (std::size_t c = 0; c < std::min(most, of_class.size()); ++c)
      text += fmt::format(", {} {}", of_class[c], printable(data.classes()[c]));
    output.line(text);
  }

  static Json part_json(const Dataset& data, const std::string& path, std::size_t rows,
                        const std::vector<std::uint64_t>& of_class) {
    Json classes = Json::array();
    for (std::size_t c = 0; c < of_class.size(); ++c)
      classes.push_back({{"label", data.classes()[c]}, {"rows", of_class[c]}});
    return {{"file", path}, {"rows", rows}, {"classes", std::move(classes)}};
  }

  DataOptions data_;
  GroupOption groups_;
  std::string output_;
  double share_ = 0.2;
};

}  // namespace

constinit const Verb split_verb = {
    "split",
    "DATA -o TRAIN,TEST [--test SHARE] [--groups COLUMN] [options]",
    "rows to train on and rows to judge by",
    {"halfspace split table.csv -o train.csv,test.csv --test 0.25",
     "halfspace split visits.csv -o train.csv,test.csv --groups patient"},
    "Splits labelled rows at random so that both parts have every class in its share; rows of one group stay "
    "together. Rows of a table are copied as they stand, so that nothing of TEST is learned from. The same "
    "seed gives "
    "the same parts.",
    [](const std::vector<std::string>&) -> std::unique_ptr<Command> {
      return std::make_unique<SplitRows>();
    }};

}  // namespace halfspace::cli
