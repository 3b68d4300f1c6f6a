// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/train/train.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "certify/claims/verify_rows.hpp"
#include "core/simd/row_loops.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/version.hpp"
#include "halfspace/data/whole.hpp"
#include "halfspace/prepare/against_rest.hpp"
#include "halfspace/solve/checkpoint.hpp"
#include "model/fold_scaling.hpp"
#include "train/training_error.hpp"

namespace halfspace {
namespace {

// What folding did to the gaps is nothing that anybody would see.
bool near_claims(const std::vector<DualityGap>& found, const std::vector<Certificate>& claims) {
  return found.size() == claims.size() &&
         std::equal(found.begin(), found.end(), claims.begin(),
                    [](const DualityGap& gap, const Certificate& claim) {
                      const auto* stated = std::get_if<DualityGap>(&claim);
                      const double least = 1e-9 * std::max(1.0, std::abs(gap.primal));
                      return stated != nullptr && std::abs(gap.primal - stated->primal) <= least &&
                             std::abs(gap.dual - stated->dual) <= least;
                    });
}

// The numbers that the checker finds in place of those of the solver. False: they are not the same to the last digits
// that folding leaves.
bool take_found(const ModelCheck& check, std::vector<Certificate>& certificates) {
  if (!check.gaps.empty()) {
    if (!near_claims(check.gaps, certificates)) return check.holds;
    certificates.assign(check.gaps.begin(), check.gaps.end());
    return true;
  }
  if (check.found.size() != certificates.size()) return false;
  for (std::size_t k = 0; k < certificates.size(); ++k) {
    auto* separator = std::get_if<Separator>(&certificates[k]);
    if (separator == nullptr) return check.holds;  // counts are the same or they are not
    const double found = std::get<Separator>(check.found[k]).margin;
    if (!(found > 0.999999 * separator->margin)) return false;
    separator->margin = found;
  }
  return true;
}

// The planes for columns as they are, when what is certified holds for these planes too: they are turned back as
// the checker does it, and the numbers it finds take the place of those that the solver found.
// No time for that: the scaling stays beside the planes, which are certified as they are.
bool fold_certified(Fit& fit, const Scaling& scaling, const Dataset& rows, const Team& team) try {
  auto* linear = std::get_if<LinearModel>(&fit.model().form);
  if (linear == nullptr) return false;
  LinearModel folded = *linear;
  if (!detail::fold(scaling, folded)) return false;
  if (!fit.proof.certificates.empty()) {
    Model back = fit.model();
    auto& plane = back.form.emplace<LinearModel>(folded);
    if (!detail::unfold(scaling, plane)) return false;
    const ModelCheck check = detail::verify_rows(back, rows, team);
    if (!take_found(check, fit.proof.certificates)) return false;
    fit.model().certificate = to_json(fit.proof.certificates);
  }
  *linear = std::move(folded);
  return true;
} catch (const Stopped&) {
  return false;
}

// For planes, where the sums that this takes are no more than the rows themselves or a few megabytes; no time: none.
void add_deviations(Model& model, const Dataset& data, const Team& team) try {
  constexpr std::uint64_t few_bytes = std::uint64_t{1} << 24U, most_parts = 256, bytes_per_sum = 16;
  if (!std::holds_alternative<LinearModel>(model.form) || model.map != nullptr) return;
  const std::uint64_t parts = std::min<std::uint64_t>(most_parts, team.total(data.rows()) / row_block + 1);
  if (parts * bytes_per_sum * data.features() > few_bytes + 8 * team.total(data.nonzeros())) return;
  if (data.features() == model.features()) model.deviations = column_deviations(data, team);
} catch (const Stopped&) {
  model.deviations.clear();
}

// What the solver did not know of. No path, time or host: the same training gives the same bytes anywhere.
void add_facts(Model& model, const Dataset& data, const Preparation& how, const Run& run) {
  if (how.describe) add_deviations(model, data, closing_members(run));
  // The fingerprint is that of the rows as read, not as scaled.
  for (auto& [name, value] : model.facts) {
    if (name == "data" && (how.scale != ScaleKind::None || how.map))
      value = data.fingerprint(patient_members(run));
    if (name == "features" && how.map) value = fmt::format("{}", data.features());
  }
  if (model.map != nullptr)
    model.facts.emplace_back("map", fmt::format("{} for {}", OptionType<MapChoice>::print(*how.map),
                                                OptionType<KernelFunction>::print(model.map->kernel)));
  if (!how.positive.empty()) model.facts.emplace_back("positive", model.classes.back());
  if (how.scale != ScaleKind::None)
    model.facts.emplace_back("scale", OptionType<ScaleKind>::print(how.scale));
  if (how.zero_based) model.facts.emplace_back("zero_based", "true");
}

void check(const Preparation& how) {
  if (!how.map) return;
  // A value that would be refused as text is refused as a value.
  static_cast<void>(OptionType<MapChoice>::parse("features", OptionType<MapChoice>::print(*how.map), {}));
  static_cast<void>(
      OptionType<KernelFunction>::parse("kernel", OptionType<KernelFunction>::print(how.kernel), {}));
}

// Scores that a solver has left of a plane: as many as rows, and nobody needs them any more.
void forget_scores(Fit& fit) {
  if (fit.has_model() && std::holds_alternative<LinearModel>(fit.model().form)) fit.trace.scores = {};
}

// Rows as they are.
Fit train_plain(const Dataset& data, const Preparation& how, const detail::TrainRows& train_rows,
                const Run& run) {
  Fit fit = train_rows(data, run);
  if (fit.has_model() && how.describe)
    fit.trace.error = detail::training_error(fit, data, closing_members(run));
  forget_scores(fit);
  return fit;
}

Fit train_changed(const Dataset& data, const Preparation& how, const detail::TrainRows& train_rows,
                  const Run& run) {
  if (run.start != nullptr)
    throw UsageError(
        "--from is a plane among the rows as they are; --scale and --features nystrom or fourier make others",
        "scale the data before training");
  if (how.map && run.members != nullptr)
    throw UsageError("--features nystrom and fourier make features of rows in one process",
                     "several members take rows as they are, or scaled");
  const Team team = team_of(run);
  const Scaling scaling = learn_scaling(data, how.scale, team);
  Dataset rows = part_of_whole(apply_scaling(data, scaling, team), team);
  std::shared_ptr<const FeatureMap> map;
  std::vector<std::string> notes;
  if (how.map) {
    map = std::make_shared<FeatureMap>(
        learn_features(rows, *how.map, how.kernel, run.seed, run.threads, &notes));
    rows = apply_features(rows, *map, run.threads);
    notes.push_back(fmt::format("{} features for {} from {} columns, in float: {:.3g} MB",
                                OptionType<MapKind>::print(map->kind),
                                OptionType<KernelFunction>::print(map->kernel), map->inputs,
                                static_cast<double>(rows.storage_bytes()) / 1e6));
  }
  Fit fit = train_rows(rows, run);
  fit.words.notes.insert(fit.words.notes.begin(), notes.begin(), notes.end());
  if (!fit.has_model()) return fit;
  if (!fit.proof.estimates.empty())
    throw UsageError(
        "standard errors belong to the columns as they are; --penalty none needs no --scale and no "
        "--features nystrom "
        "or fourier",
        "--scale none");
  // Of models whose features were made: counted while the features are there.
  if (map != nullptr) {
    fit.trace.error = detail::training_error(fit, rows, closing_team(run));
    fit.model().map = map;
    fit.model().encoding = data.encoding();
  }
  forget_scores(fit);  // they are of the rows as they were changed
  fit.model().unit_rows = scaling.kind == ScaleKind::Unit;
  fit.answer.others.clear();  // they are of the rows as they were changed
  const bool columns = scaling.kind == ScaleKind::Standard || scaling.kind == ScaleKind::MinMax;
  if (columns && (map != nullptr || !fold_certified(fit, scaling, rows, closing_members(run))))
    fit.model().scaling = scaling;
  if (map == nullptr && how.describe)
    fit.trace.error = detail::training_error(fit, data, closing_members(run));
  return fit;
}

}  // namespace

namespace {

// What a checkpoint is of: all that the bits of the model follow from.
void begin_checkpoint(const Dataset& data, const Preparation& how, Facts algorithm, const Run& run) {
  if (run.checkpoint == nullptr) return;
  if (run.members != nullptr)
    throw UsageError("--checkpoint is for one process", "several members train from the beginning");
  Facts what{{"version", std::string(version())}, {"data", data.fingerprint()}};
  what.insert(what.end(), algorithm.begin(), algorithm.end());
  what.emplace_back("seed", fmt::format("{}", run.seed));
  what.emplace_back("scale", OptionType<ScaleKind>::print(how.scale));
  what.emplace_back("features", how.map ? OptionType<MapChoice>::print(*how.map) : "as they are");
  if (how.map) what.emplace_back("features of", OptionType<KernelFunction>::print(how.kernel));
  what.emplace_back("rows", data.spill() != nullptr ? "in files (--memory)" : "in memory");
  what.emplace_back("processor", instruction_set());
  run.checkpoint->begin(std::move(what));
}

Fit train_all(const Dataset& given, const Preparation& how, const detail::TrainRows& train_rows,
              const Run& run, Facts algorithm) {
  check(how);
  const Dataset whole = part_of_whole(given, patient_members(run));
  const Dataset data = how.positive.empty() ? whole : against_rest(whole, how.positive);
  begin_checkpoint(data, how, std::move(algorithm), run);
  const bool changed = how.scale != ScaleKind::None || how.map;
  Fit fit = changed ? train_changed(data, how, train_rows, run) : train_plain(data, how, train_rows, run);
  if (fit.has_model()) add_facts(fit.model(), data, how, run);
  for (auto& [name, other] : fit.answer.others) {
    auto form = std::move(other.form);
    other = fit.model();
    other.form = std::move(form);
    other.dual.clear();
    other.certificate.clear();
  }
  return fit;
}

}  // namespace

Facts detail::with_name(std::string_view algorithm, Facts options) {
  options.insert(options.begin(), {"algorithm", std::string(algorithm)});
  return options;
}

Fit detail::train_prepared(const Dataset& given, const Preparation& how, const TrainRows& train_rows,
                           const Run& allowed, Facts algorithm) {
  const Run run = begin_run(allowed);
  try {
    return train_all(given, how, train_rows, run, std::move(algorithm));
  } catch (const Stopped&) {  // all members are stopped at the same sum
    throw;
  } catch (...) {
    patient_members(run).abandon(std::current_exception());
    throw;
  }
}

Fit train(const Dataset& data, const Preparation& how, const Algorithm& algorithm, const Run& run) {
  return detail::train_prepared(
      data, how, [&](const Dataset& rows, const Run& begun) { return algorithm.train(rows, begun); }, run,
      detail::with_name(algorithm.name(), algorithm.values()));
}

Fit train_stream(const std::string& path, const StreamOptions& options, const Algorithm& algorithm,
                 const Run& run) {
  StreamOptions reading = options;
  reading.threads = run.threads.until(run.stop);
  Fit fit = algorithm.train_stream(*open_stream(path, reading), run);
  Model& model = fit.model();
  if (!options.positive.empty()) model.facts.emplace_back("positive", model.classes.back());
  if (options.zero_based) model.facts.emplace_back("zero_based", "true");
  return fit;
}

Fit train_part(const Dataset& data, const Algorithm& algorithm, const Run& given) {
  if (!data.labelled()) throw InputError({.file = data.name()}, "no labels", "labelled rows for training");
  if (data.features() == 0) throw InputError({.file = data.name()}, "no features", "at least one feature");
  if (data.classes().size() < 2)
    throw InputError({.file = data.name()}, "only one class", "training needs at least two");
  Fit fit = algorithm.train_stream(*stream_of(data), begin_run(given));
  fit.model().encoding = data.encoding();
  return fit;
}

}  // namespace halfspace
