// SPDX-License-Identifier: BSD-3-Clause
#include "certify/claims/claim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "halfspace/objective/class_weights.hpp"
#include "halfspace/prepare/scaling.hpp"

namespace halfspace {

// The words of options whose enumerations belong to the solvers.
namespace detail {
namespace {
constexpr std::string_view several_words[] = {"auto", "one-vs-rest", "one-vs-one", "softmax"};
}  // namespace
}  // namespace detail
template <>
inline constexpr std::span<const std::string_view> enum_words<detail::Several> = detail::several_words;

namespace detail {

std::string text_of(const Facts& facts, std::string_view key) {
  const auto found =
      std::find_if(facts.begin(), facts.end(), [&](const auto& fact) { return fact.first == key; });
  return found == facts.end() ? std::string() : found->second;
}

Stated::Stated(const Facts& facts, std::string_view what, std::string file)
    : facts_(&facts), what_(what), file_(std::move(file)) {
  std::set<std::string_view> seen;
  for (const auto& [key, value] : facts)
    if (!seen.insert(key).second) refuse(key, "it appears twice");
}

bool Stated::has(std::string_view key) const {
  return std::any_of(facts_->begin(), facts_->end(), [&](const auto& fact) { return fact.first == key; });
}

const std::string& Stated::text(std::string_view key) {
  asked_.push_back(key);
  for (const auto& [name, value] : *facts_)
    if (name == key) return value;
  throw InputError({.file = file_}, fmt::format("the model has no {} '{}'", what_, key));
}

void Stated::no_others() const {
  for (const auto& [key, value] : *facts_)
    if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) refuse(key, "unknown here");
}

void Stated::refuse(std::string_view key, const std::string& why) const {
  throw InputError(
      {.file = file_},
      fmt::format("the model's {} '{}' is '{}'", what_, printable(key), printable(text_of(*facts_, key))),
      why);
}

namespace {

constexpr Range costs{1e-300, 1e300};
constexpr Range gaps{1e-12, 1};
constexpr Range megabytes{1, 1e6};

// What is asked for but enters no claim: how it was solved.
void read_remarks(Stated& options, bool solver, bool kernel) {
  if (options.text("gap") != "auto") (void)options.value<double>("gap", gaps);
  if (solver)
    (void)options.word("solver", {"auto", "newton", "dual-descent", "semismooth", "prox-newton", "team"});
  if (kernel) (void)options.value<double>("cache", megabytes);
}

Several read_several(Stated& options, std::initializer_list<Several> allowed) {
  const auto out = options.value<Several>("multiclass");
  if (std::find(allowed.begin(), allowed.end(), out) == allowed.end())
    options.refuse("multiclass", "not of this algorithm");
  return out;
}

}  // namespace

StatedOptions stated_options(const Model& model, const std::string& file) {
  Stated options(model.options, "option", file);
  StatedOptions out;
  const bool svm = model.algorithm == "svm", nu = model.algorithm == "nu-svm";
  const bool logistic = model.algorithm == "logistic";
  if (model.algorithm == "fewest-errors") {
    out.offset = options.value<Offset, Only<Offset::Free, Offset::None>>("offset");
    (void)options.value<std::int64_t>("nodes", {0, 1e12});
    options.no_others();
    return out;
  }
  if (svm || logistic) {
    out.C = options.value<double>("C", costs);
    out.class_weight = options.text("class-weight");
  }
  if (svm) {
    out.loss = options.value<Loss, NamedOption<Loss, MarginLoss>>("loss");
    out.penalty = options.value<Penalty, NamedOption<Penalty, AnyPenalty>>("penalty");
  }
  if (logistic) {
    out.loss = Logistic{};
    out.penalty = options.value<Penalty>("penalty");
    out.several = read_several(options, {Several::Softmax, Several::OneVsRest});
  }
  if (svm || logistic) {
    // Files of before these options existed: without them the problem is the one they leave as it is. An elastic net has
    // none without its ratio.
    if (options.has("l1-ratio") || std::holds_alternative<ElasticNet>(out.penalty))
      out.penalty = penalty_of(out.penalty, options.value<double>("l1-ratio", {0, 1}));
    if (options.has("debias")) out.debias = options.value<bool>("debias");
    if (out.debias && !is_sparse_penalty(out.penalty))
      options.refuse("debias", "without a penalty that chooses features");
  }
  if (nu) out.nu = options.value<double>("nu", gaps);
  if (!nu) out.offset = options.value<Offset>("offset");
  if (svm || nu) {
    out.several = read_several(options, {Several::Auto, Several::OneVsRest, Several::OneVsOne});
    (void)options.value<bool>("no-certificate");
  }
  if (!logistic) out.kernel = options.value<KernelFunction>("kernel");
  if (svm && out.kernel.kind != KernelKind::Linear &&
      (!std::holds_alternative<L2>(out.penalty) || out.debias))
    options.refuse("penalty", "kernel machines have l2");
  read_remarks(options, svm || logistic, !logistic);
  options.no_others();
  return out;
}

StatedFacts stated_facts(const Model& model, const std::string& file) {
  Stated facts(model.facts, "fact", file);
  constexpr Range counts{0, 0x1.0p53};
  StatedFacts out;
  out.rows = static_cast<std::uint64_t>(facts.value<std::int64_t>("rows", counts));
  out.features = static_cast<std::uint64_t>(facts.value<std::int64_t>("features", counts));
  out.data = facts.text("data");
  (void)facts.text("seed");  // how it was found: nothing that is claimed depends on it
  (void)facts.text("version");
  if (facts.has("tuning")) (void)facts.text("tuning");
  if (facts.has("calibration")) (void)facts.text("calibration");
  if (model.algorithm == "nu-svm") {
    const std::string& all = facts.text("C");
    for (std::size_t from = 0; from <= all.size();) {
      const std::size_t comma = std::min(all.find(',', from), all.size());
      const Facts one = {{"C", all.substr(from, comma - from)}};
      out.C.push_back(Stated(one, "fact", file).value<double>("C", costs));
      from = comma + 1;
    }
  }
  if (facts.has("from") && facts.text("from").empty()) facts.refuse("from", "a start has a name");
  // How the rows are read and prepared; compared where that is done.
  if (facts.has("map")) (void)facts.text("map");
  if (facts.has("map") && model.map == nullptr) facts.refuse("map", "the model makes no features");
  if (facts.has("scale")) (void)facts.value<ScaleKind>("scale");
  if (facts.has("positive") && facts.text("positive") != model.classes.back())
    facts.refuse("positive", "not the last of its classes");
  if (facts.has("zero_based") && facts.text("zero_based") != "true")
    facts.refuse("zero_based", "'true' or nothing");
  facts.no_others();
  return out;
}

std::vector<DualityGap> stated_gaps(const Model& model, std::size_t expected, const std::string& file) {
  const Place place{.file = file};
  const std::vector<Certificate> certificates = certificates_from_json(model.certificate, place);
  if (certificates.size() != expected) {
    throw InputError(place, fmt::format("the model has {} certificates", certificates.size()),
                     fmt::format("{} expected", expected));
  }
  std::vector<DualityGap> out;
  for (const Certificate& certificate : certificates) {
    const auto* gap = std::get_if<DualityGap>(&certificate);
    if (gap == nullptr) throw InputError(place, "the model has a certificate of another kind", "duality-gap");
    out.push_back(*gap);
  }
  return out;
}

bool as_stated(const DualityGap& found, const DualityGap& stated) {
  const double worse = std::max(stated.primal - found.primal, found.dual - stated.dual);
  return proves(found, stated) && worse <= 1e-8 * std::abs(found.primal) + 0.1 * stated.gap();
}

bool proves(const DualityGap& found, const DualityGap& stated) {
  if (!std::isfinite(found.primal) || !std::isfinite(found.dual)) return false;
  if (!std::isfinite(stated.primal) || !std::isfinite(stated.dual)) return false;
  // The same rows stored dense and sparse are added up in another order: bounds differ by what is left for rounding.
  constexpr double last_digits = 1e-12;
  const double most_room = std::max(1e-8 * std::abs(found.primal), 0.1 * found.gap());
  const double room = std::min(found.rounding, most_room);
  return found.primal - stated.primal <= last_digits * std::abs(found.primal) + room &&
         stated.dual - found.dual <= last_digits * std::min(std::abs(found.primal), std::abs(found.dual));
}

std::string gap_line(const std::string& name, const DualityGap& found, const DualityGap& stated, bool holds) {
  return fmt::format(
      "{}: objective at most {:.10g}, best at least {:.10g}, relative gap {:.3g}{}", name, found.primal,
      found.dual, found.relative(),
      holds ? "" : fmt::format("; the model says {:.17g} and {:.17g}", stated.primal, stated.dual));
}

std::string fault_of(const DualPoint& point, const Problem& problem) {
  const double limit = std::visit([](auto loss) { return loss.limit; }, problem.loss);
  if (point.rows.size() != point.alpha.size()) return "dual values and their rows differ in number";
  for (std::size_t k = 0; k < point.rows.size(); ++k) {
    const std::uint32_t i = point.rows[k];
    if (i >= problem.rows() || (k > 0 && i <= point.rows[k - 1]))
      return "a dual value of a row that is not there";
    if (!(problem.cost[i] > 0))
      return fmt::format("a dual value of row {}, which is absent", std::uint64_t{i} + 1);
    if (!(point.alpha[k] > 0 && std::isfinite(point.alpha[k]) && point.alpha[k] <= problem.cost[i] * limit))
      return fmt::format("the dual value of row {} is above its bound", std::uint64_t{i} + 1);
  }
  return {};
}

std::vector<double> stated_class_weights(const Dataset& data, const std::string& text,
                                         const std::string& file, const Team& team) {
  try {
    return class_weights(data, text, team);
  } catch (const UsageError& wrong) {
    throw InputError({.file = file},
                     fmt::format("the model's option 'class-weight' is '{}'", printable(text)),
                     wrong.said().message);
  }
}

void check_costs(const Dataset& data, const std::vector<double>& cost, const std::string& file) {
  for (std::size_t i = 0; i < cost.size(); ++i) {
    if (data.weight(i) == 0) continue;
    // Below the normal numbers a cost has lost digits, or vanished together with its row.
    if (std::isfinite(cost[i]) && cost[i] >= std::numeric_limits<double>::min()) continue;
    throw InputError({.file = file},
                     fmt::format("the model's C and class weights give row {} the cost {}", i + 1, cost[i]),
                     "a number that doubles can hold");
  }
}

}  // namespace detail
}  // namespace halfspace
