// SPDX-License-Identifier: BSD-3-Clause
// Reading data sets: libsvm text, CSV/TSV, IDX, NPY and the binary cache, each also compressed or from "-".
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "halfspace/core/options.hpp"
#include "halfspace/core/parallel.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace {

enum class Format { Auto, Libsvm, Csv, Idx, Npy, Hsd };
enum class Header { Auto, Yes, No };

namespace detail {
inline constexpr std::string_view format_words[] = {"auto", "libsvm", "csv", "idx", "npy", "hsd"};
inline constexpr std::string_view missing_words[] = {"error", "mean", "median", "drop", "indicator"};
inline constexpr std::string_view one_hot_words[] = {"full", "reference"};
inline constexpr std::string_view decimal_words[] = {"point", "comma"};
inline constexpr std::string_view header_words[] = {"auto", "yes", "no"};
}  // namespace detail
template <>
inline constexpr std::span<const std::string_view> enum_words<Format> = detail::format_words;
template <>
inline constexpr std::span<const std::string_view> enum_words<Missing> = detail::missing_words;
template <>
inline constexpr std::span<const std::string_view> enum_words<OneHot> = detail::one_hot_words;
template <>
inline constexpr std::span<const std::string_view> enum_words<DecimalMark> = detail::decimal_words;
template <>
inline constexpr std::span<const std::string_view> enum_words<Header> = detail::header_words;

// The largest number of features that libsvm text and the options below may name: a plane of them takes a gigabyte.
inline constexpr std::uint32_t most_features = 1U << 27U;
inline constexpr std::uint32_t most_hash_bits = 27;

struct ReadOptions {
  Format format = Format::Auto;
  std::uint32_t features = 0;  // at least this many columns (0: as many as the data have)
  bool zero_based = false;     // libsvm: indices count from 0
  bool need_labels = true;     // predict accepts tables without a label column
  // Tables.
  // Columns are named by the header; without one they are c1, c2, ..., also written 1, 2, ...
  std::string label;                     // column name; empty: one called label/class/target/y, else the last
  std::string weight;                    // column with the weights of the rows
  std::vector<std::string> ignore;       // columns left out
  std::vector<std::string> categorical;  // columns read as categories although their cells look like numbers
  std::vector<std::string> text;         // columns read as bags of words: those that occur in at least 2 rows
  std::uint32_t hash_bits = 0;           // --hash: bags of words by hashing into 2^bits features
  std::optional<char>
      delimiter;                 // default: tab when the first line has one and no comma (or the name ends in
                                 // .tsv), else comma; with a tab, quotes are ordinary characters
  Header header = Header::Auto;  // Auto: the first row is a header when none of its cells is a number
  // Mean, Median and Indicator fill in numbers; a missing category is then one of its own, and rows without a label are left
  // out, as they are with Drop.
  Missing missing = Missing::Error;
  OneHot one_hot = OneHot::Full;             // Reference: the first category of a column has no feature
  DecimalMark decimal = DecimalMark::Point;  // Comma: 1,5 is a number too
  std::vector<std::string>
      missing_words;  // cells that mean "missing" besides empty, ?, NA, N/A, null and NULL
  // Read a table as this training table was read: kinds of columns, categories and fills are its, so categorical,
  // text and hash_bits are not consulted. Columns are found by name, or by place when there is no header.
  std::shared_ptr<const Encoding> encoding;
  // Read a table by the choices of this one (label, weight, ignored columns, categories, words, missing values, header,
  // delimiter) in place of those above, and learn everything else from the rows again. Other formats do not ask.
  std::shared_ptr<const Encoding> choices;
  // Columns whose cells are handed over as they are, row after row, in the order of these names; not consulted otherwise.
  std::vector<std::string> keep;
  std::vector<std::string>* kept = nullptr;
  // Where rows go that are not to stay in memory (libsvm text and .hsd); null: they stay.
  std::shared_ptr<Spill> spill;
  Threads threads{1};
  std::vector<std::string>* notes =
      nullptr;  // what a person should be told: rows dropped, unknown categories, ...
};

// Rows read with this lie in files without a name in `folder` (empty: $TMPDIR, else the folder the process is in) and are
// mapped from there, so that this process has at most about `memory` bytes resident, pages of files included, as long as
// what else it needs is less. SystemError when nothing can be written there.
[[nodiscard]] std::shared_ptr<Spill> spill_to(const std::string& folder, std::uint64_t memory);

// Reads DATA as the command line takes it: a path, "-", or "X,y" pairs for IDX and NPY.
[[nodiscard]] Dataset read(const std::string& data, const ReadOptions& options = {});

// The same rows, some at a time, so that a long libsvm text is never in memory as a whole; other formats come as one
// block. A block has the classes and columns of its own rows (and options.features). Several may be taken at once, on
// different threads: their numbers ascend in the order of the rows, and `threads` are what each may use.
using TakeBlock = std::function<void(std::size_t number, const Dataset& block, const Threads& threads)>;
void read_in_blocks(const std::string& data, const ReadOptions& options, const TakeBlock& take);

}  // namespace halfspace
