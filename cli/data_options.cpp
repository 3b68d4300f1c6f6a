// SPDX-License-Identifier: BSD-3-Clause
#include "data_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/share.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/model/read_for_model.hpp"
#include "train_team.hpp"

namespace halfspace::cli {

namespace {

char parse_delimiter(const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() == 1 && text != "\"" && text != "\n") return text.front();
  throw UsageError(fmt::format("--delimiter: '{}' is not one character", printable(text)),
                   "for example ; or tab");
}

}  // namespace

void DataOptions::add_reading(OptionList& options) {
  options.group("Data");
  options.value("--format", "FORMAT", "format of DATA; auto looks at the content", read.format);
  options.flag("--zero-based", "libsvm text: indices count from 0", read.zero_based);
  OptionSpec features{"--features", "D", "at least this many features"};
  if (map_allowed) {
    features.unit = "D|nystrom:M|fourier:M";
    features.help +=
        "; or M features made of each row for a linear algorithm, whose products stand for --kernel: nystrom "
        "by M "
        "training rows, fourier by random waves (rbf only); D,nystrom:M for both";
  }
  features.fallback = "as many as the data have";
  features.set = [this](const std::string& text) { set_features(text); };
  options.add(std::move(features));
  options.text("--label", "NAME", "tables: column with the labels", read.label).fallback =
      "one called label, class, target or y, else the last";
  options.text("--weight", "NAME", "tables: column with the weights of the rows", read.weight);
  options.list("--ignore", "NAMES", "tables: columns to leave out, separated by commas", read.ignore);
  options.list("--categorical", "NAMES", "tables: columns of numbers that are categories", read.categorical);
  options.list("--text", "NAMES", "tables: columns of words, read as bags of words", read.text);
  OptionSpec hash{"--hash", "BITS", "bags of words by hashing into 2^BITS features"};
  hash.fallback = "a vocabulary";
  hash.set = [this](const std::string& text) {
    read.hash_bits =
        static_cast<std::uint32_t>(OptionType<std::int64_t>::parse("hash", text, {1, most_hash_bits}));
  };
  options.add(std::move(hash));
  add_cells(options);
  options.value("--header", "WHETHER", "tables: is the first line a header", read.header);
  options.value("--missing", "HOW",
                "tables: what to do with missing values: refuse them, fill numbers in (indicator: and say so "
                "in a feature of "
                "its own; a missing category is its own category), or leave such rows out",
                read.missing);
  options.value("--one-hot", "WHICH",
                "tables: a feature for every category, or for all but the first (the reference), as "
                "--penalty none needs it",
                read.one_hot);
  options.list("--missing-words", "WORDS", "tables: cells that mean missing, besides empty cells, NA and ?",
               read.missing_words);
}

void DataOptions::set_features(const std::string& text) {
  std::size_t begin = 0;
  bool counted_columns = false;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    begin = end + 1;
    const bool makes = !part.empty() && part.find_first_of("0123456789+-.") != 0;
    if (makes ? map.has_value() : counted_columns)
      throw UsageError(fmt::format("--features {}: two of a kind", printable(text)), "one number, one map");
    if (!makes) {
      read.features =
          static_cast<std::uint32_t>(OptionType<std::int64_t>::parse("features", part, {1, most_features}));
      counted_columns = true;
      continue;
    }
    map = OptionType<MapChoice>::parse("features", part, {});
    if (!map_allowed)
      throw UsageError("--features nystrom:M and fourier:M are for train", "here: the number of columns");
  }
}

void DataOptions::add_map_kernel(OptionList& options) {
  OptionSpec spec{"--kernel", "KERNEL",
                  "what the products of the features stand for: rbf[:GAMMA]; with nystrom also "
                  "poly:DEGREE[,GAMMA,COEF] and linear"};
  spec.required = true;
  spec.set = [this](const std::string& text) {
    map_kernel = OptionType<KernelFunction>::parse("kernel", text, {});
  };
  options.add(std::move(spec));
}

void DataOptions::add_reading_for_model(OptionList& options) {
  options.group("Data");
  options.value("--format", "FORMAT", "format of DATA; auto looks at the content", read.format);
  options.flag("--zero-based", "libsvm text: indices count from 0", read.zero_based);
  OptionSpec missing{"--missing", "HOW", "tables: rows with a missing value that the model does not fill in"};
  missing.choices = "error|drop";
  missing.fallback = "error";
  missing.set = [this](const std::string& text) {
    static constexpr std::string_view words[] = {"error", "drop"};
    read.missing = parse_word("missing", text, words) == 0 ? Missing::Error : Missing::Drop;
  };
  options.add(std::move(missing));
  options.list("--missing-words", "WORDS", "tables: cells that mean missing, besides empty cells, NA and ?",
               read.missing_words);
  add_cells(options);
}

void DataOptions::add_cells(OptionList& options) {
  OptionSpec delimiter{"--delimiter", "CHARACTER", "tables: between the cells; tab for a tab"};
  delimiter.fallback = "what the first line has: comma, else tab, ; or |";
  delimiter.set = [this](const std::string& text) { read.delimiter = parse_delimiter(text); };
  options.add(std::move(delimiter));
  OptionSpec decimal{"--decimal", "MARK", "tables: how numbers are written, 1.5 or 1,5", "point"};
  decimal.choices = OptionType<DecimalMark>::choices();
  decimal.set = [this](const std::string& text) {
    if (text == "," || text == ".") {
      read.decimal = text == "," ? DecimalMark::Comma : DecimalMark::Point;
    } else {
      read.decimal = OptionType<DecimalMark>::parse("decimal", text, {});
    }
  };
  options.add(std::move(decimal));
}

void DataOptions::add_rename(OptionList& options) {
  options.list("--ignore", "NAMES", "tables: columns to leave out, such as labels of which some are missing",
               read.ignore);
  options.list("--rename", "OLD=NEW",
               "labels of DATA that are classes of the model by another name, separated by commas", renames);
}

void DataOptions::add_training(OptionList& options) {
  options.group("Data");
  options.text("--positive", "LABEL", "train this class against the rest", positive);
  options.value("--scale", "HOW", "scale features, learned on the training rows and kept in the model",
                scale);
}

void check_one_stdin(const std::string& model, const std::string& rows) {
  if (model == "-" && rows == "-")
    throw UsageError("standard input cannot be both the model and the rows", "a file for one of them");
}

namespace {

// The header of a model: its length in eight bytes, then an object. Texts of LIBLINEAR and LIBSVM say at once what they are.
bool looks_like_model(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  const std::string head(peek(open_source(path), 11).head);
  constexpr std::string_view words[] = {"solver_type", "svm_type", "kernel_type", "nr_class", "label "};
  const bool text = std::any_of(std::begin(words), std::end(words),
                                [&](std::string_view word) { return head.starts_with(word); });
  return text || (head.size() >= 9 && head[8] == '{' && head[7] == 0 && head[6] == 0);
}

}  // namespace

Model load_model(const std::string& path, const Common& common, std::string_view usage) {
  try {
    return load(path, common.team());
  } catch (const InputError& error) {
    // Taken for a model of LIBLINEAR for want of anything else.
    const std::string& text = error.message();
    const std::size_t middle = text.find("; ");
    if (!text.starts_with("unknown key") || error.place().line != 1 || middle == std::string::npos) throw;
    throw InputError(error.place(), "no model: " + text.substr(0, middle), text.substr(middle + 2),
                     std::string(usage));
  }
}

Model load_before_rows(std::string_view verb, const std::string& model, const std::string& rows,
                       const Common& common) {
  try {
    return load_model(model, common, fmt::format("halfspace {} MODEL DATA", verb));
  } catch (const InputError&) {
    if (!looks_like_model(rows)) throw;
    throw UsageError(
        fmt::format("{}: MODEL comes before DATA, and {} is a model", verb, printable(rows, 200)),
        fmt::format("halfspace {} {} {}", verb, printable(rows, 200), printable(model, 200)));
  }
}

void check_output(const std::string& output, std::initializer_list<std::string> inputs) {
  if (output.empty()) return;
  // Rows and labels may be two files, in and out.
  const auto files_of = [](const std::string& path) {
    const std::size_t comma = path.find(',');
    if (comma == std::string::npos) return std::vector<std::string>{path};
    return std::vector<std::string>{path, path.substr(0, comma), path.substr(comma + 1)};
  };
  for (const std::string& written : files_of(output)) {
    for (const std::string& input : inputs) {
      for (const std::string& read : files_of(input)) {
        if (!is_same_file(written, read)) continue;
        throw UsageError(fmt::format("-o {} would replace a file that is read", printable(output, 200)),
                         "another name");
      }
    }
  }
  if (output != "-") check_writable(output);
}

namespace {

ReadOptions with_common(const DataOptions& options, const Common& common, std::vector<std::string>& notes) {
  ReadOptions read = options.read;
  read.threads = common.team();
  read.notes = &notes;
  return read;
}

// Pairs of names. A label may have an equals sign in it: what stands behind the one that parts them is a class of the model.
using Renames = std::vector<std::pair<std::string, std::string>>;
Renames parse_renames(const std::vector<std::string>& texts, const Model& model) {
  Renames out;
  for (const std::string& text : texts) {
    const std::size_t before = out.size();
    for (std::size_t at = text.find('='); at != std::string::npos && out.size() == before;
         at = text.find('=', at + 1)) {
      const std::string to = text.substr(at + 1);
      if (std::find(model.classes.begin(), model.classes.end(), to) != model.classes.end())
        out.emplace_back(text.substr(0, at), to);
    }
    if (out.size() > before) continue;
    std::string known;
    for (const std::string& name : model.classes) known += (known.empty() ? "" : ", ") + printable(name, 40);
    throw UsageError(
        fmt::format("--rename: '{}' does not end in = and a class of the model", printable(text, 120)),
        fmt::format("the classes are {}", printable(known, 200)));
  }
  return out;
}

Dataset renamed(const Dataset& data, const Renames& renames) {
  if (!data.labelled() || renames.empty()) return data;
  std::vector<std::string> classes;
  std::vector<std::uint32_t> number;
  for (std::string name : data.classes()) {
    for (const auto& [from, to] : renames)
      if (name == from) {
        name = to;
        break;
      }
    const auto found = std::find(classes.begin(), classes.end(), name);
    number.push_back(static_cast<std::uint32_t>(found - classes.begin()));
    if (found == classes.end()) classes.push_back(std::move(name));
  }
  std::vector<std::uint32_t> labels;
  labels.reserve(data.rows());
  for (const std::uint32_t label : data.labels()) labels.push_back(number[label]);
  sort_classes(classes, labels);
  return data.relabelled(std::move(labels), std::move(classes));
}

}  // namespace

Dataset read_data(const DataOptions& options, const Common& common, std::vector<std::string>& notes) {
  return read(options.path, with_common(options, common, notes));
}

Dataset read_share_of(const DataOptions& options, const Common& common, std::vector<std::string>& notes) {
  return read_share(options.path, with_common(options, common, notes), team_of_company(common));
}

Dataset read_for_model(const DataOptions& options, const Model& model, const Common& common,
                       std::vector<std::string>& notes) {
  const Renames renames = parse_renames(options.renames, model);
  return renamed(halfspace::read_for_model(options.path, model, with_common(options, common, notes)),
                 renames);
}

void read_blocks_for_model(const DataOptions& options, const Model& model, const Common& common,
                           std::vector<std::string>& notes, const TakeBlock& take) {
  const Renames renames = parse_renames(options.renames, model);
  halfspace::read_blocks_for_model(options.path, model, with_common(options, common, notes),
                                   [&](std::size_t number, const Dataset& block, const Threads& threads) {
                                     take(number, renamed(block, renames), threads);
                                   });
}

}  // namespace halfspace::cli
