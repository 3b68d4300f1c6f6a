// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/baselines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "halfspace/core/error.hpp"
#include "halfspace/data/read.hpp"
#include "halfspace/prepare/against_rest.hpp"
#include "halfspace/solve/algorithm.hpp"

namespace halfspace {
namespace {

std::string name_of_feature(const Model& model, std::size_t feature) {
  return model.encoding != nullptr && feature < model.encoding->features()
             ? printable(model.encoding->feature_name(static_cast<std::uint32_t>(feature)))
             : fmt::format("x{}", feature + 1);
}

// What such a model looks at.
std::string subject_of(const Model& model) {
  if (const auto* lookup = std::get_if<LookupModel>(&model.form))
    return name_of_feature(model, lookup->feature);
  const auto& linear = std::get<LinearModel>(model.form);
  const auto used =
      std::find_if(linear.weights.begin(), linear.weights.end(), [](double w) { return w != 0; });
  if (used != linear.weights.end())
    return name_of_feature(model, static_cast<std::size_t>(used - linear.weights.begin()) % linear.features);
  if (linear.planes == 1)
    return fmt::format("always {}", printable(model.classes[linear.offsets.front() > 0 ? 1 : 0]));
  const auto largest = std::max_element(linear.offsets.begin(), linear.offsets.end());
  return fmt::format("always {}",
                     printable(model.classes[static_cast<std::size_t>(largest - linear.offsets.begin())]));
}

}  // namespace

Baseline majority_of(const Model& model, const Dataset& data) {
  const std::vector<std::string>& classes = model.classes;
  const std::vector<std::uint32_t> labels = labels_for(model, data);
  std::vector<double> weight(classes.size());
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] < classes.size()) weight[labels[i]] += data.weight(i);
  const auto most =
      static_cast<std::uint32_t>(std::max_element(weight.begin(), weight.end()) - weight.begin());
  Baseline out{.name = "majority", .what = fmt::format("always {}", printable(classes[most])), .count = {}};
  for (std::size_t i = 0; i < labels.size(); ++i) out.count.add(data.weight(i), labels[i] == most);
  return out;
}

std::vector<Baseline> baselines(const Model& judged, const Dataset& training, const Dataset& data,
                                const Run& run) {
  std::vector<Baseline> out;
  const std::string positive = fact(judged, "positive");
  const Dataset rows = positive.empty() ? training : against_rest(training, positive);
  for (const char* name : {"majority", "stump", "lookup"}) {
    Fit fit = Algorithm::by_name(name).train(rows, run);
    Model& model = fit.model();
    if (!positive.empty()) model.facts.emplace_back("positive", positive);
    const std::vector<double> f = scores(model, data, run.threads);
    out.push_back({name, subject_of(model), count_errors(model, f, data, labels_for(model, data))});
  }
  return out;
}

}  // namespace halfspace
