// SPDX-License-Identifier: BSD-3-Clause
// halfspace show MODEL, and what a cache of rows holds
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "data_options.hpp"
#include "describe.hpp"
#include "halfspace/certify/certificate.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/write.hpp"
#include "halfspace/model/geometry.hpp"
#include "halfspace/model/model_file.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

constexpr std::size_t planes_printed = 20;
constexpr std::size_t support_printed = 200;

class Show final : public Command {
 public:
  void add_options(OptionList& options) override {
    options.argument(
        "MODEL",
        "a model written by halfspace train, a model of LIBLINEAR or LIBSVM, or a cache of rows (.hsd)",
        model_path_);
    options.flag("--support", "the rows that the plane is made of, with their alpha", support_);
    options.value("--top", "N", "how many of the largest weights", top_, {0, 4294967295.0});
  }

  int run(const Common& common, Output& output) override {
    if (begins_like_cache()) return show_cache(output);
    const Model model = load_model(model_path_, common, "halfspace doctor DATA looks at rows");
    print(model, output);
    if (support_) print_support(model, output);
    output.object(output.json() ? json(model) : Json());
    return exit_done;
  }

 private:
  [[nodiscard]] bool begins_like_cache() const {
    // What is not a file can be read only once.
    std::error_code ignored;
    return std::filesystem::is_regular_file(model_path_, ignored) &&
           peek(open_source(model_path_), cache_magic.size()).head == cache_magic;
  }

  // What the header says; no row is looked at.
  int show_cache(Output& output) const {
    const CacheFacts data = cache_facts(*open_source(model_path_), model_path_);
    output.line(
        describe_rows(model_path_, data.rows, data.features, data.nonzeros, data.storage, data.bytes));
    std::string classes;
    for (const std::string& name : data.classes) classes += (classes.empty() ? "" : ", ") + printable(name);
    if (!data.classes.empty()) output.line(fmt::format("classes: {}", classes));
    output.line(fmt::format("fingerprint: {}", printable(data.fingerprint)));
    output.object({{"schema", "halfspace.show/1"},
                   {"kind", "cache"},
                   {"rows", data.rows},
                   {"features", data.features},
                   {"nonzeros", data.nonzeros},
                   {"storage", data.storage},
                   {"bytes", data.bytes},
                   {"classes", data.classes},
                   {"weighted", data.weighted},
                   {"fingerprint", data.fingerprint}});
    return exit_done;
  }

  [[nodiscard]] std::size_t top() const { return static_cast<std::size_t>(top_); }

  void print(const Model& model, const Output& output) const {
    output.line(fmt::format("{}: {} model of {}", printable(model_path_, 200), kind(model),
                            counted(model.features(), "feature")));
    std::string classes;
    for (const std::string& name : model.classes) classes += (classes.empty() ? "" : ", ") + printable(name);
    output.line(fmt::format("classes: {}{}", classes,
                            model.planes() == 1
                                ? fmt::format("; a positive score means {}; zero means {}",
                                              printable(model.classes.back()), tie_words(model))
                                : "; the largest score wins"));
    if (!model.algorithm.empty()) {
      const std::string options = facts_words(model.options);
      output.line(
          fmt::format("algorithm: {}{}{}", printable(model.algorithm), options.empty() ? "" : ": ", options));
    }
    if (model.unit_rows) output.line("rows are divided by their length first");
    if (model.scaling.kind != ScaleKind::None)
      output.line(
          fmt::format("columns are scaled first ({})", OptionType<ScaleKind>::print(model.scaling.kind)));
    if (model.map != nullptr) print_map(*model.map, output);
    if (model.calibrator.on()) output.line(probability_words(model));
    print_claims(model, output);
    if (std::holds_alternative<LookupModel>(model.form)) {
      print_lookup(model, output);
    } else if (const auto* voted = std::get_if<VotedModel>(&model.form)) {
      print_votes(*voted, output);
    } else if (const auto* machine = std::get_if<KernelModel>(&model.form)) {
      print_kernel(model, *machine, output);
    } else {
      for (std::size_t k = 0; k < std::min(model.planes(), planes_printed); ++k)
        print_plane(model, k, output);
      if (model.planes() > planes_printed) output.line(fmt::format("... {} planes in all", model.planes()));
    }
  }

  // The planes with the most votes, by the number of the update that made them.
  void print_votes(const VotedModel& voted, const Output& output) const {
    output.line(fmt::format("{} planes vote, made of {}", voted.row.size(),
                            counted(voted.constant.size(), "training row")));
    std::vector<std::size_t> order(voted.row.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return voted.survived[a] > voted.survived[b]; });
    std::string list;
    for (std::size_t k = 0; k < std::min(order.size(), top()); ++k)
      list += fmt::format("{}{} x plane {}", k == 0 ? "" : ", ", voted.survived[order[k]], order[k] + 1);
    if (!list.empty()) output.line(fmt::format("most votes: {}", list));
  }

  // None of this is checked here, and it says so.
  void print_claims(const Model& model, const Output& output) const {
    const std::vector<Certificate> claims = certificates_from_json(model.certificate, {.file = model_path_});
    if (!model.facts.empty() || !claims.empty())
      output.line("the model says of its training (halfspace verify MODEL DATA checks what it claims):");
    for (const auto& [name, value] : model.facts)
      output.line(fmt::format("  {}: {}", printable(name), printable(value, 200)));
    for (std::size_t k = 0; k < std::min(claims.size(), planes_printed); ++k)
      output.line(fmt::format("  claims{}: {}",
                              claims.size() == 1 ? ""
                              : claims.size() == model.functions()
                                  ? fmt::format(" for {}", printable(function_name(model, k)))
                                  : fmt::format(" ({})", k + 1),
                              describe(claims[k])));
    if (claims.size() > planes_printed) output.line(fmt::format("  ... {} claims in all", claims.size()));
    if (const auto doubled = doubled_form(model, claims))
      output.line(fmt::format(
          "  the same problem written |theta|^2 + C' sum of xi has C' = 2 C = {:.6g}, and twice the "
          "objective: {:.8g}",
          doubled->first, doubled->second));
  }

  // 1/2 |theta|^2 + C sum of xi, twice: C' and the value.
  static std::optional<std::pair<double, double>> doubled_form(const Model& model,
                                                               const std::vector<Certificate>& claims) {
    if (model.algorithm != "svm" || claims.size() != 1) return std::nullopt;
    const auto* gap = std::get_if<DualityGap>(&claims[0]);
    double C = 0;
    for (const auto& [name, value] : model.options) {
      if ((name == "loss" && value != "hinge") || (name == "penalty" && value != "l2")) return std::nullopt;
      if (name == "C") C = OptionType<double>::parse("C", value, {});
    }
    if (gap == nullptr || !(C > 0)) return std::nullopt;
    return std::pair(2 * C, 2 * gap->primal);
  }

  // Of every plane the rows with an alpha, from 1: mistakes of a perceptron, dual values of a machine.
  void print_support(const Model& model, const Output& output) const {
    if (model.dual.empty()) {
      output.line("");
      output.line(
          "the model keeps no alpha: it was trained without a certificate, or its algorithm has none");
    }
    const std::string C = option_of(model, "C");
    for (std::size_t k = 0; k < std::min(model.dual.size(), planes_printed); ++k) {
      const DualPoint& point = model.dual[k];
      output.line("");
      output.line(fmt::format("{}{}: row and alpha{}",
                              model.dual.size() == 1 ? "" : printable(function_name(model, k)) + ": ",
                              counted(point.rows.size(), counts(model) ? "mistaken row" : "support vector"),
                              counts(model) ? " (how often it was mistaken)"
                              : C.empty()   ? ""
                                            : fmt::format(" (at most C = {} times the weight)", C)));
      for (std::size_t r = 0; r < std::min(point.rows.size(), support_printed); ++r)
        output.line(fmt::format("{:>10} {:>16.10g}", point.rows[r] + 1, point.alpha[r]));
      if (point.rows.size() > support_printed)
        output.line(fmt::format("       ... {} in all; --json has them", point.rows.size()));
    }
  }
  static bool counts(const Model& model) { return model.algorithm.ends_with("perceptron"); }
  static std::string option_of(const Model& model, std::string_view wanted) {
    for (const auto& [name, value] : model.options)
      if (name == wanted) return value;
    return {};
  }

  static void print_map(const FeatureMap& map, const Output& output) {
    const std::string kernel = OptionType<KernelFunction>::print(map.kernel);
    if (map.kind == MapKind::Fourier) {
      output.line(fmt::format("phi(x): cosines and sines of {} random frequencies, products near {}",
                              map.outputs / 2, kernel));
    } else {
      output.line(fmt::format("phi(x): {} combinations of {} with {}", map.outputs, kernel,
                              counted(map.outputs, "landmark row")));
    }
  }

  static std::string_view kind(const Model& model) {
    constexpr std::string_view words[] = {"linear", "lookup", "voted", "kernel"};
    return words[model.form.index()];
  }

  static void print_kernel(const Model& model, const KernelModel& machine, const Output& output) {
    output.line(fmt::format("kernel {}, {}{}", OptionType<KernelFunction>::print(machine.kernel),
                            counted(machine.vectors(), "support vector"),
                            machine.pairs ? ", classes in pairs" : ""));
    for (std::size_t k = 0; k < std::min(machine.offsets.size(), planes_printed); ++k) {
      output.line(fmt::format("{}: f(x) = sum of {} coefficients times K(z, x) {} {:.6g}",
                              printable(function_name(model, k)), machine.first[k + 1] - machine.first[k],
                              machine.offsets[k] < 0 ? "-" : "+", std::abs(machine.offsets[k])));
    }
    if (machine.offsets.size() > planes_printed)
      output.line(fmt::format("... {} functions in all", machine.offsets.size()));
  }

  static std::string tie_words(const Model& model) {
    if (model.tie == Tie::Abstain) return "no answer";
    return printable(model.tie == Tie::Positive ? model.classes.back() : model.classes.front());
  }

  static void print_lookup(const Model& model, const Output& output) {
    const auto& lookup = std::get<LookupModel>(model.form);
    output.line(fmt::format("looks at {}: {} known values, otherwise {}", feature_name(model, lookup.feature),
                            lookup.values.size(), printable(model.classes.at(lookup.fallback))));
  }

  void print_plane(const Model& model, std::size_t plane, const Output& output) const {
    const auto& linear = std::get<LinearModel>(model.form);
    output.line("");
    if (model.planes() > 1) output.line(fmt::format("class {}", printable(model.classes[plane])));
    output.line(formula(model, plane, top()));
    const Geometry shape = geometry(linear, plane);
    if (shape.norm > 0) {
      output.line(
          fmt::format("length of the normal {:.6g}, signed distance of the plane from the origin {:.6g}, "
                      "threshold {:.6g}",
                      shape.norm, shape.distance_from_origin, shape.threshold));
    } else {
      output.line("all weights are zero: there is no plane, every row has the score of the offset");
    }
    const auto weights = linear.plane(plane);
    const auto zeros = std::count(weights.begin(), weights.end(), 0.0);
    if (zeros > 0 && shape.norm > 0)
      output.line(fmt::format("{} of {} weights are not 0", weights.size() - static_cast<std::size_t>(zeros),
                              weights.size()));
    print_weights(model, plane, output);
  }

  // Strongest first, categories below the strongest of their column.
  void print_weights(const Model& model, std::size_t plane, const Output& output) const {
    const std::vector<NamedWeight> largest = largest_weights(model, plane, top());
    if (largest.empty()) return;
    const bool both = !model.deviations.empty() && model.scaling.kind == ScaleKind::None;
    output.line(both ? fmt::format("  {:<30} {:>14} {:>16}", "feature", "weight", "weight x std")
                     : fmt::format("  {:<30} {:>14}", "feature", "weight"));
    const auto line = [&](const std::string& name, const NamedWeight& one) {
      output.line(fmt::format("  {:<30} {:>14.6g}{}", name, one.weight,
                              both ? fmt::format(" {:>16.6g}", one.effect) : ""));
    };
    std::map<const Column*, std::vector<const NamedWeight*>> members;  // looked up only
    for (const NamedWeight& one : largest)
      if (const Column* const column = category_column(model, one.feature)) members[column].push_back(&one);
    for (const NamedWeight& one : largest) {
      const Column* const column = category_column(model, one.feature);
      if (column == nullptr) {
        line(feature_name(model, one.feature), one);
        continue;
      }
      const auto group = members.find(column);
      if (group == members.end()) continue;  // printed with the strongest of its column
      const std::size_t categories = column->categories.size();
      output.line(fmt::format("  {} ({}{})", printable(column->name),
                              categories == 1 ? "1 category" : fmt::format("{} categories", categories),
                              column->reference && categories > 0
                                  ? fmt::format(", told from {}", printable(column->categories.front()))
                                  : ""));
      for (const NamedWeight* const member : group->second)
        line("  " + feature_name(model, member->feature).substr(printable(column->name).size()), *member);
      members.erase(group);
    }
  }

  [[nodiscard]] Json plane_json(const Model& model, std::size_t plane) const {
    const auto& linear = std::get<LinearModel>(model.form);
    const Geometry shape = geometry(linear, plane);
    Json value;
    value["class"] = model.planes() == 1 ? model.classes.back() : model.classes[plane];
    value["formula"] = formula(model, plane, top());
    value["offset"] = linear.offsets[plane];
    value["norm"] = shape.norm;
    value["distance_from_origin"] = shape.norm > 0 ? Json(shape.distance_from_origin) : Json(nullptr);
    value["threshold"] = shape.threshold;
    const auto all = linear.plane(plane);
    value["nonzero_weights"] = all.size() - static_cast<std::size_t>(std::count(all.begin(), all.end(), 0.0));
    Json weights = Json::array();
    const bool known = !model.deviations.empty() && model.scaling.kind == ScaleKind::None;
    for (const NamedWeight& one : largest_weights(model, plane, top())) {
      const Column* const column = category_column(model, one.feature);
      weights.push_back({{"feature", one.feature + 1},
                         {"name", feature_name(model, one.feature)},
                         {"weight", one.weight},
                         {"deviation", known ? Json(model.deviations[one.feature]) : Json(nullptr)},
                         {"effect", known ? Json(one.effect) : Json(nullptr)},
                         {"column", column != nullptr ? Json(column->name) : Json(nullptr)}});
    }
    value["weights"] = std::move(weights);
    return value;
  }

  [[nodiscard]] Json json(const Model& model) const {
    const auto* lookup = std::get_if<LookupModel>(&model.form);
    Json value;
    value["schema"] = "halfspace.show/1";
    value["kind"] = kind(model);
    value["classes"] = model.classes;
    value["features"] = model.features();
    value["algorithm"] = model.algorithm;
    value["options"] = facts_json(model.options);
    value["facts"] = facts_json(model.facts);
    value["tie"] = OptionType<Tie>::print(model.tie);
    value["unit_rows"] = model.unit_rows;
    value["scaling"] = OptionType<ScaleKind>::print(model.scaling.kind);
    value["map"] = model.map == nullptr
                       ? Json(nullptr)
                       : Json{{"kind", OptionType<MapKind>::print(model.map->kind)},
                              {"kernel", OptionType<KernelFunction>::print(model.map->kernel)},
                              {"inputs", model.map->inputs},
                              {"outputs", model.map->outputs}};
    // Derived numbers are derived again.
    const std::string claims = to_json(certificates_from_json(model.certificate, {.file = model_path_}));
    value["certificate"] = claims.empty() ? Json(nullptr) : Json::parse(claims);
    value["certificate_checked"] = false;
    const auto doubled =
        doubled_form(model, certificates_from_json(model.certificate, {.file = model_path_}));
    value["doubled"] = doubled ? Json{{"C", doubled->first}, {"objective", doubled->second}} : Json(nullptr);
    value["alpha"] = Json::array();
    for (const DualPoint& point : model.dual) {
      Json rows = Json::array();
      for (const std::uint32_t row : point.rows) rows.push_back(row + 1);
      value["alpha"].push_back({{"rows", std::move(rows)}, {"alpha", point.alpha}});
    }
    value["planes"] = Json::array();
    for (std::size_t k = 0; std::holds_alternative<LinearModel>(model.form) && k < model.planes(); ++k)
      value["planes"].push_back(plane_json(model, k));
    if (const auto* voted = std::get_if<VotedModel>(&model.form)) {
      value["voted"] = {
          {"mistakes", voted->row.size()}, {"rows", voted->constant.size()}, {"votes", voted->survived}};
    }
    if (const auto* machine = std::get_if<KernelModel>(&model.form)) {
      value["kernel"] = {{"function", OptionType<KernelFunction>::print(machine->kernel)},
                         {"support_vectors", machine->vectors()},
                         {"functions", machine->offsets.size()},
                         {"pairs", machine->pairs}};
    }
    if (lookup != nullptr) {
      value["lookup"] = {{"feature", lookup->feature + 1},
                         {"name", feature_name(model, lookup->feature)},
                         {"values", lookup->values.size()},
                         {"fallback", model.classes.at(lookup->fallback)}};
    }
    return value;
  }

  std::string model_path_;
  std::int64_t top_ = 10;
  bool support_ = false;
};

}  // namespace

constinit const Verb show_verb = {
    "show",
    "MODEL [--top N] [options]",
    "what a model is: classes, formula, largest weights, geometry",
    {"halfspace show a9a.model", "halfspace show a9a.model --top 30 --json"},
    "Prints the classes, how the model was trained, its formula with the largest weights by name, the "
    "geometry of its "
    "plane, and what the model claims of its training, which halfspace verify checks.",
    [](const std::vector<std::string>&) -> std::unique_ptr<Command> { return std::make_unique<Show>(); }};

}  // namespace halfspace::cli
