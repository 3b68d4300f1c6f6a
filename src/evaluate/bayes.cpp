// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/bayes.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "halfspace/model/errors.hpp"
#include "model/file/strict_json.hpp"

namespace halfspace {
namespace {

constexpr std::string_view schema = "halfspace.law/1";

double number(detail::Fields& fields, std::string_view key, double low, double high) {
  const detail::Json& value = fields.get(key);
  if (!value.is_number()) fields.refuse("no number", "a number");
  const auto x = value.get<double>();
  if (!(x >= low && x <= high)) fields.refuse("a number out of range");
  return x;
}

}  // namespace

std::string to_json(const Law& law) {
  nlohmann::ordered_json out;
  out["schema"] = schema;
  out["kind"] = OptionType<GeneratorKind>::print(law.kind);
  out["distance"] = law.distance;
  out["margin"] = law.margin;
  out["flip"] = law.flip;
  out["positive"] = law.positive;
  out["direction"] = law.direction;
  out["bayes_error"] = law.bayes_error;
  out["eta"] = eta_words(law);
  return out.dump(1) + "\n";
}

Law law_from_json(std::string_view text, const Place& place) {
  const detail::JsonText where(text, place);
  const detail::Json object = detail::parse_strict(where, "law", {3, 10'000'000});
  detail::Fields fields(object, where, "law");
  if (fields.text("schema") != schema) fields.refuse("another schema", std::string(schema));
  Law law;
  const std::string& kind = fields.text("kind");
  bool known = false;
  for (std::size_t k = 0; k < enum_words<GeneratorKind>.size(); ++k) {
    if (enum_words<GeneratorKind>[k] != kind) continue;
    law.kind = static_cast<GeneratorKind>(k);
    known = true;
  }
  if (!known) fields.refuse("kind '" + printable(kind) + "'", "a kind of halfspace generate");
  law.distance = number(fields, "distance", 0, 1e6);
  law.margin = number(fields, "margin", 0, 1);
  law.flip = number(fields, "flip", 0, 1);
  law.positive = number(fields, "positive", 0, 1);
  if (law.positive == 0 || law.positive == 1) fields.refuse("a share of 0 or 1");
  law.bayes_error = number(fields, "bayes_error", 0, 1);
  static_cast<void>(fields.find("eta"));
  const detail::Json& list = fields.list("direction");
  for (std::size_t j = 0; j < list.size(); ++j) {
    if (!list[j].is_number() || !std::isfinite(list[j].get<double>()))
      fields.refuse_entry("direction", j, "no number");
    law.direction.push_back(list[j].get<double>());
  }
  if (law.direction.empty() || (law.kind == GeneratorKind::Xor && law.direction.size() < 2))
    fields.refuse("too few numbers", "one for every column");
  fields.no_others();
  return law;
}

BayesComparison compare_with_bayes(const Model& model, const Dataset& data, const Law& law,
                                   const Threads& threads) {
  if (model.classes != std::vector<std::string>{"-1", "1"})
    throw UsageError("--bayes: the law speaks of the classes -1 and 1, the model of others");
  if (!data.labelled()) throw InputError({.file = data.name()}, "no labels", "labelled rows");
  const std::vector<double> chance = eta(law, data, threads);
  const std::vector<double> score = scores(model, data, threads);
  const ErrorCount wrong = count_errors(model, score, data, data.labels());
  BayesComparison out{law.bayes_error, wrong.share()};
  double weight = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const double w = data.weight(i);
    const bool best = chance[i] > 0.5;
    const bool positive = data.classes()[data.labels()[i]] == "1";
    weight += w;
    if (best != positive) out.best_error += w;
    // A row on the model's plane is an error for both classes.
    if (score[i] != 0 && (score[i] > 0) == best) continue;
    ++out.differing;
    out.excess += w * std::abs(2 * chance[i] - 1);
  }
  if (weight > 0) {
    out.best_error /= weight;
    out.excess /= weight;
  }
  return out;
}

}  // namespace halfspace
