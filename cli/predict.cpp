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
#include "signals.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

constexpr std::size_t rows_per_part = 16384;
constexpr std::size_t number_length =
    32;  // the shortest text of a double that reads back the same is shorter

// Of one block of rows.
struct Predictions {
  std::vector<double> scores;  // row after row
  std::vector<std::uint32_t> labels;
  std::vector<std::string> words;  // printed for each class; the last one for an abstention
  std::size_t planes = 1;
  std::vector<double> probabilities;  // row after row, one per class; empty when not asked for

  [[nodiscard]] const std::string& word(std::size_t row) const { return words[place(row)]; }
  // The same for a line of text: without line ends and tabs.
  [[nodiscard]] const std::string& line_word(std::size_t row) const { return line_words[place(row)]; }
  std::vector<std::string> line_words;

 private:
  [[nodiscard]] std::size_t place(std::size_t row) const {
    return std::min<std::size_t>(labels[row], words.size() - 1);
  }
};

// What is printed for no answer: 0, unless that could be taken for a class.
std::string abstention(const std::vector<std::string>& classes) {
  const auto other_number = [](const std::string& name) {
    double value = 0;
    const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), value);
    return code == std::errc() && end == name.data() + name.size() && value != 0;
  };
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
    text += predictions.line_word(i);
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

// Parts are formatted in parallel.
void format_block(const Predictions& predictions, bool with_scores, const Threads& threads,
                  std::vector<std::string>& text) {
  const std::size_t rows = predictions.labels.size(), first = text.size();
  text.resize(first + (rows + rows_per_part - 1) / rows_per_part);
  for_blocks(threads, rows, rows_per_part, [&](std::size_t begin, std::size_t end) {
    text[first + begin / rows_per_part] = format_rows(predictions, with_scores, begin, end);
  });
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
    options.flag(
        "--distances",
        "after the label, tab-separated, the signed distance of the row from every plane: the score divided "
        "by the length of the normal",
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
    check_output(output_path_, {model_path_, data_.path});
    Model model = load(model_path_, common.team());
    if (probabilities_ && !has_probabilities(model)) {
      throw UsageError(fmt::format("--probabilities: a model of {} has none",
                                   model.algorithm.empty() ? "this kind" : model.algorithm),
                       "--scores prints scores");
    }
    if (tie_) model.tie = *tie_;
    if (distances_) measure_normals(model);
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
      finish_in_order();
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
    predictions.planes = model.planes();
    predictions.scores =
        scores_ || distances_ ? scores(model, data, threads) : deciding_scores(model, data, threads);
    predictions.labels = labels_from_scores(model, predictions.scores);
    if (probabilities_) predictions.probabilities = probabilities(model, predictions.scores);
    for (std::size_t k = 0; distances_ && k < predictions.scores.size(); ++k) {
      const double length = normals_[k % normals_.size()];
      predictions.scores[k] = length > 0 ? predictions.scores[k] / length : 0;
    }
    predictions.words = model.classes;
    predictions.words.push_back(abstention(model.classes));
    for (const std::string& word : predictions.words) predictions.line_words.push_back(in_one_line(word));
    const std::uint64_t right =
        data.labelled() ? count_right(predictions, labels_in(data, model.classes)) : 0;
    std::vector<std::string> text;
    if (!rows_in_json_) format_block(predictions, scores_ || distances_, threads, text);
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

  static std::uint64_t count_right(const Predictions& predictions, const std::vector<std::uint32_t>& truth) {
    std::uint64_t right = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) right += truth[i] == predictions.labels[i] ? 1U : 0U;
    return right;
  }

  void add_json(const Predictions& predictions, Json& labels, Json& numbers, Json& shares) const {
    const std::size_t classes = predictions.words.size() - 1;
    for (std::size_t i = 0; i < predictions.labels.size(); ++i) {
      labels.push_back(predictions.labels[i] == abstained ? Json(nullptr) : Json(predictions.word(i)));
      const auto first = predictions.scores.begin() + static_cast<std::ptrdiff_t>(i * predictions.planes);
      if (scores_ || distances_)
        numbers.push_back(
            std::vector<double>(first, first + static_cast<std::ptrdiff_t>(predictions.planes)));
      if (probabilities_) {
        const auto p = predictions.probabilities.begin() + static_cast<std::ptrdiff_t>(i * classes);
        shares.push_back(std::vector<double>(p, p + static_cast<std::ptrdiff_t>(classes)));
      }
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
  std::vector<double> normals_;  // their lengths, plane after plane
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
