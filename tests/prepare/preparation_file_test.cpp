// SPDX-License-Identifier: BSD-3-Clause
// Scaling and feature maps in model files: what comes back, and files that say something impossible.
#include <limits>

#include "halfspace/prepare/feature_map.hpp"
#include "halfspace/prepare/scaling.hpp"
#include "model_samples.hpp"

namespace hs = halfspace;
using namespace hs::testing;

namespace {

const hs::Threads one(1);

hs::Dataset square() { return dataset_from({{0, 0, 1}, {0, 2, 0}, {3, 0, 0}, {4, 5, 6}}); }

hs::Model with_map(hs::MapKind kind) {
  auto model = linear_model({{1, -2, 3, -4}}, {0.25}, {"a", "b"});
  model.map = std::make_shared<hs::FeatureMap>(
      hs::learn_features(square(), {kind, 4}, {hs::KernelKind::Rbf, 0.5}, 1, one));
  model.scaling = hs::learn_scaling(square(), hs::ScaleKind::MinMax, one);
  REQUIRE(model.map->outputs == 4);
  return model;
}

// Where the bytes of a tensor begin.
std::size_t place(const Parts& parts, const char* name) {
  return parts.header[name]["data_offsets"][0].get<std::size_t>();
}

}  // namespace

TEST_CASE("a scaling and a map come back as they were, and score alike") {
  for (const hs::MapKind kind : {hs::MapKind::Nystrom, hs::MapKind::Fourier}) {
    const hs::Model model = with_map(kind);
    const hs::Model back = hs::model_from_bytes(hs::to_bytes(model), "m");
    CHECK(back.features() == 3);
    CHECK(back.scaling.kind == hs::ScaleKind::MinMax);
    CHECK(back.scaling.shift == model.scaling.shift);
    CHECK(back.scaling.factor == model.scaling.factor);
    CHECK(back.map->frequency == model.map->frequency);
    CHECK(back.map->transform == model.map->transform);
    CHECK(same_bits(hs::scores(back, square(), one), hs::scores(model, square(), one)));
    CHECK(hs::has_preparation(back));
    CHECK_FALSE(hs::has_preparation(hs::without_preparation(back)));
  }
}

TEST_CASE("maps that say something impossible are refused whatever the checksum") {
  using Change = void (*)(Parts&, Json&);
  const std::pair<const char*, Change> any[] = {
      {"unknown kind", [](Parts&, Json& f) { f["map"] = "wavelets"; }},
      {"no inputs", [](Parts&, Json& f) { f["map_inputs"] = 0; }},
      {"other inputs", [](Parts&, Json& f) { f["map_inputs"] = 4; }},
      {"huge inputs", [](Parts&, Json& f) { f["map_inputs"] = std::uint64_t{1} << 40U; }},
      {"inputs missing", [](Parts&, Json& f) { f.erase("map_inputs"); }},
      {"kernel missing", [](Parts&, Json& f) { f.erase("map_kernel"); }},
      {"kernel without gamma", [](Parts&, Json& f) { f["map_kernel"] = "rbf"; }},
      {"indefinite kernel", [](Parts&, Json& f) { f["map_kernel"] = "sigmoid:1,0"; }},
      {"map missing", [](Parts&, Json& f) { f.erase("map"); }},
      {"unknown scaling", [](Parts&, Json& f) { f["scaling"] = "robust"; }},
      {"no scaling", [](Parts&, Json& f) { f["scaling"] = "none"; }},
      {"scaling twice", [](Parts&, Json& f) { f["unit_rows"] = true; }},
      {"factor not a number",
       [](Parts& p, Json&) {
         put(p.data, place(p, "scaling.factor"), std::numeric_limits<double>::quiet_NaN());
       }},
  };
  for (const hs::MapKind kind : {hs::MapKind::Nystrom, hs::MapKind::Fourier}) {
    for (const auto& attempt : any) {
      CAPTURE(attempt.first);
      CHECK(refusal(forged(with_map(kind), attempt.second)) != "");
    }
  }
  const std::pair<const char*, Change> landmarks[] = {
      {"index beyond the inputs",
       [](Parts& p, Json&) { put(p.data, place(p, "map.index"), std::uint32_t{3}); }},
      {"starts do not begin at 0",
       [](Parts& p, Json&) { put(p.data, place(p, "map.start"), std::uint64_t{1}); }},
      {"starts wrap", [](Parts& p, Json&) { put(p.data, place(p, "map.start") + 8, ~std::uint64_t{0}); }},
      {"infinite triangle",
       [](Parts& p, Json&) {
         put(p.data, place(p, "map.transform"), std::numeric_limits<double>::infinity());
       }},
      {"triangle of another size",
       [](Parts& p, Json&) {
         p.header["map.transform"]["shape"] = {5, 2};
       }},
  };
  for (const auto& attempt : landmarks) {
    CAPTURE(attempt.first);
    CHECK(refusal(forged(with_map(hs::MapKind::Nystrom), attempt.second)) != "");
  }
  CHECK(refusal(forged(with_map(hs::MapKind::Fourier), [](Parts& p, Json&) {
          p.header["map.frequency"]["shape"] = {3, 2};
        })) != "");
  CHECK(refusal(forged(with_map(hs::MapKind::Fourier),
                       [](Parts&, Json& f) { f["map_kernel"] = "poly:2,1,1"; })) != "");
}
