// SPDX-License-Identifier: BSD-3-Clause
// Data files that change while they are read: no set is made of a half of the rows.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "data/readers.hpp"
#include "folder.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/read.hpp"
#include "halfspace/data/row_stream.hpp"
#include "halfspace/data/write.hpp"

using namespace halfspace;
using halfspace::testing::Folder;
namespace fs = std::filesystem;

namespace {

std::string libsvm_rows(std::size_t bytes) {
  std::string text;
  for (unsigned i = 0; text.size() < bytes; ++i)
    text += fmt::format("{} 1:{} 2:{}\n", i % 2 ? "+1" : "-1", i % 97, i % 7);
  return text;
}

// Lets something happen to the file after the first bytes of it were read.
class Meddler final : public ByteSource {
 public:
  Meddler(const std::string& path, std::function<void()> change)
      : file_(open_source(path)), change_(std::move(change)) {}
  std::size_t read(std::span<char> to) override {
    const std::size_t got = file_->read(to.first(std::min<std::size_t>(to.size(), 100'000)));
    happen();
    return got + (got == 100'000 ? file_->read(to.subspan(got)) : 0);
  }
  std::uint64_t known_size() const override { return file_->known_size(); }
  std::optional<std::size_t> read_at(std::uint64_t offset, std::span<char> to) const override {
    const auto got = file_->read_at(offset, to);
    if (!to.empty()) happen();
    return got;
  }
  void check_unchanged() const override { file_->check_unchanged(); }

 private:
  void happen() const {
    if (change_) std::exchange(change_, nullptr)();
  }
  std::unique_ptr<ByteSource> file_;
  mutable std::function<void()> change_;
};

// The second half of the file becomes empty lines, at a later time of change.
void overwrite(const std::string& path) {
  const auto size = fs::file_size(path);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(size / 2));
  file << std::string(size - size / 2, '\n');
  file.close();
  fs::last_write_time(path, fs::last_write_time(path) + std::chrono::seconds(2));
}

}  // namespace

TEST_CASE("libsvm text that is cut while pieces of it are read is no shorter set") {
  const Folder folder;
  const std::string path = folder / "rows";
  const std::string text = libsvm_rows(2'000'000);
  for (const int threads : {1, 3}) {
    std::ofstream(path, std::ios::binary) << text;
    Meddler source(path, [&] { fs::resize_file(path, text.rfind('\n', text.size() / 2) + 1); });
    ReadOptions options;
    options.threads = Threads(threads);
    CHECK_THROWS_AS((void)read_libsvm(source, path, options), SystemError);
  }
}

TEST_CASE("a table that is cut while it is read is no shorter set") {
  const Folder folder;
  const std::string path = folder / "table.csv";
  std::string text = "a,b,label\n";
  for (int i = 0; i < 60'000; ++i) text += fmt::format("{},{},{}\n", i % 10, i % 13, i % 2);
  std::ofstream(path, std::ios::binary) << text;
  Meddler source(path, [&] { fs::resize_file(path, text.find('\n', text.size() / 2) + 1); });
  CHECK_THROWS_AS((void)read_csv(source, path, {}), SystemError);
}

TEST_CASE("blocks of rows from a file that changes end in an error, not in an end") {
  const Folder folder;
  const std::string path = folder / "rows";
  const std::string text = libsvm_rows(1'500'000);
  const std::function<void()> changes[] = {
      [&] { fs::resize_file(path, text.rfind('\n', text.size() / 2) + 1); },
      [&] { std::ofstream(path, std::ios::binary | std::ios::app) << "+1 1:1\n"; },
      [&] { overwrite(path); },
  };
  for (const auto& change : changes) {
    std::ofstream(path, std::ios::binary) << text;
    bool done = false;
    CHECK_THROWS_AS(read_in_blocks(path, {},
                                   [&](std::size_t, const Dataset&, const Threads&) {
                                     if (!std::exchange(done, true)) change();
                                   }),
                    SystemError);
  }
}

TEST_CASE("a stream of rows from a file that is cut ends in an error") {
  const Folder folder;
  const std::string path = folder / "rows";
  const std::string text = libsvm_rows(3'000'000);
  std::ofstream(path, std::ios::binary) << text;
  const auto stream = open_stream(path, {});
  StreamBlock block;
  REQUIRE(stream->next(block));
  fs::resize_file(path, text.rfind('\n', text.size() / 2) + 1);
  CHECK_THROWS_AS(
      [&] {
        while (stream->next(block)) {
        }
      }(),
      SystemError);
}

TEST_CASE("a cache that is written to while it is copied is not used") {
  const Folder folder;
  std::ofstream(folder / "rows", std::ios::binary) << libsvm_rows(9'000'000);
  const std::string path = folder / "rows.hsd";
  write(read(folder / "rows"), path);
  REQUIRE(fs::file_size(path) > 2'000'000);
  const std::function<void()> changes[] = {[&] { fs::resize_file(path, 100'000); }, [&] { overwrite(path); }};
  for (const auto& change : changes) {
    fs::copy_file(path, folder / "kept", fs::copy_options::overwrite_existing);
    Meddler source(path, change);
    CHECK_THROWS_AS((void)read_cache(source, path, Threads(1)), SystemError);
    fs::copy_file(folder / "kept", path, fs::copy_options::overwrite_existing);
  }
}
