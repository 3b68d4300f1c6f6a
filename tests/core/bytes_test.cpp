// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/core/bytes.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include "folder.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/parallel.hpp"

using namespace halfspace;
using halfspace::testing::Folder;
namespace fs = std::filesystem;

namespace {

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in.good());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void put(const std::string& path, std::string_view bytes) {
  write_file(path, [&](ByteSink& sink) { sink.write(bytes); });
}

std::string packed(std::string_view bytes, const std::string& ending) {
  const Folder folder;
  const std::string path = folder / ("x" + ending);
  write_packed_file(path, [&](ByteSink& sink) {
    for (std::size_t at = 0; at < bytes.size(); at += 7919) sink.write(bytes.substr(at, 7919));
  });
  return slurp(path);
}

std::string decode(std::string_view bytes, std::size_t step = 4096) {
  const auto source = memory_source(bytes, "F");
  std::string all;
  std::string piece(step, '\0');
  for (;;) {
    const std::size_t got = source->read(piece);
    all.append(piece, 0, got);
    if (got < step) return all;
  }
}

// "" when decoding succeeds.
std::string decode_error(std::string_view bytes) {
  try {
    (void)decode(bytes);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

std::string mixed_text(std::size_t size) {
  std::string text;
  for (unsigned i = 0; text.size() < size; ++i)
    text += fmt::format("{} {}:{}\n", i % 2, i * 2654435761U % 977, i * i);
  return text;
}

const std::map<std::string, std::string> endings = {
    {".gz", "gzip"}, {".bz2", "bzip2"}, {".xz", "xz"}, {".zst", "zstd"}};

}  // namespace

TEST_CASE("a source fills the span it is given and returns less only at the end") {
  const auto source = memory_source("abcdefg", "F");
  std::string three(3, '\0');
  CHECK(source->read(three) == 3);
  CHECK(three == "abc");
  CHECK(source->known_size() == 7);
  std::string rest(10, '\0');
  CHECK(source->read(rest) == 4);
  CHECK(rest.substr(0, 4) == "defg");
  CHECK(source->read(rest) == 0);
}

TEST_CASE("files have a size and random access that leaves the reading place alone") {
  const Folder folder;
  const std::string path = folder / "plain";
  const std::string text = mixed_text(100000);
  put(path, text);
  const auto source = open_source(path);
  CHECK(source->known_size() == text.size());
  std::string middle(1000, '\0');
  CHECK(source->read_at(50000, middle) == 1000);
  CHECK(middle == text.substr(50000, 1000));
  CHECK(source->read_at(text.size() - 10, middle) == 10);
  CHECK(source->read_at(text.size() + 10, middle) == 0);
  CHECK(read_all(*source, path) == text);
}

TEST_CASE("missing files and folders are input errors that name the reason") {
  const Folder folder;
  CHECK_THROWS_WITH_AS((void)open_source("/no/such/file"),
                       "/no/such/file: error: cannot open: No such file or directory", InputError);
  CHECK_THROWS_WITH_AS((void)open_source("/usr"), "/usr: error: cannot open: Is a directory", InputError);
  CHECK_THROWS_AS((void)open_source(""), InputError);
}

TEST_CASE("peeking loses nothing") {
  for (const std::string text : {"", "ab", "abcdefghijk"}) {
    Peeked peeked = peek(memory_source(text, "F"), 4);
    CHECK(peeked.head == text.substr(0, 4));
    std::string one(1, '\0');
    std::string all;
    while (peeked.source->read(one) == 1) all += one;
    CHECK(all == text);
    CHECK(peeked.source->known_size() == text.size());
  }
}

TEST_CASE("read_all stops at its limit") {
  CHECK(read_all(*memory_source("12345", "F"), "F", 5) == "12345");
  CHECK_THROWS_WITH_AS((void)read_all(*memory_source("123456", "F"), "F", 5), "F: error: larger than 5 bytes",
                       InputError);
  const std::string bomb = packed(std::string(5'000'000, 'a'), ".gz");
  CHECK(bomb.size() < 10000);
  CHECK_THROWS_AS((void)read_all(*memory_source(bomb, "F"), "F", 1'000'000), InputError);
}

TEST_CASE("every compression reads back what was written, in pieces of any size") {
  for (const std::string& text : {std::string(), std::string("x"), mixed_text(700000)}) {
    for (const auto& entry : endings) {
      const std::string& ending = entry.first;
      const std::string& word = entry.second;
      CAPTURE(word);
      const std::string bytes = packed(text, ending);
      CHECK(bytes != text);
      CHECK(decode(bytes) == text);
      CHECK(decode(bytes, 100003) == text);
      CHECK(memory_source(bytes, "F")->known_size() == 0);
      CHECK(memory_source(bytes, "F")->read_at(0, {}) == std::nullopt);
    }
  }
  const std::string text = mixed_text(3000);
  for (const auto& entry : endings) CHECK(decode(packed(text, entry.first), 1) == text);
}

TEST_CASE("members of a compressed stream are read one after the other") {
  const std::string first = mixed_text(200000);
  for (const auto& entry : endings) {
    const std::string& ending = entry.first;
    const std::string& word = entry.second;
    CAPTURE(word);
    const std::string bytes = packed(first, ending) + packed("", ending) + packed("second", ending);
    CHECK(decode(bytes) == first + "second");
  }
  const std::string padding(8, '\0');
  CHECK(decode(packed("a", ".xz") + padding + packed("b", ".xz") + padding) == "ab");
  using namespace std::string_literals;
  const std::string skippable = "\x50\x2a\x4d\x18\x03\x00\x00\x00xyz"s;
  CHECK(decode(skippable + packed("a", ".zst") + skippable) == "a");
}

TEST_CASE("a compressed stream cut anywhere is never a short data set") {
  const std::string text = mixed_text(300);
  for (const auto& entry : endings) {
    const std::string& ending = entry.first;
    const std::string& word = entry.second;
    const std::string bytes = packed(text, ending);
    for (std::size_t size = 6; size < bytes.size(); ++size) {
      CAPTURE(word);
      CAPTURE(size);
      CHECK(decode_error(std::string_view(bytes).substr(0, size)) ==
            fmt::format("F: error: truncated {} stream", word));
    }
  }
}

TEST_CASE("other bytes behind a compressed stream are an error") {
  for (const auto& entry : endings) {
    const std::string& ending = entry.first;
    const std::string& word = entry.second;
    CAPTURE(word);
    const std::string bytes = packed("data", ending);
    CHECK(decode_error(bytes + "x") ==
          fmt::format("F: error: other bytes after the end of the {} stream", word));
    CHECK_FALSE(decode_error(bytes + std::string(3, '\0')).empty());
  }
}

TEST_CASE("a changed byte in a compressed stream is found or harmless") {
  const std::string text = mixed_text(2000);
  for (const auto& entry : endings) {
    const std::string& ending = entry.first;
    const std::string& word = entry.second;
    std::string bytes = packed(text, ending);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const char kept = bytes[i];
      bytes[i] = static_cast<char>(kept ^ 0x55);
      std::string read;
      try {
        read = decode(bytes);
      } catch (const InputError&) {
        read = text;
      }
      CAPTURE(word);
      CAPTURE(i);
      const bool looks_plain = read == bytes;  // the magic bytes were hit: no longer a compressed stream
      CHECK((read == text || looks_plain));
      bytes[i] = kept;
    }
  }
}

TEST_CASE("text that only begins like bzip2 is text") { CHECK(decode("BZh9 is a word") == "BZh9 is a word"); }

namespace {

// Reads half, lets `change` happen to the file, reads the rest. "" when nothing was said.
template <class Change>
std::string error_after(const std::string& path, bool direct, Change change) {
  const auto source = open_source(path);
  std::string half(1000, '\0');
  try {
    REQUIRE(source->read(half) == half.size());
    change();
    if (!direct) (void)read_all(*source, path);
    if (direct) (void)source->read_at(source->known_size() - half.size(), half);
    source->check_unchanged();
  } catch (const SystemError& error) {
    return error.what();
  }
  return {};
}

void append(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::app) << bytes;
}

void set_time(const std::string& path, std::time_t seconds) {
  const struct timespec times[] = {{seconds, 0}, {seconds, 0}};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

}  // namespace

TEST_CASE("a file that becomes shorter, longer or another one while it is read is an error") {
  const Folder folder;
  const std::string path = folder / "f";
  const std::string text = mixed_text(300'000);
  for (const std::string& bytes : {text, packed(text, ".gz"), packed(text, ".zst")}) {
    const bool plain = bytes.size() == text.size();
    for (const bool direct : {false, true}) {
      if (direct && !plain) continue;
      CAPTURE(bytes.size());
      CAPTURE(direct);
      const auto again = [&] {
        put(path, bytes);
        set_time(path, 1'000'000'000);
      };
      again();
      CHECK(error_after(path, direct, [] {}) == "");
      again();
      CHECK(error_after(path, direct, [&] { fs::resize_file(path, bytes.size() / 2); }) ==
            fmt::format("{}: error: the file changed while it was read: {} bytes when it was opened, {} now",
                        path, bytes.size(), bytes.size() / 2));
      again();
      CHECK(error_after(path, direct, [&] { append(path, "1 1:1\n"); }) ==
            fmt::format("{}: error: the file changed while it was read: {} bytes when it was opened, {} now",
                        path, bytes.size(), bytes.size() + 6));
      again();
      CHECK(error_after(path, direct, [&] { set_time(path, 1'000'000'001); }) ==
            path + ": error: the file changed while it was read");
      again();  // another file in its place leaves the one that is read alone
      CHECK(error_after(path, direct, [&] { put(path, "other"); }) == "");
    }
  }
}

TEST_CASE("bytes behind the size that a file had at its opening are not given out") {
  const Folder folder;
  put(folder / "f", "12345");
  const auto source = open_source(folder / "f");
  append(folder / "f", "6789");
  std::string bytes(9, '.');
  CHECK(source->read_at(3, bytes) == 2);
  CHECK(bytes.substr(0, 3) == "45.");
  CHECK_THROWS_AS((void)source->read(bytes), SystemError);
}

TEST_CASE("files of /proc, which have a size of 0, are read to their end") {
  if (!fs::exists("/proc/self/status")) return;
  CHECK(read_all(*open_source("/proc/self/status"), "status").starts_with("Name:"));
}

TEST_CASE("a compressed stream that is there to fill the memory is refused") {
  for (const std::string ending : {".zst", ".gz"}) {
    try {
      const std::string bomb = packed(std::string(std::size_t{80} << 20U, '\0'), ".zst");
      (void)read_all(*memory_source(bomb, "F"), "F");
      FAIL("80 MiB of nothing were taken");
    } catch (const InputError& error) {
      CHECK(std::string(error.what())
                .find("at most 100 times as many beyond 64 MiB (hint: unpack the file first)") !=
            std::string::npos);
    }
    // A stream says the same whether it is one member or many.
    const std::string one = packed(std::string(std::size_t{4} << 20U, '\0'), ending);
    std::string many;
    for (int i = 0; i < 20; ++i) many += one;
    CHECK_THROWS_AS((void)read_all(*memory_source(many, "F"), "F"), InputError);
    CHECK(read_all(*memory_source(one, "F"), "F").size() == std::size_t{4} << 20U);
  }
}

TEST_CASE("writing makes the file, replaces it and keeps its mode") {
  const Folder folder;
  const std::string path = folder / "out";
  put(path, "first");
  CHECK(slurp(path) == "first");
  REQUIRE(::chmod(path.c_str(), 0640) == 0);
  const std::string large = mixed_text(300000);
  put(path, large);
  CHECK(slurp(path) == large);
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0640U);
  CHECK(folder.files() == 1);
}

TEST_CASE("a file that is being written has no name, so that no end of the program leaves one behind") {
  const Folder folder;
  const int probe = ::open((folder / "").c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
  if (probe < 0) return;  // the file system cannot
  ::close(probe);
  for (const bool replaces : {false, true}) {
    write_file(folder / "out", [&](ByteSink& sink) {
      sink.write(std::string(200'000, 'x'));
      CHECK(folder.files() == (replaces ? 1 : 0));
      remove_temporary_files();  // has none to remove
    });
    CHECK(slurp(folder / "out").size() == 200'000);
    CHECK(folder.files() == 1);
  }
}

TEST_CASE("what a killed program has left under the temporary name goes with the next file") {
  const Folder folder;
  put(folder / "out", "old");
  append(folder / ".out.tmp", "half a fi");
  put(folder / "out", "new");
  CHECK(slurp(folder / "out") == "new");
  CHECK(folder.files() == 1);
}

TEST_CASE("programs that write the same file at once leave one of their files and nothing else") {
  const Folder folder;
  const std::string path = folder / "out";
  const Threads threads(4);
  threads.run(40, [&](std::size_t t) { put(path, std::string(1000, static_cast<char>('a' + t % 26))); });
  const std::string left = slurp(path);
  CHECK(left == std::string(1000, left[0]));
  CHECK(folder.files() == 1);
}

TEST_CASE("names of the same file count as one") {
  const Folder folder;
  put(folder / "data", "x");
  put(folder / "other", "x");
  fs::create_symlink("data", folder / "link");
  fs::create_hard_link(folder / "data", folder / "hard");
  CHECK(is_same_file(folder / "data", folder / "data"));
  CHECK(is_same_file(folder / "link", folder / "data"));
  CHECK(is_same_file(folder / "data", folder / "hard"));
  CHECK_FALSE(is_same_file(folder / "other", folder / "data"));
  CHECK_FALSE(is_same_file(folder / "none", folder / "none"));
  CHECK_FALSE(is_same_file("/dev/null", "/dev/null"));
  const int descriptor = ::open((folder / "data").c_str(), O_RDONLY | O_CLOEXEC);
  CHECK(is_same_file(folder / "data", fmt::format("/dev/fd/{}", descriptor)));
  ::close(descriptor);
}

TEST_CASE("writing through a symbolic link keeps the link") {
  const Folder folder;
  put(folder / "target", "old");
  fs::create_symlink("target", folder / "link");
  fs::create_symlink("new", folder / "dangling");
  put(folder / "link", "changed");
  put(folder / "dangling", "made");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(slurp(folder / "target") == "changed");
  CHECK(fs::is_symlink(folder / "dangling"));
  CHECK(slurp(folder / "new") == "made");
  fs::create_symlink("round", folder / "round");
  CHECK_THROWS_AS(put(folder / "round", "x"), SystemError);
}

TEST_CASE("a writer that throws leaves the old file and no litter") {
  const Folder folder;
  const std::string path = folder / "out";
  put(path, "old");
  CHECK_THROWS_AS(write_file(path,
                             [](ByteSink& sink) {
                               sink.write(std::string(200000, 'x'));
                               throw InputError(Place{"F"}, "late trouble");
                             }),
                  InputError);
  CHECK(slurp(path) == "old");
  CHECK(folder.files() == 1);
}

TEST_CASE("a full disk leaves the old file and no litter") {
  const Folder folder;
  const std::string path = folder / "out";
  put(path, "old");
  struct rlimit before {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = before;
  small.rlim_cur = 100000;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  std::string message;
  try {
    put(path, std::string(500000, 'x'));
  } catch (const SystemError& error) {
    message = error.what();
  }
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  CHECK(message == path + ": error: cannot write: File too large");
  CHECK(slurp(path) == "old");
  CHECK(folder.files() == 1);
}

TEST_CASE("what cannot be written is a system error with its reason") {
  const Folder folder;
  CHECK_THROWS_WITH_AS(put("/dev/full", "x"), "/dev/full: error: cannot write: No space left on device",
                       SystemError);
  CHECK_THROWS_WITH_AS(put("/no/such/folder/x", "x"),
                       "/no/such/folder/x: error: cannot write: No such file or directory", SystemError);
  CHECK_THROWS_WITH_AS(put("/usr", "x"), "/usr: error: cannot write: Is a directory", SystemError);
  CHECK_THROWS_AS(put(folder / std::string(300, 'n'), "x"), SystemError);
  CHECK_THROWS_AS(put("", "x"), SystemError);
  CHECK_THROWS_AS(put(folder / "no/", "x"), SystemError);
  CHECK(folder.files() == 0);
  const std::string longest = folder / std::string(250, 'n');
  put(longest, "fits");
  CHECK(slurp(longest) == "fits");
}

TEST_CASE("devices and open descriptors are written in place") {
  const Folder folder;
  CHECK_NOTHROW(put("/dev/null", "x"));
  CHECK(fs::is_character_file("/dev/null"));
  const std::string path = folder / "log";
  put(path, "before ");
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  REQUIRE(descriptor >= 0);
  put(fmt::format("/dev/fd/{}", descriptor), "after");
  ::close(descriptor);
  CHECK(slurp(path) == "before after");
}

TEST_CASE("a pipe that takes little at a time and does not wait gets every byte") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
  REQUIRE(::fcntl(ends[1], F_SETPIPE_SZ, 4096) > 0);
  const std::string text = mixed_text(1'000'000);
  std::string got;
  std::thread reader([&] {
    const auto source = open_source(fmt::format("/dev/fd/{}", ends[0]));  // which does not wait either
    got = read_all(*source, "pipe");
  });
  put(fmt::format("/dev/fd/{}", ends[1]), text);
  ::close(ends[1]);
  reader.join();
  ::close(ends[0]);
  CHECK(got == text);
}

TEST_CASE("fingerprints are the canonical 128-bit XXH3 and do not depend on the pieces") {
  CHECK(Fingerprint().hex() ==
        "99aa06d3014798d86001c324468d497f");  // of no bytes, from the xxHash documentation
  const std::string text = mixed_text(5000);
  Fingerprint whole;
  whole.add(std::as_bytes(std::span(text)));
  Fingerprint pieces;
  pieces.add_values(std::span<const char>(text).first(1234));
  pieces.add_values(std::span<const char>(text).subspan(1234));
  CHECK(whole.hex() == pieces.hex());
  CHECK(whole.hex().size() == 32);
  CHECK(whole.hex() != Fingerprint().hex());
}

TEST_CASE("names lose their compression ending") {
  CHECK(without_packing("a/b.npy.gz") == "a/b.npy");
  CHECK(without_packing("x.csv.zst") == "x.csv");
  CHECK(without_packing("x.csv") == "x.csv");
}
