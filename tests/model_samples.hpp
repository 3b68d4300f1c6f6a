// SPDX-License-Identifier: BSD-3-Clause
// One model of every form, and the model file taken apart and put together by hand, apart from the library.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "halfspace/core/bytes.hpp"
#include "halfspace/model/model_file.hpp"
#include "support.hpp"

namespace halfspace::testing {

inline Model dense_model() {
  auto model = linear_model({{1.5, -2, 1e-300}}, {0.1}, {"no", "yes"});
  model.tie = Tie::Abstain;
  model.algorithm = "perceptron";
  model.options = {{"passes", "3"}, {"order", "cyclic"}};
  model.facts = {{"rows", "7"}, {"formula", "θ·x + \"b\""}};
  model.certificate = R"({"kind":"separator"})";
  return model;
}

inline Model sparse_model() {
  auto model = linear_model({{0, 0, 3, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0}, {0, -0.0, 0, 0, 0, 0, 5}},
                            {1, 2, -3}, {"-1", "7", "10"});
  model.unit_rows = true;
  return model;
}

inline Model lookup_model() {
  Model model;
  model.form =
      LookupModel{.features = 3, .feature = 1, .values = {-1, 0.25, 4}, .labels = {2, 0, 1}, .fallback = 1};
  model.classes = {"a", "b", "c"};
  return model;
}

inline Model table_model() {
  auto model = linear_model({{1, 2, 3, 4, 5, 6, 7, 8}}, {9}, {"a", "b"});
  Encoding encoding;
  encoding.columns = {
      {.name = "age", .fill = 0.1},
      {.name = "colour",
       .kind = ColumnKind::Category,
       .categories = {"blue", "red"},
       .fill = 0,
       .first_feature = 1},
      {.name = "text", .kind = ColumnKind::Words, .categories = {"free"}, .first_feature = 3},
      {.name = "more \"text\"", .kind = ColumnKind::Words, .hash_bits = 2, .first_feature = 4}};
  encoding.label_column = "spam";
  encoding.weight_column = "weight";
  encoding.delimiter = '\t';
  model.encoding = std::make_shared<Encoding>(encoding);
  return model;
}

using Json = nlohmann::json;

struct Parts {
  Json header;
  std::string data;
};

inline Parts parts_of(const std::string& bytes) {
  std::uint64_t length = 0;
  REQUIRE(bytes.size() > 8);
  std::memcpy(&length, bytes.data(), 8);
  REQUIRE(length <= bytes.size() - 8);
  return {Json::parse(bytes.substr(8, length)), bytes.substr(8 + length)};
}

inline std::string bytes_with_header(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

// A forger knows the checksum: what follows must be found by validation alone.
inline std::string sealed(Parts parts) {
  const std::string zeros(32, '0');
  parts.header["__metadata__"]["checksum"] = zeros;
  std::string bytes = bytes_with_header(parts.header.dump(), parts.data);
  const std::size_t at = bytes.find("\"checksum\":\"" + zeros) + 12;
  Fingerprint sum;
  sum.add_values(std::span(std::string_view(bytes)));
  return bytes.replace(at, zeros.size(), sum.hex());
}

template <class F>
std::string forged(const Model& model, F&& change) {
  Parts parts = parts_of(to_bytes(model));
  Json fields = Json::parse(parts.header["__metadata__"]["halfspace"].get<std::string>());
  change(parts, fields);
  parts.header["__metadata__"]["halfspace"] = fields.dump();
  return sealed(std::move(parts));
}

inline std::string refusal(const std::string& bytes) {
  return input_error([&] { (void)model_from_bytes(bytes, "m"); });
}

template <class T>
void put(std::string& data, std::size_t at, T value) {
  REQUIRE(at + sizeof value <= data.size());
  std::memcpy(data.data() + at, &value, sizeof value);
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace halfspace::testing
