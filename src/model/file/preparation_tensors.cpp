// SPDX-License-Identifier: BSD-3-Clause
// The tensors of a scaling ("scaling.shift", "scaling.factor" [inputs]), the standard deviations "deviations" [inputs] and of a feature map: "map.frequency"
// [pairs, inputs], or the landmarks "map.start" [m + 1], "map.value" [n], "map.index" [n] and the triangle
// "map.transform" [m (m + 1) / 2]. And of a calibrator: "calibration.platt" [2], slope and shift, or the points
// "calibration.scores" [k] and "calibration.probabilities" [k].
#include <cstddef>

#include "model/file/tensor_reader.hpp"

namespace halfspace::detail {

void preparation_tensors(const Model& model, std::vector<Tensor>& eight, std::vector<Tensor>& four) {
  if (model.scaling.kind != ScaleKind::None) {
    const Scaling& scaling = model.scaling;
    eight.push_back({"scaling.shift", Dtype::F64, {scaling.shift.size()}, bytes_of(scaling.shift)});
    eight.push_back({"scaling.factor", Dtype::F64, {scaling.factor.size()}, bytes_of(scaling.factor)});
  }
  if (!model.deviations.empty())
    eight.push_back({"deviations", Dtype::F64, {model.deviations.size()}, bytes_of(model.deviations)});
  const Calibrator& calibrator = model.calibrator;
  if (calibrator.kind == CalibrationKind::Platt) {
    static_assert(offsetof(Calibrator, shift) == offsetof(Calibrator, slope) + sizeof(double));
    eight.push_back({"calibration.platt",
                     Dtype::F64,
                     {2},
                     {reinterpret_cast<const char*>(&calibrator.slope), 2 * sizeof(double)}});
  }
  if (calibrator.kind == CalibrationKind::Isotonic) {
    eight.push_back(
        {"calibration.scores", Dtype::F64, {calibrator.scores.size()}, bytes_of(calibrator.scores)});
    eight.push_back({"calibration.probabilities",
                     Dtype::F64,
                     {calibrator.probabilities.size()},
                     bytes_of(calibrator.probabilities)});
  }
  if (model.map == nullptr) return;
  const FeatureMap& map = *model.map;
  if (map.kind == MapKind::Fourier) {
    eight.push_back({"map.frequency", Dtype::F64, {map.outputs / 2, map.inputs}, bytes_of(map.frequency)});
    return;
  }
  eight.push_back({"map.start", Dtype::U64, {map.start.size()}, bytes_of(map.start)});
  eight.push_back({"map.value", Dtype::F64, {map.value.size()}, bytes_of(map.value)});
  eight.push_back({"map.transform", Dtype::F64, {map.transform.size()}, bytes_of(map.transform)});
  four.push_back({"map.index", Dtype::U32, {map.index.size()}, bytes_of(map.index)});
}

namespace {

void read_landmarks(TensorReader& tensors, FeatureMap& map) {
  const Tensor& starts = tensors.get("map.start", Dtype::U64);
  const std::uint64_t entries = tensors.get("map.index", Dtype::U32).bytes.size() / sizeof(std::uint32_t);
  map.start = tensors.values<std::uint64_t>("map.start", Dtype::U64, {map.outputs + 1});
  map.value = tensors.values<double>("map.value", Dtype::F64, {entries});
  map.index = tensors.values<std::uint32_t>("map.index", Dtype::U32, {entries});
  check_starts(tensors, "map.start", map.start, entries);
  // As many landmarks as the file has starts: their square does not overflow.
  map.transform = tensors.values<double>("map.transform", Dtype::F64, {map.outputs * (map.outputs + 1) / 2});
  // Columns are looked up in tables as long as there are inputs.
  constexpr std::uint64_t free_features = std::uint64_t{16} << 20U;
  if (map.inputs > free_features && map.inputs / 1024 > entries + 1)
    tensors.refuse(starts, 0, fmt::format("{} entries for {} features", entries, map.inputs));
  for (std::size_t r = 0; r < map.outputs; ++r) {
    for (std::uint64_t at = map.start[r]; at < map.start[r + 1]; ++at) {
      const bool ascends = at == map.start[r] || map.index[at] > map.index[at - 1];
      if (!ascends || map.index[at] >= map.inputs)
        tensors.refuse(*tensors.find("map.index"), at * 4, "not ascending below the features");
    }
  }
}

// A map that falls anywhere, or leaves what a probability can be, is refused.
void read_calibrator(TensorReader& tensors, Model& model) {
  Calibrator& out = model.calibrator;
  const Tensor* const platt = tensors.find("calibration.platt");
  const Tensor* const scores = tensors.find("calibration.scores");
  if (platt != nullptr && scores != nullptr) tensors.refuse(*scores, 0, "beside calibration.platt");
  if (platt != nullptr) {
    const auto numbers = tensors.values<double>("calibration.platt", Dtype::F64, {2});
    if (numbers[0] < 0) tensors.refuse(*platt, 0, "a slope below 0");
    out = {CalibrationKind::Platt, numbers[0], numbers[1], {}, {}};
  }
  if (scores == nullptr) return;
  const std::uint64_t count = tensors.get("calibration.scores", Dtype::F64).bytes.size() / sizeof(double);
  if (count == 0) tensors.refuse(*scores, 0, "no points");
  out.kind = CalibrationKind::Isotonic;
  out.scores = tensors.values<double>("calibration.scores", Dtype::F64, {count});
  out.probabilities = tensors.values<double>("calibration.probabilities", Dtype::F64, {count});
  const Tensor& heights = *tensors.find("calibration.probabilities");
  for (std::size_t k = 0; k < count; ++k) {
    const double p = out.probabilities[k];
    if (!(p > 0 && p < 1)) tensors.refuse(heights, k * 8, "not between 0 and 1");
    if (k > 0 && !(out.scores[k] > out.scores[k - 1])) tensors.refuse(*scores, k * 8, "not ascending");
    if (k > 0 && p < out.probabilities[k - 1]) tensors.refuse(heights, k * 8, "falls");
  }
}

}  // namespace

void read_preparation(TensorReader& tensors, Model& model) {
  read_calibrator(tensors, model);
  if (model.map != nullptr) {
    auto map = std::make_shared<FeatureMap>(*model.map);
    if (map->kind == MapKind::Fourier) {
      map->frequency = tensors.values<double>("map.frequency", Dtype::F64, {map->outputs / 2, map->inputs});
    } else {
      read_landmarks(tensors, *map);
    }
    model.map = std::move(map);
  }
  if (tensors.find("deviations") != nullptr) {
    model.deviations = tensors.values<double>("deviations", Dtype::F64, {model.features()});
    for (std::size_t j = 0; j < model.deviations.size(); ++j)
      if (model.deviations[j] < 0) tensors.refuse(*tensors.find("deviations"), j * sizeof(double), "below 0");
  }
  if (model.scaling.kind == ScaleKind::None) return;
  model.scaling.shift = tensors.values<double>("scaling.shift", Dtype::F64, {model.features()});
  model.scaling.factor = tensors.values<double>("scaling.factor", Dtype::F64, {model.features()});
}

}  // namespace halfspace::detail
