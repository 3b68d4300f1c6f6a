// SPDX-License-Identifier: BSD-3-Clause
#include "data/libsvm/blocks.hpp"

#include <algorithm>
#include <exception>

#include "data/text/other_file.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {

LibsvmBlocks::LibsvmBlocks(ByteSource& source, std::string name, bool zero_based, const Threads& threads,
                           std::size_t piece_bytes, StopHandle stop)
    : source_(source),
      name_(std::move(name)),
      zero_based_(zero_based),
      threads_(threads),
      piece_bytes_(piece_bytes),
      stop_(std::move(stop)),
      texts_(static_cast<std::size_t>(threads.count() == 1 ? 1 : 4 * threads.count())) {}

// The next whole lines, about a piece of them.
void LibsvmBlocks::fill(TextLines& lines) {
  lines.reserve(rest_.size() + piece_bytes_);
  std::copy(rest_.begin(), rest_.end(), lines.bytes.begin());
  lines.size = rest_.size();
  rest_.clear();
  std::size_t line_end = 0;  // there is none in what was left
  bool text = true;
  // The beginning is looked at as a whole, however small the pieces are.
  std::size_t piece = at_beginning_ ? std::max(piece_bytes_, other_file_bytes) : piece_bytes_;
  do {
    if (lines.size > text_line_limit + piece_bytes_) line_too_long(name_);
    lines.reserve(lines.size + piece);
    const std::size_t got = source_.read({lines.bytes.data() + lines.size, piece});
    more_ = got == piece;
    const char* const added = lines.bytes.data() + lines.size;
    lines.size += got;
    if (at_beginning_) head_fault_ = libsvm_head_fault({lines.bytes.data(), lines.size});
    at_beginning_ = false;
    piece = piece_bytes_;
    if (const void* last = ::memrchr(added, '\n', got); last != nullptr)
      line_end = static_cast<std::size_t>(static_cast<const char*>(last) - lines.bytes.data()) + 1;
    text = line_end != 0 || !has_zero(added, got);
  } while (more_ && line_end == 0 && text);
  if (!text) line_end = lines.size;
  if (more_) {
    rest_.assign(lines.bytes.begin() + static_cast<std::ptrdiff_t>(line_end),
                 lines.bytes.begin() + static_cast<std::ptrdiff_t>(lines.size));
    lines.size = line_end;
  } else if (stop_.asked()) {
    lines.size = line_end;
  }
  lines.close();
}

bool LibsvmBlocks::next(std::vector<LibsvmPiece>& pieces) {
  std::size_t filled = 0;
  // A stream found damaged while reading ahead: a fault in the lines before it comes first, however many pieces are
  // read at a time.
  std::exception_ptr damage;
  for (; filled < texts_.size() && more_; ++filled) {
    try {
      fill(texts_[filled]);
    } catch (const InputError&) {
      damage = std::current_exception();
      more_ = false;
      break;
    }
  }
  const std::size_t begin = pieces.size();
  if (head_fault_) {
    more_ = false;
    pieces.emplace_back().fault = std::move(head_fault_);
    head_fault_.reset();
    return true;
  }
  pieces.resize(begin + filled);
  threads_.run(filled, [&](std::size_t t) {
    thread_local LibsvmScratch scratch;
    LibsvmPiece& piece = pieces[begin + t];
    piece.block =
        PackedBlock(parse_libsvm_piece(texts_[t].view(), first_ && t == 0, zero_based_, scratch, piece));
  });
  first_ = false;
  for (std::size_t t = begin; t < pieces.size(); ++t) {
    if (pieces[t].fault) {
      more_ = false;
      return true;
    }
  }
  // A compressed stream that was stopped looks cut short.
  if (damage && !stop_.asked()) std::rethrow_exception(damage);
  return filled > 0;
}

}  // namespace halfspace
