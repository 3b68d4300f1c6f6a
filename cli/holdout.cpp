// SPDX-License-Identifier: BSD-3-Clause
#include "holdout.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "describe.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/doctor.hpp"
#include "halfspace/data/split.hpp"
#include "halfspace/data/table_rows.hpp"
#include "halfspace/evaluate/folds.hpp"

namespace halfspace::cli {

OptionSpec& add_share(OptionList& options, const std::string& name, std::string help, double& share,
                      Range range) {
  OptionSpec spec{name, "SHARE", std::move(help), OptionType<double>::print(share)};
  spec.help += "; 0.2 or 20%";
  spec.set = [&share, name, range](const std::string& text) {
    const bool percent = text.ends_with('%');
    const std::string number = percent ? text.substr(0, text.size() - 1) : text;
    const auto refuse = [&](const std::string& hint) {
      throw UsageError(
          fmt::format("{}: '{}' is no share of the rows {}", name, printable(text),
                      range.max >= 1 - 1e-6 ? "between 0 and 1" : fmt::format("from 0 to {:g}", range.max)),
          hint);
    };
    double value = 0;
    try {
      value = OptionType<double>::parse(name.substr(2), number, {}) / (percent ? 100 : 1);
    } catch (const UsageError&) {
      refuse(fmt::format("{0} 0.2 or {0} 20%", name));
    }
    if (value > range.max && value > 1 && value < 100 && !percent)
      refuse(fmt::format("{} {:g} for {:g} % of them", name, value / 100, value));
    if (!(value >= range.min && value <= range.max)) refuse(fmt::format("{0} 0.2 or {0} 20%", name));
    share = value;
  };
  return options.add(std::move(spec));
}

void GroupOption::add(OptionList& options) {
  options.text("--groups", "COLUMN",
               "tables: rows with the same cell in this column stay together; it is no feature", column_);
}

Dataset GroupOption::read_rows(DataOptions& data, const Common& common,
                               std::vector<std::string>& notes) const {
  if (!given()) return read_data(data, common, notes);
  const bool ignores = !data.read.ignore.empty();
  data.read.ignore.push_back(column_);
  try {
    return read_data(data, common, notes);
  } catch (const UsageError& error) {
    // Nobody typed --ignore.
    if (ignores || !std::string_view(error.what()).starts_with("ignore ")) throw;
    throw UsageError(fmt::format("--groups {}: groups are a column of a table", printable(column_)),
                     "a CSV or TSV file");
  }
}

std::vector<std::uint32_t> GroupOption::read(const DataOptions& data, const Common& common,
                                             const Dataset& rows) const {
  if (!given()) return {};
  ReadOptions options = data.read;
  options.threads = common.team();
  return read_groups(data.path, options, column_, rows);
}

void Holdout::add_options(OptionList& options) {
  options.group("Judging");
  add_share(options, "--holdout", "train without this share of the rows, and say the error on them", share_,
            {0, 0.95})
      .fallback = "none";
  options.text("--test", "FILE", "say the error on the rows of this file too", test_path_);
  groups_.add(options);
}

void Holdout::check() const {
  if (share_ > 0 && !test_path_.empty())
    throw UsageError("--holdout and --test are two answers to the same question", "one of them");
  if (groups_.given() && !(share_ > 0))
    throw UsageError("--groups says how --holdout splits", "--holdout 0.2");
}

Dataset Holdout::training_part(const Dataset& data, const DataOptions& options, const Common& common) {
  if (!(share_ > 0)) return data;
  const auto seed = static_cast<std::uint64_t>(common.seed);
  const std::vector<std::uint32_t> groups = groups_.read(options, common, data);
  const Split split =
      groups.empty() ? stratified_split(data, share_, seed) : grouped_split(data, groups, share_, seed);
  if (split.test.empty())
    throw InputError({.file = data.name()}, fmt::format("{} rows", data.rows()),
                     "enough to hold some out and to train on the others");
  FoldRows parts = split_rows(data, split.train, split.test);
  held_out_ = std::move(parts.judged);
  return std::move(parts.training);
}

std::optional<Evaluation> Holdout::judge(const Model& model, const Dataset& training,
                                         const DataOptions& options, const Common& common,
                                         std::vector<std::string>& notes) const {
  if (held_out_) return evaluate(model, *held_out_, common.team());
  if (test_path_.empty()) return std::nullopt;
  DataOptions test = options;
  test.path = test_path_;
  const Dataset rows = read_for_model(test, model, common, notes);
  if (!rows.labelled()) throw InputError({.file = test_path_}, "no labels", "labelled rows to judge by");
  note_overlap(training, rows, common, notes);
  return evaluate(model, rows, common.team());
}

// Rows of few features meet by chance; a test of which many rows were trained on is no test.
void Holdout::note_overlap(const Dataset& training, const Dataset& test, const Common& common,
                           std::vector<std::string>& notes) const {
  constexpr std::uint64_t quickly_looked_up = 1'000'000;
  constexpr double many = 0.1;
  if (training.nonzeros() + test.nonzeros() > quickly_looked_up) return;
  const Overlap both = overlap(training, test, common.team());
  if (static_cast<double>(both.rows) < many * static_cast<double>(test.rows())) return;
  notes.push_back(
      fmt::format("{} of {} rows of {} are among the training rows: if they are the same cases, the error "
                  "there is too good",
                  both.rows, test.rows(), printable(test_path_, 200)));
}

std::string Holdout::words(const Evaluation& found) const {
  return fmt::format(
      "error on {}: {}{}", held_out_ ? std::string("rows held out") : printable(test_path_, 200),
      error_words(found.count, 4),
      found.interval
          ? fmt::format(", 95 % interval {:.4g} to {:.4g}", found.interval->low, found.interval->high)
          : "");
}

Json Holdout::json(const std::optional<Evaluation>& found) const {
  if (!found) return nullptr;
  Json out;
  out["file"] = held_out_ ? Json(nullptr) : Json(test_path_);
  out["rows"] = found->count.rows;
  out["errors"] = found->count.wrong;
  out["error"] = found->error;
  out["weight"] = weight_json(found->count);
  out["interval"] = found->interval ? Json{found->interval->low, found->interval->high} : Json(nullptr);
  out["unknown_labels"] = found->unknown_labels;
  return out;
}

}  // namespace halfspace::cli
