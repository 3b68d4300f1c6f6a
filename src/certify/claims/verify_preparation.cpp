// SPDX-License-Identifier: BSD-3-Clause
// Learning is deterministic, so scalings and encodings have to be the same to the last bit. Frequencies and the
// triangle of nystrom go through functions whose last bits depend on the processor: these have to be the same to
// 1e-12 and 1e-9 of the largest number in their row.
#include "certify/claims/verify_preparation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "certify/claims/claim.hpp"
#include "certify/separation/refusal.hpp"
#include "halfspace/core/error.hpp"
#include "model/fold_scaling.hpp"

namespace halfspace {

ReadOptions training_read(const Model& model) {
  ReadOptions read;
  read.choices = model.encoding;
  read.features = static_cast<std::uint32_t>(model.features());
  read.zero_based = detail::text_of(model.facts, "zero_based") == "true";
  return read;
}

}  // namespace halfspace

namespace halfspace::detail {
namespace {

template <class... T>
[[noreturn]] void refuse(fmt::format_string<T...> format, T&&... values) {
  throw Refused{fmt::format(format, std::forward<T>(values)...)};
}

// A word that somebody wrote, in a claim.
template <class T>
T parsed(std::string_view what, const std::string& text) {
  try {
    return OptionType<T>::parse(what, text, {});
  } catch (const UsageError&) {
    refuse("the model says {} '{}', which is nothing", what, printable(text));
  }
}

std::string list_of(const std::vector<std::string>& names) {
  std::string out;
  constexpr std::size_t most = 8;
  for (std::size_t k = 0; k < std::min(most, names.size()); ++k)
    out += (k > 0 ? " " : "") + printable(names[k], 40);
  return names.size() > most ? fmt::format("{} ... ({})", out, names.size()) : out;
}

// What somebody chose about the table: part of the claim, so it is said.
std::string choices_of(const Encoding& table) {
  constexpr std::string_view missing[] = {"", "the mean", "the median", "leaving the row out",
                                          "the mean and an indicator"};
  std::string out = fmt::format("table with label {}", printable(table.label_column, 40));
  const auto add = [&](std::string_view what, const std::vector<std::string>& names) {
    if (!names.empty()) out += fmt::format(", {} {}", what, list_of(names));
  };
  if (!table.weight_column.empty()) add("weights", {table.weight_column});
  add("ignored", table.ignored);
  std::vector<std::string> categories, words;
  for (const Column& column : table.columns) {
    if (column.kind == ColumnKind::Category) categories.push_back(column.name);
    if (column.kind == ColumnKind::Words) words.push_back(column.name);
  }
  add("categories", categories);
  add("words", words);
  if (table.missing != Missing::Error)
    out += fmt::format(", missing values by {}", missing[static_cast<std::size_t>(table.missing)]);
  add("cells that mean missing", table.missing_words);
  if (!table.header) out += ", no header";
  if (table.delimiter != ',')
    out += table.delimiter == '\t' ? std::string(", cells parted by tabs")
                                   : fmt::format(", cells parted by {}", printable({&table.delimiter, 1}));
  if (table.one_hot == OneHot::Reference) out += ", the first category is the reference";
  if (table.decimal == DecimalMark::Comma) out += ", decimal commas";
  return out;
}

void check_table(const Encoding* stored, const Encoding* learned, std::vector<std::string>& told) {
  if (stored == nullptr && learned == nullptr) return;
  if (learned == nullptr)
    refuse(
        "the model was trained on a table and these rows come without one: how it was read cannot be "
        "compared");
  if (stored == nullptr)
    refuse(
        "these rows are a table and the model was trained on rows without names: how it is read is not said");
  const std::string found = difference(*stored, *learned);
  if (!found.empty()) refuse("{}", found);
  told.push_back(choices_of(*stored));
}

// The scaling that the model claims, which has one place: beside the form, or inside its planes.
struct ClaimedScale {
  ScaleKind kind = ScaleKind::None;
  bool stored = false;
};
ClaimedScale claimed_scale(const Model& model) {
  const std::string word = text_of(model.facts, "scale");
  ClaimedScale out;
  if (!word.empty()) out.kind = parsed<ScaleKind>("scale", word);
  out.stored = model.scaling.kind != ScaleKind::None;
  if (out.stored && model.scaling.kind != out.kind)
    refuse("the columns are scaled by {}, the model says '{}'",
           OptionType<ScaleKind>::print(model.scaling.kind), printable(word));
  if (model.unit_rows != (out.kind == ScaleKind::Unit))
    refuse("rows are {}divided by their length, the model says '{}'", model.unit_rows ? "" : "not ",
           printable(word));
  const bool columns = out.kind == ScaleKind::Standard || out.kind == ScaleKind::MinMax;
  if (columns && !out.stored && (model.map != nullptr || !std::holds_alternative<LinearModel>(model.form)))
    refuse("the model says scale '{}' and has no scaling", printable(word));
  return out;
}

// Nothing follows from them, but they are printed beside the weights: the order of a sum may show in them.
void compare_deviations(const std::vector<double>& stored, const Dataset& data, const Threads& threads) {
  if (stored.empty()) return;
  const std::vector<double> found = column_deviations(data, threads);
  if (stored.size() != found.size())
    refuse("standard deviations of {} columns, the data have {}", stored.size(), found.size());
  constexpr double share = 1e-6;
  for (std::uint32_t j = 0; j < found.size(); ++j)
    if (!(std::abs(stored[j] - found[j]) <= share * found[j]))
      refuse("the standard deviation of column {} is {}, the model says {}",
             printable(data.feature_name(j), 40), found[j], stored[j]);
}

void compare_scaling(const Scaling& stored, const Scaling& learned, const Dataset& data) {
  for (std::uint32_t j = 0; j < learned.shift.size(); ++j) {
    // Written so that what is not a number differs from everything.
    const bool same = stored.shift.at(j) == learned.shift[j] && stored.factor.at(j) == learned.factor[j];
    if (!same)
      refuse("column {} is scaled by (x - {}) {} as learned from the data, the model says (x - {}) {}",
             printable(data.feature_name(j), 40), learned.shift[j], learned.factor[j], stored.shift[j],
             stored.factor[j]);
  }
}

// Numbers of one row, to a share of the largest.
bool near(const double* a, const double* b, std::size_t size, double share) {
  double largest = 0;
  for (std::size_t k = 0; k < size; ++k) largest = std::max(largest, std::abs(b[k]));
  for (std::size_t k = 0; k < size; ++k)
    if (!(std::abs(a[k] - b[k]) <= share * largest)) return false;
  return true;
}

void compare_maps(const FeatureMap& stored, const FeatureMap& learned) {
  if (stored.outputs != learned.outputs)
    refuse("{} features as learned from the data, the model has {}", learned.outputs, stored.outputs);
  if (stored.kind == MapKind::Fourier) {
    for (std::size_t k = 0; k < learned.outputs / 2; ++k)
      if (!near(&stored.frequency[k * learned.inputs], &learned.frequency[k * learned.inputs], learned.inputs,
                1e-12))
        refuse("frequency {} is not the one of the seed", k + 1);
    return;
  }
  for (std::size_t r = 0; r < learned.outputs; ++r) {
    const auto row = [&](const FeatureMap& map, std::uint64_t at) {
      return std::pair(map.index[at], map.value[at]);
    };
    bool same = stored.start[r + 1] == learned.start[r + 1];
    for (std::uint64_t at = learned.start[r]; same && at < learned.start[r + 1]; ++at)
      same = row(stored, at) == row(learned, at);
    if (!same) refuse("landmark {} is not the training row that the seed draws", r + 1);
  }
  for (std::size_t r = 0; r < learned.outputs; ++r)
    if (!near(&stored.transform[r * (r + 1) / 2], &learned.transform[r * (r + 1) / 2], r + 1, 1e-9))
      refuse("row {} of the triangle is not the one of the landmarks", r + 1);
}

void check_map(const FeatureMap& map, const Model& model, const Dataset& rows, const Threads& threads,
               std::vector<std::string>& told) {
  const std::string claim = text_of(model.facts, "map");
  const std::size_t space = claim.find(" for ");
  const auto choice = parsed<MapChoice>("map", claim.substr(0, space));
  if (claim != fmt::format("{} for {}", OptionType<MapChoice>::print(choice),
                           OptionType<KernelFunction>::print(map.kernel)) ||
      choice.kind != map.kind)
    refuse("the features are {} for {}, the model says '{}'", OptionType<MapKind>::print(map.kind),
           OptionType<KernelFunction>::print(map.kernel), printable(claim));
  // Before any work: no more features than were asked for, and frequencies are all of them.
  if (map.outputs > choice.size || (map.kind == MapKind::Fourier && map.outputs != choice.size))
    refuse("{} features, the model says '{}'", map.outputs, printable(claim));
  if (map.inputs != rows.features())
    refuse("features are made of {} columns, the data have {}", map.inputs, rows.features());
  const std::string digits = text_of(model.facts, "seed");
  std::uint64_t seed = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
  if (code != std::errc() || end != digits.data() + digits.size()) refuse("the model names no seed");
  compare_maps(map, learn_features(rows, choice, map.kernel, seed, threads));
  told.push_back(fmt::format("features {} by seed {}", printable(claim), seed));
}

}  // namespace

std::optional<Unprepared> check_preparation(const Model& model, const Dataset& data, const Threads& threads,
                                            ModelCheck& out) {
  std::vector<std::string> told;
  try {
    check_table(model.encoding.get(), data.encoding().get(), told);
    const std::string positive = text_of(model.facts, "positive");
    if (!positive.empty()) told.push_back(fmt::format("{} against the rest", printable(positive, 40)));
    compare_deviations(model.deviations, data, threads);
    const ClaimedScale claim = claimed_scale(model);
    Unprepared plain{without_preparation(model), data};
    if (claim.kind != ScaleKind::None) {
      const Scaling scaling = learn_scaling(data, claim.kind, threads);
      if (claim.stored) {
        compare_scaling(model.scaling, scaling, data);
      } else if (claim.kind != ScaleKind::Unit && !unfold(scaling, std::get<LinearModel>(plain.model.form))) {
        refuse(
            "weights that the scaling cannot be taken out of: a column that it makes zero, or too few digits "
            "left");
      }
      plain.rows = apply_scaling(data, scaling, threads);
      told.push_back(fmt::format("scale {}", OptionType<ScaleKind>::print(claim.kind)));
    }
    if (model.map != nullptr) {
      check_map(*model.map, model, plain.rows, threads, told);
      plain.rows = apply_features(plain.rows, *model.map, threads);
    } else if (!text_of(model.facts, "map").empty()) {
      refuse("the model says that features were made, and has no map");
    }
    if (text_of(model.facts, "zero_based") == "true") told.emplace_back("indices from 0");
    if (!told.empty())
      out.lines.push_back(fmt::format("prepared as the data say: {}", fmt::join(told, "; ")));
    return plain;
  } catch (const Refused& refused) {
    out.lines.push_back(refused.why);
  } catch (const UsageError& wrong) {  // a preparation that these rows cannot have
    out.lines.push_back(wrong.said().message);
  }
  return std::nullopt;
}

}  // namespace halfspace::detail
