// SPDX-License-Identifier: BSD-3-Clause
// halfspace verify CERT_OR_MODEL DATA
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "data_options.hpp"
#include "halfspace/certify/separation.hpp"
#include "halfspace/certify/verify_model.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/read.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/solve/algorithms.hpp"
#include "halfspace/solve/memory.hpp"
#include "memory.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

class Verify final : public Command {
 public:
  void add_options(OptionList& options) override {
    options.argument("CERT_OR_MODEL", "a certificate of halfspace separable, or a model that carries one",
                     model_path_);
    options.argument("DATA", "the rows it was trained on; - for standard input", data_.path);
    OptionSpec values{"--values", "WHICH", "what the numbers of a certificate's rows mean",
                      "decimals for text, doubles for binary files", "decimals|doubles"};
    values.set = [this](const std::string& text) { values_ = OptionType<Values>::parse("values", text, {}); };
    options.add(std::move(values));
    data_.add_reading(options);
    options
        .value("--memory", "MB",
               "of a model: keep to so many megabytes, with the rows in a file without a name in $TMPDIR",
               memory_, {1, 1e9})
        .fallback = "none";
  }

  int run(const Common& common, Output& output) override {
    check_one_stdin(model_path_, data_.path);
    const std::string bytes = read_model_bytes(*open_source(model_path_), model_path_);
    const std::size_t begin = bytes.find_first_not_of(" \t\r\n");
    if (begin != std::string::npos && (bytes[begin] == '{' || bytes[begin] == '['))
      return run_certificate(bytes, common, output);
    refuse_options_of_certificates();
    const Model model = model_from_bytes(bytes, model_path_);
    if (memory_ > 0 && !std::holds_alternative<LinearModel>(model.form))
      throw UsageError("--memory is for planes: kernels and votes are checked in memory", "no --memory");
    if (memory_ > 0 && model.map != nullptr)
      throw UsageError("--memory: features nystrom and fourier are made in memory", "no --memory");
    std::vector<std::string> notes;
    const Dataset data = read_training_rows(model, common, notes);
    if (!data.labelled()) throw InputError({data.name()}, "no labels", "the labelled rows of the training");
    if (memory_ > 0) {
      const MemoryShape shape = memory_shape(data, common.team().count());
      detail::check_memory(shape, memory_of_walk(shape), memory_bytes());
    }
    const ModelCheck check = verify(model, data, common.team(), model_path_);
    if (memory_ > 0)
      notes.push_back(fmt::format("at most {:.0f} MB were resident, {} allowed",
                                  static_cast<double>(peak_memory()) / 1e6, memory_));
    for (const std::string& note : notes) output.note(note);
    for (const std::string& line : check.lines) output.line(line);
    const char* const yes =
        check.gaps.empty() ? "verified: what the model claims holds" : "verified: the model's gap holds";
    output.line(check.holds ? yes : "NOT verified");
    output.object(output.json() ? json(check) : Json());
    return check.holds ? exit_done : exit_no;
  }

 private:
  // The table is read by what the model records of the choices made in training; models that record none of missing
  // values are helped by the options.
  Dataset read_training_rows(const Model& model, const Common& common,
                             std::vector<std::string>& notes) const {
    ReadOptions options = training_read(model);
    options.format = data_.read.format;
    options.threads = common.team();
    options.notes = &notes;
    if (memory_ > 0) options.spill = spill_to("", memory_bytes());
    if (model.encoding && model.encoding->missing == Missing::Error &&
        model.encoding->missing_words.empty() &&
        (data_.read.missing != Missing::Error || !data_.read.missing_words.empty())) {
      Encoding choices = *model.encoding;
      choices.missing = data_.read.missing;
      choices.missing_words = data_.read.missing_words;
      options.choices = std::make_shared<Encoding>(std::move(choices));
    }
    try {
      options.zero_based = options.zero_based || data_.read.zero_based;
      return read(data_.path, options);
    } catch (const UsageError& wrong) {
      if (data_.read.zero_based) throw;
      throw InputError({model_path_},
                       fmt::format("the rows cannot be read as the model says: {}", wrong.said().message));
    }
  }

  // How a table was read is part of a model, except which rows were dropped.
  void refuse_options_of_certificates() const {
    const ReadOptions& read = data_.read;
    if (read.label.empty() && read.weight.empty() && read.ignore.empty() && read.categorical.empty() &&
        read.text.empty() && read.hash_bits == 0 && !read.delimiter && read.header == Header::Auto &&
        (read.missing == Missing::Error || read.missing == Missing::Drop) && read.features == 0 && !values_) {
      return;
    }
    throw UsageError("how the table is read follows from the model",
                     "--label, --weight, --features and the like are for certificates");
  }

  int run_certificate(const std::string& bytes, const Common& common, const Output& output) {
    if (memory_ > 0)
      throw UsageError("--memory: the rows of a certificate of separable are checked in memory",
                       "no --memory");
    const SeparationProof proof = separation_from_json(bytes, model_path_);
    std::vector<std::string> notes;
    const Dataset data = read_data(data_, common, notes);
    if (!data.labelled())
      throw InputError({data.name()}, "no labels", "the labelled rows of the certificate");
    const SeparationVerdict verdict = verify(proof, data, common.team(), values_.value_or(values_of(data)));
    for (const std::string& note : notes) output.note(note);
    if (!verdict.about.empty()) output.line(verdict.about);
    output.line(verdict.why);
    output.line(verdict.holds ? "verified: the certificate proves its verdict" : "NOT verified");
    if (output.json()) output.object(json(proof, verdict));
    return verdict.holds ? exit_done : exit_no;
  }

  // Nothing that was not checked: of a proof that does not hold, only why.
  static Json json(const SeparationProof& proof, const SeparationVerdict& verdict) {
    Json value;
    value["schema"] = "halfspace.verify/1";
    value["holds"] = verdict.holds;
    value["verdict"] = verdict.holds ? Json(OptionType<Separation>::print(proof.verdict)) : Json();
    if (verdict.holds) {
      value["positive"] = proof.positive;
      value["negative"] = proof.negative;
      value["positive_rows"] = verdict.positive_rows;
      value["negative_rows"] = verdict.negative_rows;
      value["absent_rows"] = verdict.absent_rows;
      value["absent_classes"] = verdict.absent_classes;
      value["offset"] = OptionType<Offset>::print(proof.offset);
      value["values"] = OptionType<Values>::print(proof.values);
      if (proof.verdict == Separation::Touching) value["complete"] = proof.complete;
    }
    value["lines"] = Json::array({verdict.why});
    return value;
  }

  static Json json(const ModelCheck& check) {
    Json value;
    value["schema"] = "halfspace.verify/1";
    value["holds"] = check.holds;
    value["lines"] = check.lines;
    Json gaps = Json::array();
    for (const DualityGap& gap : check.gaps) {
      gaps.push_back(
          {{"primal", gap.primal}, {"dual", gap.dual}, {"gap", gap.gap()}, {"relative_gap", gap.relative()}});
    }
    value["gaps"] = std::move(gaps);
    value["certificates"] = check.found.empty() ? Json::array() : Json::parse(to_json(check.found));
    return value;
  }

  [[nodiscard]] std::uint64_t memory_bytes() const { return static_cast<std::uint64_t>(memory_) * 1'000'000; }

  std::string model_path_;
  DataOptions data_;
  std::optional<Values> values_;
  std::int64_t memory_ = 0;
};

}  // namespace

constinit const Verb verify_verb = {
    "verify",
    "CERT_OR_MODEL DATA [options]",
    "check a certificate, or what a model claims, against the data",
    {"halfspace verify a9a.certificate a9a", "halfspace verify a9a.model a9a"},
    "Certificates of separability are checked in exact arithmetic. Of a model, every number of its "
    "certificate is recomputed "
    "from the model and the data alone, how rows were read, scaled and turned into features is learned again "
    "and compared, rounding counted against the claim. The code shares nothing with the solvers. "
    "Exit 0: it holds; exit 1: it does not, or the data are others.",
    [](const std::vector<std::string>&) -> std::unique_ptr<Command> { return std::make_unique<Verify>(); }};

}  // namespace halfspace::cli
