// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/relief.hpp"
#include "data/readers.hpp"
#include "data/share/lines.hpp"
#include "data/share/plan.hpp"
#include "data/storage/row_store.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/builder.hpp"
#include "halfspace/data/share.hpp"
#include "halfspace/data/whole.hpp"
#include "halfspace/data/write.hpp"

namespace halfspace {
namespace {

using Pieces = std::vector<SharePiece>;

Dataset read_text(const SharePlan& plan, const Pieces& pieces, const std::string& name,
                  const ReadOptions& options) {
  const std::unique_ptr<ByteSource> source = open_lines(plan, pieces);
  DatasetParts parts = read_libsvm_lines(*source, name, options);
  source->check_unchanged();
  if (parts.labels.empty()) return no_rows(name);
  parts.from_text = true;
  return Dataset::make(std::move(parts), false);
}

// Rows of sets one after the other; in files where they are not to stay in memory.
StoredMatrix join_rows(const std::vector<Dataset>& all, std::size_t cols, const ReadOptions& options) {
  constexpr std::size_t some = std::size_t{1} << 16U;
  std::uint64_t rows = 0, entries = 0;
  for (const Dataset& one : all) {
    rows += one.rows();
    entries += one.nonzeros();
  }
  RowStore store(rows, entries, cols, options.spill);
  RowBlock block;
  const auto flush = [&] {
    if (block.rows() == 0) return;
    const PackedBlock packed = pack(block);
    RowStore::write(store.take(packed.view()), packed.view());
    block.clear();
    relieve();
  };
  for (const Dataset& one : all)
    std::visit(
        [&](const auto& view) {
          for (std::size_t i = 0; i < view.rows; ++i) {
            for_entries(view.row(i), [&](std::uint32_t j, double x) { block.add(j, x); });
            block.end_row();
            if (block.index.size() >= some || block.rows() >= some) flush();
          }
        },
        one.matrix());
  flush();
  return store.finish(cols, options.threads);
}

// Sets one after the other, by the names of their classes.
Dataset joined(const std::vector<Dataset>& all, const std::string& name, const ReadOptions& options) {
  DatasetParts parts{.name = name};
  std::map<std::string, std::uint32_t> number;
  std::size_t cols = options.features;
  bool weighted = false;
  for (const Dataset& one : all) {
    for (const std::string& text : one.classes())
      if (number.emplace(text, static_cast<std::uint32_t>(parts.classes.size())).second)
        parts.classes.push_back(text);
    for (const std::uint32_t label : one.labels()) parts.labels.push_back(number.at(one.classes()[label]));
    cols = std::max(cols, one.features());
    weighted = weighted || !one.weights().empty();
    parts.encoding = one.encoding();
  }
  for (const Dataset& one : all)
    for (std::size_t i = 0; weighted && i < one.rows(); ++i) parts.weights.push_back(one.weight(i));
  sort_classes(parts.classes, parts.labels);
  StoredMatrix stored = join_rows(all, cols, options);
  parts.matrix = stored.matrix;
  parts.storage = std::move(stored.storage);
  parts.spill = options.spill;
  return Dataset::make(std::move(parts), false);
}

Dataset read_caches(const SharePlan& plan, const Pieces& pieces, const std::string& name,
                    const ReadOptions& options) {
  std::vector<Dataset> all;
  for (const SharePiece& piece : pieces) {
    const PartFile& file = plan.files[piece.file];
    const std::unique_ptr<ByteSource> source = open_source(file.path);
    // With a spill there is one member, which has all rows of every file.
    if (file.whole || options.spill != nullptr) {
      all.push_back(read_cache(*source, file.path, options.threads, options.spill));
      check_cache(all.back(), options.threads);
    } else if (piece.begin < piece.end) {
      all.push_back(read_cache_rows(*source, file.path, piece.begin, piece.end, options.threads));
    }
  }
  if (all.empty()) return no_rows(name);
  return all.size() == 1 ? all[0] : joined(all, name, options);
}

// What a member found wrong in its share. The line counts in the text of the share.
struct Fault {
  std::exception_ptr what;
  std::optional<std::pair<LinePlace, std::uint64_t>> line;  // in which piece, and the column
};

// Lines of the piece that a member ends with, which may be the beginning of what the next one begins with.
struct LastPiece {
  std::uint64_t file = UINT64_MAX, lines = 0;
};

// The same error with the line that the file has it on; all members help to count.
void place_fault(Fault& fault, const SharePlan& plan, const Pieces& pieces, const Team& team) {
  if (!team.any(fault.line.has_value())) return;
  LastPiece mine;
  if (!pieces.empty() && !plan.files[pieces.back().file].whole) {
    mine.file = pieces.back().file;
    // What one cannot count (a file that is gone meanwhile) is not worth another error.
    try {
      mine.lines = count_lines(plan, pieces.back());
    } catch (const std::exception&) {
      mine.lines = 0;
    }
  }
  std::vector<LastPiece> before{mine};
  if (!team.alone()) {
    before.clear();
    for (const Members::Bytes& one : team.gather(std::as_bytes(std::span(&mine, 1))))
      std::memcpy(&before.emplace_back(), one.data(), sizeof(LastPiece));
    before.resize(team.number());
  } else {
    before.clear();
  }
  if (!fault.line) return;
  const auto& [at, column] = *fault.line;
  const std::uint64_t file = pieces[at.piece].file;
  Place place{.file = plan.files[file].path, .line = at.line, .column = column};
  for (const LastPiece& one : before)
    if (at.piece == 0 && one.file == file) place.line += one.lines;
  try {
    std::rethrow_exception(fault.what);
  } catch (const InputError& error) {
    fault.what =
        std::make_exception_ptr(InputError(std::move(place), error.said().message, {}, error.said().hint));
  }
}

Dataset read_pieces(const SharePlan& plan, const Pieces& pieces, const std::string& name,
                    const ReadOptions& options, Fault& fault) {
  try {
    if (pieces.empty()) return no_rows(name);
    return plan.format == Format::Hsd ? read_caches(plan, pieces, name, options)
                                      : read_text(plan, pieces, name, options);
  } catch (const InputError& error) {
    fault.what = std::current_exception();
    if (plan.format == Format::Libsvm && error.place().line > 0)
      fault.line = {find_line(plan, pieces, error.place().line), error.place().column};
  } catch (...) {
    fault.what = std::current_exception();
  }
  return no_rows(name);
}

}  // namespace

Dataset read_share(const std::string& data, const ReadOptions& options, const Team& team) {
  const SharePlan plan = plan_shares(data, options, team);
  const Pieces pieces = pieces_of(plan, team.number(), team.count());
  Fault fault;
  Dataset mine = read_pieces(plan, pieces, data, options, fault);
  place_fault(fault, plan, pieces, team);
  if (team.alone() && fault.what) std::rethrow_exception(fault.what);
  if (!team.alone()) static_cast<void>(team.gather({}, fault.what));
  Dataset all = part_of_whole(mine, team);
  const std::uint64_t rows = team.total(all.rows());
  if (rows == 0) throw InputError({.file = data, .line = 1, .column = 1}, "no examples", "at least one row");
  if (options.need_labels) refuse_regression(all, rows, &options);
  return all;
}

}  // namespace halfspace
