// SPDX-License-Identifier: BSD-3-Clause
#include "oracle.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "halfspace/core/error.hpp"
#include "halfspace/data/write.hpp"

namespace fuzz {
namespace {

struct Outcome {
  std::optional<halfspace::Dataset> data;
  std::string text;  // fingerprint, or the message of the error
};

Outcome outcome(const std::function<halfspace::Dataset(halfspace::ReadOptions)>& read,
                halfspace::ReadOptions options, int threads) {
  options.threads = halfspace::Threads(threads);
  try {
    halfspace::Dataset data = read(options);
    std::string print = data.fingerprint();
    return {std::move(data), std::move(print)};
  } catch (const halfspace::InputError& error) {
    return {std::nullopt, error.what()};
  } catch (const halfspace::UsageError& error) {  // a column that the options name and the file has not
    return {std::nullopt, error.what()};
  }
}

}  // namespace

void require(bool holds, const std::string& message) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", message.c_str());
  std::abort();
}

std::string scratch_path(const std::string& name) {
  const char* folder = std::getenv("TMPDIR");
  return std::string(folder != nullptr ? folder : "/tmp") + "/halfspace-fuzz-" + std::to_string(getpid()) +
         "-" + name;
}

void check(const std::function<halfspace::Dataset(halfspace::ReadOptions)>& read,
           const halfspace::ReadOptions& options) {
  const Outcome alone = outcome(read, options, 1);
  const Outcome team = outcome(read, options, 3);
  require(alone.data.has_value() == team.data.has_value() && alone.text == team.text,
          "1 thread: " + alone.text + "; 3 threads: " + team.text);
  if (!alone.data) return;
  const std::string path = scratch_path("copy.hsd");
  halfspace::write(*alone.data, path, halfspace::Format::Hsd);
  const std::string back =
      halfspace::read(path, {.format = halfspace::Format::Hsd, .need_labels = false}).fingerprint();
  unlink(path.c_str());
  require(back == alone.text, "read " + alone.text + "; after writing and reading back " + back);
}

void check_reader(const Reader& reader, const halfspace::ReadOptions& options) {
  check([&](const halfspace::ReadOptions& with) { return halfspace::Dataset::make(reader(with)); }, options);
}

Pair split(std::string_view bytes) {
  if (bytes.size() < 2) return {bytes, {}};
  const auto low = static_cast<unsigned char>(bytes[0]);
  const auto high = static_cast<unsigned char>(bytes[1]);
  bytes.remove_prefix(2);
  const std::size_t length = std::min<std::size_t>(bytes.size(), low + 256u * high);
  return {bytes.substr(0, length), bytes.substr(length)};
}

void check_pair(std::string_view bytes, PairReader read) {
  const Pair files = split(bytes);
  const auto reader = [&](const halfspace::ReadOptions& options) {
    const auto rows = halfspace::memory_source(files.first, "rows");
    const auto labels = halfspace::memory_source(files.second, "labels");
    return read(*rows, "rows", files.second.empty() ? nullptr : labels.get(), "labels", options);
  };
  check_reader(reader, {.need_labels = !files.second.empty()});
}

}  // namespace fuzz
