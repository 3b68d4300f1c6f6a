// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/data/row_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "data/libsvm/blocks.hpp"
#include "data/readers.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/builder.hpp"

namespace halfspace {
namespace {

// As the reader of whole files counts: with this many columns no block is worth storing dense.
constexpr std::size_t column_bound = most_features;

class LibsvmRowStream final : public RowStream {
 public:
  LibsvmRowStream(const std::string& path, StreamOptions options)
      : options_(std::move(options)),
        stop_(options_.threads.stop()),
        threads_(options_.threads.count()),
        source_(open_source(path, stop_)),
        name_(path),
        blocks_(*source_, path, options_.zero_based, threads_, text_piece_bytes, stop_),
        features_(options_.features) {
    if (!options_.positive.empty()) classes_ = {"rest", options_.positive};
  }

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const std::vector<std::string>& classes() const override { return classes_; }

  bool next(StreamBlock& block) override {
    block = {};
    while (block.labels.empty()) {
      std::vector<LibsvmPiece> pieces;
      if (!blocks_.next(pieces)) {
        if (stop_.asked()) {
          if (rows_ == 0) stop_.check();
          return false;
        }
        if (rows_ == 0)
          throw InputError({.file = name_, .line = 1, .column = 1}, "no examples", "at least one row");
        if (features_ == 0) throw InputError({.file = name_}, "no features", "at least one feature");
        check_classes();
        return false;
      }
      check_faults(pieces);
      if (classes_.empty()) take_classes(pieces);
      std::vector<PackedBlock> packed;
      for (LibsvmPiece& piece : pieces) {
        add_labels(piece, block.labels);
        features_ = std::max<std::size_t>(features_, piece.columns);
        packed.push_back(std::move(piece.block));
      }
      StoredMatrix stored = join(std::move(packed), column_bound, threads_);
      block.matrix = stored.matrix;
      block.storage = std::move(stored.storage);
    }
    rows_ += block.labels.size();
    block.features = features_;
    return true;
  }

 private:
  void check_faults(const std::vector<LibsvmPiece>& pieces) {
    for (const LibsvmPiece& piece : pieces) {
      if (piece.fault) {
        const LineFault& f = *piece.fault;
        throw InputError({.file = name_, .line = lines_ + f.line, .column = f.column}, f.found, f.expected,
                         f.hint);
      }
      lines_ += piece.lines;
    }
  }

  void take_classes(const std::vector<LibsvmPiece>& pieces) {
    for (const LibsvmPiece& piece : pieces)
      for (const double label : piece.classes) number_.emplace(label, 0);
    if (number_.empty()) return;
    if (number_.size() == 1) {
      stop_.check();
      throw InputError(
          {.file = name_},
          fmt::format("only one class ({}) in the first block", label_text(number_.begin()->first)),
          "rows of all classes at the beginning of a stream", "name one with --positive LABEL");
    }
    for (auto& [label, k] : number_) {
      k = static_cast<std::uint32_t>(classes_.size());
      classes_.push_back(label_text(label));
    }
  }

  // Of one class against the rest both must have come.
  void check_classes() const {
    if (options_.positive.empty()) return;
    if (!positive_) {
      throw InputError({.file = name_}, fmt::format("no row has the label {}", printable(options_.positive)),
                       "training needs two classes");
    }
    if (!rest_) {
      throw InputError({.file = name_},
                       fmt::format("only one class ({}) in {} rows", printable(options_.positive), rows_),
                       "training needs at least two");
    }
  }

  void add_labels(const LibsvmPiece& piece, std::vector<std::uint32_t>& labels) {
    std::vector<std::uint32_t> global;
    for (const double label : piece.classes) global.push_back(class_of(label));
    for (const std::uint32_t k : global) (k == 1 ? positive_ : rest_) = true;
    for (const std::uint32_t local : piece.labels) labels.push_back(global[local]);
  }

  std::uint32_t class_of(double label) const {
    if (!options_.positive.empty()) return is_positive(label) ? 1 : 0;
    const auto found = number_.find(label);
    if (found == number_.end()) {
      throw InputError(
          {.file = name_}, fmt::format("label {} that the first block does not have", label_text(label)),
          "the classes of a stream are those of its first block", "name one with --positive LABEL");
    }
    return found->second;
  }

  [[nodiscard]] bool is_positive(double label) const {
    std::string_view text = options_.positive;
    if (text.starts_with('+')) text.remove_prefix(1);
    double wanted = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), wanted);
    return code == std::errc() && end == text.data() + text.size() && wanted == label;
  }

  StreamOptions options_;
  StopHandle stop_;
  Threads threads_;  // what has come is parsed to its end, also after a stop
  std::unique_ptr<ByteSource> source_;
  std::string name_;
  LibsvmBlocks blocks_;
  std::vector<std::string> classes_;
  std::map<double, std::uint32_t> number_;
  std::size_t features_;
  bool positive_ = false, rest_ = false;
  std::uint64_t lines_ = 0, rows_ = 0;
};

}  // namespace

std::unique_ptr<RowStream> open_stream(const std::string& path, const StreamOptions& options) {
  return std::make_unique<LibsvmRowStream>(path, options);
}

}  // namespace halfspace
