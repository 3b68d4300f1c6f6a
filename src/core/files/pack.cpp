// SPDX-License-Identifier: BSD-3-Clause
// Encoding of gzip, bzip2, xz and zstd streams, at the levels of the command-line tools of these names.
#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <climits>
#include <new>
#include <stdexcept>
#include <vector>

#include "core/files/packing.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

class PackingSink : public ByteSink {
 public:
  explicit PackingSink(ByteSink& to) : to_(to) {}
  PackingSink(const PackingSink&) = delete;
  PackingSink& operator=(const PackingSink&) = delete;

  void write(std::string_view bytes) override {
    constexpr std::size_t most = INT_MAX;  // zlib and bzip2 count in 32 bits
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), most)))
      encode(bytes.substr(0, most), false);
  }
  void finish() { encode({}, true); }

 protected:
  // Encodes all of `bytes`, at the end also what the encoder still holds.
  virtual void encode(std::string_view bytes, bool end) = 0;
  [[noreturn]] static void fail() { throw std::logic_error("a compression library refused its input"); }

  ByteSink& to_;
  std::vector<char> out_ = std::vector<char>(std::size_t{1} << 16);
};

class GzipSink final : public PackingSink {
 public:
  explicit GzipSink(ByteSink& to) : PackingSink(to) {
    constexpr int gzip_frame = 15 + 16;
    constexpr int memory_level = 8;
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_frame, memory_level,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~GzipSink() override { deflateEnd(&stream_); }

 private:
  void encode(std::string_view bytes, bool end) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<unsigned>(bytes.size());
    int code = Z_OK;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
      stream_.avail_out = static_cast<unsigned>(out_.size());
      code = deflate(&stream_, end ? Z_FINISH : Z_NO_FLUSH);
      if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) fail();
      to_.write({out_.data(), out_.size() - stream_.avail_out});
    } while (end ? code != Z_STREAM_END : stream_.avail_out == 0);
  }
  z_stream stream_{};
};

class Bzip2Sink final : public PackingSink {
 public:
  explicit Bzip2Sink(ByteSink& to) : PackingSink(to) {
    constexpr int block_size = 9;
    if (BZ2_bzCompressInit(&stream_, block_size, 0, 0) != BZ_OK) throw std::bad_alloc();
  }
  ~Bzip2Sink() override { BZ2_bzCompressEnd(&stream_); }

 private:
  void encode(std::string_view bytes, bool end) override {
    stream_.next_in = const_cast<char*>(bytes.data());
    stream_.avail_in = static_cast<unsigned>(bytes.size());
    int code = BZ_OK;
    while (end ? code != BZ_STREAM_END : stream_.avail_in > 0) {
      stream_.next_out = out_.data();
      stream_.avail_out = static_cast<unsigned>(out_.size());
      code = BZ2_bzCompress(&stream_, end ? BZ_FINISH : BZ_RUN);
      if (code < 0) fail();
      to_.write({out_.data(), out_.size() - stream_.avail_out});
    }
  }
  bz_stream stream_{};
};

class XzSink final : public PackingSink {
 public:
  explicit XzSink(ByteSink& to) : PackingSink(to) {
    constexpr std::uint32_t level = 6;
    if (lzma_easy_encoder(&stream_, level, LZMA_CHECK_CRC64) != LZMA_OK) throw std::bad_alloc();
  }
  ~XzSink() override { lzma_end(&stream_); }

 private:
  void encode(std::string_view bytes, bool end) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(bytes.data());
    stream_.avail_in = bytes.size();
    lzma_ret code = LZMA_OK;
    while (end ? code != LZMA_STREAM_END : stream_.avail_in > 0) {
      stream_.next_out = reinterpret_cast<std::uint8_t*>(out_.data());
      stream_.avail_out = out_.size();
      code = lzma_code(&stream_, end ? LZMA_FINISH : LZMA_RUN);
      if (code == LZMA_MEM_ERROR) throw std::bad_alloc();
      if (code != LZMA_OK && code != LZMA_STREAM_END) fail();
      to_.write({out_.data(), out_.size() - stream_.avail_out});
    }
  }
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

class ZstdSink final : public PackingSink {
 public:
  explicit ZstdSink(ByteSink& to) : PackingSink(to), stream_(ZSTD_createCStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_checksumFlag, 1);
  }
  ~ZstdSink() override { ZSTD_freeCStream(stream_); }

 private:
  void encode(std::string_view bytes, bool end) override {
    ZSTD_inBuffer from{bytes.data(), bytes.size(), 0};
    for (bool done = false; !done;) {
      ZSTD_outBuffer to{out_.data(), out_.size(), 0};
      const std::size_t left = ZSTD_compressStream2(stream_, &to, &from, end ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_isError(left) != 0) throw std::bad_alloc();  // nothing else can go wrong with these arguments
      to_.write({out_.data(), to.pos});
      done = end ? left == 0 : from.pos == from.size;
    }
  }
  ZSTD_CStream* stream_;
};

template <class Sink>
void run(ByteSink& to, const std::function<void(ByteSink&)>& writer) {
  Sink sink(to);
  writer(sink);
  sink.finish();
}

}  // namespace

Packing packing_of_name(std::string_view path) {
  if (path.ends_with(".gz")) return Packing::Gzip;
  if (path.ends_with(".bz2")) return Packing::Bzip2;
  if (path.ends_with(".xz")) return Packing::Xz;
  if (path.ends_with(".zst")) return Packing::Zstd;
  return Packing::None;
}

std::string_view without_packing(std::string_view path) {
  return packing_of_name(path) == Packing::None ? path : path.substr(0, path.rfind('.'));
}

void pack_into(ByteSink& to, Packing packing, const std::function<void(ByteSink&)>& writer) {
  switch (packing) {
    case Packing::Gzip: return run<GzipSink>(to, writer);
    case Packing::Bzip2: return run<Bzip2Sink>(to, writer);
    case Packing::Xz: return run<XzSink>(to, writer);
    case Packing::Zstd: return run<ZstdSink>(to, writer);
    case Packing::None: return writer(to);
  }
}

void write_packed_file(const std::string& path, const std::function<void(ByteSink&)>& writer) {
  const Packing packing = packing_of_name(path);
  write_file(path, [&](ByteSink& sink) { pack_into(sink, packing, writer); });
}

}  // namespace halfspace
