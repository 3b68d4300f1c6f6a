// SPDX-License-Identifier: BSD-3-Clause
// The C interface: the list of algorithms, training, separability.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>

#include "c/training.hpp"
#include "halfspace/core/team.hpp"
#include "halfspace/core/version.hpp"
#include "halfspace/data/whole.hpp"
#include "halfspace/evaluate/calibrate.hpp"
#include "halfspace/solve/separability.hpp"
#include "solve/online/votes.hpp"

namespace halfspace::c {
namespace {

Json algorithms_json() {
  Json out = Json::array();
  for (const std::string& name : Algorithm::names()) {
    const Algorithm algorithm = Algorithm::by_name(name);
    Json options = Json::array();
    for (const OptionInfo& info : algorithm.options())
      options.push_back({{"name", info.name},
                         {"default", info.fallback},
                         {"choices", info.choices},
                         {"help", without_dashes(info.help)},
                         {"flag", info.flag},
                         {"number", info.number}});
    out.push_back({{"name", name},
                   {"summary", std::string(algorithm.summary())},
                   {"starts", algorithm.starts()},
                   {"options", options}});
  }
  return out;
}

std::shared_ptr<const StartPlane> start_of(const halfspace_model* model) {
  if (model == nullptr) return nullptr;
  const LinearModel* planes = std::get_if<LinearModel>(&model->model.form);
  if (planes == nullptr || model->model.unit_rows || has_preparation(model->model))
    throw UsageError("only a model of planes of the rows as they are can be a start");
  return std::make_shared<const StartPlane>(StartPlane{*planes, model->model.classes, "a model"});
}

}  // namespace

Run run_of(const halfspace_training& how) {
  Run run;
  if (how.seed != 0) run.seed = how.seed;
  run.threads = Threads(how.threads);
  if (std::isnan(how.seconds) || how.seconds < 0) throw UsageError("seconds: a number of at least 0");
  if (how.seconds > 0) run.seconds = how.seconds;
  if (how.observe != nullptr)
    run.observe = [observe = how.observe, context = how.context](const Progress& now) {
      return observe(context, now.done, now.iterations, now.relative_gap) != 0;
    };
  if (how.stop != nullptr) run.stop = how.stop->handle;
  run.start = start_of(how.start);
  return run;
}

Preparation preparation_of(const halfspace_training& how) {
  Preparation out;
  out.positive = text_or(how.positive);
  if (how.scale != nullptr) out.scale = OptionType<ScaleKind>::parse("scale", how.scale, {});
  if (how.features != nullptr) out.map = OptionType<MapChoice>::parse("features", how.features, {});
  if (how.features_kernel != nullptr)
    out.kernel = OptionType<KernelFunction>::parse("kernel", how.features_kernel, {});
  return out;
}

Algorithm algorithm_of(const halfspace_training& how) {
  Algorithm algorithm = Algorithm::by_name(text_or(how.algorithm, "logistic"));
  for (const auto& [name, value] : options_of(how)) algorithm.set(name, value);
  return algorithm;
}

Facts options_of(const halfspace_training& how) {
  Facts out;
  for (std::uint64_t i = 0; i < how.option_count; ++i)
    out.emplace_back(&need(need(&how.options, "options")[2 * i], "an option"),
                     text_or(how.options[2 * i + 1]));
  return out;
}

namespace {

Json witness_json(const SeparationProof& proof) {
  if (proof.witnesses.empty()) return nullptr;
  Json rows = Json::array(), weights = Json::array();
  for (const std::uint32_t row : proof.witnesses.front().rows) rows.push_back(row);
  for (const Share& share : shares(proof.witnesses.front())) weights.push_back(share.rounded);
  return {{"rows", rows}, {"weights", weights}};
}

Json separation_json(const SeparationProof& proof) {
  return {{"verdict", OptionType<Separation>::print(proof.verdict)},
          {"witness", witness_json(proof)},
          {"proof", Json::parse(to_json(proof))}};
}

}  // namespace

Json report_of(const Fit& fit) {
  constexpr const char* outcomes[] = {"yes", "no", "limit"};
  Json objective = nullptr, error = nullptr, notes = Json::array(), summary = Json::array();
  if (fit.proof.objective)
    objective = {{"primal", fit.proof.objective->primal},
                 {"dual", fit.proof.objective->dual},
                 {"relative_gap", fit.proof.objective->relative_gap()}};
  if (fit.trace.error) error = {{"wrong", fit.trace.error->wrong}};
  for (const std::string& note : fit.words.notes) notes.push_back(without_dashes(note));
  for (const std::string& line : fit.words.summary) summary.push_back(without_dashes(line));
  Json figures = Json::object();
  for (const auto& [name, value] : fit.trace.figures) figures[name] = value;
  return {{"stop", std::string(stop_name(fit.answer.stop))},
          {"outcome", outcomes[static_cast<std::size_t>(fit.outcome())]},
          {"reason", without_dashes(fit.answer.reason)},
          {"iterations", fit.trace.iterations},
          {"mistakes", or_null(fit.trace.mistakes)},
          {"support_vectors", or_null(fit.trace.support_vectors)},
          {"objective", objective},
          {"training_error", error},
          {"separation",
           fit.proof.separation == nullptr ? Json(nullptr) : separation_json(*fit.proof.separation)},
          {"notes", notes},
          {"summary", summary},
          {"figures", figures}};
}

namespace {

double number_of(const Facts& facts, std::string_view name) {
  double value = 0;
  for (const auto& [key, text] : facts)
    if (key == name) std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Members that are reached through the caller.
class CalledMembers final : public Members {
 public:
  explicit CalledMembers(const halfspace_team& team) : team_(team) {
    if (team.count == 0 || team.number >= team.count)
      throw UsageError("a team has members, and this is one of them: number is below count");
    if (team.gather == nullptr || team.pass == nullptr || team.take == nullptr)
      throw UsageError("gather, pass or take is a null pointer");
  }
  [[nodiscard]] std::size_t count() const override { return team_.count; }
  [[nodiscard]] std::size_t number() const override { return team_.number; }
  [[nodiscard]] std::vector<Bytes> gather(std::span<const std::byte> mine) override {
    std::vector<halfspace_bytes> all(team_.count, halfspace_bytes{nullptr, 0});
    check("gather", team_.gather(team_.context, mine.data(), mine.size(), all.data()));
    std::vector<Bytes> out;
    out.reserve(all.size());
    for (const halfspace_bytes& one : all) out.push_back(copy("gather", one));
    return out;
  }
  void pass(std::span<const std::byte> state) override {
    check("pass", team_.pass(team_.context, state.data(), state.size()));
  }
  [[nodiscard]] Bytes take() override {
    halfspace_bytes state{nullptr, 0};
    check("take", team_.take(team_.context, &state));
    return copy("take", state);
  }

 private:
  static void check(const char* call, std::int32_t returned) {
    if (returned != 0)
      throw SystemError(std::string("the team cannot be reached: ") + call + " returned " +
                        std::to_string(returned));
  }
  static Bytes copy(const char* call, const halfspace_bytes& bytes) {
    if (bytes.size > 0 && bytes.data == nullptr) check(call, -1);
    const auto* const from = static_cast<const std::byte*>(bytes.data);
    return bytes.size == 0 ? Bytes() : Bytes(from, from + bytes.size);
  }

  const halfspace_team& team_;
};

// A fit that was stopped keeps its model, without probabilities.
void learn_probabilities(Fit& fit, const Dataset& data, const halfspace_training& how, const Run& run) {
  const auto kind = OptionType<CalibrationKind>::parse("calibrate", text_or(how.calibrate, "none"), {});
  if (kind == CalibrationKind::None || !fit.has_model()) return;
  Run quiet = run;
  quiet.observe = nullptr;
  FoldOptions folds{.seed = run.seed};
  if (how.deal != nullptr) folds.deal = OptionType<Deal>::parse("deal", how.deal, {});
  try {
    calibrate_fit(fit, data, preparation_of(how), algorithm_of(how), kind, folds, quiet);
  } catch (const Stopped& stopped) {
    fit.answer.stop = stopped.cause() == StopCause::Cancelled ? Stop::Cancelled : Stop::Time;
    fit.words.notes.emplace_back("stopped before the probabilities were learned: the model has none");
  }
}

// Pegasos' steps depend on how many there were before: with the rate 1/(lambda t) a walk from another start forgets it at
// once, so what goes on from a trained model is its own walk. Null for all others, which start from its planes.
std::shared_ptr<const WalkState> walk_that_led_to(const Model& model) {
  const LinearModel* planes = std::get_if<LinearModel>(&model.form);
  const bool pegasos =
      model.algorithm == "pegasos" &&
      std::find(model.options.begin(), model.options.end(),
                std::pair<std::string, std::string>("rate", "pegasos")) != model.options.end() &&
      std::find(model.options.begin(), model.options.end(),
                std::pair<std::string, std::string>("average", "false")) != model.options.end();
  const double steps = std::ceil(number_of(model.facts, "rows") * number_of(model.options, "passes") /
                                 std::max(1.0, number_of(model.options, "batch")));
  if (!pegasos || planes == nullptr || model.unit_rows || has_preparation(model) || !(steps > 0))
    return nullptr;
  auto state = std::make_shared<WalkState>();
  state->features = planes->features;
  state->planes = planes->planes;
  state->steps = static_cast<std::uint64_t>(steps);
  state->scale = 1 / (number_of(model.options, "lambda") * steps);
  state->mistakes.assign(planes->planes, 0);
  state->theta0 = planes->offsets;
  state->offset_sums.assign(planes->planes, 0.0);
  for (std::size_t j = 0; j < planes->features; ++j)
    for (std::size_t k = 0; k < planes->planes; ++k) state->v.push_back(planes->plane(k)[j] / state->scale);
  return state;
}

// What a voted perceptron goes on with besides its walk. Null: the model is none.
std::shared_ptr<const VotedModel> votes_of(const halfspace_model* model) {
  const auto* votes = model == nullptr ? nullptr : std::get_if<VotedModel>(&model->model.form);
  return votes == nullptr ? nullptr : std::make_shared<const VotedModel>(*votes);
}

// The plane with the widest margin where there is one, else that of the proof, as doubles.
void put_plane(Json& out, const Separability& found, std::size_t features) {
  if (!found.widest.theta.empty()) {
    out["plane"] = found.widest.theta;
    out["offset"] = found.widest.theta0;
    return;
  }
  if (!found.decided || found.proof.verdict == Separation::Overlapping) return;
  std::vector<double> plane(features, 0.0);
  const auto read = [](std::string_view text) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  };
  const auto number = [&](std::string_view text) {
    const std::size_t slash = text.find('/');
    return slash == std::string_view::npos ? read(text)
                                           : read(text.substr(0, slash)) / read(text.substr(slash + 1));
  };
  const ExactPlane& exact = found.proof.plane;
  for (std::size_t k = 0; k < exact.columns.size(); ++k) plane[exact.columns[k]] = number(exact.weights[k]);
  out["plane"] = plane;
  out["offset"] = number(exact.offset);
}

Json separability_json(const Separability& found, std::size_t features) {
  Json out = {{"decided", found.decided}, {"verdict", nullptr}, {"checked", false},  {"why", ""},
              {"method", found.method},   {"plane", nullptr},   {"offset", nullptr}, {"margin", nullptr},
              {"witness", nullptr},       {"proof", nullptr}};
  if (found.decided) {
    out.update(separation_json(found.proof));
    out["checked"] = found.check.holds;
    out["why"] = found.check.why;
  }
  if (found.margin)
    out["margin"] = {
        {"lower", found.margin->lower}, {"upper", found.margin->upper}, {"radius", found.margin->radius}};
  put_plane(out, found, features);
  return out;
}

}  // namespace
}  // namespace halfspace::c

using namespace halfspace;
using namespace halfspace::c;

const char* halfspace_version(void) { return version().data(); }

std::int32_t halfspace_algorithms(char** json, halfspace_error* error) {
  return guarded(error, [&] { need(json, "json") = allocate_json(algorithms_json()); });
}

void halfspace_text_free(char* text) { std::free(text); }  // NOLINT(cppcoreguidelines-no-malloc)

std::int32_t halfspace_train(const halfspace_dataset* data, const halfspace_training* how,
                             halfspace_model** model, char** report, halfspace_error* error) {
  return guarded(error, [&] {
    const halfspace_training& given = need(how, "how");
    need(model, "model") = nullptr;
    const Dataset& rows = need(data, "data").data;
    const Run run = begin_run(run_of(given));
    Fit fit = train(rows, preparation_of(given), algorithm_of(given), run);
    learn_probabilities(fit, rows, given, run);
    hand_out(std::move(fit), *model, report);
  });
}

std::int32_t halfspace_train_team(const halfspace_dataset* data, const halfspace_training* how,
                                  const halfspace_team* team, halfspace_model** model, char** report,
                                  halfspace_error* error) {
  return guarded(error, [&] {
    CalledMembers members(need(team, "team"));
    try {
      const halfspace_training& given = need(how, "how");
      need(model, "model") = nullptr;
      if (text_or(given.calibrate, "none") != "none")
        throw UsageError("--calibrate holds rows out: one process has to have them all");
      Run run = run_of(given);
      run.members = &members;
      const Dataset rows = data == nullptr ? no_rows("rows") : data->data;
      hand_out(train(rows, preparation_of(given), algorithm_of(given), run), *model, report);
    } catch (const Stopped&) {
      throw;
    } catch (...) {  // also what was wrong before training began: the others wait
      Team(Threads(1), members).abandon(std::current_exception());
      throw;
    }
  });
}

std::int32_t halfspace_learn(const halfspace_dataset* data, const halfspace_training* how, const double* walk,
                             std::uint64_t walk_size, halfspace_model** model, double** after,
                             std::uint64_t* after_size, char** report, halfspace_error* error) {
  return guarded(error, [&] {
    halfspace_training given = need(how, "how");
    need(model, "model") = nullptr;
    need(after, "after") = nullptr;
    const std::shared_ptr<const VotedModel> votes = votes_of(given.start);
    if (votes != nullptr) given.start = nullptr;
    if (preparation_of(given).scale != ScaleKind::None || given.features != nullptr ||
        given.positive != nullptr)
      throw UsageError("rows that come in parts are taken as they are: no scaling, no features made of them");
    Run run = run_of(given);
    if (walk_size == 0 && given.start != nullptr) {
      run.resume = walk_that_led_to(given.start->model);
      if (run.resume != nullptr) run.start = nullptr;
    }
    if (walk_size > 0) {
      auto state = std::make_shared<WalkState>(walk_state_from({&need(walk, "walk"), walk_size}));
      state->votes = votes;
      run.resume = std::move(state);
    } else if (votes != nullptr) {
      run.resume = walk_of(votes);
    }
    Fit fit = train_part(need(data, "data").data, algorithm_of(given), run);
    const std::vector<double> state = to_numbers(*fit.trace.walk);
    need(after_size, "after_size") = state.size();
    const std::string_view bytes(reinterpret_cast<const char*>(state.data()), state.size() * sizeof(double));
    *after = reinterpret_cast<double*>(allocate_text(bytes));
    hand_out(std::move(fit), *model, report);
  });
}

void halfspace_numbers_free(double* numbers) { std::free(numbers); }  // NOLINT(cppcoreguidelines-no-malloc)

halfspace_stop* halfspace_stop_make(void) {
  halfspace_stop* out = nullptr;
  static_cast<void>(guarded(nullptr, [&] { out = new halfspace_stop{StopHandle::make()}; }));
  return out;
}

void halfspace_stop_cancel(const halfspace_stop* stop) {
  if (stop != nullptr) stop->handle.cancel();
}

void halfspace_stop_free(halfspace_stop* stop) { delete stop; }

std::int32_t halfspace_separable(const halfspace_dataset* data, const char* margin, std::int32_t threads,
                                 const halfspace_stop* stop, char** json, halfspace_error* error) {
  return guarded(error, [&] {
    const Dataset& rows = need(data, "data").data;
    SeparabilityOptions options;
    if (margin != nullptr) options.margin = OptionType<MarginWork>::parse("margin", margin, {});
    Run run;
    run.threads = Threads(threads);
    if (stop != nullptr) run.stop = stop->handle;
    const Separability found = separability(rows, options, run);
    if (!found.decided && found.stopped != StopCause::None) throw Stopped(found.stopped);
    need(json, "json") = allocate_json(separability_json(found, rows.features()));
  });
}
