// SPDX-License-Identifier: BSD-3-Clause
// halfspace predict MODEL DATA
#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "data_options.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/model/model_file.hpp"
#include "signals.hpp"
#include "memory.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

constexpr std::size_t rows_per_block = 16384;
constexpr std::size_t number_length =
    32;  // the shortest text of a double that reads back the same is shorter
constexpr std::string_view abstained_word = "abstain";

struct Predictions {
  std::vector<double> scores;  // row after row
  std::vector<std::uint32_t> labels;
  std::vector<std::string> words;  // printed for each class; the last one for an abstention
  std::size_t planes = 1;
  std::vector<double> probabilities;  // row after row, one per class; empty when not asked for

  [[nodiscard]] const std::string& word(std::size_t row) const {
    return words[std::min<std::size_t>(labels[row], words.size() - 1)];
  }
};

void append_number(std::string& text, double value) {
  char digits[number_length];
  const auto [end, code] = std::to_chars(digits, digits + number_length, value);
  text.append(digits, code == std::errc() ? end : digits);
}

std::string format_rows(const Predictions& predictions, bool with_scores, std::size_t begin,
                        std::size_t end) {
  std::string text;
  text.reserve((end - begin) * (8 + (with_scores ? 24 * predictions.planes : 0)));
  for (std::size_t i = begin; i < end; ++i) {
    text += predictions.word(i);
    for (std::size_t k = 0; with_scores && k < predictions.planes; ++k) {
      text += '\t';
      append_number(text, predictions.scores[i * predictions.planes + k]);
    }
    const std::size_t classes = predictions.words.size() - 1;
    for (std::size_t k = 0; !predictions.probabilities.empty() && k < classes; ++k) {
      text += '\t';
      append_number(text, predictions.probabilities[i * classes + k]);
    }
    text += '\n';
  }
  return text;
}

// Blocks are formatted in parallel and written in order.
void write_predictions(const Predictions& predictions, bool with_scores, const std::string& path,
                       const Threads& threads) {
  const std::size_t rows = predictions.labels.size();
  std::vector<std::string> blocks((rows + rows_per_block - 1) / rows_per_block);
  for_blocks(threads, rows, rows_per_block, [&](std::size_t begin, std::size_t end) {
    blocks[begin / rows_per_block] = format_rows(predictions, with_scores, begin, end);
  });
  finish_in_order();
  write_file(path, [&](ByteSink& sink) {
    for (const std::string& block : blocks) sink.write(block);
  });
}

class Predict final : public Command {
 public:
  void add_options(OptionList& options) override {
    options.argument("MODEL", "a model written by halfspace train, or a LIBLINEAR model", model_path_);
    options.argument("DATA", "rows to predict, with or without labels; - for standard input", data_.path);
    options.text("-o,--output", "FILE", "where the predictions go", output_path_).fallback =
        "standard output";
    options.flag("--scores", "after the label, tab-separated, the score of every plane", scores_);
    options.flag("--probabilities", "after the label, tab-separated, the probability of every class",
                 probabilities_);
    OptionSpec tie{"--tie", "HOW", "what a score of exactly zero means", "as the model says"};
    tie.choices = OptionType<Tie>::choices();
    tie.set = [this](const std::string& text) { tie_ = OptionType<Tie>::parse("tie", text, {}); };
    options.add(std::move(tie));
    data_.add_reading_for_model(options);
  }

  int run(const Common& common, Output& output) override {
    check_output(output_path_, {model_path_, data_.path});
    Model model = load(model_path_, common.team());
    if (probabilities_ && !has_probabilities(model)) {
      throw UsageError(fmt::format("--probabilities: a model of {} has none",
                                   model.algorithm.empty() ? "this kind" : model.algorithm),
                       "--scores prints scores");
    }
    if (tie_) model.tie = *tie_;
    std::vector<std::string> notes;
    const Threads threads = common.team();
    const Dataset data = read_for_model(data_, model, common, notes);
    keep_memory();
    Predictions predictions;
    predictions.planes = model.planes();
    predictions.scores = scores_ ? scores(model, data, threads) : deciding_scores(model, data, threads);
    predictions.labels = labels_from_scores(model, predictions.scores);
    if (probabilities_) predictions.probabilities = probabilities(model, predictions.scores);
    predictions.words = model.classes;
    predictions.words.emplace_back(abstained_word);

    Json accuracy;
    if (data.labelled()) {
      const std::uint64_t right = count_right(predictions, labels_in(data, model.classes));
      accuracy = static_cast<double>(right) / static_cast<double>(data.rows());
      notes.push_back(
          fmt::format("accuracy {:.6g} ({} of {} rows)", accuracy.get<double>(), right, data.rows()));
    }
    const bool to_stdout = output_path_.empty() || output_path_ == "-";
    if (!common.json || !to_stdout) {
      write_predictions(predictions, scores_, to_stdout ? "-" : output_path_, threads);
    }
    for (const std::string& note : notes) output.note(note);
    if (common.json) output.object(json(predictions, accuracy, notes, to_stdout));
    return exit_done;
  }

 private:
  static std::uint64_t count_right(const Predictions& predictions, const std::vector<std::uint32_t>& truth) {
    std::uint64_t right = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) right += truth[i] == predictions.labels[i] ? 1U : 0U;
    return right;
  }

  [[nodiscard]] Json json(const Predictions& predictions, const Json& accuracy,
                          const std::vector<std::string>& notes, bool with_rows) const {
    Json value;
    value["schema"] = "halfspace.predict/1";
    value["rows"] = predictions.labels.size();
    value["accuracy"] = accuracy;
    value["notes"] = notes;
    value["output"] = with_rows ? Json(nullptr) : Json(output_path_);
    if (!with_rows) return value;
    Json labels = Json::array();
    Json rows = Json::array();
    Json shares = Json::array();
    const std::size_t classes = predictions.words.size() - 1;
    for (std::size_t i = 0; i < predictions.labels.size(); ++i) {
      labels.push_back(predictions.labels[i] == abstained ? Json(nullptr) : Json(predictions.word(i)));
      const auto first = predictions.scores.begin() + static_cast<std::ptrdiff_t>(i * predictions.planes);
      if (scores_)
        rows.push_back(std::vector<double>(first, first + static_cast<std::ptrdiff_t>(predictions.planes)));
      if (probabilities_) {
        const auto p = predictions.probabilities.begin() + static_cast<std::ptrdiff_t>(i * classes);
        shares.push_back(std::vector<double>(p, p + static_cast<std::ptrdiff_t>(classes)));
      }
    }
    value["labels"] = std::move(labels);
    if (scores_) value["scores"] = std::move(rows);
    if (probabilities_) value["probabilities"] = std::move(shares);
    return value;
  }

  std::string model_path_;
  std::string output_path_;
  bool scores_ = false;
  bool probabilities_ = false;
  std::optional<Tie> tie_;
  DataOptions data_;
};

}  // namespace

constinit const Verb predict_verb = {
    "predict",
    "MODEL DATA [-o FILE] [--scores] [options]",
    "the label of every row, one line a row",
    {"halfspace predict a9a.model a9a.t > labels.txt",
     "halfspace predict a9a.model new.csv -o labels.txt --scores"},
    "Prints the label the model gives to every row. When the rows have labels, the accuracy is said on "
    "standard error.",
    [](const std::vector<std::string>&) -> std::unique_ptr<Command> { return std::make_unique<Predict>(); }};

}  // namespace halfspace::cli
