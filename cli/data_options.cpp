// SPDX-License-Identifier: BSD-3-Clause
#include "data_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace::cli {

std::optional<double> label_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

namespace {

constexpr std::size_t classes_listed = 20;

char parse_delimiter(const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() == 1 && text != "\"" && text != "\n") return text.front();
  throw UsageError(fmt::format("--delimiter: '{}' is not one character", printable(text)),
                   "for example ; or tab");
}

// The class that `label` names, exactly or as the same number.
std::string class_meant(const std::vector<std::string>& classes, const std::string& label) {
  if (std::find(classes.begin(), classes.end(), label) != classes.end()) return label;
  if (const auto wanted = label_number(label)) {
    for (const std::string& name : classes) {
      if (label_number(name) == wanted) return name;
    }
  }
  return label;
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
        "; or M features made of each row for a linear algorithm, whose products stand for --kernel: nystrom by M "
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
    read.hash_bits = static_cast<std::uint32_t>(OptionType<std::int64_t>::parse("hash", text, {1, most_hash_bits}));
  };
  options.add(std::move(hash));
  OptionSpec delimiter{"--delimiter", "CHARACTER", "tables: between the cells; tab for a tab"};
  delimiter.fallback = "tab if the first line has one, else comma";
  delimiter.set = [this](const std::string& text) { read.delimiter = parse_delimiter(text); };
  options.add(std::move(delimiter));
  options.value("--header", "WHETHER", "tables: is the first line a header", read.header);
  options.value("--missing", "HOW", "tables: what to do with missing values", read.missing);
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
    if (!map_allowed) throw UsageError("--features nystrom:M and fourier:M are for train", "here: the number of columns");
  }
}

void DataOptions::add_map_kernel(OptionList& options) {
  OptionSpec spec{"--kernel", "KERNEL", "what the products of the features stand for: rbf[:GAMMA]; with nystrom also "
                                        "poly:DEGREE[,GAMMA,COEF] and linear"};
  spec.required = true;
  spec.set = [this](const std::string& text) { map_kernel = OptionType<KernelFunction>::parse("kernel", text, {}); };
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
        throw UsageError(fmt::format("-o {} would replace a file that is read", printable(output, 200)), "another name");
      }
    }
  }
  if (output != "-") check_writable(output);
}

Dataset read_data(const DataOptions& options, const Common& common, std::vector<std::string>& notes) {
  ReadOptions read_options = options.read;
  read_options.threads = common.team();
  read_options.notes = &notes;
  return read(options.path, read_options);
}

std::string fact(const Model& model, std::string_view key) {
  for (const auto& [name, value] : model.facts) {
    if (name == key) return value;
  }
  return {};
}

namespace {

ReadOptions options_for_model(const DataOptions& options, const Model& model, const Common& common,
                              std::vector<std::string>& notes) {
  ReadOptions read = options.read;
  read.threads = common.team();
  read.notes = &notes;
  read.encoding = model.encoding;
  read.features = static_cast<std::uint32_t>(model.features());
  read.need_labels = false;
  if (fact(model, "zero_based") == "true") read.zero_based = true;
  return read;
}

// A model of one class against the rest: the labels of new rows are seen the same way.
Dataset labels_for_model(const Dataset& data, const Model& model) {
  const std::string positive = fact(model, "positive");
  if (!data.labelled() || positive.empty()) return data;
  const std::string meant = class_meant(data.classes(), positive);
  std::vector<std::uint32_t> labels(data.labels().begin(), data.labels().end());
  for (std::uint32_t& label : labels) label = data.classes()[label] == meant ? 1 : 0;
  return data.relabelled(std::move(labels), model.classes);
}

void note_new_features(std::size_t features, const Model& model, std::vector<std::string>& notes) {
  if (features > model.features())
    notes.push_back(
        fmt::format("{} features were not seen in training and are ignored", features - model.features()));
}

// Rows without names, for a model whose columns have some: the first feature is the first one of the table, and so on.
// What cannot be such a row is refused.
void check_by_position(const Dataset& data, const Model& model) {
  if (model.encoding == nullptr || data.encoding() != nullptr || data.features() <= model.features()) return;
  throw InputError({.file = data.name()}, fmt::format("{} features", data.features()),
                   fmt::format("the model was trained on a table that gives {}", model.features()));
}
void note_by_position(bool named, const Model& model, std::vector<std::string>& notes) {
  if (model.encoding != nullptr && !named)
    notes.emplace_back("the model was trained on a table with named columns; these rows have no names and are taken by position");
}

}  // namespace

Dataset read_for_model(const DataOptions& options, const Model& model, const Common& common,
                       std::vector<std::string>& notes) {
  const Dataset data = read(options.path, options_for_model(options, model, common, notes));
  check_by_position(data, model);
  note_by_position(data.encoding() != nullptr, model, notes);
  note_new_features(data.features(), model, notes);
  return labels_for_model(data, model);
}

void read_blocks_for_model(const DataOptions& options, const Model& model, const Common& common,
                           std::vector<std::string>& notes, const TakeBlock& take) {
  std::mutex guard;
  std::size_t features = 0;
  bool named = true;
  read_in_blocks(options.path, options_for_model(options, model, common, notes),
                 [&](std::size_t number, const Dataset& block, const Threads& threads) {
                   check_by_position(block, model);
                   {
                     const std::lock_guard lock(guard);
                     named = named && block.encoding() != nullptr;
                     features = std::max(features, block.features());
                   }
                   take(number, labels_for_model(block, model), threads);
                 });
  note_by_position(named, model, notes);
  note_new_features(features, model, notes);
}

Dataset against_rest(const Dataset& data, const std::string& positive) {
  return data.one_against_rest(class_meant(data.classes(), positive));
}

std::vector<std::uint64_t> class_counts(const Dataset& data) {
  std::vector<std::uint64_t> counts(data.classes().size(), 0);
  for (const std::uint32_t label : data.labels()) ++counts[label];
  return counts;
}

std::string describe_rows(const std::string& name, std::uint64_t rows, std::uint64_t features, std::uint64_t nonzeros,
                          const std::string& storage, std::uint64_t bytes) {
  return fmt::format("{}: {}, {}, {}, stored as {} ({})", printable(name, 200), counted(rows, "row"),
                     counted(features, "feature"), counted(nonzeros, "nonzero"), storage, human_bytes(bytes));
}

std::string describe_data(const Dataset& data, const std::string& name) {
  return describe_rows(name, data.rows(), data.features(), data.nonzeros(), data.storage_name(), data.storage_bytes());
}

std::string describe_classes(const Dataset& data) {
  const std::vector<std::uint64_t> counts = class_counts(data);
  std::string text = "classes:";
  for (std::size_t k = 0; k < std::min(counts.size(), classes_listed); ++k) {
    text +=
        fmt::format("{} {} ({})", k == 0 ? "" : ",", printable(data.classes()[k]), counted(counts[k], "row"));
  }
  if (counts.size() > classes_listed) text += fmt::format(" and {} more", counts.size() - classes_listed);
  return text;
}

Json classes_json(const Dataset& data) {
  const std::vector<std::uint64_t> counts = class_counts(data);
  Json classes = Json::array();
  for (std::size_t k = 0; k < counts.size(); ++k) {
    Json item;
    item["label"] = data.classes()[k];
    item["rows"] = counts[k];
    classes.push_back(std::move(item));
  }
  return classes;
}

}  // namespace halfspace::cli
