// SPDX-License-Identifier: BSD-3-Clause
#include "data/share/plan.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>

#include "data/readers.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/share.hpp"
#include "halfspace/data/write.hpp"

namespace halfspace {
namespace {

// In the order of their bytes, whatever the locale.
std::vector<std::string> files_of(const std::string& data) {
  if (!is_pattern(data)) return {data};
  glob_t found = {};
  const std::unique_ptr<glob_t, decltype(&::globfree)> owner(&found, &::globfree);
  const int code = ::glob(data.c_str(), GLOB_NOSORT, nullptr, &found);
  if (code == GLOB_NOSPACE) throw std::bad_alloc();
  if (code == GLOB_ABORTED) throw SystemError("cannot read a folder of this pattern", data);
  std::vector<std::string> out;
  for (std::size_t k = 0; code == 0 && k < found.gl_pathc; ++k) out.emplace_back(found.gl_pathv[k]);
  if (out.empty()) throw InputError({.file = data}, "no file has a name of this pattern");
  std::sort(out.begin(), out.end());
  return out;
}

[[noreturn]] void refuse_format(const std::string& path, Format format) {
  throw UsageError(
      fmt::format(
          "{} is {}: files in parts, and files that several processes share out, are libsvm text or .hsd",
          printable(path, 200), OptionType<Format>::print(format)),
      fmt::format("halfspace convert {} -o ROWS.hsd", printable(path, 200)));
}

PartFile look_at(const std::string& path, Format& format, const ReadOptions& options) {
  PartFile out{.path = path};
  std::error_code code;
  out.bytes = std::filesystem::file_size(path, code);
  if (code || path == "-") {
    static_cast<void>(open_source(path));  // says what is wrong with it
    throw UsageError(
        fmt::format("{} has no size: several processes cannot share it out", printable(path, 200)),
        "a file that all of them can read");
  }
  format = format_of_file(path, options);
  const std::unique_ptr<ByteSource> source = open_source(path);
  out.whole = !(source->known_size() > 0 && source->read_at(0, {}).has_value());
  if (format == Format::Hsd && !out.whole) out.rows = cache_facts(*source, path).rows;
  return out;
}

SharePlan look(const std::string& data, const ReadOptions& options) {
  SharePlan plan;
  for (const std::string& path : files_of(data)) {
    Format format = options.format;
    PartFile file = look_at(path, format, options);
    if (format != Format::Libsvm && format != Format::Hsd) refuse_format(path, format);
    if (!plan.files.empty() && format != plan.format)
      throw UsageError(fmt::format("{} is {}, and {} is {}", printable(plan.files[0].path, 200),
                                   OptionType<Format>::print(plan.format), printable(path, 200),
                                   OptionType<Format>::print(format)),
                       "parts of one format");
    plan.format = format;
    plan.files.push_back(std::move(file));
  }
  return plan;
}

// A plan as bytes: the format, then for every file three numbers and its path with a zero behind it.
Members::Bytes bytes_of(const SharePlan& plan) {
  Members::Bytes out;
  const auto put = [&](const void* at, std::size_t size) {
    const auto* const from = static_cast<const std::byte*>(at);
    out.insert(out.end(), from, from + size);
  };
  const auto put_number = [&](std::uint64_t number) { put(&number, sizeof number); };
  put_number(static_cast<std::uint64_t>(plan.format));
  for (const PartFile& file : plan.files) {
    put_number(file.bytes);
    put_number(file.rows);
    put_number(file.whole ? 1 : 0);
    put(file.path.c_str(), file.path.size() + 1);
  }
  return out;
}

SharePlan plan_from(std::span<const std::byte> bytes) {
  const auto number = [&] {
    std::uint64_t out = 0;
    std::memcpy(&out, bytes.data(), sizeof out);
    bytes = bytes.subspan(sizeof out);
    return out;
  };
  SharePlan plan;
  plan.format = static_cast<Format>(number());
  while (!bytes.empty()) {
    PartFile file;
    file.bytes = number();
    file.rows = number();
    file.whole = number() != 0;
    file.path = reinterpret_cast<const char*>(bytes.data());
    bytes = bytes.subspan(file.path.size() + 1);
    plan.files.push_back(std::move(file));
  }
  return plan;
}

// whole * part / parts, without leaving 64 bits.
std::uint64_t share_end(std::uint64_t whole, std::uint64_t part, std::uint64_t parts) {
  return whole / parts * part + whole % parts * part / parts;
}

// The row of a cache that `at` of its bytes stand for.
std::uint64_t row_at(const PartFile& file, std::uint64_t at) {
  if (at >= file.bytes) return file.rows;
  const long double share = static_cast<long double>(at) / static_cast<long double>(file.bytes);
  return std::min(file.rows, static_cast<std::uint64_t>(share * static_cast<long double>(file.rows)));
}

}  // namespace

bool is_pattern(const std::string& data) {
  std::error_code ignored;
  return data.find_first_of("*?[") != std::string::npos && !std::filesystem::exists(data, ignored);
}

SharePlan plan_shares(const std::string& data, const ReadOptions& options, const Team& team) {
  if (team.alone()) return look(data, options);
  Members::Bytes mine;
  std::exception_ptr failure;
  try {
    if (team.first()) mine = bytes_of(look(data, options));
  } catch (...) {
    failure = std::current_exception();
  }
  return plan_from(team.gather(mine, failure).front());
}

std::vector<SharePiece> pieces_of(const SharePlan& plan, std::size_t number, std::size_t count) {
  std::uint64_t total = 0, before = 0;
  for (const PartFile& file : plan.files) total += file.bytes;
  const std::uint64_t first = share_end(total, number, count), last = share_end(total, number + 1, count);
  std::vector<SharePiece> out;
  for (std::size_t k = 0; k < plan.files.size(); ++k) {
    const PartFile& file = plan.files[k];
    const std::uint64_t begin = std::clamp(first, before, before + file.bytes) - before;
    const std::uint64_t end = std::clamp(last, before, before + file.bytes) - before;
    const std::uint64_t middle = file.bytes / 2;
    before += file.bytes;
    if (file.bytes == 0) continue;
    if (file.whole) {
      if (begin <= middle && middle < end) out.push_back({k, 0, file.bytes});
    } else if (begin < end && plan.format == Format::Hsd) {
      out.push_back({k, row_at(file, begin), row_at(file, end)});
    } else if (begin < end) {
      out.push_back({k, begin, end});
    }
  }
  return out;
}

}  // namespace halfspace
