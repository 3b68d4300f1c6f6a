// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/solve/start.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "halfspace/core/error.hpp"
#include "halfspace/model/model_file.hpp"

namespace halfspace {
namespace {

// Nothing when the text is no list of numbers.
std::optional<std::vector<double>> numbers_in(std::string_view text) {
  std::vector<double> out;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view word = text.substr(0, comma);
    if (word.starts_with('+')) word.remove_prefix(1);
    double value = 0;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (code != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) return std::nullopt;
    out.push_back(value);
    if (comma == text.size()) return out;
    text.remove_prefix(comma + 1);
  }
}

std::shared_ptr<const StartPlane> start_at(const std::vector<double>& numbers, const Dataset& data) {
  const std::size_t d = data.features();
  if (data.classes().size() != 2)
    throw UsageError(
        fmt::format("--from: numbers are one plane; the data have {} classes", data.classes().size()),
        "a model of these classes, or --positive LABEL");
  if (numbers.size() != d && numbers.size() != d + 1)
    throw UsageError(
        fmt::format("--from: {} numbers for {} features; {} weights, or {} with theta0 as the last",
                    numbers.size(), d, d, d + 1));
  auto start = std::make_shared<StartPlane>();
  start->planes.features = d;
  start->planes.weights.assign(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(d));
  start->planes.offsets = {numbers.size() > d ? numbers[d] : 0.0};
  constexpr std::size_t most_named = 64;
  for (std::size_t k = 0; k < std::min(numbers.size(), most_named); ++k)
    start->name += fmt::format("{}{}", k == 0 ? "" : ",", numbers[k]);
  if (numbers.size() > most_named) start->name += ",...";
  return start;
}

Model planes_of(const std::string& path, const Threads& threads) {
  Model model = load(path, threads);
  if (!std::holds_alternative<LinearModel>(model.form))
    throw InputError({.file = path}, "a model that is no plane", "--from starts at planes");
  if (has_preparation(model) || model.unit_rows)
    throw InputError({.file = path}, "a model that prepares its rows",
                     "--from takes planes among the rows as they are");
  return model;
}

std::shared_ptr<const StartPlane> start_at(Model model) {
  auto start = std::make_shared<StartPlane>();
  start->name = fmt::format("model {}", model.algorithm.empty() ? "-" : model.algorithm);
  for (const auto& [name, value] : model.facts)
    if (name == "data") start->name += " " + value;
  start->classes = model.classes;
  start->planes = std::move(std::get<LinearModel>(model.form));
  return start;
}

}  // namespace

std::shared_ptr<const StartPlane> start_from(std::string_view text, const Dataset& data,
                                             const Threads& threads) {
  if (text == "zero") return nullptr;
  if (const auto numbers = numbers_in(text)) return start_at(*numbers, data);
  Model model = planes_of(std::string(text), threads);
  if (model.features() != data.features())
    throw InputError({.file = std::string(text)}, fmt::format("a model of {} features", model.features()),
                     fmt::format("as many as the data have: {}", data.features()),
                     "--features D adds empty columns");
  for (std::uint32_t j = 0; model.encoding != nullptr && data.encoding() != nullptr && j < data.features();
       ++j) {
    if (model.encoding->feature_name(j) != data.encoding()->feature_name(j))
      throw InputError({.file = std::string(text)},
                       fmt::format("feature {} is {}", j + 1, printable(model.encoding->feature_name(j))),
                       fmt::format("that of the data: {}", printable(data.encoding()->feature_name(j))));
  }
  return start_at(std::move(model));
}

std::shared_ptr<const StartPlane> start_of_stream(std::string_view text, const Threads& threads) {
  if (text == "zero") return nullptr;
  if (numbers_in(text))
    throw UsageError("--from: how many features a stream has is not known before its end",
                     "a model, or without --stream");
  return start_at(planes_of(std::string(text), threads));
}

}  // namespace halfspace
