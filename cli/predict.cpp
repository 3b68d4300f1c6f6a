// SPDX-License-Identifier: BSD-3-Clause
// halfspace predict MODEL DATA
#include <fmt/format.h>

#include <charconv>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "data_options.hpp"
#include "describe.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/label_text.hpp"
#include "halfspace/model/errors.hpp"
#include "halfspace/model/geometry.hpp"
#include "halfspace/model/model_file.hpp"
#include "memory.hpp"
#include "threshold.hpp"
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

// How predictions are written: lines, or a table with a header.
enum class Shape { Lines, Csv, Tsv };
constexpr std::string_view shape_words[] = {"lines", "csv", "tsv"};

// What stands between a label and its numbers: a comma in tables of that name, otherwise a tab.
char delimiter_of(Shape shape, const std::string& path) {
  return shape == Shape::Csv || (shape == Shape::Lines && path.ends_with(".csv")) ? ',' : '\t';
}

// How a name stands in the output: tables are opened by spreadsheets, lines are not.
std::string word_of(const std::string& name, Shape shape, const std::string& path) {
  const bool table = shape != Shape::Lines || path.ends_with(".csv") || path.ends_with(".tsv");
  return table ? label_cell(name, delimiter_of(shape, path)) : label_line(name);
}

// A delimiter before each.
void append_numbers(std::string& text, const double* values, std::size_t count, char delimiter) {
  for (std::size_t k = 0; k < count; ++k) {
    char digits[number_length];
    const auto [end, code] = std::to_chars(digits, digits + number_length, values[k]);
    text += delimiter;
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
    options.list("--keep", "NAMES", "tables: columns of DATA that stand before the label as they are",
                 data_.read.keep);
    OptionSpec shape{"--as", "SHAPE", "lines, or a table with a header", "lines"};
    shape.choices = join_words(shape_words, "|");
    shape.set = [this](const std::string& text) {
      if (text == "json") throw UsageError("--as: there is no 'json'", "--json");
      shape_ = static_cast<Shape>(parse_word("as", text, shape_words));
    };
    options.add(std::move(shape));
    threshold_.add_option(options);
    data_.add_reading_for_model(options);
    data_.add_rename(options);
  }

  int run(const Common& common, Output& output) override {
    check_one_stdin(model_path_, data_.path);
    check_output(output_path_.empty() ? "-" : output_path_, {model_path_, data_.path});
    Model model = load_before_rows("predict", model_path_, data_.path, common);
    data_.read.kept = &kept_;
    if (probabilities_ && !has_probabilities(model)) {
      throw UsageError(fmt::format("--probabilities: a model of {} has none",
                                   model.algorithm.empty() ? "this kind" : model.algorithm),
                       "train with --calibrate platt, or --scores");
    }
    threshold_.settle(model);
    if (threshold_.set() && probabilities_ && labels_follow_probabilities(model))
      throw UsageError("--threshold: the labels of this model follow its probabilities",
                       "without --probabilities");
    if (tie_) model.tie = *tie_;
    if (distances_) measure_normals(model);
    for (const std::string& name : model.classes) words_.push_back(word_of(name, shape_, output_path_));
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
    gather_zero_rows();
    if (!rows_in_json_) {
      write_file(to_stdout ? "-" : output_path_, [&](ByteSink& sink) {
        if (shape_ != Shape::Lines) sink.write(header());
        for (const auto& [number, text] : text_)
          for (const std::string& part : text) sink.write(part);
      });
    }
    for (const std::string& note : notes) output.note(note);
    for (const std::string& line : result_lines(model)) to_stdout ? output.note(line) : output.line(line);
    if (common.json) output.object(json(model, notes));
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
    const bool whole = scores_ || distances_ || probabilities_ || threshold_.set();
    predictions.scores = whole ? scores(model, data, threads) : deciding_scores(model, data, threads);
    const auto overflowed = overflowed_row(model, predictions.scores);
    std::vector<double> shifted;
    if (threshold_.set())
      for (const double score : predictions.scores) shifted.push_back(score - threshold_.score);
    const std::vector<double>& deciding = !threshold_.set() ? predictions.scores : shifted;
    predictions.labels = labels_from_scores(model, deciding);
    std::vector<std::uint32_t> zeros = rows_with_zero_score(model, deciding);
    ErrorCount errors;
    if (data.labelled()) errors = count_errors(model, deciding, data, labels_for(model, data));
    if (probabilities_ && labels_follow_probabilities(model)) {
      predictions.probabilities = probabilities_from_scores(model, probability_scores(model, data, threads));
      predictions.labels = labels_from_probabilities(model, predictions.probabilities);
      if (data.labelled()) errors = count_differing(predictions.labels, data, labels_for(model, data));
    } else if (probabilities_) {
      predictions.probabilities = probabilities_from_scores(model, predictions.scores);
    }
    for (std::size_t k = 0; distances_ && k < predictions.scores.size(); ++k) {
      const double length = normals_[k % normals_.size()];
      predictions.scores[k] = length > 0 ? predictions.scores[k] / length : 0;
    }
    std::uint64_t known = 0;
    if (data.labelled())
      for (const std::uint32_t label : labels_for(model, data)) known += label < model.classes.size() ? 1 : 0;
    std::vector<std::string> text;
    if (!rows_in_json_) text = lines(predictions, threads);
    const std::lock_guard lock(guard_);
    blocks_[number] = {data.rows(), overflowed, std::move(zeros)};
    errors_.add(errors);
    known_labels_ += known;
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
    const char delimiter = delimiter_of(shape_, output_path_);
    const std::size_t kept = data_.read.keep.size();
    std::vector<std::string> parts((rows + rows_per_part - 1) / rows_per_part);
    for_blocks(threads, rows, rows_per_part, [&](std::size_t begin, std::size_t end) {
      std::string& text = parts[begin / rows_per_part];
      const std::size_t numbers = scores_ || distances_ ? planes_ : 0,
                        shares = probabilities_ ? classes_.size() : 0;
      text.reserve((end - begin) * (8 + 24 * (numbers + shares)));
      for (std::size_t i = begin; i < end; ++i) {
        // Tables come in one block, so that a row of it is a row of the file.
        for (std::size_t k = 0; k < kept; ++k) {
          text += word_of(kept_[i * kept + k], shape_, output_path_);
          text += delimiter;
        }
        text += words_[std::min<std::size_t>(predictions.labels[i], classes_.size())];
        append_numbers(text, predictions.scores.data() + i * numbers, numbers, delimiter);
        append_numbers(text, predictions.probabilities.data() + i * shares, shares, delimiter);
        text += '\n';
      }
    });
    return parts;
  }

  // The names of what stands in a line.
  [[nodiscard]] std::string header() const {
    const char delimiter = delimiter_of(shape_, output_path_);
    std::vector<std::string> names = data_.read.keep;
    names.emplace_back("label");
    const std::string number = distances_ ? "distance" : "score";
    if (scores_ || distances_) {
      for (std::size_t k = 0; k < planes_; ++k)
        names.push_back(planes_ == 1 ? number : fmt::format("{}:{}", number, classes_[k]));
    }
    for (std::size_t k = 0; probabilities_ && k < classes_.size(); ++k)
      names.push_back("probability:" + classes_[k]);
    std::string line;
    for (const std::string& name : names) {
      if (!line.empty()) line += delimiter;
      line += word_of(name, shape_, output_path_);
    }
    return line + '\n';
  }

  // The most probable class is given, whatever the score.
  static ErrorCount count_differing(const std::vector<std::uint32_t>& given, const Dataset& data,
                                    const std::vector<std::uint32_t>& truth) {
    ErrorCount errors;
    for (std::size_t i = 0; i < truth.size(); ++i) errors.add(data.weight(i), given[i] == truth[i]);
    return errors;
  }

  // Rows by their number in the whole. Throws InputError for the first one whose score is no number.
  void gather_zero_rows() {
    for (const auto& [number, block] : blocks_) {
      if (block.overflowed) refuse_overflow(data_.path, rows_ + *block.overflowed);
      for (const std::uint32_t i : block.zeros) zeros_.push_back(static_cast<std::uint32_t>(rows_ + i));
      rows_ += block.rows;
    }
  }

  // What there is to say beside the predictions.
  [[nodiscard]] std::vector<std::string> result_lines(const Model& model) const {
    std::vector<std::string> lines;
    if (knows_labels()) {
      lines.push_back("accuracy " + accuracy_words());
    } else if (labelled_) {
      lines.emplace_back(
          "no accuracy: no label of the rows is one of the model's (--rename OLD=NEW where names differ)");
    }
    if (!zeros_.empty()) lines.push_back(zero_rows_words(model, zeros_));
    return lines;
  }

  // Some label is one of the model's: else an accuracy would be about the names.
  [[nodiscard]] bool knows_labels() const { return labelled_ && known_labels_ > 0; }

  [[nodiscard]] std::string accuracy_words() const {
    ErrorCount right = errors_;
    right.wrong = errors_.rows - errors_.wrong;
    right.wrong_weight = errors_.weight - errors_.wrong_weight;
    return error_words(right, 6);
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

  [[nodiscard]] Json json(const Model& model, const std::vector<std::string>& notes) const {
    Json value;
    value["schema"] = "halfspace.predict/1";
    value["rows"] = rows_;
    value["accuracy"] = knows_labels() ? Json(1 - errors_.share()) : Json(nullptr);
    value["errors"] = knows_labels() ? Json(errors_.wrong) : Json(nullptr);
    value["weight"] = knows_labels() ? weight_json(errors_) : Json(nullptr);
    value["rows_on_plane"] = zero_rows_json(model, zeros_);
    value["notes"] = notes;
    value["output"] = rows_in_json_ ? Json(nullptr) : Json(output_path_);
    if (!rows_in_json_) return value;
    Json labels = Json::array(), numbers = Json::array(), shares = Json::array();
    for (const auto& [number, predictions] : predictions_) add_json(predictions, labels, numbers, shares);
    value["labels"] = std::move(labels);
    if (!data_.read.keep.empty()) value["kept"] = kept_json();
    if (scores_ || distances_) value[scores_ ? "scores" : "distances"] = std::move(numbers);
    if (probabilities_) value["probabilities"] = std::move(shares);
    return value;
  }

  [[nodiscard]] Json kept_json() const {
    const std::size_t columns = data_.read.keep.size();
    Json rows = Json::array();
    for (std::size_t i = 0; i + columns <= kept_.size(); i += columns) {
      Json row = Json::object();
      for (std::size_t k = 0; k < columns; ++k) row[data_.read.keep[k]] = kept_[i + k];
      rows.push_back(std::move(row));
    }
    return rows;
  }

  std::string model_path_;
  std::string output_path_;
  Shape shape_ = Shape::Lines;
  std::vector<std::string> kept_;  // cells of the columns kept, row after row
  bool scores_ = false;
  bool distances_ = false;
  std::vector<double> normals_;               // their lengths, plane after plane
  std::vector<std::string> classes_, words_;  // names, and how lines have them; one more word for no answer
  std::size_t planes_ = 1;
  bool probabilities_ = false;
  Threshold threshold_;
  std::optional<Tie> tie_;
  DataOptions data_;

  // Of the rows so far.
  struct Block {
    std::size_t rows = 0;
    std::optional<std::size_t> overflowed;
    std::vector<std::uint32_t> zeros;  // rows with a score of zero
  };
  std::map<std::size_t, Block> blocks_;
  std::uint64_t rows_ = 0;
  std::vector<std::uint32_t> zeros_;
  ErrorCount errors_;
  bool labelled_ = false;
  std::uint64_t known_labels_ = 0;  // rows with a label that is one of the model's
  std::mutex guard_;
  bool rows_in_json_ = false;                             // or as text
  std::map<std::size_t, Predictions> predictions_;        // by block
  std::map<std::size_t, std::vector<std::string>> text_;  // by block, part after part
};

}  // namespace

constinit const Verb predict_verb = {
    "predict",
    "MODEL DATA [-o FILE] [--scores] [options]",
    "the label of every row, one line a row",
    {"halfspace predict a9a.model a9a.t > labels.txt",
     "halfspace predict table.model new.csv --keep id --probabilities --as csv -o labels.csv"},
    "Prints the label the model gives to every row. When the rows have labels, the accuracy is said too, on "
    "standard error unless the predictions go to a file.",
    [](const std::vector<std::string>&) -> std::unique_ptr<Command> { return std::make_unique<Predict>(); }};

}  // namespace halfspace::cli
