// SPDX-License-Identifier: BSD-3-Clause
// Bytes in and out: files, standard input, decompression; atomic writes; fingerprints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halfspace/core/stop.hpp"

namespace halfspace {

// A stream of bytes, read front to back. Compressed streams (.gz .bz2 .xz .zst by their magic bytes) are
// decoded.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills as much of `to` as there is; less than asked only at the end. Throws InputError (damaged stream).
  [[nodiscard]] virtual std::size_t read(std::span<char> to) = 0;
  // Size when it is known before reading (a plain file), otherwise 0. No byte behind it is ever given out.
  [[nodiscard]] virtual std::uint64_t known_size() const { return 0; }
  // Bytes at `offset` from the beginning of the stream, without moving the place read() is at; safe to call
  // from many threads at once. Fills as much of `to` as there is and returns how much that was; nullopt when
  // the source has no random access (pipes, compressed streams), and then for every offset. Throws like
  // read().
  [[nodiscard]] virtual std::optional<std::size_t> read_at(std::uint64_t offset, std::span<char> to) const;
  // Throws SystemError when a regular file has another size or time of change than at its opening: what was read is
  // neither the old file nor the new one. read() asks at the end of the file, who uses read_at() asks when done.
  virtual void check_unchanged() const {}
  // Of a compressed stream, the packed bytes taken so far.
  [[nodiscard]] virtual std::optional<std::uint64_t> packed_bytes() const { return std::nullopt; }
};

// Opens a path, "-" for standard input. Throws InputError when it cannot be opened or is a folder. A regular file that
// ends before the size it had at its opening is a SystemError from read() and read_at().
// When `stop` asks for it, a wait for bytes that do not come ends as if the stream did: who asked knows better.
[[nodiscard]] std::unique_ptr<ByteSource> open_source(const std::string& path, StopHandle stop = {});
// The same over bytes in memory (not owned, decoded by their magic bytes too); for tests and fuzzing.
[[nodiscard]] std::unique_ptr<ByteSource> memory_source(std::string_view bytes, const std::string& name);

// What the first bytes of an input are, without losing them: the source given back starts at the beginning
// again.
struct Peeked {
  std::unique_ptr<ByteSource> source;
  std::string head;  // at most `bytes` bytes
};
[[nodiscard]] Peeked peek(std::unique_ptr<ByteSource> source, std::size_t bytes);

// Everything that is left. Grows with what is really there, never from a declared size; above `limit`: InputError. So is
// a compressed stream that makes more than 64 MiB and more than a hundred times its own bytes.
[[nodiscard]] std::string read_all(ByteSource& source, const std::string& name,
                                   std::uint64_t limit = UINT64_MAX);

// Where a writer puts its bytes; throws SystemError when they cannot be written.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::string_view bytes) = 0;
};

// Writes to a file without a name in the same folder, syncs it, gives it its name, syncs the folder: the old file
// survives any failure and any signal, and nothing else is left behind. "-" writes to standard output. Paths that are
// not regular files (/dev/stdout, pipes) are written in place.
void write_file(const std::string& path, const std::function<void(ByteSink&)>& writer);
// The same, compressed when the name ends in .gz, .bz2, .xz or .zst.
void write_packed_file(const std::string& path, const std::function<void(ByteSink&)>& writer);
// Throws the SystemError that write_file() would for a folder that is missing or may not be written to: said before
// the work rather than after it.
void check_writable(const std::string& path);
// Would writing to `output` replace the file that `input` is read from? "-" is standard output and standard input; names
// of the same file count as one.
[[nodiscard]] bool is_same_file(const std::string& output, const std::string& input);
// For signal handlers that end the program: removes what write_file() has under a temporary name at this moment.
void remove_temporary_files() noexcept;
// The name without such an ending.
[[nodiscard]] std::string_view without_packing(std::string_view path);

// 128-bit XXH3 of a stream of bytes, as 32 hexadecimal digits. Finds damage and mix-ups, not malice.
class Fingerprint {
 public:
  Fingerprint();
  ~Fingerprint();
  Fingerprint(const Fingerprint&) = delete;
  Fingerprint& operator=(const Fingerprint&) = delete;
  void add(std::span<const std::byte> bytes);
  template <class T>
  void add_values(std::span<const T> values) {
    add(std::as_bytes(values));
  }
  [[nodiscard]] std::string hex() const;
  // What has been added so far, for another process with the same library to go on from: always as many bytes.
  [[nodiscard]] std::vector<std::byte> state() const;
  void resume(std::span<const std::byte> state);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// a * b and a + b for sizes that come from a file; nullopt-free: returns false on overflow.
[[nodiscard]] constexpr bool checked_mul(std::uint64_t a, std::uint64_t b, std::uint64_t& out) {
  return !__builtin_mul_overflow(a, b, &out);
}
[[nodiscard]] constexpr bool checked_add(std::uint64_t a, std::uint64_t b, std::uint64_t& out) {
  return !__builtin_add_overflow(a, b, &out);
}

}  // namespace halfspace
