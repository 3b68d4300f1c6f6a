// SPDX-License-Identifier: BSD-3-Clause
#include "search_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "algorithm_options.hpp"
#include "describe.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/prepare/against_rest.hpp"

namespace halfspace::cli {
namespace {

std::string value_of(const std::vector<std::string>& args, const std::string& option,
                     std::string_view fallback) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i].starts_with(option + "=")) return args[i].substr(option.size() + 1);
    if (args[i] == option && i + 1 < args.size()) return args[i + 1];
  }
  return std::string(fallback);
}

}  // namespace

AlgorithmChoice::AlgorithmChoice(const std::vector<std::string>& args, std::string option,
                                 std::string_view fallback)
    : option_(std::move(option)), names_(algorithm_names(value_of(args, option_, fallback), option_)) {}

void AlgorithmChoice::add_options(OptionList& options, bool makes_features) {
  makes_features_ = makes_features;
  for (const std::string& name : names_) {
    options.group(fmt::format("Algorithm {}", name));
    for (const OptionInfo& info : Algorithm::by_name(name).options()) {
      const auto listed = options.all();
      if (std::any_of(listed.begin(), listed.end(),
                      [&](const OptionSpec& spec) { return spec.names == "--" + info.name; }))
        continue;
      OptionSpec spec{"--" + info.name, info.unit, info.help, info.fallback, info.choices};
      spec.flag = info.flag;
      spec.set = [this, option = info.name, flag = info.flag](const std::string& text) {
        given_[option] = flag && text.empty() ? "true" : text;
      };
      options.add(std::move(spec));
    }
  }
  const auto listed = options.all();
  if (!makes_features_ || std::any_of(listed.begin(), listed.end(),
                                      [](const OptionSpec& spec) { return spec.names == "--kernel"; }))
    return;
  OptionSpec kernel{"--kernel", "KERNEL", "what the products of the features stand for: rbf:GAMMA"};
  kernel.set = [this](const std::string& text) { given_["kernel"] = text; };
  options.add(std::move(kernel));
}

std::string AlgorithmChoice::hint_for(const std::string& option) const {
  return option_owners(Algorithm::by_name(names_.front()), option);
}

std::vector<SearchSpace> AlgorithmChoice::spaces(const DataOptions& data, bool search,
                                                 double per_decade) const {
  if (makes_features_ && !given_.contains("kernel"))
    throw UsageError("--features nystrom and fourier need --kernel", "--kernel rbf:0.1");
  const Preparation preparation{data.positive, data.scale, data.map, data.map_kernel, data.read.zero_based};
  return search_spaces(names_, preparation, {given_.begin(), given_.end()}, search, per_decade);
}

std::vector<Candidate> AlgorithmChoice::candidates(const DataOptions& data) const {
  std::vector<Candidate> out;
  for (SearchSpace& space : spaces(data, false)) {
    if (!space.axes.empty())
      throw UsageError(fmt::format("--{}: several values are for tune and path", space.axes.front().option),
                       "one value");
    out.push_back(std::move(space.fixed));
  }
  return out;
}

namespace {

// Names that other programs have for these, or for what is one of them turned round.
MetricKind parse_metric(const std::string& text) {
  constexpr std::pair<std::string_view, std::string_view> others[] = {
      {"accuracy", "error, which is 1 less the accuracy"},
      {"balanced-accuracy", "balanced-error, which is 1 less the balanced accuracy"},
      {"balanced_accuracy", "balanced-error, which is 1 less the balanced accuracy"},
      {"roc_auc", "auc"},
      {"roc-auc", "auc"},
      {"log_loss", "log-loss"},
      {"logloss", "log-loss"},
      {"neg_log_loss", "log-loss"},
      {"f1", "balanced-error, or cost with --cost FP:FN, where classes differ in size"}};
  for (const auto& [name, ours] : others)
    if (text == name)
      throw UsageError(fmt::format("--metric: there is no '{}'", text), fmt::format("--metric {}", ours));
  return OptionType<MetricKind>::parse("metric", text, {});
}

}  // namespace

void FoldChoice::add_options(OptionList& options) {
  options.group("Judging");
  options.value("--folds", "K", "parts of the rows, each held out once", folds, {2, 1e6});
  options.value("--repeats", "R", "how often, with other folds each time", repeats, {1, 1e4});
  options.value("--deal", "HOW", std::string(deal_help), deal);
  groups.add(options);
  OptionSpec what{"--metric", "WHAT", "what is measured on the rows held out", "error",
                  OptionType<MetricKind>::choices()};
  what.set = [this](const std::string& text) { metric.kind = parse_metric(text); };
  options.add(std::move(what));
  options.text("--cost", "FP:FN", "metric cost: what a false alarm and a missed positive row cost", cost);
}

void FoldChoice::check() {
  if (metric.kind == MetricKind::Cost && cost.empty())
    throw UsageError("--metric cost needs --cost FP:FN", "--cost 1:5");
  if (metric.kind != MetricKind::Cost && !cost.empty())
    throw UsageError("--cost belongs to --metric cost", "--metric cost");
  if (!cost.empty()) metric.costs = parse_costs(cost);
}

std::string FoldChoice::words() const {
  return fmt::format("{} on {} folds{}", OptionType<MetricKind>::print(metric.kind), folds,
                     repeats > 1 ? fmt::format(", {} times", repeats) : "");
}

FoldData read_for_folds(DataOptions& options, const GroupOption& groups, const Common& common,
                        std::vector<std::string>& notes) {
  const auto start = std::chrono::steady_clock::now();
  FoldData out;
  out.data = groups.read_rows(options, common, notes);
  out.groups = groups.read(options, common, out.data);
  if (!options.positive.empty()) out.data = against_rest(out.data, options.positive);
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return out;
}

Json ends_json(const Interval& interval) { return Json{interval.low, interval.high}; }

std::string ends_words(const Interval& interval) {
  return fmt::format("{:.4g} to {:.4g}", interval.low, interval.high);
}

}  // namespace halfspace::cli
