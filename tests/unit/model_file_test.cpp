// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/model/model_file.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "halfspace/core/bytes.hpp"
#include "support.hpp"

namespace hs = halfspace;
namespace fs = std::filesystem;
using hs::testing::dataset_from;
using hs::testing::input_error;
using hs::testing::linear_model;
using hs::testing::same_bits;
using Json = nlohmann::json;

namespace {

const hs::Threads one{1};

hs::Model dense_model() {
  auto model = linear_model({{1.5, -2, 1e-300}}, {0.1}, {"no", "yes"});
  model.tie = hs::Tie::Abstain;
  model.algorithm = "perceptron";
  model.options = {{"passes", "3"}, {"order", "cyclic"}};
  model.facts = {{"rows", "7"}, {"formula", "θ·x + \"b\""}};
  model.certificate = R"({"kind":"separator"})";
  return model;
}

hs::Model sparse_model() {
  auto model = linear_model({{0, 0, 3, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0}, {0, -0.0, 0, 0, 0, 0, 5}},
                            {1, 2, -3}, {"-1", "7", "10"});
  model.unit_rows = true;
  return model;
}

hs::Model lookup_model() {
  hs::Model model;
  model.form = hs::LookupModel{
      .features = 3, .feature = 1, .values = {-1, 0.25, 4}, .labels = {2, 0, 1}, .fallback = 1};
  model.classes = {"a", "b", "c"};
  return model;
}

hs::Model table_model() {
  auto model = linear_model({{1, 2, 3, 4, 5, 6, 7, 8}}, {9}, {"a", "b"});
  hs::Encoding encoding;
  encoding.columns = {
      {.name = "age", .fill = 0.1},
      {.name = "colour", .kind = hs::ColumnKind::Category, .categories = {"blue", "red"}, .first_feature = 1},
      {.name = "text", .kind = hs::ColumnKind::Words, .categories = {"free"}, .first_feature = 3},
      {.name = "more \"text\"", .kind = hs::ColumnKind::Words, .hash_bits = 2, .first_feature = 4}};
  encoding.label_column = "spam";
  encoding.weight_column = "weight";
  encoding.delimiter = '\t';
  model.encoding = std::make_shared<hs::Encoding>(encoding);
  return model;
}

void check_same(const hs::Model& a, const hs::Model& b) {
  CHECK(a.classes == b.classes);
  CHECK(a.unit_rows == b.unit_rows);
  CHECK(a.tie == b.tie);
  CHECK(a.algorithm == b.algorithm);
  CHECK(a.options == b.options);
  CHECK(a.facts == b.facts);
  CHECK(a.certificate == b.certificate);
  REQUIRE(a.form.index() == b.form.index());
  if (const auto* x = std::get_if<hs::LinearModel>(&a.form)) {
    const auto& y = std::get<hs::LinearModel>(b.form);
    CHECK(x->features == y.features);
    CHECK(x->planes == y.planes);
    CHECK(same_bits(x->weights, y.weights));
    CHECK(same_bits(x->offsets, y.offsets));
  } else {
    const auto& p = std::get<hs::LookupModel>(a.form);
    const auto& q = std::get<hs::LookupModel>(b.form);
    CHECK(p.features == q.features);
    CHECK(p.feature == q.feature);
    CHECK(p.values == q.values);
    CHECK(p.labels == q.labels);
    CHECK(p.fallback == q.fallback);
  }
}

// ------------------------------------------------------------------ the layout, by hand and apart from the
// library

struct Parts {
  Json header;
  std::string data;
};

Parts parts_of(const std::string& bytes) {
  std::uint64_t length = 0;
  REQUIRE(bytes.size() > 8);
  std::memcpy(&length, bytes.data(), 8);
  REQUIRE(length <= bytes.size() - 8);
  return {Json::parse(bytes.substr(8, length)), bytes.substr(8 + length)};
}

std::string bytes_with_header(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

std::string checksum(const std::string& fields, const std::string& data) {
  hs::Fingerprint sum;
  sum.add_values(std::span(std::string_view(fields)));
  sum.add_values(std::span(std::string_view(data)));
  return sum.hex();
}

// A forger knows the checksum: what follows must be found by validation alone.
std::string sealed(Parts parts) {
  auto& metadata = parts.header["__metadata__"];
  metadata["checksum"] = checksum(metadata["halfspace"].get<std::string>(), parts.data);
  return bytes_with_header(parts.header.dump(), parts.data);
}

template <class F>
std::string forged(const hs::Model& model, F&& change) {
  Parts parts = parts_of(hs::to_bytes(model));
  Json fields = Json::parse(parts.header["__metadata__"]["halfspace"].get<std::string>());
  change(parts, fields);
  parts.header["__metadata__"]["halfspace"] = fields.dump();
  return sealed(std::move(parts));
}

std::string refusal(const std::string& bytes) {
  return input_error([&] { (void)hs::model_from_bytes(bytes, "m"); });
}

template <class T>
void put(std::string& data, std::size_t at, T value) {
  REQUIRE(at + sizeof value <= data.size());
  std::memcpy(data.data() + at, &value, sizeof value);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("every form of model comes back from its bytes unchanged") {
  for (const auto& model : {dense_model(), sparse_model(), lookup_model(), table_model()}) {
    const std::string bytes = hs::to_bytes(model);
    const auto back = hs::model_from_bytes(bytes, "m");
    check_same(model, back);
    CHECK(hs::to_bytes(back) == bytes);
  }
}

TEST_CASE("the encoding of a table comes back with the model") {
  const auto back = hs::model_from_bytes(hs::to_bytes(table_model()), "m");
  REQUIRE(back.encoding);
  const auto& encoding = *back.encoding;
  CHECK(encoding.label_column == "spam");
  CHECK(encoding.weight_column == "weight");
  CHECK(encoding.header);
  CHECK(encoding.delimiter == '\t');
  REQUIRE(encoding.columns.size() == 4);
  CHECK(encoding.columns[0].fill == 0.1);
  CHECK(encoding.columns[1].categories == std::vector<std::string>{"blue", "red"});
  CHECK(encoding.columns[2].first_feature == 3);
  CHECK(encoding.columns[3].name == "more \"text\"");
  CHECK(encoding.columns[3].hash_bits == 2);
  CHECK(encoding.columns[3].first_feature == 4);
}

TEST_CASE("a file is a safetensors file for any reader") {
  const Parts parts = parts_of(hs::to_bytes(dense_model()));
  const Json expected_weights = {{"dtype", "F64"}, {"shape", {1, 3}}, {"data_offsets", {0, 24}}};
  CHECK(parts.header["weights"] == expected_weights);
  double weights[3];
  std::memcpy(weights, parts.data.data(), 24);
  CHECK(weights[1] == -2);
  for (const auto& item : parts.header["__metadata__"].items()) CHECK(item.value().is_string());
  // Every tensor lies on a multiple of its size, without gaps up to the end.
  for (const auto& model : {dense_model(), sparse_model(), lookup_model(), table_model()}) {
    const std::string bytes = hs::to_bytes(model);
    const Parts p = parts_of(bytes);
    CHECK((bytes.size() - p.data.size()) % 8 == 0);
    std::vector<std::pair<std::size_t, std::size_t>> places;
    for (const auto& item : p.header.items()) {
      if (item.key() == "__metadata__") continue;
      const std::string dtype = item.value()["dtype"];
      const std::size_t size = dtype == "U8" ? 1 : dtype == "U32" ? 4 : 8;
      places.emplace_back(item.value()["data_offsets"][0], item.value()["data_offsets"][1]);
      CHECK(places.back().first % size == 0);
    }
    std::sort(places.begin(), places.end());
    std::size_t at = 0;
    for (const auto& [begin, end] : places) {
      CHECK(begin == at);
      at = end;
    }
    CHECK(at == p.data.size());
  }
}

TEST_CASE("mostly zero weights are stored sparse and take little room") {
  std::vector<double> plane(30000);
  plane[12345] = 1;
  const auto model = linear_model({plane}, {0}, {"a", "b"});
  const std::string bytes = hs::to_bytes(model);
  CHECK(bytes.size() < 1000);
  check_same(model, hs::model_from_bytes(bytes, "m"));
  CHECK(parts_of(bytes).header.contains("weights.index"));
  std::fill(plane.begin(), plane.begin() + 10000, 2.0);
  CHECK(parts_of(hs::to_bytes(linear_model({plane}, {0}, {"a", "b"}))).header.contains("weights"));
}

TEST_CASE("save replaces a file and load reads it") {
  const fs::path path = fs::temp_directory_path() / fmt::format("halfspace-model-{}", ::getpid());
  hs::save(lookup_model(), path.string());
  hs::save(dense_model(), path.string());
  check_same(dense_model(), hs::load(path.string()));
  std::ifstream file(path, std::ios::binary);
  CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == hs::to_bytes(dense_model()));
  fs::remove(path);
  CHECK(contains(input_error([&] { (void)hs::load(path.string()); }), path.string()));
}

TEST_CASE("one damaged, lost or added byte is refused or changes no score") {
  const auto data = dataset_from({{1, 2, 3, 4, 5, 6, 7}, {-1, 0.25, 0}, {0, 0, 0}, {3, 4, 1, 1}});
  for (const auto& model : {dense_model(), sparse_model(), lookup_model()}) {
    const std::string bytes = hs::to_bytes(model);
    const auto expected = hs::scores(model, data, one);
    std::size_t wrong = 0;
    const auto examine = [&](const std::string& mutant) {
      try {
        const auto other = hs::model_from_bytes(mutant, "m");
        const bool same = other.classes == model.classes && other.tie == model.tie &&
                          same_bits(hs::scores(other, data, one), expected);
        wrong += same ? 0 : 1;
      } catch (const hs::InputError&) {
      }
    };
    std::string mutant = bytes;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      for (const int flip : {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xFF}) {
        mutant[at] =
            static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ static_cast<unsigned char>(flip));
        examine(mutant);
      }
      for (const char put_here : {'\0', ' ', '0', '9', '"', '{', '}'}) {
        mutant[at] = put_here;
        examine(mutant);
      }
      mutant[at] = bytes[at];
      std::string changed = bytes;
      examine(changed.erase(at, 1));
      changed = bytes;
      examine(changed.insert(at, 1, bytes[at]));
    }
    CHECK(wrong == 0);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      CAPTURE(length);
      CHECK(!refusal(bytes.substr(0, length)).empty());
    }
    for (const char byte : {'\0', ' ', '\n'}) CHECK(!refusal(bytes + byte).empty());
  }
}

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
  CHECK(contains(refusal(""), "m: byte 0: error: "));
}

TEST_CASE("headers that are not the JSON we know are refused") {
  const Parts parts = parts_of(hs::to_bytes(dense_model()));
  const std::string header = parts.header.dump();
  const auto with_header = [&](const std::string& h) { return refusal(bytes_with_header(h, parts.data)); };
  CHECK(with_header(header).empty());
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
  for (const auto& [name, change] : evil) {
    CAPTURE(name);
    CHECK(!refusal(forged(dense_model(), change)).empty());
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
  const Change huge = [](Parts&, Json& f) { f["features"] = 1ULL << 32U; };
  CHECK(contains(refusal(forged(sparse_model(), huge)),
                 "3 stored weights for 3 planes of 4294967296 features"));
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
    f["version"] = "2";
    f["reader"] = "3.1.0";
    f["something_new"] = true;
  }));
  CHECK(contains(message, "format version 2"));
  CHECK(contains(message, "halfspace 3.1.0 or newer"));
}

TEST_CASE("models that could not be read back are not written") {
  auto model = dense_model();
  std::get<hs::LinearModel>(model.form).weights[0] = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS((void)hs::to_bytes(model), hs::InputError);
  model = dense_model();
  model.classes = {"a\xff", "b"};
  CHECK_THROWS_AS((void)hs::to_bytes(model), hs::InputError);
}

TEST_CASE("two classes may stand in the order the caller chose") {
  auto model = dense_model();
  model.classes = {"rest", "a"};
  CHECK(hs::model_from_bytes(hs::to_bytes(model), "m").classes == model.classes);
}
