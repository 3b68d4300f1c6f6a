// SPDX-License-Identifier: BSD-3-Clause
// The libsvm text reader. The text is cut into pieces at line ends; pieces are parsed in parallel, each into
// a packed block, and joined in order, so rows, storage and the first error do not depend on the number of
// threads. Lines of the usual form take a fast path; any other line is read again, carefully, from its
// beginning.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "core/in_order.hpp"
#include "data/libsvm/blocks.hpp"
#include "data/libsvm/piece.hpp"
#include "data/readers.hpp"
#include "data/storage/row_store.hpp"
#include "data/text/lines.hpp"
#include "data/text/other_file.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/builder.hpp"

namespace halfspace {
namespace {

// What went wrong while a piece was read, if anything; the first piece decides, whatever the number of
// threads.
class FirstFailure {
 public:
  [[nodiscard]] bool before(std::size_t piece) const {
    return first_.load(std::memory_order_relaxed) < piece;
  }
  void note(std::size_t piece, std::exception_ptr reason) {
    const std::lock_guard lock(guard_);
    if (piece >= first_) return;
    first_ = piece;
    reason_ = std::move(reason);
  }
  void rethrow() const {
    if (reason_) std::rethrow_exception(reason_);
  }

 private:
  std::mutex guard_;
  std::atomic<std::size_t> first_{std::numeric_limits<std::size_t>::max()};
  std::exception_ptr reason_;  // null: the piece has a fault
};

// Parses all pieces of a source with random access, handed out in order to all threads; `use` gets the rows of each
// piece on the thread that has read them (none after a failure before it).
template <class Use>
void parse_pieces(ByteSource& source, const std::string& name, const ReadOptions& options,
                  std::size_t piece_bytes, bool one_set, std::vector<LibsvmPiece>& pieces, const Use& use) {
  const std::uint64_t size = source.known_size();
  pieces.resize((size + piece_bytes - 1) / piece_bytes);
  std::array<char, other_file_bytes> head{};
  const std::size_t known = source.read_at(0, head).value_or(0);
  if (auto fault = libsvm_head_fault({head.data(), known})) {
    pieces.front().fault = std::move(fault);
    return;
  }
  std::atomic<std::size_t> next_piece{0};
  FirstFailure failure;
  // Starting a thread takes as long as reading this many bytes.
  constexpr std::uint64_t bytes_of_a_start = std::uint64_t{1} << 18U;
  const std::size_t readers = std::min<std::size_t>(
      {static_cast<std::size_t>(options.threads.count()), pieces.size(), 1 + size / bytes_of_a_start});
  options.threads.run(readers, [&](std::size_t) {
    TextLines lines;
    LibsvmScratch scratch;
    scratch.one_set = one_set;
    for (std::size_t t = next_piece++; t < pieces.size(); t = next_piece++) {
      PackedRows rows;
      try {
        if (!failure.before(t)) {
          const std::uint64_t begin = t * piece_bytes;
          fetch_lines(source, 0, begin, std::min(size, begin + piece_bytes), name, lines);
          rows = parse_libsvm_piece(lines.view(), t == 0, options.zero_based, scratch, pieces[t]);
        }
        if (pieces[t].fault) failure.note(t, nullptr);
      } catch (...) {
        failure.note(t, std::current_exception());
        rows = {};
      }
      try {
        use(t, rows);
      } catch (...) {
        failure.note(t, std::current_exception());
      }
    }
  });
  failure.rethrow();
}

// Pieces take their places in the store one after the other, whichever thread has read them.
void parse_seekable(ByteSource& source, const std::string& name, const ReadOptions& options,
                    std::size_t piece_bytes, std::vector<LibsvmPiece>& pieces, RowStore& store) {
  InOrder order;
  parse_pieces(source, name, options, piece_bytes, true, pieces, [&](std::size_t t, const PackedRows& rows) {
    Segment place;
    order.turn(t, [&] { place = store.take(rows); });
    RowStore::write(place, rows);
  });
}

// With a store, pieces go there as they come.
void parse_stream(ByteSource& source, const std::string& name, const ReadOptions& options,
                  std::size_t piece_bytes, std::vector<LibsvmPiece>& pieces, RowStore* store) {
  LibsvmBlocks blocks(source, name, options.zero_based, options.threads, piece_bytes);
  for (std::size_t from = 0; blocks.next(pieces); from = pieces.size()) {
    if (store == nullptr || pieces.back().fault) continue;
    std::vector<Segment> places;
    for (std::size_t t = from; t < pieces.size(); ++t) places.push_back(store->take(pieces[t].block.view()));
    options.threads.run(places.size(), [&](std::size_t t) {
      PackedBlock rows = std::exchange(pieces[from + t].block, {});
      RowStore::write(places[t], rows.view());
    });
  }
}

// `lines` came before these pieces; counts theirs.
void throw_first_fault(const std::vector<LibsvmPiece>& pieces, const std::string& name,
                       std::uint64_t& lines) {
  for (const LibsvmPiece& piece : pieces) {
    if (piece.fault) {
      const LineFault& f = *piece.fault;
      throw InputError({.file = name, .line = lines + f.line, .column = f.column}, f.found, f.expected,
                       f.hint);
    }
    lines += piece.lines;
  }
}

// Classes over all pieces, as canonical text; labels of the pieces become class numbers.
void merge_labels(std::vector<LibsvmPiece>& pieces, const std::string& name, DatasetParts& parts) {
  std::map<double, std::uint32_t> number;
  for (const LibsvmPiece& piece : pieces)
    for (const double label : piece.classes) number.emplace(label, 0);
  std::size_t rows = 0;
  for (const LibsvmPiece& piece : pieces) rows += piece.labels.size();
  if (number.size() > most_classes) too_many_classes(number.size(), name);
  for (auto& [label, k] : number) {  // ascending: already in the order of sort_classes
    k = static_cast<std::uint32_t>(parts.classes.size());
    parts.classes.push_back(label_text(label));
  }
  parts.labels.reserve(rows);
  for (LibsvmPiece& piece : pieces) {
    std::vector<std::uint32_t> global;
    for (const double label : piece.classes) global.push_back(number.at(label));
    for (const std::uint32_t local : piece.labels) parts.labels.push_back(global[local]);
    piece.labels = {};
  }
}

[[noreturn]] void no_examples(const std::string& name) {
  throw InputError({.file = name, .line = 1, .column = 1}, "no examples", "at least one row");
}

std::uint64_t columns_of(const std::vector<LibsvmPiece>& pieces, const ReadOptions& options) {
  std::uint64_t cols = options.features;
  for (const LibsvmPiece& piece : pieces) cols = std::max<std::uint64_t>(cols, piece.columns);
  return cols;
}

std::vector<PackedBlock> blocks_of(std::vector<LibsvmPiece>& pieces) {
  std::vector<PackedBlock> blocks;
  blocks.reserve(pieces.size());
  for (LibsvmPiece& piece : pieces) blocks.push_back(std::move(piece.block));
  return blocks;
}

}  // namespace

std::string label_text(double label) {
  char buffer[32];
  const auto [end, code] = std::to_chars(buffer, buffer + sizeof buffer, label == 0 ? 0.0 : label);
  return {buffer, end};
}

namespace {

// Some pieces as a set of their own; nothing when they have no rows.
std::optional<DatasetParts> block_of(std::vector<LibsvmPiece>& pieces, const std::string& name,
                                     const ReadOptions& options, const Threads& threads) {
  DatasetParts parts;
  parts.name = name;
  merge_labels(pieces, name, parts);
  if (parts.labels.empty()) return std::nullopt;
  StoredMatrix stored = join(blocks_of(pieces), columns_of(pieces, options), threads);
  parts.matrix = stored.matrix;
  parts.storage = std::move(stored.storage);
  return parts;
}

// Pieces after each other, each by all threads. True: there were rows.
bool stream_blocks(ByteSource& source, const std::string& name, const ReadOptions& options,
                   const TakeLibsvmBlock& take) {
  LibsvmBlocks blocks(source, name, options.zero_based, options.threads);
  std::vector<LibsvmPiece> pieces;
  std::uint64_t lines = 0;
  std::size_t taken = 0;
  for (; blocks.next(pieces); pieces.clear()) {
    throw_first_fault(pieces, name, lines);
    if (auto parts = block_of(pieces, name, options, options.threads))
      take(taken++, std::move(*parts), options.threads);
  }
  return taken > 0;
}

// Every thread has a piece of its own.
bool seek_blocks(ByteSource& source, const std::string& name, const ReadOptions& options,
                 const TakeLibsvmBlock& take) {
  std::vector<LibsvmPiece> pieces;
  std::atomic<bool> any{false};
  const Threads one(1);
  parse_pieces(source, name, options, text_piece_bytes, false, pieces,
               [&](std::size_t t, const PackedRows& rows) {
                 if (rows.rows() == 0) return;
                 std::vector<LibsvmPiece> alone(1);
                 std::swap(alone[0].labels, pieces[t].labels);
                 std::swap(alone[0].classes, pieces[t].classes);
                 alone[0].columns = pieces[t].columns;
                 alone[0].block = PackedBlock(rows);
                 any = true;
                 take(t, *block_of(alone, name, options, one), one);
               });
  std::uint64_t lines = 0;
  throw_first_fault(pieces, name, lines);
  return any;
}

bool is_seekable(const ByteSource& source) {
  return source.known_size() > 0 && source.read_at(0, {}).has_value();
}

}  // namespace

void read_libsvm_blocks(ByteSource& source, const std::string& name, const ReadOptions& options,
                        const TakeLibsvmBlock& take) {
  if (!(is_seekable(source) ? seek_blocks : stream_blocks)(source, name, options, take)) no_examples(name);
}

DatasetParts read_libsvm(ByteSource& source, const std::string& name, const ReadOptions& options,
                         std::size_t piece_bytes) {
  DatasetParts parts = read_libsvm_lines(source, name, options, piece_bytes);
  if (parts.labels.empty()) no_examples(name);
  return parts;
}

DatasetParts read_libsvm_lines(ByteSource& source, const std::string& name, const ReadOptions& options,
                               std::size_t piece_bytes) {
  std::vector<LibsvmPiece> pieces;
  const std::uint64_t size = source.known_size();
  const bool seekable = is_seekable(source);
  // An entry takes at least "1:1" and a blank, a row a label and a line end.
  std::optional<RowStore> store;
  if (seekable) {
    store.emplace(size / 2 + 1, size / 4 + 1, 0, options.spill);
    parse_seekable(source, name, options, piece_bytes, pieces, *store);
  } else {
    if (options.spill != nullptr) store.emplace(options.spill);
    parse_stream(source, name, options, piece_bytes, pieces, store ? &*store : nullptr);
  }
  std::uint64_t lines = 0;
  throw_first_fault(pieces, name, lines);
  DatasetParts parts;
  parts.name = name;
  parts.spill = options.spill;
  merge_labels(pieces, name, parts);
  if (parts.labels.empty()) return parts;
  const std::uint64_t cols = columns_of(pieces, options);
  StoredMatrix stored =
      store ? store->finish(cols, options.threads) : join(blocks_of(pieces), cols, options.threads);
  parts.matrix = stored.matrix;
  parts.storage = std::move(stored.storage);
  return parts;
}

}  // namespace halfspace
