// SPDX-License-Identifier: BSD-3-Clause
#include "data/csv/feed.hpp"

#include <algorithm>
#include <cstring>

#include "data/csv/cells.hpp"
#include "data/text/other_file.hpp"

namespace halfspace {
namespace {

constexpr std::size_t blocks_at_a_time = 32;

const char* find(const char* first, const char* last, char wanted) {
  const void* at =
      first < last ? std::memchr(first, wanted, static_cast<std::size_t>(last - first)) : nullptr;
  return at == nullptr ? last : static_cast<const char*>(at);
}

// Behind the last newline of [first, last), or nullptr.
const char* behind_last_newline(const char* first, const char* last) {
  const void* at = first < last ? ::memrchr(first, '\n', static_cast<std::size_t>(last - first)) : nullptr;
  return at == nullptr ? nullptr : static_cast<const char*>(at) + 1;
}

// A quote opens a cell when nothing but blanks stands between it and the delimiter or line end before it.
bool opens_cell(const char* first, const char* quote, char delimiter) {
  const char* p = quote;
  while (p != first && p[-1] != delimiter && (p[-1] == ' ' || p[-1] == '\t')) --p;
  return p == first || p[-1] == delimiter || p[-1] == '\n';
}

// Behind the quote that closes the cell opened before p, or `last` when it is not there.
const char* behind_closing_quote(const char* p, const char* last) {
  while (true) {
    p = find(p, last, '"');
    if (p == last) return last;
    if (p + 1 == last || p[1] != '"') return p + 1;
    p += 2;
  }
}

}  // namespace

void CsvFeed::reserve(std::size_t bytes) {
  const std::size_t wanted =
      bytes + 1 + text_padding;  // a newline at the end and what may be looked at behind it
  if (begin_ > 0 && capacity_ >= wanted) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  } else if (capacity_ < wanted) {
    auto larger = std::make_unique_for_overwrite<char[]>(wanted);
    if (end_ > begin_) std::memcpy(larger.get(), buffer_.get() + begin_, end_ - begin_);
    buffer_ = std::move(larger);
    capacity_ = wanted;
  }
  end_ -= begin_;
  begin_ = 0;
}

// Reads until `wanted` bytes are there or the input ends. The buffer grows with what was really read.
void CsvFeed::fill(std::size_t wanted) {
  while (!ended_ && end_ - begin_ < wanted) {
    const std::size_t have = end_ - begin_;
    const std::size_t room = capacity_ > text_padding ? capacity_ - text_padding - 1 : 0;
    const std::size_t goal = std::min(wanted, std::max({block_bytes_, 4 * have, room}));
    reserve(goal);
    const std::size_t got = source_.read({buffer_.get() + end_, goal - have});
    ended_ = got < goal - have;
    end_ += got;
  }
  if (ended_) close();
}

// The last line may lack its end.
void CsvFeed::close() {
  if (capacity_ == 0) reserve(0);
  if (end_ > begin_ && buffer_[end_ - 1] != '\n') {
    reserve(end_ - begin_);
    buffer_[end_++] = '\n';
  }
}

std::string_view CsvFeed::head() {
  std::size_t wanted = std::max(block_bytes_, other_file_bytes);
  while (true) {
    fill(wanted);
    const std::string_view there(buffer_.get() + begin_, end_ - begin_);
    const std::size_t text = there.find_first_not_of("\r\n \t");
    const bool line = text != std::string_view::npos && there.find('\n', text) != std::string_view::npos;
    if (ended_ || line || wanted > csv_line_limit) return there;
    wanted *= 2;
  }
}

std::vector<std::string_view> CsvFeed::next(char delimiter) {
  const bool quotes = delimiter != '\t';
  std::size_t wanted = blocks_at_a_time * block_bytes_;
  while (true) {
    fill(wanted);
    std::vector<std::string_view> blocks = cut(quotes, delimiter);
    if (!blocks.empty()) {
      // Behind the last block lie bytes of the next row or padding: readable either way.
      std::memset(buffer_.get() + end_, 0, text_padding);
      return blocks;
    }
    if (ended_ && begin_ == end_) return {};
    if (ended_ || end_ - begin_ > csv_line_limit) {
      if (buffer_[end_ - 1] != '\n') buffer_[end_++] = '\n';
      std::memset(buffer_.get() + end_, 0, text_padding);
      overlong_ = {buffer_.get() + begin_, end_ - begin_};
      return {};
    }
    wanted *= 2;
  }
}

std::vector<std::string_view> CsvFeed::cut(bool quotes, char delimiter) {
  std::vector<std::string_view> blocks;
  const char* const first = buffer_.get() + begin_;
  const char* const last = buffer_.get() + end_;
  const char* block = first;
  const char* row_end = first;  // behind the last row end found
  const char* at = first;
  while (at != last) {
    // [at, open) lies outside of quoted cells: its newlines end rows.
    const char* open = quotes ? find(at, last, '"') : last;
    while (open != last && !opens_cell(first, open, delimiter)) open = find(open + 1, last, '"');
    for (const char* p = std::max(at, block + block_bytes_); p < open;
         p = std::max(at, block + block_bytes_)) {
      const char* newline = find(p, open, '\n');
      if (newline == open) break;
      blocks.emplace_back(block, static_cast<std::size_t>(newline + 1 - block));
      block = row_end = newline + 1;
    }
    if (const char* behind = behind_last_newline(std::max(at, row_end), open)) row_end = behind;
    at = open == last ? last : behind_closing_quote(open + 1, last);
  }
  // The last byte may be the first of two quotes: only more bytes tell, so a row that ends there is not
  // handed out.
  if (row_end != block) blocks.emplace_back(block, static_cast<std::size_t>(row_end - block));
  begin_ = static_cast<std::size_t>(row_end - buffer_.get());
  return blocks;
}

}  // namespace halfspace
