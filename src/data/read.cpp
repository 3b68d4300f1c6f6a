// SPDX-License-Identifier: BSD-3-Clause
// Which format an input is in, by its content first and its name second.
#include "halfspace/data/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "data/readers.hpp"
#include "data/storage/spill.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/share.hpp"
#include "halfspace/data/write.hpp"

namespace halfspace {
namespace {

constexpr std::size_t head_bytes = 4096;
constexpr std::string_view npy_magic = "\x93NUMPY";

// The name without a compression suffix, in lower case.
std::string plain_name(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const std::string_view suffix : {".gz", ".bz2", ".xz", ".zst"}) {
    if (name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

bool looks_like_idx(std::string_view head) {
  return head.size() >= 4 && head[0] == 0 && head[1] == 0 && head[2] >= 0x08 && head[2] <= 0x0E &&
         head[3] >= 1 && head[3] <= 8;
}

// The first line that says something: not blank, not a comment.
std::string_view first_line(std::string_view head) {
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find('\n'));
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin != std::string_view::npos && line[begin] != '#') return line;
    head.remove_prefix(std::min(head.size(), line.size() + 1));
  }
  return {};
}

// A libsvm row has no comma, and its second word, when there is one, has a colon.
bool looks_like_csv(std::string_view head) {
  const std::string_view line = first_line(head);
  if (line.find(',') != std::string_view::npos) return true;
  return line.find('\t') != std::string_view::npos && line.find(':') == std::string_view::npos;
}

// LABEL INDEX:VALUE with two numbers and no comma: nothing else looks like this.
bool looks_like_libsvm(std::string_view head) {
  const std::string_view line = first_line(head);
  if (line.find(',') != std::string_view::npos) return false;
  const std::size_t label = std::min(line.find_first_not_of(" \t"), line.size());
  const std::size_t blank = std::min(line.find_first_of(" \t", label), line.size());
  const std::size_t index = std::min(line.find_first_not_of(" \t", blank), line.size());
  const std::size_t colon = std::min(line.find_first_not_of("0123456789", index), line.size());
  const auto starts_number = [](std::string_view text) {
    return !text.empty() && (std::string_view("+-.").find(text[0]) != std::string_view::npos ||
                             (text[0] >= '0' && text[0] <= '9'));
  };
  return colon > index && colon + 1 < line.size() && line[colon] == ':' &&
         starts_number(line.substr(label)) && starts_number(line.substr(colon + 1));
}

// A line of cells, none of which is INDEX:VALUE.
bool looks_like_table(std::string_view head) {
  const std::string_view line = first_line(head);
  const auto text = [](char c) { return static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\r'; };
  return line.find(',') != std::string_view::npos && line.find(':') == std::string_view::npos &&
         std::all_of(line.begin(), line.end(), text);
}

Format format_of(std::string_view head, const std::string& name) {
  if (head.starts_with(npy_magic)) return Format::Npy;
  if (head.starts_with(cache_magic)) return Format::Hsd;
  const std::string plain = plain_name(name);
  const auto named = [&](std::string_view suffix) { return plain.ends_with(suffix); };
  if (looks_like_idx(head) || named(".idx") || named(".idx1") || named(".idx3") || named("-ubyte"))
    return Format::Idx;
  if (named(".npy")) return Format::Npy;
  if (named(".hsd")) return Format::Hsd;
  if (looks_like_libsvm(head)) return Format::Libsvm;
  if (looks_like_table(head)) return Format::Csv;
  if (named(".csv") || named(".tsv")) return Format::Csv;
  if (named(".svm") || named(".libsvm")) return Format::Libsvm;
  return looks_like_csv(head) ? Format::Csv : Format::Libsvm;
}

// "images,labels"; MNIST's labels file is found by its name.
struct Pair {
  std::string first, second;
};
Pair split_pair(const std::string& data) {
  const auto comma = data.find(',');
  if (comma == std::string::npos) return {data, {}};
  if (comma == 0 || comma + 1 == data.size() || data == "-,-")
    throw UsageError(fmt::format("'{}' is not a pair of files", printable(data)),
                     "images,labels or X.npy,y.npy");
  return {data.substr(0, comma), data.substr(comma + 1)};
}

bool readable(const std::string& path) {
  try {
    static_cast<void>(open_source(path));
    return true;
  } catch (const InputError&) {
    return false;
  }
}

std::string labels_beside(const std::string& images) {
  const std::pair<std::string_view, std::string_view> forms[] = {
      {"images-idx3", "labels-idx1"}, {"images.idx3", "labels.idx1"}, {"images", "labels"}};
  for (const auto& [from, to] : forms) {
    const auto at = images.rfind(from);
    if (at == std::string::npos) continue;
    std::string name = images;
    name.replace(at, from.size(), to);
    if (readable(name)) return name;
    for (const std::string_view suffix : {".gz", ".bz2", ".xz", ".zst"})
      if (readable(name + std::string(suffix))) return name + std::string(suffix);
  }
  return {};
}

void refuse_foreign_options(const ReadOptions& o, Format format) {
  const auto refuse = [&](std::string_view option, bool given, std::string_view formats) {
    if (given)
      throw UsageError(
          fmt::format("{} is for {} data, this is {}", option, formats, OptionType<Format>::print(format)));
  };
  refuse("--zero-based", o.zero_based && format != Format::Libsvm, "libsvm");
  const bool table = format == Format::Csv;
  refuse("--label", !o.label.empty() && !table, "csv");
  refuse("--weight", !o.weight.empty() && !table, "csv");
  refuse("--ignore", !o.ignore.empty() && !table, "csv");
  refuse("--categorical", !o.categorical.empty() && !table, "csv");
  refuse("--text", !o.text.empty() && !table, "csv");
  refuse("--hash", o.hash_bits != 0 && !table, "csv");
  refuse("--delimiter", o.delimiter.has_value() && !table, "csv");
  refuse("--header", o.header != Header::Auto && !table, "csv");
  refuse("--missing", o.missing != Missing::Error && !table, "csv");
  refuse("--missing-words", !o.missing_words.empty() && !table, "csv");
  refuse("--one-hot", o.one_hot != OneHot::Full && !table, "csv");
  refuse("--decimal", o.decimal != DecimalMark::Point && !table, "csv");
  refuse("--keep", !o.keep.empty() && !table, "csv");
}

using PairReader = DatasetParts (*)(ByteSource&, const std::string&, ByteSource*, const std::string&,
                                    const ReadOptions&);

DatasetParts read_pair(PairReader reader, ByteSource& rows, const std::string& name, std::string labels,
                       const ReadOptions& options, Format format) {
  if (labels.empty() && format == Format::Idx) labels = labels_beside(name);
  if (labels.empty()) {
    if (options.need_labels) {
      throw InputError({.file = name}, "no labels", format == Format::Idx ? "images,labels" : "X.npy,y.npy",
                       "give both files with a comma between them");
    }
    return reader(rows, name, nullptr, {}, options);
  }
  const auto source = open_source(labels);
  return reader(rows, name, source.get(), labels, options);
}

struct Opened {
  Pair paths;
  std::unique_ptr<ByteSource> source;
  Format format = Format::Auto;
};
Opened open_data(const std::string& data, const ReadOptions& options) {
  Opened opened{.paths = {data, {}}};
  if (data.find(',') != std::string::npos && !readable(data)) opened.paths = split_pair(data);
  Peeked peeked = peek(open_source(opened.paths.first), head_bytes);
  opened.source = std::move(peeked.source);
  opened.format =
      options.format != Format::Auto ? options.format : format_of(peeked.head, opened.paths.first);
  // For a model of a table what could be anything is a table.
  if (options.format == Format::Auto && options.encoding != nullptr && opened.format == Format::Libsvm &&
      !looks_like_libsvm(peeked.head))
    opened.format = Format::Csv;
  if (!opened.paths.second.empty() && opened.format != Format::Idx && opened.format != Format::Npy) {
    throw UsageError(fmt::format("'{}': a pair of files is for idx and npy data, this is {}", printable(data),
                                 OptionType<Format>::print(opened.format)));
  }
  refuse_foreign_options(options, opened.format);
  if (options.spill != nullptr && opened.format != Format::Libsvm && opened.format != Format::Hsd)
    throw UsageError(
        fmt::format("--memory: rows that do not stay in memory are libsvm text or .hsd, this is {}",
                    OptionType<Format>::print(opened.format)),
        "halfspace convert DATA -o DATA.hsd, where there is room for it");
  return opened;
}

Dataset made_from_text(DatasetParts parts) {
  parts.from_text = true;
  return Dataset::make(std::move(parts), false);
}

Dataset read_as_found(const Opened& opened, const ReadOptions& options) {
  const auto& [name, labels] = opened.paths;
  ByteSource& bytes = *opened.source;
  switch (opened.format) {
    case Format::Hsd: {
      Dataset cached = read_cache(bytes, name, options.threads, options.spill);
      check_cache(cached, options.threads);
      return cached;
    }
    case Format::Csv: return made_from_text(read_csv(bytes, name, options));
    case Format::Idx:
      return Dataset::make(read_pair(read_idx, bytes, name, labels, options, opened.format), false);
    case Format::Npy:
      return Dataset::make(read_pair(read_npy, bytes, name, labels, options, opened.format), false);
    case Format::Libsvm:
    case Format::Auto: break;
  }
  return made_from_text(read_libsvm(bytes, name, options));
}

// Bytes that make no sense may be those of a file that someone writes to meanwhile, and then that is what is wrong.
template <class Read>
void read_whole(const Opened& opened, const Read& read) {
  try {
    read();
  } catch (const InputError&) {
    opened.source->check_unchanged();
    throw;
  }
  opened.source->check_unchanged();
}

Dataset read_opened(const Opened& opened, const ReadOptions& options) {
  Dataset data;
  read_whole(opened, [&] { data = read_as_found(opened, options); });
  return data;
}

}  // namespace

void too_many_classes(std::size_t count, const std::string& name) {
  throw InputError({.file = name}, fmt::format("{} different labels", count),
                   fmt::format("at most {} classes, and rows for each", most_classes),
                   "are these regression targets?");
}

void refuse_regression(const Dataset& data, std::uint64_t rows, const ReadOptions* options) {
  constexpr std::size_t few_classes = 1000;
  const std::size_t classes = data.classes().size();
  if (classes <= most_classes && (classes <= few_classes || 2 * classes <= rows)) return;
  const Encoding* const table = data.encoding().get();
  if (options == nullptr || table == nullptr || !options->label.empty())
    too_many_classes(classes, data.name());
  throw InputError({.file = data.name()},
                   fmt::format("{} different labels in column {}", classes, printable(table->label_column)),
                   fmt::format("at most {} classes, and rows for each", most_classes),
                   fmt::format("are these regression targets? --label NAME names another column{}",
                               table->header && options->header == Header::Auto
                                   ? "; --header no if the first row is data, its columns are then 1, 2, ..."
                                   : ""));
}

std::shared_ptr<Spill> spill_to(const std::string& folder, std::uint64_t memory) {
  if (!folder.empty()) return std::make_shared<Spill>(folder, memory);
  const char* const temporary = std::getenv("TMPDIR");
  return std::make_shared<Spill>(temporary == nullptr ? "." : temporary, memory);
}

Format format_of_file(const std::string& path, const ReadOptions& options) {
  return open_data(path, options).format;
}

Dataset read(const std::string& data, const ReadOptions& options) {
  if (is_pattern(data)) return read_share(data, options, options.threads);
  Dataset all = read_opened(open_data(data, options), options);
  if (options.need_labels) refuse_regression(all, all.rows(), &options);
  return all;
}

void read_in_blocks(const std::string& data, const ReadOptions& options, const TakeBlock& take) {
  if (is_pattern(data)) return take(0, read(data, options), options.threads);
  const Opened opened = open_data(data, options);
  if (opened.format != Format::Libsvm) return take(0, read_opened(opened, options), options.threads);
  read_whole(opened, [&] {
    read_libsvm_blocks(*opened.source, opened.paths.first, options,
                       [&](std::size_t number, DatasetParts parts, const Threads& threads) {
                         take(number, made_from_text(std::move(parts)), threads);
                       });
  });
}

}  // namespace halfspace
