// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/model/model_file.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

#include "model_samples.hpp"

namespace hs = halfspace;
namespace fs = std::filesystem;
using namespace hs::testing;

namespace {

const hs::Threads one{1};

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
  CHECK(encoding.columns[1].fill == 0.0);
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
