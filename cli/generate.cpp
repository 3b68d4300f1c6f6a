// SPDX-License-Identifier: BSD-3-Clause
// halfspace generate KIND -o FILE
#include "halfspace/data/generate.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "data_options.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/write.hpp"
#include "halfspace/evaluate/bayes.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

class Generate final : public Command {
 public:
  void add_options(OptionList& options) override {
    std::string kinds = join_words(enum_words<GeneratorKind>, ", ");
    options.argument("KIND", "the law of the rows: " + kinds, kind_);
    options
        .text("-o,--output", "FILE", "where the rows go; the name says the format; - for standard output",
              output_path_)
        .required = true;
    options.text("--law", "FILE", "write the law too: its direction and P(y = +1 | x), for --bayes",
                 law_path_);
    options.value("--rows", "N", "rows", law_.rows, {1, 4294967295.0});
    options.value("--features", "D", "features", law_.features, {1, most_features});
    options.value("--distance", "X",
                  "gaussians: between the means, in standard deviations; logistic: length of the "
                  "true weights",
                  law_.distance, {0, 1e6});
    options.value("--margin", "X", "margin: no row nearer to the plane than this", law_.margin, {0, 1});
    options.value("--flip", "SHARE", "share of labels turned over afterwards", law_.flip, {0, 1});
    options.value("--law-seed", "N",
                  "another direction of the law; --seed draws other rows of the same law, to test on",
                  law_seed_, {0, 9007199254740992.0});
    options.value("--positive-share", "SHARE", "gaussians: share of the positive class", law_.positive,
                  {0, 1});
  }

  int run(const Common& common, Output& output) override {
    if (output_path_ == "-" && common.json) throw UsageError("--json and -o - both want standard output");
    if (output_path_ == "-") output.divert();
    const std::size_t index = parse_kind();
    check_output(output_path_, {});
    check_output(law_path_, {});
    if (law_path_ == "-" || (!law_path_.empty() && law_path_ == output_path_))
      throw UsageError("--law: a file of its own");
    law_.seed = static_cast<std::uint64_t>(common.seed);
    law_.law_seed = static_cast<std::uint64_t>(law_seed_);
    const Generated made = generate(static_cast<GeneratorKind>(index), law_);
    write(made.data, output_path_);
    const Law law = law_of(static_cast<GeneratorKind>(index), law_);
    if (!law_path_.empty()) write_file(law_path_, [&](ByteSink& sink) { sink.write(to_json(law)); });
    output.line(fmt::format("law: {}", made.law));
    output.line(made.bayes_error ? fmt::format("Bayes error {:.6g}: no classifier does better on average",
                                               *made.bayes_error)
                                 : "Bayes error not known in closed form");
    if (!law_path_.empty()) output.line(fmt::format("P(y = +1 | x) = {}", eta_words(law)));
    output.line(fmt::format("{}: {} rows, {} features", printable(output_path_, 200), made.data.rows(),
                            made.data.features()));
    output.line(describe_classes(made.data));
    Json value;
    value["schema"] = "halfspace.generate/1";
    value["kind"] = kind_;
    value["law"] = made.law;
    value["eta"] = eta_words(law);
    value["law_file"] = law_path_.empty() ? Json(nullptr) : Json(law_path_);
    value["bayes_error"] = made.bayes_error ? Json(*made.bayes_error) : Json(nullptr);
    value["rows"] = made.data.rows();
    value["features"] = made.data.features();
    value["classes"] = classes_json(made.data);
    value["seed"] = common.seed;
    value["law_seed"] = law_seed_;
    value["data"] = made.data.fingerprint();
    value["output"] = output_path_;
    output.object(value);
    return exit_done;
  }

 private:
  [[nodiscard]] std::size_t parse_kind() const {
    const auto words = enum_words<GeneratorKind>;
    const std::vector<std::string> names(words.begin(), words.end());
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (names[k] == kind_) return k;
    }
    const std::string near = nearest_name(kind_, names);
    throw UsageError(
        fmt::format("generate: '{}' is not one of {}", printable(kind_), join_words(words, ", ")),
        near.empty() ? "" : fmt::format("did you mean {}?", near));
  }

  std::string kind_;
  std::string output_path_, law_path_;
  GeneratorOptions law_;
  std::int64_t law_seed_ = 1;
};

}  // namespace

constinit const Verb generate_verb = {
    "generate",
    "KIND -o FILE [options]",
    "rows from a known law, with its Bayes error",
    {"halfspace generate gaussians -o two.csv --rows 1000 --distance 3 && "
     "halfspace generate gaussians -o test.csv --rows 9000 --distance 3 --seed 2",
     "halfspace generate margin -o apart.txt --features 20 --margin 0.05"},
    "Writes random rows whose best possible classifier is known, and says the law and its error. The same "
    "seed gives "
    "the same rows on every machine.",
    [](const std::vector<std::string>&) -> std::unique_ptr<Command> { return std::make_unique<Generate>(); }};

}  // namespace halfspace::cli
