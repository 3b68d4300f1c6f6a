// SPDX-License-Identifier: BSD-3-Clause
#include "data/share/lines.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace halfspace {
namespace {

constexpr std::size_t text_chunk = std::size_t{1} << 16U;

// The first place from `at` on where a line begins; both neighbours of a cut find the same one.
std::uint64_t line_from(const ByteSource& source, std::uint64_t at) {
  if (at == 0) return 0;
  const std::uint64_t size = source.known_size();
  std::vector<char> bytes(text_chunk);
  for (std::uint64_t from = at - 1; from < size;) {
    const std::size_t got = *source.read_at(from, bytes);
    if (got == 0) break;
    if (const void* end = std::memchr(bytes.data(), '\n', got); end != nullptr)
      return from + static_cast<std::uint64_t>(static_cast<const char*>(end) - bytes.data()) + 1;
    from += got;
  }
  return size;
}

// One piece: bytes [begin, end) of a file with random access and perhaps a line end, or a stream.
struct TextPiece {
  std::unique_ptr<ByteSource> source;
  std::uint64_t begin = 0, end = 0;
  bool stream = false;
  bool adds_end = false;    // plain files: known beforehand
  std::uint64_t first = 0;  // its place in the text
  [[nodiscard]] std::uint64_t size() const { return end - begin + (adds_end ? 1 : 0); }
};

TextPiece open_piece(const SharePlan& plan, const SharePiece& piece) {
  TextPiece out{.source = open_source(plan.files[piece.file].path)};
  out.stream = plan.files[piece.file].whole;
  if (out.stream) return out;
  out.begin = line_from(*out.source, piece.begin);
  out.end = line_from(*out.source, piece.end);
  if (out.end > out.begin && out.end == out.source->known_size()) {
    char last = '\n';
    static_cast<void>(out.source->read_at(out.end - 1, {&last, 1}));
    out.adds_end = last != '\n';
  }
  return out;
}

class JoinedLines final : public ByteSource {
 public:
  explicit JoinedLines(std::vector<TextPiece> all) : all_(std::move(all)) {
    for (TextPiece& one : all_) {
      one.first = size_;
      streams_ = streams_ || one.stream;
      size_ += one.size();
    }
  }

  std::size_t read(std::span<char> to) override {
    std::size_t done = 0;
    while (done < to.size() && at_ < all_.size()) {
      const std::size_t got = read_one(all_[at_], to.subspan(done));
      done += got;
      if (got == 0) {
        ++at_;
        inside_ = 0;
        last_ = '\n';
      }
    }
    return done;
  }

  std::uint64_t known_size() const override { return streams_ ? 0 : size_; }

  std::optional<std::size_t> read_at(std::uint64_t offset, std::span<char> to) const override {
    if (streams_) return std::nullopt;
    std::size_t done = 0;
    auto one = std::upper_bound(all_.begin(), all_.end(), offset,
                                [](std::uint64_t at, const TextPiece& s) { return at < s.first; });
    if (one != all_.begin()) --one;
    for (; one != all_.end() && done < to.size(); ++one)
      done += copy(*one, offset + done - one->first, to.subspan(done));
    return done;
  }

  void check_unchanged() const override {
    for (const TextPiece& one : all_) one.source->check_unchanged();
  }

 private:
  // What stands from `from` on in a piece of a plain file, as much as fits.
  static std::size_t copy(const TextPiece& one, std::uint64_t from, std::span<char> to) {
    if (from >= one.size()) return 0;
    const std::uint64_t bytes = one.end - one.begin;
    std::size_t done = 0;
    if (from < bytes) {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(to.size(), bytes - from));
      done = *one.source->read_at(one.begin + from, to.first(size));
    }
    if (one.adds_end && done < to.size() && from + done == bytes) to[done++] = '\n';
    return done;
  }

  std::size_t read_one(TextPiece& one, std::span<char> to) {
    std::size_t got = 0;
    if (!one.stream) {
      got = copy(one, inside_, to);
    } else {
      got = one.source->read(to);
      if (got == 0 && last_ != '\n') to[got++] = '\n';
      if (got > 0) last_ = to[got - 1];
    }
    inside_ += got;
    return got;
  }

  std::vector<TextPiece> all_;
  std::uint64_t size_ = 0;
  bool streams_ = false;
  std::size_t at_ = 0;  // of read(): the piece, and how far
  std::uint64_t inside_ = 0;
  char last_ = '\n';
};

// Calls line(k) for every line end of a piece; false: enough.
template <class F>
void for_line_ends(const SharePlan& plan, const SharePiece& piece, const F& line) {
  std::vector<TextPiece> one;
  one.push_back(open_piece(plan, piece));
  JoinedLines text(std::move(one));
  std::vector<char> bytes(text_chunk);
  std::uint64_t count = 0;
  for (std::size_t got = text.read(bytes); got > 0; got = text.read(bytes)) {
    const char* at = bytes.data();
    const char* const end = at + got;
    while ((at = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)))) !=
           nullptr) {
      if (!line(++count)) return;
      if (++at == end) break;
    }
  }
}

}  // namespace

std::unique_ptr<ByteSource> open_lines(const SharePlan& plan, const std::vector<SharePiece>& pieces) {
  std::vector<TextPiece> all;
  all.reserve(pieces.size());
  for (const SharePiece& piece : pieces) all.push_back(open_piece(plan, piece));
  return std::make_unique<JoinedLines>(std::move(all));
}

std::uint64_t count_lines(const SharePlan& plan, const SharePiece& piece) {
  std::uint64_t lines = 0;
  for_line_ends(plan, piece, [&](std::uint64_t count) {
    lines = count;
    return true;
  });
  return lines;
}

LinePlace find_line(const SharePlan& plan, const std::vector<SharePiece>& pieces, std::uint64_t line) {
  LinePlace out{.piece = 0, .line = line};
  for (; out.piece + 1 < pieces.size(); ++out.piece) {
    const std::uint64_t lines = count_lines(plan, pieces[out.piece]);
    if (out.line <= lines) break;
    out.line -= lines;
  }
  return out;
}

}  // namespace halfspace
