// SPDX-License-Identifier: BSD-3-Clause
#include "oracle.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "data/write/writers.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/builder.hpp"
#include "halfspace/data/write.hpp"

namespace fuzz {
namespace {

using namespace halfspace;

constexpr std::size_t one_piece = 8192;  // more than any input

struct Outcome {
  std::optional<Dataset> data;
  std::string text;  // fingerprint, or the message of the error
};

template <class Read>
Outcome outcome(const Read& read) {
  try {
    Dataset data = Dataset::make(read());
    std::string print = data.fingerprint();
    return {std::move(data), std::move(print)};
  } catch (const InputError& error) {
    return {std::nullopt, error.what()};
  } catch (const UsageError& error) {  // a column that the options name and the file has not
    return {std::nullopt, error.what()};
  }
}

class StringSink final : public ByteSink {
 public:
  void write(std::string_view bytes) override { text.append(bytes); }
  std::string text;
};

}  // namespace

void require(bool holds, const std::string& message) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", message.c_str());
  std::abort();
}

std::size_t Plain::read(std::span<char> to) {
  const std::size_t size = std::min(to.size(), bytes_.size() - at_);
  if (size > 0) std::memcpy(to.data(), bytes_.data() + at_, size);
  at_ += size;
  return size;
}

std::optional<std::size_t> Plain::read_at(std::uint64_t offset, std::span<char> to) const {
  if (kind_ == Pipe) return std::nullopt;
  const std::size_t from = std::min<std::uint64_t>(offset, bytes_.size());
  const std::size_t size = std::min(to.size(), bytes_.size() - from);
  if (size > 0) std::memcpy(to.data(), bytes_.data() + from, size);
  return size;
}

std::uint64_t choice(std::string_view bytes) {
  std::uint64_t hash = 1469598103934665603U;  // Fowler, Noll, Vo
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash ^ hash >> 32U;
}

void check_text(std::string_view bytes, const TextReader& read, const ReadOptions& options) {
  Plain file(bytes, Plain::File);
  const Outcome whole = outcome([&] { return read(file, options, one_piece); });
  const std::uint64_t chosen = choice(bytes);
  ReadOptions shared = options;
  shared.threads = Threads(3);
  Plain other(bytes, chosen % 2 == 0 ? Plain::File : Plain::Pipe);
  const std::size_t piece = 1 + chosen / 2 % 64;
  const Outcome cut = outcome([&] { return read(other, shared, piece); });
  require(whole.text == cut.text,
          "whole: " + whole.text + "; in pieces of " + std::to_string(piece) + ": " + cut.text);
  if (whole.data) check_cache_of(*whole.data);
}

void check_pair(std::string_view bytes, PairReader read) {
  std::string_view rows = bytes, labels;
  if (bytes.size() >= 2) {
    const std::size_t length =
        static_cast<unsigned char>(bytes[0]) + 256U * static_cast<unsigned char>(bytes[1]);
    rows = bytes.substr(2, length);
    labels = bytes.substr(2 + rows.size());
  }
  const auto from = [&](Plain::Kind kind, int threads) {
    return outcome([&] {
      Plain first(rows, kind), second(labels, kind);
      ReadOptions options{.need_labels = !labels.empty()};
      options.threads = Threads(threads);
      return read(first, "rows", labels.empty() ? nullptr : &second, "labels", options);
    });
  };
  const Outcome file = from(Plain::File, 1);
  const Outcome pipe = from(Plain::Pipe, 3);
  // How long a pipe is shows at its end only: values that are wrong come first there.
  const bool size =
      file.text.find("size mismatch") != std::string::npos || file.text.find("trailing") != std::string::npos;
  require(file.text == pipe.text || (size && !file.data && !pipe.data),
          "file: " + file.text + "; pipe: " + pipe.text);
  if (file.data) check_cache_of(*file.data);
}

void check_cache_of(const Dataset& data) {
  StringSink sink;
  write_cache(data, sink);
  Plain source(sink.text, Plain::File);
  const Dataset back = read_cache(source, "copy", Threads(1));
  check_cache(back, Threads(1));
  require(back.fingerprint() == data.fingerprint(),
          "what was read is the same after writing and reading it back");
}

const Dataset& small_rows() {
  static const Dataset rows = [] {
    MatrixBuilder builder;
    for (const double x : {-2.5, 0.0, 1.0, 1e3}) {
      for (std::uint32_t j = 0; j < 3; ++j) builder.add(j, x * (j + 1) - j);
      builder.end_row();
    }
    StoredMatrix stored = builder.finish(3, Threads(1));
    DatasetParts parts{.matrix = stored.matrix, .storage = stored.storage};
    parts.name = "rows";
    return Dataset::make(std::move(parts));
  }();
  return rows;
}

}  // namespace fuzz
