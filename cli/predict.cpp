// SPDX-License-Identifier: BSD-3-Clause
// halfspace predict MODEL DATA
#include <fmt/format.h>

#include <charconv>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "data_options.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/model/geometry.hpp"
#include "halfspace/model/model_file.hpp"
#include "memory.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

constexpr std::size_t rows_per_part = 16384;
constexpr std::size_t number_length =
    32;  // the shortest text of a double that reads back the same is shorter

// Of one block of rows.
struct Predictions {
  std::vector<double> scores;  // row after row; or distances
  std::vector<std::uint32_t> labels;
  std::vector<double> probabilities;  // row after row, one per class; empty when not asked for
};

// What is printed for no answer: 0, unless that could be taken for a class.
std::string abstention(const std::vector<std::string>& classes) {
  const auto other_number = [](const std::string& name) { return label_number(name).value_or(0) != 0; };
  return std::all_of(classes.begin(), classes.end(), other_number) ? "0" : "abstain";
}

// Names of classes may be anything that a quoted cell of a table can be.
std::string in_one_line(const std::string& name) {
  std::string line;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    line += byte < 0x20 || byte == 0x7F ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return line;
}

// A tab before each.
void append_numbers(std::string& text, const double* values, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    char digits[number_length];
    const auto [end, code] = std::to_chars(digits, digits + number_length, values[k]);
    text += '\t';
    text.append(digits, code == std::errc() ? end : digits);
  }
}

// Planes take a row as it comes; other models prepare themselves for all rows at once, and take longer than reading.
bool goes_by_blocks(const Model& model) {
  return std::holds_alternative<LinearModel>(model.form) && model.map == nullptr;
}

class Predict final : public Command {
 public:
  void add_options(OptionList& options) override {
    options.argument("MODEL", "a model written by halfspace train, or one of LIBLINEAR or LIBSVM",
                     model_path_);
    options.argument("DATA",
                     "rows to predict; tables, idx and npy may come without labels; - for standard input",
                     data_.path);
    options.text("-o,--output", "FILE", "where the predictions go", output_path_).fallback =
        "standard output";
    options.flag("--scores",
                 "after the label, tab-separated, the score of every plane (in the order of the classes)",
                 scores_);
    options.flag("--distances",
                 "after the label, tab-separated, the signed distance of the row, as the model sees it, from "
                 "every plane: the "
                 "score divided by the length of the normal",
                 distances_);
    options.flag("--probabilities", "after the label, tab-separated, the probability of every class (sorted)",
                 probabilities_);
    OptionSpec tie{"--tie", "HOW", "what a score of exactly zero means", "as the model says"};
    tie.choices = OptionType<Tie>::choices();
    tie.set = [this](const std::string& text) { tie_ = OptionType<Tie>::parse("tie", text, {}); };
    options.add(std::move(tie));
    data_.add_reading_for_model(options);
  }

  int run(const Common& common, Output& output) override {
    check_one_stdin(model_path_, data_.path);
    check_output(output_path_.empty() ? "-" : output_path_, {model_path_, data_.path});
    Model model = load(model_path_, common.team());
    if (probabilities_ && !has_probabilities(model)) {
      throw UsageError(fmt::format("--probabilities: a model of {} has none",
                                   model.algorithm.empty() ? "this kind" : model.algorithm),
                       "--scores prints scores");
    }
    if (tie_) model.tie = *tie_;
    if (distances_) measure_normals(model);
    for (const std::string& name : model.classes) words_.push_back(in_one_line(name));
    words_.push_back(abstention(model.classes));
    classes_ = model.classes;
    planes_ = model.planes();
    keep_memory();
    const bool to_stdout = output_path_.empty() || output_path_ == "-";
    rows_in_json_ = common.json && to_stdout;
    std::vector<std::string> notes;
    const auto take = [&](std::size_t number, const Dataset& block, const Threads& threads) {
      add(model, number, block, threads);
    };
    if (goes_by_blocks(model)) {
      read_blocks_for_model(data_, model, common, notes, take);
    } else {
      take(0, read_for_model(data_, model, common, notes), common.team());
    }
    if (labelled_) {
      accuracy_ = static_cast<double>(right_) / static_cast<double>(rows_);
      notes.push_back(fmt::format("accuracy {:.6g} ({} of {} rows)", accuracy_.get<double>(), right_, rows_));
    }
    if (!rows_in_json_) {
      write_file(to_stdout ? "-" : output_path_, [&](ByteSink& sink) {
        for (const auto& [number, text] : text_)
          for (const std::string& part : text) sink.write(part);
      });
    }
    for (const std::string& note : notes) output.note(note);
    if (common.json) output.object(json(notes));
    return exit_done;
  }

 private:
  void measure_normals(const Model& model) {
    const auto* linear = std::get_if<LinearModel>(&model.form);
    if (scores_) throw UsageError("--distances and --scores print in the same place", "one of them");
    if (linear == nullptr || model.map != nullptr)
      throw UsageError("--distances: this model has no planes among its rows", "--scores");
    for (std::size_t k = 0; k < linear->planes; ++k) normals_.push_back(geometry(*linear, k).norm);
  }

  // Predicts some rows and keeps what is to be said of them. Several threads may be here at once.
  void add(const Model& model, std::size_t number, const Dataset& data, const Threads& threads) {
    Predictions predictions;
    predictions.scores =
        scores_ || distances_ ? scores(model, data, threads) : deciding_scores(model, data, threads);
    predictions.labels = labels_from_scores(model, predictions.scores);
    if (probabilities_) predictions.probabilities = probabilities(model, predictions.scores);
    for (std::size_t k = 0; distances_ && k < predictions.scores.size(); ++k) {
      const double length = normals_[k % normals_.size()];
      predictions.scores[k] = length > 0 ? predictions.scores[k] / length : 0;
    }
    const std::uint64_t right =
        data.labelled() ? count_right(predictions, labels_in(data, model.classes)) : 0;
    std::vector<std::string> text;
    if (!rows_in_json_) text = lines(predictions, threads);
    const std::lock_guard lock(guard_);
    rows_ += data.rows();
    right_ += right;
    labelled_ = labelled_ || data.labelled();
    if (rows_in_json_) {
      predictions_.emplace(number, std::move(predictions));
    } else {
      text_.emplace(number, std::move(text));
    }
  }

  // Parts are formatted in parallel.
  [[nodiscard]] std::vector<std::string> lines(const Predictions& predictions, const Threads& threads) const {
    const std::size_t rows = predictions.labels.size();
    std::vector<std::string> parts((rows + rows_per_part - 1) / rows_per_part);
    for_blocks(threads, rows, rows_per_part, [&](std::size_t begin, std::size_t end) {
      std::string& text = parts[begin / rows_per_part];
      const std::size_t numbers = scores_ || distances_ ? planes_ : 0,
                        shares = probabilities_ ? classes_.size() : 0;
      text.reserve((end - begin) * (8 + 24 * (numbers + shares)));
      for (std::size_t i = begin; i < end; ++i) {
        text += words_[std::min<std::size_t>(predictions.labels[i], classes_.size())];
        append_numbers(text, predictions.scores.data() + i * numbers, numbers);
        append_numbers(text, predictions.probabilities.data() + i * shares, shares);
        text += '\n';
      }
    });
    return parts;
  }

  static std::uint64_t count_right(const Predictions& predictions, const std::vector<std::uint32_t>& truth) {
    std::uint64_t right = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) right += truth[i] == predictions.labels[i] ? 1U : 0U;
    return right;
  }

  void add_json(const Predictions& predictions, Json& labels, Json& numbers, Json& shares) const {
    const auto values = [](const std::vector<double>& all, std::size_t row, std::size_t count) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(row * count);
      return std::vector<double>(first, first + static_cast<std::ptrdiff_t>(count));
    };
    for (std::size_t i = 0; i < predictions.labels.size(); ++i) {
      labels.push_back(predictions.labels[i] == abstained ? Json(nullptr)
                                                          : Json(classes_[predictions.labels[i]]));
      if (scores_ || distances_) numbers.push_back(values(predictions.scores, i, planes_));
      if (probabilities_) shares.push_back(values(predictions.probabilities, i, classes_.size()));
    }
  }

  [[nodiscard]] Json json(const std::vector<std::string>& notes) const {
    Json value;
    value["schema"] = "halfspace.predict/1";
    value["rows"] = rows_;
    value["accuracy"] = accuracy_;
    value["notes"] = notes;
    value["output"] = rows_in_json_ ? Json(nullptr) : Json(output_path_);
    if (!rows_in_json_) return value;
    Json labels = Json::array(), numbers = Json::array(), shares = Json::array();
    for (const auto& [number, predictions] : predictions_) add_json(predictions, labels, numbers, shares);
    value["labels"] = std::move(labels);
    if (scores_ || distances_) value[scores_ ? "scores" : "distances"] = std::move(numbers);
    if (probabilities_) value["probabilities"] = std::move(shares);
    return value;
  }

  std::string model_path_;
  std::string output_path_;
  bool scores_ = false;
  bool distances_ = false;
  std::vector<double> normals_;               // their lengths, plane after plane
  std::vector<std::string> classes_, words_;  // names, and how lines have them; one more word for no answer
  std::size_t planes_ = 1;
  bool probabilities_ = false;
  std::optional<Tie> tie_;
  DataOptions data_;

  // Of the rows so far.
  std::uint64_t rows_ = 0, right_ = 0;
  bool labelled_ = false;
  std::mutex guard_;
  bool rows_in_json_ = false;                             // or as text
  std::map<std::size_t, Predictions> predictions_;        // by block
  std::map<std::size_t, std::vector<std::string>> text_;  // by block, part after part
  Json accuracy_;
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
