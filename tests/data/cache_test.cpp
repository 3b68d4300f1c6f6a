// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <string>

#include "data/cache/layout.hpp"
#include "data/write/writers.hpp"
#include "folder.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/builder.hpp"
#include "halfspace/data/write.hpp"

using namespace halfspace;
using halfspace::testing::Folder;

namespace {

class MemorySink final : public ByteSink {
 public:
  void write(std::string_view more) override { bytes.append(more); }
  std::string bytes;
};

using Rows = std::vector<std::vector<std::pair<std::uint32_t, double>>>;

Dataset make_data(const Rows& rows, std::size_t cols, bool weights = false, bool encoding = false) {
  MatrixBuilder builder;
  DatasetParts parts;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const auto& [j, x] : rows[i]) builder.add(j, x);
    builder.end_row();
    parts.labels.push_back(static_cast<std::uint32_t>(i % 2));
    if (weights) parts.weights.push_back(static_cast<double>(i) / 2);
  }
  parts.classes = {"no", "yes \xff\n"};
  StoredMatrix stored = builder.finish(cols, Threads(1));
  parts.matrix = stored.matrix;
  parts.storage = std::move(stored.storage);
  parts.name = "memory";
  if (encoding) {
    auto made = std::make_shared<Encoding>();
    made->columns.push_back({.name = "age", .fill = 41.5});
    made->columns.push_back(
        {.name = "color", .kind = ColumnKind::Category, .categories = {"blue", "red"}, .first_feature = 1});
    made->columns.push_back({.name = "text", .kind = ColumnKind::Words, .hash_bits = 3, .first_feature = 3});
    made->label_column = "label";
    made->weight_column = "w";
    made->delimiter = ';';
    parts.encoding = made;
  }
  return Dataset::make(std::move(parts));
}

// One set for every kind of storage.
std::vector<Dataset> every_storage() {
  const double tenth = 0.1;
  const double third = 1.0 / 3;
  return {make_data({{{0, 1}, {7, 1}}, {}, {{3, 1}}}, 12, true, true),
          make_data({{{0, 1.5}, {90, 1}}, {}, {{3, -2}}}, 100),
          make_data({{{0, tenth}, {90, 1}}, {}, {{3, -2}}}, 100, true),
          make_data({{{0, third}, {90, 1}}, {}, {{3, -2}}}, 100),
          make_data({{{0, 2}, {1, 1}}, {{1, 0.5}}}, 2),
          make_data({{{0, tenth}, {1, 1}}, {{0, 1}, {1, 0.5}}}, 2),
          make_data({{{0, third}, {1, 1}}, {{0, 1}, {1, 0.5}}}, 2, true),
          make_data({{{0, 1}, {7, 1}}, {}, {{3, 1}}}, 65537, true, true),
          make_data({{{0, 1.5}, {90000, 1}}, {}, {{3, -2}}}, 100000),
          make_data({{{0, tenth}, {90, 1}}, {}, {{3, -2}}}, 100000),
          make_data({{{0, third}, {90, 1}}, {}, {{3, -2}}}, 100000)};
}

std::string cache_bytes(const Dataset& data) {
  MemorySink sink;
  write_cache(data, sink);
  return sink.bytes;
}

Dataset open_bytes(const std::string& bytes) {
  const auto source = memory_source(bytes, "F");
  return read_cache(*source, "F", Threads(2));
}

// Opens and checks; true when nothing was refused. Anything but InputError is a failure of the test.
bool accepted(const std::string& bytes) {
  try {
    check_cache(open_bytes(bytes), Threads(1));
    return true;
  } catch (const InputError&) {
    return false;
  }
}

std::string error_of(const std::string& bytes) {
  try {
    check_cache(open_bytes(bytes), Threads(2));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

CacheHeader header_of(const std::string& bytes) {
  CacheHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header;
}

// The checksum made right again, so that the checks behind it are met.
void seal(std::string& bytes) {
  const CacheHeader header = header_of(bytes);
  const CacheSection words = header.sections[Words];
  if (words.offset > bytes.size() || words.bytes > bytes.size() - words.offset) return;
  const std::string checksum =
      cache_checksum(header, std::string_view(bytes).substr(words.offset, words.bytes));
  bytes.replace(offsetof(CacheHeader, checksum), checksum.size(), checksum);
}

template <class T>
void poke(std::string& bytes, std::uint64_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

}  // namespace

TEST_CASE("a cache gives back the set for every kind of storage") {
  std::set<std::size_t> kinds;
  for (const Dataset& data : every_storage()) {
    CAPTURE(data.storage_name());
    kinds.insert(data.matrix().index());
    const std::string bytes = cache_bytes(data);
    const Dataset back = open_bytes(bytes);
    CHECK_NOTHROW(check_cache(back, Threads(2)));
    CHECK(back.fingerprint() == data.fingerprint());
    CHECK(back.matrix().index() == data.matrix().index());
    CHECK(back.classes() == data.classes());
    CHECK(back.weights().size() == data.weights().size());
    CHECK(back.nonzeros() == data.nonzeros());
    CHECK(cache_bytes(Dataset::make([&] {
            DatasetParts parts;
            parts.matrix = back.matrix();
            parts.labels.assign(back.labels().begin(), back.labels().end());
            parts.weights.assign(back.weights().begin(), back.weights().end());
            parts.classes = back.classes();
            parts.encoding = back.encoding();
            parts.name = data.name();
            return parts;
          }())) == bytes);
  }
  CHECK(kinds.size() == std::variant_size_v<Matrix>);
}

TEST_CASE("the encoding of a table survives") {
  const Dataset data = make_data({{{0, 1}}, {{1, 1}}}, 11, false, true);
  const Dataset back = open_bytes(cache_bytes(data));
  REQUIRE(back.encoding());
  const Encoding& encoding = *back.encoding();
  REQUIRE(encoding.columns.size() == 3);
  CHECK(encoding.columns[0].fill == 41.5);
  CHECK(encoding.columns[1].categories == std::vector<std::string>{"blue", "red"});
  CHECK(encoding.columns[1].first_feature == 1);
  CHECK(encoding.columns[2].first_feature == 3);
  CHECK(encoding.columns[2].hash_bits == 3);
  CHECK(encoding.label_column == "label");
  CHECK(encoding.weight_column == "w");
  CHECK(encoding.delimiter == ';');
  CHECK(back.feature_name(2) == data.feature_name(2));
}

TEST_CASE("a set from a cache stays as it was whatever happens to the file") {
  const Folder folder;
  const std::string path = folder / "f.hsd";
  const Dataset first = every_storage()[2];
  write(first, path);
  const Dataset data = read(path);
  std::filesystem::resize_file(path, 100);  // a mapped page would be gone
  CHECK(data.fingerprint() == first.fingerprint());
  std::ofstream(path, std::ios::binary) << std::string(cache_bytes(first).size(), '\xff');
  CHECK(data.fingerprint() == first.fingerprint());
  CHECK(data.subset(std::vector<std::uint32_t>{2, 0}).rows() == 2);
  CHECK(data.one_against_rest("no").classes().back() == "no");
  CHECK_THROWS_AS((void)read(path), InputError);
}

TEST_CASE("the facts of a cache are those of the set") {
  for (const Dataset& data : every_storage()) {
    const std::string bytes = cache_bytes(data);
    const CacheFacts facts = cache_facts(*memory_source(bytes, "F"), "F");
    CHECK(facts.rows == data.rows());
    CHECK(facts.features == data.features());
    CHECK(facts.nonzeros == data.nonzeros());
    CHECK(facts.storage == data.storage_name());
    CHECK(facts.bytes == data.storage_bytes());
    CHECK(facts.classes == data.classes());
    CHECK(facts.weighted == !data.weights().empty());
    CHECK(facts.fingerprint == data.fingerprint());
    std::string changed = bytes;
    changed[header_of(bytes).sections[Words].offset + 8] ^= 1;
    CHECK_THROWS_AS((void)cache_facts(*memory_source(changed, "F"), "F"), InputError);
  }
}

TEST_CASE("a cache has no more features than text may have") {
  std::string bytes = cache_bytes(every_storage()[1]);
  poke<std::uint64_t>(bytes, offsetof(CacheHeader, cols), most_features + 1ULL);
  seal(bytes);
  CHECK(error_of(bytes) == "F: byte 48: error: 134217729 features; at most 134217728 features");
}

TEST_CASE("a compressed cache takes the memory that its header declares, not what comes") {
  const Folder folder;
  const std::string good = cache_bytes(every_storage()[1]);
  const auto error_of_packed = [&](const std::string& bytes) {
    write_packed_file(folder / "f.hsd.zst", [&](ByteSink& sink) { sink.write(bytes); });
    try {
      (void)read(folder / "f.hsd.zst");
    } catch (const InputError& error) {
      return error.message();
    }
    return std::string();
  };
  CHECK(error_of_packed(good) == "");
  CHECK(error_of_packed(good.substr(0, good.size() - 1)).find("size mismatch") != std::string::npos);
  CHECK(error_of_packed(good + std::string(std::size_t{80} << 20U, '\0')).find("larger than") !=
        std::string::npos);
  // A header whose sizes agree with each other and with nothing else.
  CacheHeader header = header_of(good);
  header.rows = std::uint64_t{1} << 40U;
  REQUIRE(lay_out(header, header.sections[Words].bytes, true, false));
  std::string huge(reinterpret_cast<const char*>(&header), sizeof header);
  huge += std::string(std::size_t{100} << 20U, '\0');
  seal(huge);
  CHECK(error_of_packed(huge).find("at most 100 times as many") != std::string::npos);
}

TEST_CASE("a changed byte of a cache is refused, wherever it is") {
  for (const Dataset& data : every_storage()) {
    std::string bytes = cache_bytes(data);
    CAPTURE(data.storage_name());
    std::size_t unseen = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      bytes[at] = static_cast<char>(bytes[at] ^ 0x81);
      if (accepted(bytes)) ++unseen;
      bytes[at] = static_cast<char>(bytes[at] ^ 0x81);
    }
    std::size_t padding = bytes.size() - sizeof(CacheHeader);
    for (const CacheSection& section : header_of(bytes).sections) padding -= section.bytes;
    CHECK(unseen == padding);
  }
}

TEST_CASE("a header with a right checksum and any wrong byte never does harm") {
  for (const Dataset& data : every_storage()) {
    const std::string good = cache_bytes(data);
    const CacheSection words = header_of(good).sections[Words];
    for (std::size_t at = 0; at < words.offset + words.bytes; ++at) {
      for (const unsigned char value : {0x00, 0x01, 0x07, 0x20, 0x40, 0x7f, 0x80, 0xff}) {
        std::string bytes = good;
        bytes[at] = static_cast<char>(value);
        seal(bytes);
        if (accepted(bytes)) CHECK(open_bytes(bytes).rows() == data.rows());
      }
    }
  }
}

TEST_CASE("a cache cut anywhere or with bytes behind it is refused") {
  const std::string good = cache_bytes(every_storage()[1]);
  for (std::size_t size = 0; size < good.size(); ++size) CHECK_FALSE(accepted(good.substr(0, size)));
  CHECK_FALSE(accepted(good + '\0'));
  CHECK(error_of("") == "F: byte 0: error: truncated cache: the header ends here");
  CHECK(error_of("1 1:2\n") == "F: byte 0: error: not a halfspace cache");
}

TEST_CASE("caches of another version or machine say so") {
  std::string bytes = cache_bytes(every_storage()[1]);
  poke<std::uint32_t>(bytes, offsetof(CacheHeader, version), 2);
  CHECK(error_of(bytes).starts_with("F: byte 8: error: cache of version 2"));
  poke<std::uint32_t>(bytes, offsetof(CacheHeader, version), 1);
  poke<std::uint32_t>(bytes, offsetof(CacheHeader, byte_order), 0x04030201);
  CHECK(error_of(bytes).starts_with("F: byte 12: error: cache of a machine with another byte order"));
}

TEST_CASE("sizes that multiply beyond 64 bits are refused") {
  for (const std::size_t field : {offsetof(CacheHeader, rows), offsetof(CacheHeader, cols),
                                  offsetof(CacheHeader, nonzeros), offsetof(CacheHeader, kind)}) {
    for (const std::uint64_t value :
         {~0ULL, 1ULL << 63U, 1ULL << 62U, 1ULL << 61U, (1ULL << 32U) - 1, 1ULL << 32U}) {
      for (const Dataset& data : every_storage()) {
        std::string bytes = cache_bytes(data);
        poke(bytes, field, value);
        seal(bytes);
        CHECK(accepted(bytes) == false);
      }
    }
  }
}

TEST_CASE("rows that a set cannot have are refused by row") {
  const std::string good = cache_bytes(every_storage()[2]);  // sparse decimals with weights
  const CacheHeader header = header_of(good);
  const auto with = [&](CacheSectionName section, std::uint64_t place, auto value) {
    std::string bytes = good;
    poke(bytes, header.sections[section].offset + place * sizeof value, value);
    return error_of(bytes);
  };
  CHECK(with(Start, 0, std::uint64_t{1}).find("row starts") != std::string::npos);
  CHECK(with(Start, 3, std::uint64_t{2}).find("row starts") != std::string::npos);
  CHECK(with(Start, 2, std::uint64_t{1}) == "F: error: damaged cache: row 2: row starts");
  CHECK(with(Start, 1, ~std::uint64_t{0}) == "F: error: damaged cache: row 1: row starts");
  CHECK(with(Index, 1, std::uint16_t{100}) == "F: error: damaged cache: row 1: feature numbers");
  CHECK(with(Index, 1, std::uint16_t{0}) == "F: error: damaged cache: row 1: feature numbers");
  CHECK(with(Value, 2, std::int32_t{0}) == "F: error: damaged cache: row 3: a value that is 0 or not finite");
  CHECK(with(Value, 2, std::int32_t{5}).find("fingerprint") != std::string::npos);
  CHECK(with(Labels, 1, std::uint32_t{2}) == "F: error: damaged cache: row 2: label");
  CHECK(with(Weights, 2, -1.0) == "F: error: damaged cache: row 3: weight");
  CHECK(with(Weights, 2, std::numeric_limits<double>::infinity()) ==
        "F: error: damaged cache: row 3: weight");
  std::string dense = cache_bytes(every_storage()[4]);
  poke(dense, header_of(dense).sections[Value].offset + 8, std::numeric_limits<float>::quiet_NaN());
  CHECK(error_of(dense) == "F: error: damaged cache: row 2: a value that is not finite");
}
