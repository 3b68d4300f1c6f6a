// SPDX-License-Identifier: BSD-3-Clause
// The certificate of separability as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <utility>

#include "certify/separation/exact_number.hpp"
#include "halfspace/certify/separation.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/read.hpp"
#include "model/file/strict_json.hpp"

namespace halfspace {
namespace {

using Ordered = nlohmann::ordered_json;
using detail::Fields;

constexpr std::string_view schema = "halfspace.certificate/1";

Ordered numbers(const std::vector<std::uint32_t>& from_zero) {
  Ordered out = Ordered::array();
  for (const std::uint32_t k : from_zero) out.push_back(std::uint64_t{k} + 1);
  return out;
}
Ordered plane_json(const ExactPlane& plane) {
  return {{"columns", numbers(plane.columns)}, {"weights", plane.weights}, {"offset", plane.offset}};
}
Ordered combination_json(const Combination& c) { return {{"rows", numbers(c.rows)}, {"weights", c.weights}}; }

// Numbers from 1 to limit, no two equal; ascending when asked.
std::vector<std::uint32_t> from_one(Fields& fields, std::string_view key, std::uint64_t limit,
                                    bool ascending) {
  std::vector<std::uint32_t> out;
  for (const auto& item : fields.list(key)) {
    if (!item.is_number_unsigned())
      fields.refuse_entry(key, out.size(), fmt::format("'{}' has an entry that is not a whole number", key));
    const auto number = item.get<std::uint64_t>();
    if (number == 0 || number > limit) {
      fields.refuse_entry(key, out.size(), fmt::format("'{}' has the number {}", key, number),
                          fmt::format("1 to {}", limit));
    }
    if (ascending && !out.empty() && number - 1 <= out.back())
      fields.refuse_entry(key, out.size(), fmt::format("'{}' is not ascending", key));
    out.push_back(static_cast<std::uint32_t>(number - 1));
  }
  std::vector<std::uint32_t> sorted = out;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    fields.refuse(fmt::format("'{}' has a number twice", key));
  return out;
}

std::string number_text(Fields& fields, std::string_view key) {
  const std::string& text = fields.text(key);
  if (!detail::is_exact_number(text))
    fields.refuse(fmt::format("'{}' is '{}'", key, printable(text)), "a number");
  return text;
}
std::vector<std::string> number_texts(Fields& fields, std::string_view key) {
  std::vector<std::string> texts = fields.texts(key);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!detail::is_exact_number(texts[i]))
      fields.refuse_entry(key, i, fmt::format("'{}' has '{}'", key, printable(texts[i])), "a number");
  }
  return texts;
}

ExactPlane plane_from(Fields fields, std::uint64_t features) {
  ExactPlane out;
  out.columns = from_one(fields, "columns", features, true);
  if (out.columns.empty()) fields.refuse("a plane without columns", "at least one");
  out.weights = number_texts(fields, "weights");
  if (out.columns.size() != out.weights.size()) fields.refuse("columns and weights differ in number");
  out.offset = number_text(fields, "offset");
  fields.no_others();
  return out;
}
Combination combination_from(Fields& fields, std::uint64_t rows) {
  Combination out;
  out.rows = from_one(fields, "rows", rows, false);
  if (out.rows.empty()) fields.refuse("no rows", "at least one");
  out.weights = number_texts(fields, "weights");
  if (out.rows.size() != out.weights.size()) fields.refuse("rows and weights differ in number");
  return out;
}

// Both sides: at least one name each, none twice.
void take_classes(Fields& fields, SeparationProof& out) {
  std::set<std::string> seen;
  for (const auto& [key, side] :
       {std::pair{"positive", &out.positive}, std::pair{"negative", &out.negative}}) {
    *side = fields.texts(key);
    if (side->empty())
      fields.refuse(fmt::format("'{}' names no class", key), "at least one class on each side");
    for (std::size_t k = 0; k < side->size(); ++k)
      if (!seen.insert((*side)[k]).second)
        fields.refuse_entry(key, k, fmt::format("the class {} is named twice", printable((*side)[k])));
  }
}

template <class Enum>
Enum word(Fields& fields, std::string_view key) {
  const std::string& text = fields.text(key);
  const auto words = enum_words<Enum>;
  const auto found = std::find(words.begin(), words.end(), text);
  if (found == words.end()) {
    fields.refuse(fmt::format("'{}' is '{}'", key, printable(text)), join_words(words, ", "));
  }
  return static_cast<Enum>(found - words.begin());
}

}  // namespace

std::vector<Share> shares(const Combination& combination) {
  std::vector<mpq_class> weights(combination.weights.size());
  mpq_class sum = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (!detail::exact_number(combination.weights[k], weights[k]))
      throw std::logic_error("a weight that is no number");
    sum += weights[k];
  }
  std::vector<Share> out;
  for (const mpq_class& weight : weights) {
    const mpq_class share = weight / sum;
    out.push_back({share.get_str(), share.get_d()});
  }
  return out;
}

std::string to_json(const SeparationProof& proof) {
  Ordered out;
  out["schema"] = schema;
  out["data"] = {{"fingerprint", proof.fingerprint}, {"rows", proof.rows}, {"features", proof.features}};
  out["values"] = OptionType<Values>::print(proof.values);
  out["positive"] = proof.positive;
  out["negative"] = proof.negative;
  out["offset"] = OptionType<Offset>::print(proof.offset);
  out["verdict"] = OptionType<Separation>::print(proof.verdict);
  if (proof.verdict != Separation::Overlapping) out["plane"] = plane_json(proof.plane);
  if (proof.verdict == Separation::Separable) {
    if (!proof.margin_lower.empty()) {
      Ordered margin = combination_json(proof.hull);
      margin["lower"] = proof.margin_lower;
      margin["upper"] = proof.margin_upper;
      margin["plane"] = plane_json(proof.margin_plane);
      out["margin"] = std::move(margin);
    }
    if (!proof.radius.empty()) out["radius"] = proof.radius;
  } else {
    out["witnesses"] = Ordered::array();
    for (const Combination& witness : proof.witnesses) out["witnesses"].push_back(combination_json(witness));
    out["null_space"] = Ordered::array();
    for (const ExactPlane& plane : proof.null_space) out["null_space"].push_back(plane_json(plane));
    if (proof.verdict == Separation::Touching) out["complete"] = proof.complete;
  }
  return out.dump(-1, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

SeparationProof separation_from_json(std::string_view text, const std::string& name) {
  const detail::JsonText source(text, {.file = name, .line = 1, .column = 1});
  const auto json = detail::parse_strict(source, "certificate", {6});
  Fields fields(json, source, "certificate");
  if (fields.text("schema") != schema) fields.refuse("another schema", std::string(schema));
  SeparationProof out;
  Fields data = fields.object("data", "data");
  out.fingerprint = data.text("fingerprint");
  out.rows = data.count("rows", UINT32_MAX);
  out.features = data.count("features", most_features);
  data.no_others();
  out.values = word<Values>(fields, "values");
  take_classes(fields, out);
  out.offset = word<Offset>(fields, "offset");
  out.verdict = word<Separation>(fields, "verdict");
  if (out.verdict != Separation::Overlapping)
    out.plane = plane_from(fields.object("plane", "plane"), out.features);
  if (out.verdict == Separation::Separable) {
    if (fields.find("margin") != nullptr) {
      Fields parts = fields.object("margin", "margin");
      out.hull = combination_from(parts, out.rows);
      out.margin_lower = number_text(parts, "lower");
      out.margin_upper = number_text(parts, "upper");
      out.margin_plane = plane_from(parts.object("plane", "margin"), out.features);
      parts.no_others();
    }
    if (fields.find("radius") != nullptr) out.radius = number_text(fields, "radius");
  } else {
    for (Fields& parts : fields.objects("witnesses", "witness")) {
      out.witnesses.push_back(combination_from(parts, out.rows));
      parts.no_others();
    }
    for (Fields& plane : fields.objects("null_space", "null_space"))
      out.null_space.push_back(plane_from(std::move(plane), out.features));
    if (out.verdict == Separation::Touching) out.complete = fields.flag("complete");
  }
  fields.no_others();
  return out;
}

}  // namespace halfspace
