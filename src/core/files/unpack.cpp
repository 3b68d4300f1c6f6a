// SPDX-License-Identifier: BSD-3-Clause
// Decoding of gzip, bzip2, xz and zstd streams with bounded memory.
#include <bzlib.h>
#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <climits>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/files/packing.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

enum class Step { More, MemberEnded, Damaged };

// One compressed member after the other; step() takes bytes off the front of both arguments.
class Decoder {
 public:
  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  virtual ~Decoder() = default;
  [[nodiscard]] virtual Step step(std::string_view& in, std::span<char>& out) = 0;
  virtual void restart() = 0;
};

unsigned piece(std::size_t size) { return static_cast<unsigned>(std::min<std::size_t>(size, INT_MAX)); }

class GzipDecoder final : public Decoder {
 public:
  GzipDecoder() {
    constexpr int gzip_only = 15 + 16;
    if (inflateInit2(&stream_, gzip_only) != Z_OK) throw std::bad_alloc();
  }
  ~GzipDecoder() override { inflateEnd(&stream_); }

  Step step(std::string_view& in, std::span<char>& out) override {
    const unsigned in_size = piece(in.size());
    const unsigned out_size = piece(out.size());
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = in_size;
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = out_size;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    in.remove_prefix(in_size - stream_.avail_in);
    out = out.subspan(out_size - stream_.avail_out);
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    if (code == Z_STREAM_END) return Step::MemberEnded;
    return code == Z_OK || code == Z_BUF_ERROR ? Step::More : Step::Damaged;
  }
  void restart() override { inflateReset(&stream_); }

 private:
  z_stream stream_{};
};

class Bzip2Decoder final : public Decoder {
 public:
  Bzip2Decoder() { begin(); }
  ~Bzip2Decoder() override { BZ2_bzDecompressEnd(&stream_); }

  Step step(std::string_view& in, std::span<char>& out) override {
    const unsigned in_size = piece(in.size());
    const unsigned out_size = piece(out.size());
    stream_.next_in = const_cast<char*>(in.data());
    stream_.avail_in = in_size;
    stream_.next_out = out.data();
    stream_.avail_out = out_size;
    const int code = BZ2_bzDecompress(&stream_);
    in.remove_prefix(in_size - stream_.avail_in);
    out = out.subspan(out_size - stream_.avail_out);
    if (code == BZ_MEM_ERROR) throw std::bad_alloc();
    if (code == BZ_STREAM_END) return Step::MemberEnded;
    return code == BZ_OK ? Step::More : Step::Damaged;
  }
  void restart() override {
    BZ2_bzDecompressEnd(&stream_);
    begin();
  }

 private:
  void begin() {
    stream_ = bz_stream{};
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }
  bz_stream stream_{};
};

class XzDecoder final : public Decoder {
 public:
  XzDecoder() { restart(); }
  ~XzDecoder() override { lzma_end(&stream_); }

  Step step(std::string_view& in, std::span<char>& out) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    const lzma_ret code = lzma_code(&stream_, LZMA_RUN);
    in.remove_prefix(in.size() - stream_.avail_in);
    out = out.subspan(out.size() - stream_.avail_out);
    if (code == LZMA_MEM_ERROR) throw std::bad_alloc();
    if (code == LZMA_STREAM_END) return Step::MemberEnded;
    return code == LZMA_OK || code == LZMA_BUF_ERROR ? Step::More : Step::Damaged;
  }
  void restart() override {
    constexpr std::uint64_t memory_limit = std::uint64_t{256} << 20;  // xz -9 asks for 65 MiB
    if (lzma_stream_decoder(&stream_, memory_limit, 0) != LZMA_OK) throw std::bad_alloc();
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder() : stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ~ZstdDecoder() override { ZSTD_freeDStream(stream_); }

  Step step(std::string_view& in, std::span<char>& out) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t code = ZSTD_decompressStream(stream_, &to, &from);
    in.remove_prefix(from.pos);
    out = out.subspan(to.pos);
    if (ZSTD_isError(code) != 0) return Step::Damaged;
    return code == 0 ? Step::MemberEnded : Step::More;
  }
  void restart() override { ZSTD_DCtx_reset(stream_, ZSTD_reset_session_only); }

 private:
  ZSTD_DStream* stream_;
};

std::unique_ptr<Decoder> make_decoder(Packing packing) {
  switch (packing) {
    case Packing::Gzip: return std::make_unique<GzipDecoder>();
    case Packing::Bzip2: return std::make_unique<Bzip2Decoder>();
    case Packing::Xz: return std::make_unique<XzDecoder>();
    case Packing::Zstd: return std::make_unique<ZstdDecoder>();
    case Packing::None: break;
  }
  throw std::logic_error("no decoder for plain bytes");
}

std::string_view word(Packing packing) {
  constexpr std::string_view words[] = {"plain", "gzip", "bzip2", "xz", "zstd"};
  return words[static_cast<std::size_t>(packing)];
}

class UnpackingSource final : public ByteSource {
 public:
  UnpackingSource(std::unique_ptr<ByteSource> packed, Packing packing, std::string name)
      : packed_(std::move(packed)),
        packing_(packing),
        name_(std::move(name)),
        decoder_(make_decoder(packing)) {}

  std::size_t read(std::span<char> to) override {
    const std::size_t asked = to.size();
    while (!to.empty()) {
      if (between_members_ && !next_member()) break;
      if (in_.empty()) refill();
      const std::size_t in_before = in_.size();
      const std::size_t out_before = to.size();
      const Step step = decoder_->step(in_, to);
      if (step == Step::Damaged) fail("damaged");
      if (step == Step::MemberEnded) {
        between_members_ = true;
      } else if (in_.size() == in_before && to.size() == out_before) {
        fail(in_.empty() ? "truncated" : "damaged");  // the decoder waits for bytes that do not come
      }
    }
    return asked - to.size();
  }

  void check_unchanged() const override { packed_->check_unchanged(); }
  std::optional<std::uint64_t> packed_bytes() const override { return taken_ - in_.size(); }

 private:
  [[noreturn]] void fail(std::string_view how) const {
    throw InputError(Place{name_}, fmt::format("{} {} stream", how, word(packing_)));
  }

  // Keeps what is left and puts as much behind it as fits.
  void refill() {
    std::copy(in_.begin(), in_.end(), buffer_.begin());
    const std::size_t got = packed_->read(std::span<char>(buffer_).subspan(in_.size()));
    in_ = std::string_view(buffer_.data(), in_.size() + got);
    taken_ += got;
  }

  // True at the start of a further member, false at the end of the input.
  bool next_member() {
    if (in_.size() < packing_magic_bytes) refill();
    if (packing_ == Packing::Xz) skip_xz_padding();
    if (in_.empty()) return false;
    if (packing_of_content(in_) != packing_) {
      throw InputError(Place{name_},
                       fmt::format("other bytes after the end of the {} stream", word(packing_)));
    }
    decoder_->restart();
    between_members_ = false;
    return true;
  }

  // The xz format allows zero bytes, a multiple of four, after a stream.
  void skip_xz_padding() {
    std::size_t skipped = 0;
    while (!in_.empty() && in_.front() == '\0') {
      in_.remove_prefix(1);
      ++skipped;
      if (in_.empty()) refill();
    }
    if (skipped % 4 != 0) fail("damaged");
    if (in_.size() < packing_magic_bytes) refill();
  }

  std::unique_ptr<ByteSource> packed_;
  Packing packing_;
  std::string name_;
  std::unique_ptr<Decoder> decoder_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 17);
  std::string_view in_;      // not yet decoded, inside buffer_
  std::uint64_t taken_ = 0;  // from packed_
  bool between_members_ = false;
};

// Does `head` begin like `magic`, as far as there are bytes?
bool begins_like(std::string_view head, std::string_view magic) {
  const std::size_t size = std::min(head.size(), magic.size());
  return head.substr(0, size) == magic.substr(0, size);
}

}  // namespace

Packing packing_of_content(std::string_view head) {
  using namespace std::string_view_literals;
  if (head.starts_with("\x1f\x8b"sv)) return Packing::Gzip;
  if (head.starts_with("\xfd"
                       "7zXZ\0"sv)) {
    return Packing::Xz;
  }
  if (head.starts_with("\x28\xb5\x2f\xfd"sv)) return Packing::Zstd;
  const bool skippable_zstd_frame = head.size() >= 4 &&
                                    (static_cast<unsigned char>(head[0]) & 0xF0U) == 0x50U &&
                                    head.substr(1, 3) == "\x2a\x4d\x18"sv;
  if (skippable_zstd_frame) return Packing::Zstd;
  // "BZh9" alone could begin a text, so what must follow is looked at as well: a block, or the end of an
  // empty file.
  if (head.size() >= 4 && head.starts_with("BZh"sv) && head[3] >= '1' && head[3] <= '9') {
    const std::string_view next = head.substr(4);
    if (begins_like(next, "\x31\x41\x59\x26\x53\x59"sv) || begins_like(next, "\x17\x72\x45\x38\x50\x90"sv)) {
      return Packing::Bzip2;
    }
  }
  return Packing::None;
}

// Numbers that are worth keeping take a tenth of their bytes or more when they are packed; what makes a hundred times as
// many is there to fill the memory.
void check_unpacking(const ByteSource& source, std::uint64_t size, const std::string& name) {
  constexpr std::uint64_t always = std::uint64_t{64} << 20;
  constexpr std::uint64_t most_times = 100;
  const std::optional<std::uint64_t> packed = source.packed_bytes();
  if (!packed || size <= always || size / most_times <= *packed) return;
  throw InputError(Place{name}, fmt::format("{} compressed bytes make {} and more", *packed, size),
                   fmt::format("at most {} times as many beyond 64 MiB", most_times),
                   "unpack the file first");
}

std::unique_ptr<ByteSource> unpack(std::unique_ptr<ByteSource> packed, Packing packing, std::string name) {
  return std::make_unique<UnpackingSource>(std::move(packed), packing, std::move(name));
}

}  // namespace halfspace
