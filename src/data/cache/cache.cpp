// SPDX-License-Identifier: BSD-3-Clause
// The binary cache: the arrays of a Dataset as they lie in memory, so that a copy of the file is the set. The file is
// read, not mapped: whoever may write to a mapped file can take its pages away or put other indices into them after they
// were checked.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <set>
#include <utility>

#include "data/cache/layout.hpp"
#include "data/storage/pages.hpp"
#include "data/write/writers.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/builder.hpp"
#include "halfspace/data/write.hpp"

namespace halfspace {
namespace {

static_assert(std::endian::native == std::endian::little, "the arrays of a cache are little-endian");

[[noreturn]] void refuse(const std::string& name, std::uint64_t byte, const std::string& found,
                         const std::string& expected = {}) {
  throw InputError(Place{.file = name, .byte = byte}, found, expected);
}

bool is_power_of_ten(double divisor) {
  double power = 1;
  for (int decimals = 0; decimals <= max_decimals; ++decimals, power *= 10)
    if (power == divisor) return true;  // powers up to 10^22 are exact
  return false;
}

void check_header(const CacheHeader& header, const std::string& name) {
  const CacheHeader known;
  if (header.version != known.version) {
    refuse(name, offsetof(CacheHeader, version), fmt::format("cache of version {}", header.version),
           fmt::format("version {} is read; make the cache again from the data", known.version));
  }
  if (header.byte_order != known.byte_order) {
    refuse(name, offsetof(CacheHeader, byte_order), "cache of a machine with another byte order");
  }
}

[[noreturn]] void refuse_size(const CacheHeader& header, std::uint64_t there, const std::string& name) {
  refuse(name, std::min(there, header.file_bytes),
         fmt::format("size mismatch: {} bytes declared, {} are there", header.file_bytes, there));
}

// Everything that can be known without looking at a row. After this every section lies within the bytes declared.
void check_layout(const CacheHeader& header, const std::string& name) {
  const auto damaged = [&](std::size_t at, std::string_view what) {
    refuse(name, at, fmt::format("damaged cache: {}", what));
  };
  if (header.kind >= std::variant_size_v<Matrix>)
    damaged(offsetof(CacheHeader, kind), "unknown kind of storage");
  if (header.rows == 0) throw InputError(Place{name}, "no examples");
  if (header.cols > most_features) {
    refuse(name, offsetof(CacheHeader, cols), fmt::format("{} features", header.cols),
           fmt::format("at most {} features", most_features));
  }
  if (!is_power_of_ten(header.divisor)) damaged(offsetof(CacheHeader, divisor), "divisor");
  std::uint64_t elements = 0;
  if (checked_mul(header.rows, header.cols, elements) && header.nonzeros > elements) {
    damaged(offsetof(CacheHeader, nonzeros), "more entries than places");
  }
  CacheHeader expected = header;
  const auto& sections = header.sections;
  const bool fits =
      lay_out(expected, sections[Words].bytes, sections[Labels].bytes > 0, sections[Weights].bytes > 0);
  if (!fits || expected.file_bytes != header.file_bytes || expected.sections != sections) {
    damaged(offsetof(CacheHeader, sections), "sections do not fit the sizes");
  }
}

template <class T>
const T* array_at(std::span<const std::byte> bytes, const CacheSection& section) {
  return reinterpret_cast<const T*>(bytes.data() + section.offset);
}

template <std::size_t I>
Matrix view_of(const CacheHeader& header, std::span<const std::byte> bytes, const std::string& name) {
  using View = std::variant_alternative_t<I, Matrix>;
  using V = typename View::Value;
  View view;
  view.rows = header.rows;
  view.cols = header.cols;
  view.divisor = header.divisor;
  if constexpr (!std::is_empty_v<V>) view.value = array_at<V>(bytes, header.sections[Value]);
  if constexpr (is_sparse<View>) {
    view.start = array_at<std::uint64_t>(bytes, header.sections[Start]);
    view.index = array_at<typename View::Index>(bytes, header.sections[Index]);
    if (view.start[0] != 0 || view.start[view.rows] != header.nonzeros) {
      refuse(name, header.sections[Start].offset, "damaged cache: row starts");
    }
  }
  return view;
}

template <std::size_t... I>
Matrix view_by_kind(const CacheHeader& header, std::span<const std::byte> bytes, const std::string& name,
                    std::index_sequence<I...>) {
  Matrix matrix;
  (void)((header.kind == I ? (matrix = view_of<I>(header, bytes, name), true) : false) || ...);
  return matrix;
}

void check_classes(const DatasetParts& parts, bool labelled, const std::string& name) {
  const std::set<std::string> different(parts.classes.begin(), parts.classes.end());
  if (different.size() != parts.classes.size() || labelled == parts.classes.empty() ||
      parts.classes.size() > UINT32_MAX) {
    throw InputError(Place{name}, "damaged cache: names of classes");
  }
}

// The header at the beginning of a source, checked against itself and the size of the file where that is known.
CacheHeader read_header(ByteSource& source, const std::string& name) {
  CacheHeader header;
  const auto magic = header.magic;
  const std::span<char> bytes(reinterpret_cast<char*>(&header), sizeof header);
  const std::optional<std::size_t> direct = source.read_at(0, bytes);
  const std::size_t got = direct ? *direct : source.read(bytes);
  if (std::memcmp(header.magic.data(), magic.data(), std::min(got, magic.size())) != 0)
    refuse(name, 0, "not a halfspace cache");
  if (got < sizeof header) refuse(name, got, "truncated cache: the header ends here");
  check_header(header, name);
  if (source.known_size() > 0 && source.known_size() != header.file_bytes)
    refuse_size(header, source.known_size(), name);
  check_layout(header, name);
  return header;
}

void check_words(const CacheHeader& header, std::string_view words, const std::string& name) {
  if (cache_checksum(header, words) != std::string_view(header.checksum.data(), header.checksum.size())) {
    refuse(name, offsetof(CacheHeader, checksum), "damaged cache: the checksum of the header is wrong");
  }
}

// The words of a file with random access, checked against its header.
std::string fetch_words(const ByteSource& source, const CacheHeader& header, const std::string& name) {
  const CacheSection& place = header.sections[Words];
  std::string words(source.known_size() > 0 ? place.bytes : 0, '\0');
  if (source.read_at(place.offset, words) != place.bytes)
    throw InputError(Place{name}, "not a file with random access", "a cache that is not compressed");
  check_words(header, words, name);
  return words;
}

// A private copy of the whole file.
struct CacheBytes {
  std::span<const std::byte> all;
  std::shared_ptr<const void> storage;
};

// Every thread a piece at a time: as fast as the memory is.
CacheBytes copy_file(const ByteSource& source, std::uint64_t size, const std::shared_ptr<Spill>& spill,
                     const Threads& threads) {
  constexpr std::size_t piece = std::size_t{1} << 20U;
  if (spill != nullptr) spill->check_room(size);
  auto pages = std::make_shared<const Pages<std::byte>>(size, spill, size);
  for_blocks(threads, size, piece, [&](std::size_t begin, std::size_t end) {
    fetch_pages(pages->get() + begin, end - begin);
    static_cast<void>(source.read_at(begin, {reinterpret_cast<char*>(pages->get() + begin), end - begin}));
  });
  source.check_unchanged();
  const std::span<const std::byte> all(pages->get(), size);
  return {all, std::move(pages)};
}

// Room is taken as bytes come, not as many as the header says.
CacheBytes spill_stream(ByteSource& source, const CacheHeader& header, const std::shared_ptr<Spill>& spill,
                        const std::string& name) {
  constexpr std::size_t piece = std::size_t{1} << 20U;
  if (header.file_bytes > spill->free_bytes()) spill->check_room(header.file_bytes);
  auto pages = std::make_shared<const Pages<std::byte>>(header.file_bytes, spill, sizeof header);
  std::memcpy(pages->get(), &header, sizeof header);
  std::uint64_t there = sizeof header;
  while (there < header.file_bytes) {
    const std::size_t wanted = std::min<std::uint64_t>(piece, header.file_bytes - there);
    pages->ensure(there + wanted);
    const std::size_t got = source.read({reinterpret_cast<char*>(pages->get() + there), wanted});
    there += got;
    if (got < wanted) refuse_size(header, there, name);
  }
  if (char more = 0; source.read({&more, 1}) != 0) refuse_size(header, there + 1, name);
  const std::span<const std::byte> all(pages->get(), header.file_bytes);
  return {all, std::move(pages)};
}

CacheBytes copy_stream(ByteSource& source, const CacheHeader& header, const std::string& name) {
  auto bytes = std::make_shared<std::string>(reinterpret_cast<const char*>(&header), sizeof header);
  const std::uint64_t rest = header.file_bytes - sizeof header;
  bytes->append(read_all(source, name, rest));
  if (bytes->size() != header.file_bytes) refuse_size(header, bytes->size(), name);
  const auto all = std::as_bytes(std::span(std::as_const(*bytes)));
  return {all, std::move(bytes)};
}

// `whole`: these are all rows of the file.
Dataset parse_arrays(const CacheHeader& header, std::string_view words, CacheBytes bytes,
                     const std::shared_ptr<Spill>& spill, const std::string& name, bool whole) {
  DatasetParts parts;
  read_cache_words(words, name, parts);
  const bool labelled = header.sections[Labels].bytes > 0;
  check_classes(parts, labelled, name);
  parts.name = name;
  parts.matrix =
      view_by_kind(header, bytes.all, name, std::make_index_sequence<std::variant_size_v<Matrix>>());
  parts.storage = std::move(bytes.storage);
  parts.spill = spill;
  if (whole || header.sections[Start].bytes > 0) parts.nonzeros = header.nonzeros;
  if (!whole) parts.stored_fingerprint.clear();
  if (labelled)
    parts.stored_labels = {array_at<std::uint32_t>(bytes.all, header.sections[Labels]), header.rows};
  if (header.sections[Weights].bytes > 0) {
    parts.stored_weights = {array_at<double>(bytes.all, header.sections[Weights]), header.rows};
  }
  return Dataset::make(std::move(parts), false);
}

Dataset parse_cache(const CacheHeader& header, CacheBytes bytes, const std::shared_ptr<Spill>& spill,
                    const std::string& name) {
  const std::string_view words(array_at<char>(bytes.all, header.sections[Words]),
                               header.sections[Words].bytes);
  check_words(header, words, name);
  return parse_arrays(header, words, std::move(bytes), spill, name, true);
}

// A matrix of that kind without rows.
template <std::size_t... I>
Matrix empty_of_kind(const CacheHeader& header, std::index_sequence<I...>) {
  Matrix matrix;
  (void)((header.kind == I ? (matrix.emplace<I>().divisor = header.divisor, true) : false) || ...);
  return matrix;
}

// Entries of rows [begin, end) that are not zero; refuses what a valid set cannot have.
template <class View>
std::uint64_t check_rows(const View& view, std::uint64_t nonzeros, std::size_t begin, std::size_t end,
                         const std::string& name, std::uint64_t before) {
  const auto damaged = [&](std::size_t row, std::string_view what) {
    throw InputError(Place{name}, fmt::format("damaged cache: row {}: {}", before + row + 1, what));
  };
  std::uint64_t count = 0;
  for (std::size_t i = begin; i < end; ++i) {
    if constexpr (is_sparse<View>) {
      if (view.start[i + 1] < view.start[i] || view.start[i + 1] > nonzeros) damaged(i, "row starts");
      const auto row = view.row(i);
      for (std::size_t k = 0; k < row.size; ++k) {
        if (row.index[k] >= view.cols || (k > 0 && row.index[k] <= row.index[k - 1]))
          damaged(i, "feature numbers");
      }
      for_entries(row, [&](std::uint32_t, double x) {
        if (!std::isfinite(x) || x == 0) damaged(i, "a value that is 0 or not finite");
      });
      count += row.size;
    } else {
      for_entries(view.row(i), [&](std::uint32_t, double x) {
        if (!std::isfinite(x)) damaged(i, "a value that is not finite");
        ++count;
      });
    }
  }
  return count;
}

void check_labels_and_weights(const Dataset& data, std::size_t begin, std::size_t end, std::uint64_t before) {
  for (std::size_t i = begin; i < end; ++i) {
    if (data.labelled() && data.labels()[i] >= data.classes().size()) {
      throw InputError(Place{data.name()}, fmt::format("damaged cache: row {}: label", before + i + 1));
    }
    const double weight = data.weight(i);
    if (!(weight >= 0) || !std::isfinite(weight)) {
      throw InputError(Place{data.name()}, fmt::format("damaged cache: row {}: weight", before + i + 1));
    }
  }
}

// `before`: rows of the file that come before those of the set.
void check_all_rows(const Dataset& data, const Threads& threads, std::uint64_t before) {
  const std::uint64_t nonzeros = std::visit(
      [&](const auto& view) {
        return sum_blocks(threads, data.rows(), row_block, std::uint64_t{0},
                          [&](std::size_t begin, std::size_t end) {
                            check_labels_and_weights(data, begin, end, before);
                            return check_rows(view, data.nonzeros(), begin, end, data.name(), before);
                          });
      },
      data.matrix());
  if (nonzeros != data.nonzeros()) throw InputError(Place{data.name()}, "damaged cache: number of entries");
}

// Writes sections in order, with zeros up to the offset of each.
class SectionWriter {
 public:
  SectionWriter(const CacheHeader& header, ByteSink& sink) : header_(header), sink_(sink) {
    put(&header_, sizeof header_);
  }
  void section(CacheSectionName name, const void* bytes) {
    const CacheSection& section = header_.sections[name];
    const std::string zeros(section.offset - at_, '\0');
    put(zeros.data(), zeros.size());
    if (section.bytes > 0) put(bytes, section.bytes);
  }

 private:
  void put(const void* bytes, std::uint64_t size) {
    sink_.write({static_cast<const char*>(bytes), size});
    at_ += size;
  }
  const CacheHeader& header_;
  ByteSink& sink_;
  std::uint64_t at_ = 0;
};

}  // namespace

Dataset read_cache(ByteSource& source, const std::string& name, const Threads& threads,
                   const std::shared_ptr<Spill>& spill) {
  const CacheHeader header = read_header(source, name);
  const bool seekable = source.known_size() > 0 && source.read_at(0, {}).has_value();
  CacheBytes bytes = seekable           ? copy_file(source, header.file_bytes, spill, threads)
                     : spill != nullptr ? spill_stream(source, header, spill, name)
                                        : copy_stream(source, header, name);
  return parse_cache(header, std::move(bytes), spill, name);
}

CacheFacts cache_facts(ByteSource& source, const std::string& name) {
  const CacheHeader header = read_header(source, name);
  const std::string words = fetch_words(source, header, name);
  DatasetParts parts;
  read_cache_words(words, name, parts);
  check_classes(parts, header.sections[Labels].bytes > 0, name);
  CacheFacts facts;
  facts.rows = header.rows;
  facts.features = header.cols;
  facts.nonzeros = header.nonzeros;
  facts.storage =
      storage_name(empty_of_kind(header, std::make_index_sequence<std::variant_size_v<Matrix>>()));
  for (const CacheSectionName s : {Start, Index, Value, Labels, Weights})
    facts.bytes += header.sections[s].bytes;
  facts.classes = std::move(parts.classes);
  facts.weighted = header.sections[Weights].bytes > 0;
  facts.fingerprint = std::move(parts.stored_fingerprint);
  return facts;
}

Dataset read_cache_rows(ByteSource& source, const std::string& name, std::uint64_t first, std::uint64_t last,
                        const Threads& threads) {
  const CacheHeader whole = read_header(source, name);
  const std::string words = fetch_words(source, whole, name);
  const auto& from = whole.sections;
  CacheHeader part = whole;
  part.rows = last - first;
  std::uint64_t entry = 0;  // the first one, where rows are sparse
  if (from[Start].bytes > 0) {
    std::uint64_t ends[2] = {};
    for (const int k : {0, 1})
      (void)source.read_at(from[Start].offset + 8 * (k == 0 ? first : last),
                           {reinterpret_cast<char*>(&ends[k]), 8});
    if (ends[0] > ends[1] || ends[1] > whole.nonzeros)
      refuse(name, from[Start].offset, "damaged cache: row starts");
    entry = ends[0];
    part.nonzeros = ends[1] - entry;
  }
  static_cast<void>(lay_out(part, words.size(), from[Labels].bytes > 0, from[Weights].bytes > 0));
  auto pages = std::make_shared<const Pages<std::byte>>(part.file_bytes);
  for (const CacheSectionName s : {Start, Index, Value, Labels, Weights}) {
    const bool by_entry = (s == Index || s == Value) && from[Start].bytes > 0;
    const std::uint64_t all = by_entry ? whole.nonzeros : s == Start ? whole.rows + 1 : whole.rows;
    const std::uint64_t begin = (by_entry ? entry : first) * (all == 0 ? 0 : from[s].bytes / all);
    for_blocks(threads, part.sections[s].bytes, std::size_t{1} << 20U, [&](std::size_t a, std::size_t b) {
      char* const to = reinterpret_cast<char*>(pages->get() + part.sections[s].offset);
      (void)source.read_at(from[s].offset + begin + a, {to + a, b - a});
    });
  }
  source.check_unchanged();
  auto* const starts = reinterpret_cast<std::uint64_t*>(pages->get() + part.sections[Start].offset);
  for (std::uint64_t i = 0; i < part.sections[Start].bytes / 8; ++i) starts[i] -= entry;
  const std::span<const std::byte> all(pages->get(), part.file_bytes);
  Dataset out = parse_arrays(part, words, {all, std::move(pages)}, nullptr, name, last - first == whole.rows);
  check_all_rows(out, threads, first);
  return out;
}

void check_cache(const Dataset& data, const Threads& threads) {
  check_all_rows(data, threads, 0);
  if (!data.stored_fingerprint().empty() && data.fingerprint() != data.stored_fingerprint()) {
    throw InputError(Place{data.name()}, "damaged cache: the fingerprint of the rows is not the one written");
  }
}

void write_cache(const Dataset& data, ByteSink& sink) {
  CacheHeader header;
  const std::string words = cache_words(data);
  header.kind = data.matrix().index();
  header.rows = data.rows();
  header.cols = data.features();
  header.nonzeros = data.nonzeros();
  header.divisor = std::visit([](const auto& view) { return view.divisor; }, data.matrix());
  if (!lay_out(header, words.size(), data.labelled(), !data.weights().empty())) {
    throw SystemError("a cache of these rows would be larger than any file");
  }
  const std::string checksum = cache_checksum(header, words);
  std::copy(checksum.begin(), checksum.end(), header.checksum.begin());
  SectionWriter writer(header, sink);
  writer.section(Words, words.data());
  std::visit(
      [&](const auto& view) {
        if constexpr (is_sparse<std::decay_t<decltype(view)>>) {
          writer.section(Start, view.start);
          writer.section(Index, view.index);
        }
        writer.section(Value, view.value);
      },
      data.matrix());
  writer.section(Labels, data.labels().data());
  writer.section(Weights, data.weights().data());
}

}  // namespace halfspace
