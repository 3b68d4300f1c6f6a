// SPDX-License-Identifier: BSD-3-Clause
#include "train_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "data_options.hpp"
#include "describe.hpp"
#include "halfspace/certify/certificate.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace::cli {
namespace {

constexpr std::size_t most_lines = 8;
constexpr std::size_t strongest_named = 3;
constexpr std::size_t name_length = 40;
constexpr std::string_view formula_begins = "minimise ";

std::string formula_note(const Fit& fit) {
  for (const std::string& note : fit.words.notes)
    if (note.starts_with(formula_begins)) return note;
  return {};
}

std::string data_line(const Trained& trained) {
  const RowFacts& rows = trained.rows;
  return fmt::format(
      "{}: {}, {}{}", printable(trained.data_path, 200), counted(rows.rows, "row"),
      counted(rows.features, "feature"),
      rows.label_column.empty() ? "" : fmt::format(", label {}", printable(rows.label_column)));
}

std::string solver_line(const Trained& trained) {
  const std::string formula = formula_note(trained.fit);
  return fmt::format("{}: {}{}{}, {}", trained.algorithm, formula, formula.empty() ? "" : "; ",
                     stop_words(trained.fit.answer.stop, trained.fit.trace.iterations),
                     human_seconds(trained.seconds));
}

std::string error_line(const Trained& trained) {
  const std::optional<ErrorCount>& error = trained.fit.trace.error;
  if (!error) return "training error: not counted; halfspace evaluate counts it";
  return fmt::format("training error {}; {}", error_words(*error, 4), majority_words(trained.rows));
}

// How exact; empty: nothing is proved.
std::string proof_line(const Trained& trained) {
  const Fit& fit = trained.fit;
  const bool counted = fit.proof.certificates.size() == 1 &&
                       std::holds_alternative<ErrorBounds>(fit.proof.certificates.front());
  if (fit.proof.objective && !fit.proof.certificates.empty() && !counted)
    return fmt::format("proved: the objective is at most {:.1e} of itself above the best one",
                       fit.proof.objective->relative_gap());
  return fit.proof.certificates.size() == 1 ? "proved: " + describe(fit.proof.certificates.front())
                                            : std::string();
}

// The features with the largest effects, of any plane; empty where features have no part of their own.
std::string strongest_line(const Model& model) {
  if (!std::holds_alternative<LinearModel>(model.form) || model.map != nullptr) return {};
  std::vector<NamedWeight> all;
  for (std::size_t k = 0; k < model.planes(); ++k) {
    for (const NamedWeight& one : largest_weights(model, k, strongest_named)) {
      const auto same = std::find_if(all.begin(), all.end(),
                                     [&](const NamedWeight& other) { return other.feature == one.feature; });
      if (same == all.end()) {
        all.push_back(one);
      } else if (std::abs(one.effect) > std::abs(same->effect)) {
        *same = one;
      }
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const NamedWeight& a, const NamedWeight& b) {
    return std::abs(a.effect) > std::abs(b.effect);
  });
  std::string names;
  for (std::size_t k = 0; k < std::min(all.size(), strongest_named); ++k)
    names +=
        fmt::format("{}{}{}", k == 0 ? "" : ", ", printable(feature_name(model, all[k].feature), name_length),
                    model.planes() > 1  ? ""
                    : all[k].effect < 0 ? " (-)"
                                        : " (+)");
  if (names.empty()) return names;
  return fmt::format(
      "strongest features: {}{}", names,
      model.planes() > 1 ? "" : fmt::format("; + speaks for {}", printable(model.classes.back())));
}

}  // namespace

bool is_about_solving(const std::string& note) {
  return note.starts_with(formula_begins) || note.starts_with("solved by ");
}

void print_short(const Trained& trained, const Output& output) {
  std::size_t lines = 0;
  const auto line = [&](const std::string& text) {
    if (text.empty()) return;
    output.line(text);
    ++lines;
  };
  line(data_line(trained));
  line(describe_classes(trained.rows));
  line(solver_line(trained));
  line(error_line(trained));
  line(trained.test);
  if (trained.fit.outcome() == Outcome::Limit && !trained.fit.words.summary.empty()) {
    // What stopped at a limit says what that means, as far as there is room.
    for (const std::string& text : trained.fit.words.summary)
      if (lines + 2 < most_lines && !text.starts_with("kernel ") && !text.starts_with("progressive "))
        line(text);
  } else {
    line(proof_line(trained));
    line(strongest_line(trained.fit.model()));
  }
  if (trained.model_path == "-") return;
  std::error_code code;
  const auto size = std::filesystem::file_size(trained.model_path, code);
  const std::string model = printable(trained.model_path, 200);
  line(fmt::format("{} written{}", model, code ? "" : fmt::format(" ({})", human_bytes(size))));
  line(fmt::format("next: halfspace evaluate {0} TEST    halfspace show {0}", model));
}

}  // namespace halfspace::cli
