// SPDX-License-Identifier: BSD-3-Clause
// halfspace report MODEL DATA -o report.html
#include "halfspace/report/report.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "data_options.hpp"
#include "halfspace/certify/verify_model.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/evaluate/evaluation.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/report/plot.hpp"
#include "verbs.hpp"

#ifdef __GLIBC__
#include <malloc.h>

#include <climits>
#endif

namespace halfspace::cli {
namespace {

// A page is made of many passes over the rows, each with large buffers of its own: what is given back stays with the process,
// and is not cleared by the kernel for every one of them.
void keep_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, INT_MAX);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}

constexpr std::uint64_t most_stored = std::uint64_t{1} << 28U;

class ReportVerb final : public Command {
 public:
  void add_options(OptionList& options) override {
    options.argument("MODEL", "a model written by halfspace train, or one of LIBLINEAR or LIBSVM",
                     model_path_);
    options.argument("DATA", "the rows it was trained on, or other labelled rows", data_.path);
    options.group("Options");
    options.text("-o,--output", "FILE", "where the page goes; - for standard output", path_);
    options.text("--test", "DATA", "labelled rows that judge the model, in place of DATA", test_path_);
    options.text("--path", "FILE", "what halfspace path --json or tune --json has printed: errors along C",
                 over_path_);
    options.text("--curve", "FILE", "what halfspace curve --json has printed: errors over the number of rows",
                 curve_path_);
    options.text("--trace", "FILE",
                 "lines of halfspace trace on DATA, to replay in place of the model's own walk", trace_path_);
    options.list("--columns", "A,B", "two columns for pictures of moving planes, by name or number",
                 columns_);
    options.flag("--no-verify", "do not recompute what the model claims", no_verify_);
    data_.add_reading_for_model(options);
  }

  int run(const Common& common, Output& output) override {
    if (path_.empty() && !common.json)
      throw UsageError("no -o FILE given", "halfspace report MODEL DATA -o report.html");
    check_one_stdin(model_path_, data_.path);
    check_one_stdin(data_.path, test_path_);
    check_output(path_, {model_path_, data_.path, test_path_, over_path_, curve_path_, trace_path_});
    if (!columns_.empty() && columns_.size() != 2) throw UsageError("--columns takes two columns: A,B");
    if (path_ == "-" && !common.json) output.divert();
    keep_memory();
    const Model model = load(model_path_, common.team());
    std::vector<std::string> notes;
    const Dataset data = read_for_model(data_, model, common, notes);
    std::optional<Dataset> test;
    if (!test_path_.empty()) {
      DataOptions options = data_;
      options.path = test_path_;
      test = read_for_model(options, model, common, notes);
    }
    const Run run = common.run();
    ReportInput input{.model = model,
                      .data = data,
                      .test = test ? &*test : nullptr,
                      .model_name = model_path_,
                      .data_name = data_.path,
                      .test_name = test_path_,
                      .notes = notes,
                      .check = check(model, data, common)};
    if (columns_.size() == 2)
      input.columns = std::pair(column_named(data, columns_[0]), column_named(data, columns_[1]));
    const auto stored = [](const std::string& path) {
      return path.empty() ? std::string() : read_all(*open_source(path), path, most_stored);
    };
    input.path_json = stored(over_path_);
    input.path_name = over_path_;
    input.curve_json = stored(curve_path_);
    input.curve_name = curve_path_;
    input.trace_lines = stored(trace_path_);
    input.trace_name = trace_path_;
    const std::string json = report_json(input, run);
    for (const std::string& note : notes) output.note(note);
    if (!path_.empty()) {
      const std::string page = report_page(json);
      write_file(path_, [&](ByteSink& sink) { sink.write(page); });
      const Json object = Json::parse(json);
      for (const Json& sentence : object.at("verdict")) output.line(sentence.get<std::string>());
      output.line(fmt::format("{} written ({})", printable(path_, 200), human_bytes(page.size())));
      if (path_ != "-") output.line(fmt::format("open it in a browser: {}", place_of(path_)));
    }
    if (common.json) output.bytes(json + "\n");
    return exit_done;
  }

 private:
  // What the model claims, recomputed: from DATA where they are the very rows of the training, else from rows that are read
  // as verify reads them; nothing for rows that come only once, and for models that carry no such claim.
  [[nodiscard]] std::optional<ModelCheck> check(const Model& model, const Dataset& data,
                                                const Common& common) const {
    std::error_code ignored;
    if (no_verify_) return std::nullopt;
    try {
      if (data.labelled() && trained_on(model, data)) return verify(model, data, common.team(), model_path_);
      if (!std::filesystem::is_regular_file(data_.path, ignored)) return std::nullopt;
      ReadOptions options = training_read(model);
      options.format = data_.read.format;
      options.threads = common.team();
      options.zero_based = options.zero_based || data_.read.zero_based;
      const Dataset rows = read(data_.path, options);
      if (rows.labelled()) return verify(model, rows, common.team(), model_path_);
    } catch (const UsageError&) {  // a kind of model about which nothing can be checked
    } catch (const InputError&) {  // other rows than those of the training
    }
    return std::nullopt;
  }

  static std::string place_of(const std::string& path) {
    std::error_code failed;
    const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
    return printable(failed ? path : absolute.string(), 400);
  }

  std::string model_path_, path_, test_path_, over_path_, curve_path_, trace_path_;
  std::vector<std::string> columns_;
  bool no_verify_ = false;
  DataOptions data_;
};

}  // namespace

constinit const Verb report_verb = {
    "report",
    "MODEL DATA [--test DATA] -o FILE.html [options]",
    "one page about a model, to open in a browser, without network",
    {"halfspace report cancer.model data/breast_cancer.csv -o report.html",
     "halfspace report a9a.model a9a --test a9a.t -o report.html"},
    "Writes one HTML file: the verdict, the data and what is odd about them, "
    "errors with intervals and baselines, "
    "whether the model is solved and the classes separable, weights, a "
    "nomogram, thresholds with costs, calibration, "
    "margins and the hardest rows, the walk of an online learner to replay, and the path over C and learning "
    "curve of other commands. --json prints what it shows as an object.",
    [](const std::vector<std::string>&) -> std::unique_ptr<Command> {
      return std::make_unique<ReportVerb>();
    }};

}  // namespace halfspace::cli
