// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/solve/algorithm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/row_sums.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/version.hpp"
#include "halfspace/solve/algorithms.hpp"

namespace halfspace {
namespace detail {

// Rows of weight 0 are absent.
void check_trainable(const Dataset& data, const Run& run) {
  if (!data.labelled() && data.rows() > 0)
    throw InputError({.file = data.name()}, "no labels", "labelled rows for training");
  if (data.features() == 0) throw InputError({.file = data.name()}, "no features", "at least one feature");
  std::vector<double> seen(data.classes().size() + 1, 0.0);  // rows of every class, and of all
  add_in_turn(patient_members(run), seen, [&](std::vector<double>& to) {
    std::vector<std::uint64_t> count(data.classes().size(), 0);
    for (std::size_t i = 0; i < data.rows(); ++i) count[data.labels()[i]] += data.weight(i) == 0 ? 0 : 1;
    for (std::size_t c = 0; c < count.size(); ++c) {
      to[c] += static_cast<double>(count[c]);
      to.back() += static_cast<double>(count[c]);
    }
  });
  const auto rows = static_cast<std::uint64_t>(seen.back());
  seen.pop_back();
  if (rows == 0)
    throw InputError({.file = data.name()}, "no examples", "at least one row with a weight above 0");
  const auto here = [](double count) { return count > 0; };
  if (std::count_if(seen.begin(), seen.end(), here) == 1) {
    const auto only = static_cast<std::size_t>(std::find_if(seen.begin(), seen.end(), here) - seen.begin());
    throw InputError({.file = data.name()},
                     fmt::format("only one class ({}) in {} rows", printable(data.classes()[only]), rows),
                     "training needs at least two");
  }
}

void refuse_members(const Run& run, std::string_view algorithm, bool by_rows) {
  if (run.members == nullptr) return;
  throw UsageError(fmt::format("{} {}: one process has to have them all", algorithm,
                               by_rows ? "goes from row to row, each from where the one before has led"
                                       : "looks at rows in ways that are no sums over them"),
                   "several members train logistic and svm");
}

void refuse_checkpoint(const Run& run, std::string_view what) {
  if (run.checkpoint == nullptr) return;
  throw UsageError(fmt::format("--checkpoint: {} leaves no states to go on from", what),
                   "logistic and svm with planes do");
}

void refuse_start(const Run& run, std::string_view algorithm) {
  if (run.start == nullptr) return;
  throw UsageError(fmt::format("{} has no plane to start from", algorithm),
                   "--from works with perceptron, averaged-perceptron, passive-aggressive, pegasos and sgd");
}

void complete(Fit& fit, const Dataset& data, std::string_view algorithm, Facts options, const Run& run) {
  if (!fit.has_model()) return;
  Model& model = fit.model();
  model.algorithm = algorithm;
  model.options = std::move(options);
  model.classes = data.classes();
  model.encoding = data.encoding();
  model.certificate = to_json(fit.proof.certificates);
  Facts own = std::move(model.facts);  // what the solver had to say
  const Team team = patient_members(run);
  const bool known = run.near != nullptr && !run.near->fingerprint.empty();
  const std::string fingerprint = known ? run.near->fingerprint : data.fingerprint(team);
  if (run.leave != nullptr) run.leave->fingerprint = fingerprint;
  model.facts = {{"rows", fmt::format("{}", team.total(data.rows()))},
                 {"features", fmt::format("{}", data.features())},
                 {"data", fingerprint},
                 {"seed", fmt::format("{}", run.seed)},
                 {"version", std::string(version())}};
  if (run.start != nullptr) model.facts.emplace_back("from", run.start->name);
  model.facts.insert(model.facts.end(), own.begin(), own.end());
}

}  // namespace detail

struct Algorithm::Any {
  virtual ~Any() = default;
  Any() = default;
  Any(const Any&) = delete;
  Any& operator=(const Any&) = delete;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string_view summary() const = 0;
  [[nodiscard]] virtual std::vector<OptionInfo> options() const = 0;
  virtual void set(std::string_view option, std::string_view text) = 0;
  [[nodiscard]] virtual Facts values() const = 0;
  [[nodiscard]] virtual bool starts() const = 0;
  [[nodiscard]] virtual std::uint64_t memory(const MemoryShape& shape) const = 0;
  [[nodiscard]] virtual Fit fit(const Dataset& data, const Run& run) const = 0;
  [[nodiscard]] virtual Fit stream(RowStream& stream, const Run& run) const = 0;
  [[nodiscard]] virtual Fit trace(const Dataset& data, const Run& run,
                                  const UpdateObserver& observer) const = 0;
};

namespace {

template <AlgorithmOptions A, class Base>
struct Holder final : Base {
  A options_value;

  [[nodiscard]] std::string_view name() const override { return A::name; }
  [[nodiscard]] std::string_view summary() const override { return A::summary; }
  [[nodiscard]] std::vector<OptionInfo> options() const override {
    std::vector<OptionInfo> out;
    for (const auto& f : A::fields()) {
      out.push_back({std::string(f.name), std::string(f.unit), std::string(f.help), f.get(options_value),
                     f.choices(), f.flag, f.number});
    }
    return out;
  }
  void set(std::string_view option, std::string_view text) override {
    std::vector<std::string> names;
    for (const auto& f : A::fields()) {
      if (f.name == option) {
        f.set(options_value, f.name, text, f.range);
        return;
      }
      names.emplace_back(f.name);
    }
    const std::string near = nearest_name(option, names);
    throw UsageError(fmt::format("{} has no option --{}", A::name, printable(option)),
                     near.empty() ? "" : fmt::format("did you mean --{}?", near));
  }
  [[nodiscard]] Facts values() const override { return option_values(options_value); }
  [[nodiscard]] bool starts() const override { return Starts<A>; }
  [[nodiscard]] std::uint64_t memory(const MemoryShape& shape) const override {
    return memory_need(options_value, shape);
  }
  [[nodiscard]] Fit fit(const Dataset& data, const Run& run) const override {
    return halfspace::train(data, options_value, run);
  }
  [[nodiscard]] Fit stream(RowStream& stream, const Run& run) const override {
    detail::refuse_members(run, "a stream", true);
    if constexpr (requires { halfspace::solve_stream(stream, options_value, run); }) {
      Fit fit = halfspace::solve_stream(stream, options_value, run);
      Model& model = fit.model();
      model.algorithm = A::name;
      model.options = option_values(options_value);
      model.classes = stream.classes();
      model.certificate = to_json(fit.proof.certificates);
      model.facts = {{"features", fmt::format("{}", model.features())},
                     {"data", "stream"},
                     {"seed", fmt::format("{}", run.seed)},
                     {"version", std::string(version())}};
      if (run.start != nullptr) model.facts.emplace_back("from", run.start->name);
      return fit;
    } else {
      throw UsageError(fmt::format("{} needs the rows more than once", A::name),
                       "--stream works with perceptron, averaged-perceptron, voted-perceptron, "
                       "passive-aggressive, pegasos and sgd");
    }
  }
  [[nodiscard]] Fit trace(const Dataset& data, const Run& run,
                          const UpdateObserver& observer) const override {
    if constexpr (requires { halfspace::trace(data, options_value, run, observer); }) {
      detail::check_start<A>(run);
      detail::refuse_members(run, "a trace", true);
      detail::check_trainable(data);
      Fit fit = halfspace::trace(data, options_value, run, observer);
      detail::complete(fit, data, A::name, option_values(options_value), run);
      return fit;
    } else {
      throw UsageError(fmt::format("{} has no updates to show", A::name),
                       "trace shows perceptron, averaged-perceptron, voted-perceptron, passive-aggressive, "
                       "pegasos and sgd");
    }
  }
};

template <class Visit>
void for_each_algorithm(Visit&& visit) {
  [&]<class... A>(std::tuple<A...>*) {
    (visit.template operator()<A>(), ...);
  }(static_cast<Algorithms*>(nullptr));
}

}  // namespace

Algorithm::Algorithm(std::unique_ptr<Any> any) : any_(std::move(any)) {}
Algorithm::~Algorithm() = default;
Algorithm::Algorithm(Algorithm&&) noexcept = default;
Algorithm& Algorithm::operator=(Algorithm&&) noexcept = default;

std::vector<std::string> Algorithm::names() {
  std::vector<std::string> out;
  for_each_algorithm([&]<class A>() { out.emplace_back(A::name); });
  return out;
}

Algorithm Algorithm::by_name(std::string_view name) {
  std::unique_ptr<Any> found;
  for_each_algorithm([&]<class A>() {
    if (A::name == name) found = std::make_unique<Holder<A, Any>>();
  });
  if (found) return Algorithm(std::move(found));
  const std::vector<std::string> all = names();
  const std::string near = nearest_name(name, all);
  throw UsageError(fmt::format("no algorithm '{}'; there are {}", printable(name), fmt::join(all, ", ")),
                   near.empty() ? "" : fmt::format("did you mean {}?", near));
}

std::string_view Algorithm::name() const { return any_->name(); }
std::string_view Algorithm::summary() const { return any_->summary(); }
std::vector<OptionInfo> Algorithm::options() const { return any_->options(); }
void Algorithm::set(std::string_view option, std::string_view text) { any_->set(option, text); }
Facts Algorithm::values() const { return any_->values(); }
bool Algorithm::starts() const { return any_->starts(); }
std::uint64_t Algorithm::memory(const MemoryShape& shape) const { return any_->memory(shape); }

Fit Algorithm::train(const Dataset& data, const Run& run) const { return any_->fit(data, run); }

Fit Algorithm::train_stream(RowStream& stream, const Run& run) const { return any_->stream(stream, run); }
Fit Algorithm::trace(const Dataset& data, const Run& run, const UpdateObserver& observer) const {
  return any_->trace(data, run, observer);
}

}  // namespace halfspace
