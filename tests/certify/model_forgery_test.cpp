// SPDX-License-Identifier: BSD-3-Clause
// Model files made by someone who knows the format and the checksum: validation alone must find them out.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <limits>
#include <utility>

#include "model_samples.hpp"

namespace hs = halfspace;
using namespace hs::testing;

TEST_CASE("header lengths beyond the limit or the file are refused at byte 0") {
  std::string bytes = hs::to_bytes(dense_model());
  for (const std::uint64_t length : {bytes.size() - 7, std::size_t{1} << 24U, std::size_t{1} << 25U,
                                     std::size_t{1} << 63U, ~std::size_t{0}}) {
    CAPTURE(length);
    std::string evil = bytes;
    std::memcpy(evil.data(), &length, 8);
    CHECK(contains(refusal(evil), "m: byte 0: error: "));
  }
  CHECK(contains(refusal(std::string(8, '\0')), "m: byte 8: error: "));
  CHECK(contains(refusal(""), "m:1:1: error: "));
}

TEST_CASE("headers that are not the JSON we know are refused") {
  const Parts parts = parts_of(hs::to_bytes(dense_model()));
  const std::string header = parts.header.dump();
  const auto with_header = [&](const std::string& h) { return refusal(bytes_with_header(h, parts.data)); };
  CHECK(refusal(sealed(parts)).empty());
  CHECK(contains(with_header("[" + header + "]"), "byte 8"));
  CHECK(contains(with_header(header + "}"), "not valid JSON"));
  CHECK(contains(with_header(std::string(100000, '[')), "no JSON header"));
  CHECK(contains(with_header("{\"a\":" + std::string(100000, '[')), "nested deeper"));
  std::string many = "{\"a\":[0";
  for (int i = 0; i < 2000; ++i) many += ",0";
  CHECK(contains(with_header(many + "]}"), "more than 1000 values"));
  std::string twice = header;
  twice.insert(1, "\"weights\":{\"dtype\":\"F64\",\"shape\":[1,3],\"data_offsets\":[0,24]},");
  CHECK(contains(with_header(twice), "the key 'weights' appears twice"));
  CHECK(contains(with_header("{}"), "no '__metadata__'"));
}

TEST_CASE("a wrong field of the header is refused at its byte") {
  const Parts parts = parts_of(hs::to_bytes(dense_model()));
  const std::string header = parts.header.dump();
  struct Change {
    std::string from, to, place;  // what is replaced, and where the refusal points in the changed header
  };
  for (const Change& c : std::vector<Change>{
           {"\"dtype\":\"F64\"", "\"dtype\":\"F32\"", "\"F32\""},
           {"\"dtype\":\"F64\"", "\"dtype\":17", "17"},
           {"\"shape\":[1,3]", "\"shape\":[1,true]", "true"},
           {"\"shape\":[1,3]", "\"shape\":[1,3],\"sha\\u0070e2\":-5", "-5"},
           {"\"__metadata__\":{", "\"__metadata__\":{\"more\":null,", "null"},
           {"\"checksum\":\"", "\"checksum\":\"00", "\"00"},
           {"\"checksum\":", "\"checksum\":1e999,\"ckecksum\":", "1e999"},
           {"\\\"planes\\\":1", "\\\"planes\\\":2", "\"{\\\"algorithm"},
       }) {
    CAPTURE(c.to);
    std::string changed = header;
    REQUIRE(changed.find(c.from) != std::string::npos);
    changed.replace(changed.find(c.from), c.from.size(), c.to);
    const std::string message = refusal(bytes_with_header(changed, parts.data));
    CHECK_MESSAGE(contains(message, fmt::format("m: byte {}: error: ", 8 + changed.find(c.place))), message);
  }
}

TEST_CASE(
    "tensors with gaps, overlaps, wrong types or overflowing shapes are refused whatever the checksum") {
  using Change = void (*)(Parts&, Json&);
  const std::pair<const char*, Change> evil[] = {
      {"gap",
       [](Parts& p, Json&) {
         p.header["offsets"]["data_offsets"] = {32, 40};
         p.data.insert(24, 8, '\0');
       }},
      {"overlap",
       [](Parts& p, Json&) {
         p.header["offsets"]["data_offsets"] = {16, 24};
       }},
      {"beyond the end",
       [](Parts& p, Json&) {
         p.header["offsets"]["data_offsets"] = {24, 1ULL << 40U};
       }},
      {"end before begin",
       [](Parts& p, Json&) {
         p.header["offsets"]["data_offsets"] = {32, 24};
       }},
      {"three offsets",
       [](Parts& p, Json&) {
         p.header["offsets"]["data_offsets"] = {24, 32, 32};
       }},
      {"negative offset",
       [](Parts& p, Json&) {
         p.header["offsets"]["data_offsets"] = {-8, 32};
       }},
      {"fraction",
       [](Parts& p, Json&) {
         p.header["offsets"]["data_offsets"] = {24, 32.0};
       }},
      {"wrapping shape",
       [](Parts& p, Json&) {
         p.header["weights"]["shape"] = {1ULL << 61U, 8};
       }},
      {"shape of zero",
       [](Parts& p, Json&) {
         p.header["weights"]["shape"] = {0, 3};
       }},
      {"turned shape",
       [](Parts& p, Json&) {
         p.header["weights"]["shape"] = {3, 1};
       }},
      {"flat shape", [](Parts& p, Json&) { p.header["weights"]["shape"] = {3}; }},
      {"dtype", [](Parts& p, Json&) { p.header["weights"]["dtype"] = "U64"; }},
      {"unknown dtype", [](Parts& p, Json&) { p.header["weights"]["dtype"] = "F16"; }},
      {"unknown key", [](Parts& p, Json&) { p.header["weights"]["path"] = "/etc/passwd"; }},
      {"missing tensor",
       [](Parts& p, Json&) {
         p.header.erase("offsets");
         p.data.erase(24, 8);
       }},
      {"unknown tensor",
       [](Parts& p, Json&) {
         const auto n = p.data.size();
         p.header["extra"] = {{"dtype", "U8"}, {"shape", {8}}, {"data_offsets", {n, n + 8}}};
         p.data.append(8, 'x');
       }},
      {"unknown empty tensor",
       [](Parts& p, Json&) {
         p.header["extra"] = {{"dtype", "U8"}, {"shape", {0}}, {"data_offsets", {0, 0}}};
       }},
      {"trailing bytes", [](Parts& p, Json&) { p.data += '\0'; }},
      {"unknown metadata", [](Parts& p, Json&) { p.header["__metadata__"]["more"] = "x"; }},
      {"metadata not a text", [](Parts& p, Json&) { p.header["__metadata__"]["more"] = 1; }},
      {"not a number", [](Parts& p, Json&) { put(p.data, 8, std::numeric_limits<double>::quiet_NaN()); }},
      {"infinite offset", [](Parts& p, Json&) { put(p.data, 24, std::numeric_limits<double>::infinity()); }},
      {"one class", [](Parts&, Json& f) { f["classes"] = {"yes"}; }},
      {"three classes",
       [](Parts&, Json& f) {
         f["classes"] = {"a", "b", "c"};
       }},
      {"equal classes",
       [](Parts&, Json& f) {
         f["classes"] = {"yes", "yes"};
       }},
      {"empty class",
       [](Parts&, Json& f) {
         f["classes"] = {"", "yes"};
       }},
      {"class not a text",
       [](Parts&, Json& f) {
         f["classes"] = {"no", 1};
       }},
      {"features", [](Parts&, Json& f) { f["features"] = 4; }},
      {"huge features", [](Parts&, Json& f) { f["features"] = 1ULL << 60U; }},
      {"negative features", [](Parts&, Json& f) { f["features"] = -3; }},
      {"planes", [](Parts&, Json& f) { f["planes"] = 3; }},
      {"unknown field", [](Parts&, Json& f) { f["command"] = "rm"; }},
      {"missing field", [](Parts&, Json& f) { f.erase("tie"); }},
      {"unknown tie", [](Parts&, Json& f) { f["tie"] = "coin"; }},
      {"unknown form", [](Parts&, Json& f) { f["form"] = "tree"; }},
      {"flag as a number", [](Parts&, Json& f) { f["unit_rows"] = 1; }},
      {"fact of three", [](Parts&, Json& f) { f["facts"] = {{"a", "b", "c"}}; }},
      {"deep fields", [](Parts&, Json& f) { f["facts"] = {{{"a"}, "b"}}; }},
  };
  for (const auto& attempt : evil) {
    CAPTURE(attempt.first);
    CHECK(!refusal(forged(dense_model(), attempt.second)).empty());
  }
  CHECK(refusal(forged(dense_model(), [](Parts&, Json&) {})).empty());
  const auto not_finite = forged(
      dense_model(), [](Parts& p, Json&) { put(p.data, 8, std::numeric_limits<double>::quiet_NaN()); });
  const std::string message = refusal(not_finite);
  const std::size_t where = not_finite.size() - parts_of(not_finite).data.size() + 8;
  CHECK(contains(message, fmt::format("m: byte {}: error: ", where)));
}

TEST_CASE("sparse weights that point outside the model or would fill the memory are refused") {
  using Change = void (*)(Parts&, Json&);
  const auto at = [](Parts& p, const char* tensor, std::size_t item, std::size_t size) {
    return p.header[tensor]["data_offsets"][0].get<std::size_t>() + item * size;
  };
  const auto check = [&](auto&& change) { CHECK(!refusal(forged(sparse_model(), change)).empty()); };
  check([&](Parts& p, Json&) { put(p.data, at(p, "weights.start", 0, 8), std::uint64_t{1}); });
  check([&](Parts& p, Json&) { put(p.data, at(p, "weights.start", 1, 8), ~std::uint64_t{0}); });
  check([&](Parts& p, Json&) { put(p.data, at(p, "weights.start", 1, 8), std::uint64_t{3}); });
  check([&](Parts& p, Json&) { put(p.data, at(p, "weights.start", 3, 8), std::uint64_t{4}); });
  check([&](Parts& p, Json&) { put(p.data, at(p, "weights.start", 3, 8), std::uint64_t{2}); });
  check([&](Parts& p, Json&) { put(p.data, at(p, "weights.index", 0, 4), std::uint32_t{7}); });
  check([&](Parts& p, Json&) { put(p.data, at(p, "weights.index", 2, 4), std::uint32_t{1}); });
  check([&](Parts& p, Json&) {
    put(p.data, at(p, "weights.value", 1, 8), -std::numeric_limits<double>::infinity());
  });
  const Change huge = [](Parts&, Json& f) { f["features"] = 1ULL << 27U; };
  CHECK(
      contains(refusal(forged(sparse_model(), huge)), "3 stored weights for 3 planes of 134217728 features"));
  const Change unsorted = [](Parts&, Json& f) { f["classes"] = {"-1", "10", "7"}; };
  CHECK(contains(refusal(forged(sparse_model(), unsorted)), "not in order"));
}

TEST_CASE("lookup models with labels or values out of order or range are refused") {
  const auto check = [](auto&& change) { CHECK(!refusal(forged(lookup_model(), change)).empty()); };
  check([](Parts& p, Json&) { put(p.data, 0, 0.25); });
  check([](Parts& p, Json&) { put(p.data, 0, std::numeric_limits<double>::quiet_NaN()); });
  check([](Parts& p, Json&) { put(p.data, 24, std::uint32_t{3}); });
  check([](Parts&, Json& f) { f["fallback"] = 3; });
  check([](Parts&, Json& f) { f["feature"] = 3; });
  check([](Parts& p, Json&) { p.header["labels"]["shape"] = {1, 3}; });
}

TEST_CASE("encodings that do not fit are refused") {
  const auto with_encoding = [](const std::string& text) {
    Parts p = parts_of(hs::to_bytes(table_model()));
    const std::size_t begin = p.header["encoding"]["data_offsets"][0];
    p.data.resize(begin);
    p.data += text;
    p.header["encoding"]["data_offsets"] = {begin, begin + text.size()};
    p.header["encoding"]["shape"] = {text.size()};
    return refusal(sealed(std::move(p)));
  };
  const auto columns = [](const std::string& list) {
    return R"({"columns":[)" + list +
           R"(],"delimiter":",","header":true,"label_column":"y","weight_column":""})";
  };
  CHECK(with_encoding(columns(R"({"name":"a","kind":"number"})")).empty());
  CHECK(!with_encoding(columns(R"({"name":"a","kind":"number","fill":1})")).empty());
  CHECK(!with_encoding(columns(R"({"name":"a","kind":"number","fill":"nan"})")).empty());
  CHECK(!with_encoding(columns(R"({"name":"a","kind":"number","fill":"1x"})")).empty());
  CHECK(!with_encoding(columns(R"({"name":"a","kind":"category","categories":["x"],"fill":"1"})")).empty());
  CHECK(!with_encoding(columns(R"({"name":"a","kind":"pickle"})")).empty());
  CHECK(!with_encoding(columns(R"({"name":"a","kind":"number","categories":[]})")).empty());
  CHECK(!with_encoding(columns(R"({"name":"a","kind":"words","hash_bits":32})")).empty());
  CHECK(!with_encoding(columns(R"({"name":"a","kind":"words","hash_bits":4})")).empty());
  CHECK(!with_encoding(columns(R"({"name":"a","kind":"category","categories":["x","x"]})")).empty());
  CHECK(!with_encoding(columns(R"({"name":"a","kind":"category","categories":["y","x"]})")).empty());
  CHECK(!with_encoding(columns(R"({"name":"a","name":"b","kind":"number"})")).empty());
  std::string wide = R"({"name":"a","kind":"words","hash_bits":31})";
  CHECK(!with_encoding(columns(wide + "," + wide + "," + wide)).empty());
  CHECK(!with_encoding("").empty());
  CHECK(!with_encoding("[]").empty());
  CHECK(
      !with_encoding(R"({"columns":[],"delimiter":"ab","header":true,"label_column":"","weight_column":""})")
           .empty());
}

TEST_CASE("a file of a newer format says which program reads it") {
  const std::string message = refusal(forged(dense_model(), [](Parts&, Json& f) {
    f["version"] = "3";
    f["reader"] = "3.1.0";
    f["something_new"] = true;
  }));
  CHECK(contains(message, "format version 3"));
  CHECK(contains(message, "halfspace 3.1.0 or newer"));
}

TEST_CASE("a file of the first format is refused: its checksum did not cover the names") {
  const std::string message = refusal(forged(dense_model(), [](Parts&, Json& f) { f["version"] = "1"; }));
  CHECK(contains(message, "format version 1"));
  CHECK(contains(message, "train the model again"));
}

TEST_CASE("the checksum covers every byte: the names of the tensors, blanks, and what no reader looks at") {
  hs::Model scaled = sparse_model();
  scaled.unit_rows = false;
  scaled.scaling = {.kind = hs::ScaleKind::Standard,
                    .shift = std::vector<double>(7, 1),
                    .factor = std::vector<double>(7, 2)};
  for (const hs::Model& model : {dense_model(), scaled, table_model()}) {
    const std::string bytes = hs::to_bytes(model);
    REQUIRE(refusal(bytes).empty());
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ 1);
      CHECK_MESSAGE(!refusal(changed).empty(), at);
    }
  }
}

TEST_CASE("two tensors that change names are found by the checksum") {
  hs::Model model = dense_model();
  model.scaling = {.kind = hs::ScaleKind::Standard, .shift = {0, 1, 2}, .factor = {1, 2, 3}};
  Parts parts = parts_of(hs::to_bytes(model));
  REQUIRE(parts.header["scaling.shift"]["shape"] == parts.header["scaling.factor"]["shape"]);
  std::swap(parts.header["scaling.shift"], parts.header["scaling.factor"]);
  CHECK(contains(refusal(bytes_with_header(parts.header.dump(), parts.data)), "the checksum does not match"));
}
