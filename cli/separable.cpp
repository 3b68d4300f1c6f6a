// SPDX-License-Identifier: BSD-3-Clause
// halfspace separable DATA
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "data_options.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/prepare/against_rest.hpp"
#include "halfspace/solve/separability.hpp"
#include "signals.hpp"
#include "verbs.hpp"
#include "witness_text.hpp"

namespace halfspace::cli {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point from) {
  return std::chrono::duration<double>(Clock::now() - from).count();
}

// One question: the classes on either side, its answer, and what the answer cost.
struct Question {
  std::string name;  // "4 against 9"
  std::vector<std::string> positive, negative;
  Separability answer;
  std::string certificate;  // JSON text
  double seconds = 0;
};

class Separable final : public Command {
 public:
  void add_options(OptionList& options) override {
    options.argument("DATA", "labelled rows; - for standard input", data_.path);
    options.group("Options");
    options.text("-o,--output", "CERT", "where the certificate goes; - for standard output",
                 certificate_path_);
    options.value("--offset", "OFFSET", "planes with an offset, or through the origin (none)", offset_);
    options.text("--positive", "LABEL", "this class against the rest", data_.positive);
    options.value("--margin", "WHETHER", "bracket the widest margin; auto: up to 1500 features or rows",
                  margin_);
    options.value("--most-columns", "N", "largest exact basis that is tried, in columns after peeling",
                  most_columns_, {0, 1e6});
    options.flag("--pairs", "every class against the rest, and every pair of classes", pairs_);
    OptionSpec values{"--values", "WHICH", "what the numbers mean",
                      "decimals for text, doubles for binary files", "decimals|doubles"};
    values.set = [this](const std::string& text) { values_ = OptionType<Values>::parse("values", text, {}); };
    options.add(std::move(values));
    data_.add_reading(options);
  }

  int run(const Common& common, Output& output) override {
    check_output(certificate_path_, {data_.path});
    const Clock::time_point start = Clock::now();
    std::vector<std::string> notes;
    const Dataset data = read_data(data_, common, notes);
    if (!data.labelled()) throw InputError({data.name()}, "no labels", "labelled rows");
    const double read_seconds = seconds_since(start);
    std::vector<Question> questions = questions_for(data);
    if (pairs_ && !certificate_path_.empty()) {
      throw UsageError("--pairs has many certificates, -o takes one", "use --positive LABEL -o CERT");
    }
    if (certificate_path_ == "-") output.divert();
    for (const std::string& note : notes) output.note(note);
    output.line(describe_data(data, data_.path));
    output.line(describe_classes(data));
    finish_in_order();  // a question that is stopped is answered: not decided
    for (Question& question : questions) {
      answer(question, data, common);
      print(question, data, output);
    }
    if (!certificate_path_.empty() && questions.front().answer.decided) {
      write_file(certificate_path_, [&](ByteSink& sink) { sink.write(questions.front().certificate); });
      output.line(fmt::format("{} written ({})", printable(certificate_path_, 200),
                              human_bytes(questions.front().certificate.size())));
      output.line(fmt::format("next: halfspace verify {} {}{}", printable(certificate_path_, 200),
                              printable(data_.path, 200),
                              values_ ? " --values " + OptionType<Values>::print(*values_) : std::string()));
    }
    if (output.json()) output.object(json(questions, data, read_seconds, seconds_since(start)));
    return exit_code(questions);
  }

 private:
  std::vector<Question> questions_for(const Dataset& data) const {
    const std::vector<std::string>& classes = data.classes();
    std::vector<Question> out;
    const auto ask = [&](std::vector<std::string> positive, std::vector<std::string> negative,
                         std::string name) {
      out.push_back({std::move(name), std::move(positive), std::move(negative), {}, {}, 0});
    };
    const auto rest_of = [&](const std::string& label) {
      std::vector<std::string> rest = classes;
      rest.erase(std::find(rest.begin(), rest.end(), label));
      return rest;
    };
    if (pairs_) {
      for (const std::string& label : classes)
        ask({label}, rest_of(label), fmt::format("{} against the rest", printable(label)));
      for (std::size_t a = 0; a < classes.size() && classes.size() > 2; ++a)
        for (std::size_t b = a + 1; b < classes.size(); ++b)
          ask({classes[b]}, {classes[a]},
              fmt::format("{} against {}", printable(classes[b]), printable(classes[a])));
    } else if (!data_.positive.empty()) {
      const std::string label = against_rest(data, data_.positive).classes().back();
      ask({label}, rest_of(label), fmt::format("{} against the rest", printable(label)));
    } else if (classes.size() > 2) {
      throw UsageError(fmt::format("{} classes", classes.size()),
                       "--positive LABEL for one of them against the rest, --pairs for all");
    } else {
      ask({classes.back()}, rest_of(classes.back()),
          fmt::format("{} against {}", printable(classes.back()), printable(classes.front())));
    }
    return out;
  }

  void answer(Question& question, const Dataset& data, const Common& common) const {
    const Clock::time_point start = Clock::now();
    const Run run = common.run();
    SeparabilityOptions options;
    options.offset = offset_;
    options.values = values_;
    options.margin = margin_;
    options.most_columns = static_cast<std::size_t>(most_columns_);
    question.answer = separability(data, question.positive, question.negative, options, run);
    question.seconds = seconds_since(start);
    question.seconds -= question.answer.check_seconds;
    if (question.answer.decided) question.certificate = to_json(question.answer.proof);
  }

  void print(const Question& question, const Dataset& data, const Output& output) const {
    if (!question.answer.decided) {
      if (question.answer.stopped != StopCause::None) {
        output.line(
            fmt::format("{}: not decided: {}", question.name,
                        question.answer.stopped == StopCause::Time ? "the time was up" : "interrupted"));
        return;
      }
      output.line(fmt::format(
          "{}: not decided: {} rows and {} columns are left after peeling, too many for an exact basis",
          question.name, question.answer.core_rows, question.answer.core_columns));
      if (question.answer.margin_at_most)
        output.line(fmt::format("no unit vector has margin above {:.6g}", *question.answer.margin_at_most));
      return;
    }
    const SeparationProof& proof = question.answer.proof;
    output.line(fmt::format("{}: {}", question.name, OptionType<Separation>::print(proof.verdict)));
    if (pairs_) return;
    if (const auto& margin = question.answer.margin) {
      output.line(
          fmt::format("best margin between {:.9g} and {:.9g}, radius {:.6g}; closest points of the hulls: {}",
                      margin->lower, margin->upper, margin->radius, counted(proof.hull.rows.size(), "row")));
      output.line(fmt::format("a perceptron makes at most (R/margin)^2 = {:.6g} mistakes{}", margin->mistakes,
                              offset_ == Offset::Free ? " (offset lifted)" : ""));
    }
    for (const std::string& line : proof_lines(proof, data)) output.line(line);
    if (!question.answer.check.rows_on_plane.empty())
      output.line(rows_text(question.answer.check.rows_on_plane));
    output.line(fmt::format("decided by {} in {}, proof of {} checked in {}: {}", question.answer.method,
                            human_seconds(question.seconds), human_bytes(question.certificate.size()),
                            human_seconds(question.answer.check_seconds), question.answer.check.why));
  }

  Json json(const std::vector<Question>& questions, const Dataset& data, double read_seconds,
            double total) const {
    Json out;
    out["schema"] = "halfspace.separable/1";
    out["rows"] = data.rows();
    out["features"] = data.features();
    out["offset"] = OptionType<Offset>::print(offset_);
    if (pairs_) {
      out["questions"] = Json::array();
      for (const Question& question : questions) out["questions"].push_back(question_json(question));
    } else {
      out.update(question_json(questions.front()));
      out["certificate"] = certificate_path_.empty() ? Json() : Json(certificate_path_);
    }
    out["seconds"]["read"] = read_seconds;
    out["seconds"]["total"] = total;
    return out;
  }

  static Json question_json(const Question& question) {
    const SeparationProof& proof = question.answer.proof;
    Json out;
    out["positive"] = question.positive;
    out["negative"] = question.negative;
    out["verdict"] = question.answer.decided ? Json(OptionType<Separation>::print(proof.verdict)) : Json();
    out["exact"] = question.answer.decided;
    if (question.answer.stopped != StopCause::None)
      out["stopped"] = question.answer.stopped == StopCause::Time ? "time" : "cancelled";
    out["values"] = OptionType<Values>::print(proof.values);
    out["method"] = question.answer.method;
    Json rows = Json::array(), weights = Json::array();
    if (!proof.witnesses.empty()) {
      for (const std::uint32_t row : proof.witnesses.front().rows) rows.push_back(std::uint64_t{row} + 1);
      for (const Share& share : shares(proof.witnesses.front())) weights.push_back(share.exact);
    }
    const auto& margin = question.answer.margin;
    out["margin_at_most"] = question.answer.margin_at_most ? Json(*question.answer.margin_at_most) : Json();
    out["margin"] = margin ? Json::array({margin->lower, margin->upper}) : Json();
    out["radius"] = margin ? Json(margin->radius) : Json();
    out["mistake_bound"] = margin ? Json(margin->mistakes) : Json();
    Json support = Json::array();
    for (const std::uint32_t row : proof.hull.rows) support.push_back(std::uint64_t{row} + 1);
    out["support_rows"] = std::move(support);
    out["witness_rows"] = std::move(rows);
    out["witness_weights"] = std::move(weights);
    out["rows_on_plane"] = Json();
    if (question.answer.decided && proof.verdict != Separation::Overlapping) {
      out["rows_on_plane"] = Json::array();
      for (const std::uint32_t row : question.answer.check.rows_on_plane)
        out["rows_on_plane"].push_back(std::uint64_t{row} + 1);
    }
    out["pivots"] = question.answer.pivots;
    out["core"] = {{"rows", question.answer.core_rows}, {"columns", question.answer.core_columns}};
    out["certificate_bytes"] = question.certificate.size();
    out["seconds"] = {{"solve", question.seconds}, {"check", question.answer.check_seconds}};
    return out;
  }

  static int exit_code(const std::vector<Question>& questions) {
    int code = exit_done;
    for (const Question& question : questions) {
      if (!question.answer.decided || question.answer.stopped != StopCause::None) return exit_limit;
      if (question.answer.proof.verdict != Separation::Separable) code = exit_no;
    }
    return code;
  }

  DataOptions data_;
  std::string certificate_path_;
  Offset offset_ = Offset::Free;
  std::optional<Values> values_;
  MarginWork margin_ = MarginWork::Auto;
  std::int64_t most_columns_ = 4000;
  bool pairs_ = false;
};

}  // namespace

constinit const Verb separable_verb = {"separable",
                                       "DATA [-o CERT] [options]",
                                       "can a plane separate the classes? decided exactly, with a proof",
                                       {"halfspace separable data/breast_cancer.csv -o cancer.certificate",
                                        "halfspace separable mnist.train --positive 9 --json"},
                                       "Says separable (exit 0), touching or overlapping (exit 1), and "
                                       "proves it in whole numbers: by a plane, or by rows "
                                       "whose hulls meet. Exit 4: too large to be decided exactly. halfspace "
                                       "verify CERT DATA checks the certificate.",
                                       [](const std::vector<std::string>&) -> std::unique_ptr<Command> {
                                         return std::make_unique<Separable>();
                                       }};

}  // namespace halfspace::cli
