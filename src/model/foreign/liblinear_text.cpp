// SPDX-License-Identifier: BSD-3-Clause
// LIBLINEAR's text models (Fan, Chang, Hsieh, Wang, Lin: "LIBLINEAR: a library for large linear
// classification", JMLR 9, 2008), read as strictly as its program writes them:
//
//   solver_type NAME / nr_class K / label L1 ... LK / nr_feature D / bias B / w, then one line per feature.
//
// Two classes have one weight per line (MCSVM_CS: two), K classes have K; B >= 0 adds a last line, the weight
// of a feature that is always B. What LIBLINEAR does with a score f and what becomes of it here:
//   two classes      f > 0 is label L1, otherwise L2. Our last class is the larger label, so the plane is
//   turned
//                    round when that is L2, and the tie rule is set such that f = 0 still gives L2.
//   MCSVM_CS, two    the larger of two scores, L1 when equal: the difference of the two planes (same in exact
//                    arithmetic), with the tie rule that gives L1.
//   K classes        the largest score. Of equal scores LIBLINEAR takes the first label in its own order: the
//                    model keeps that order.
#include "model/foreign/liblinear_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>

#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/model/liblinear.hpp"
#include "model/foreign/liblinear_weights.hpp"
#include "model/foreign/text_cursor.hpp"

namespace halfspace {
namespace {

constexpr std::size_t text_head_bytes = std::size_t{1}
                                        << 20U;  // of everything before the weights, in the usual case
constexpr std::string_view keys[] = {"solver_type", "nr_class", "label", "nr_feature", "bias", "w"};
constexpr std::string_view classifiers[] = {
    "L2R_LR",   "L2R_L2LOSS_SVC_DUAL", "L2R_L2LOSS_SVC", "L2R_L1LOSS_SVC_DUAL",
    "MCSVM_CS", "L1R_L2LOSS_SVC",      "L1R_LR",         "L2R_LR_DUAL"};
constexpr std::string_view others[] = {"L2R_L2LOSS_SVR", "L2R_L2LOSS_SVR_DUAL", "L2R_L1LOSS_SVR_DUAL",
                                       "ONECLASS_SVM"};

template <class Words>
bool is_one_of(const Words& words, std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

using Cursor = detail::TextCursor;

void read_key(Cursor& cursor, std::size_t which) {
  const std::string_view word = cursor.token();
  if (word != keys[which]) {
    const auto* const found = std::find(std::begin(keys), std::end(keys), word);
    const std::string expected = fmt::format("'{}' expected here", keys[which]);
    const std::string hint = which == 0 ? "models of halfspace and of LIBLINEAR can be read" : "";
    if (word.empty() && cursor.at_end())
      cursor.refuse("the file ends here", expected, "was the file cut short?");
    if (found == std::end(keys))
      cursor.refuse(fmt::format("unknown key '{}'", printable(word)), expected, hint);
    const bool again = found < std::begin(keys) + which;
    cursor.refuse(fmt::format("{} '{}'", again ? "duplicate key" : "key", word), expected, hint);
  }
  cursor.pass(word);
  cursor.skip_spaces();
}

struct Text {
  std::string solver;
  std::vector<std::int32_t> labels;
  std::size_t features = 0;
  double bias = -1;
  std::size_t columns = 1;      // weights per line
  std::vector<double> weights;  // line after line
  std::optional<Cursor> features_at;

  [[nodiscard]] std::size_t lines() const { return features + (bias >= 0 ? 1 : 0); }
};

std::string read_solver(Cursor& cursor) {
  const std::string_view word = cursor.token();
  if (is_one_of(others, word)) {
    cursor.refuse(fmt::format("solver_type {} does not classify", word), "a classifier was expected");
  }
  if (!is_one_of(classifiers, word)) cursor.refuse(fmt::format("unknown solver_type '{}'", printable(word)));
  cursor.pass(word);
  cursor.end_line();
  return std::string(word);
}

std::int32_t read_count(Cursor& cursor, std::int32_t least) {
  const std::string expected = fmt::format("a whole number of at least {} expected", least);
  Cursor here = cursor;
  const auto value = cursor.number<std::int32_t>(expected);
  if (value < least) here.refuse(fmt::format("{} is out of range", value), expected);
  cursor.end_line();
  return value;
}

// A count beyond what the file has room for, however it is written, is the field that is wrong.
std::int32_t read_classes(Cursor& cursor) {
  const Cursor here = cursor;
  const std::int32_t classes = read_count(cursor, 2);
  if (static_cast<std::size_t>(classes) > cursor.left().size() / 2)
    here.refuse(fmt::format("nr_class {}", classes), "the file has no room for as many labels");
  return classes;
}

std::vector<std::int32_t> read_labels(Cursor& cursor, std::int32_t classes) {
  std::vector<std::int32_t> labels;
  std::set<std::int32_t> seen;
  for (std::int32_t i = 0; i < classes; ++i) {
    cursor.skip_spaces();
    if (cursor.at_line_end())
      cursor.refuse(counted(static_cast<std::size_t>(i), "label"),
                    fmt::format("{} labels expected", classes));
    const Cursor here = cursor;
    labels.push_back(cursor.number<std::int32_t>("a whole number expected as label"));
    if (!seen.insert(labels.back()).second) here.refuse(fmt::format("label {} appears twice", labels.back()));
  }
  cursor.end_line();
  return labels;
}

// The weights in any form that is allowed, or what is wrong with them.
void read_weights(Cursor& cursor, Text& text) {
  const std::size_t lines = text.lines();
  const std::string expected =
      fmt::format("{} of {} expected", counted(lines, "line"), counted(text.columns, "weight"));
  // Where a file was cut short its end is the place to look at; a file a thousand times too short was not cut.
  constexpr std::size_t no_cut = 1024;
  const std::size_t least = 2 * lines * text.columns;
  if (least / no_cut > cursor.left().size()) {
    text.features_at->refuse(fmt::format("nr_feature {} needs {} bytes of weights or more, {} are there",
                                         text.features, least, cursor.left().size()),
                             expected);
  }
  // A weight takes two characters at least, so this is never more than what is really there.
  text.weights.reserve(std::min(lines, cursor.left().size() / (2 * text.columns)) * text.columns);
  for (std::size_t i = 0; i < lines; ++i) {
    if (cursor.at_end())
      cursor.refuse(fmt::format("the file ends after {}", counted(text.weights.size(), "weight")), expected);
    for (std::size_t k = 0; k < text.columns; ++k) {
      cursor.skip_spaces();
      text.weights.push_back(cursor.number<double>(expected));
    }
    cursor.end_line();
  }
  while (!cursor.at_end() && cursor.token().empty()) cursor.end_line();
  if (!cursor.at_end())
    cursor.refuse(fmt::format("'{}' after the last weight", printable(cursor.token())), expected);
}

Text read_head(Cursor& cursor) {
  Text text;
  read_key(cursor, 0);
  text.solver = read_solver(cursor);
  read_key(cursor, 1);
  const std::int32_t classes = read_classes(cursor);
  read_key(cursor, 2);
  text.labels = read_labels(cursor, classes);
  read_key(cursor, 3);
  text.features_at.emplace(cursor);
  text.features = static_cast<std::size_t>(read_count(cursor, 0));
  read_key(cursor, 4);
  text.bias = cursor.number<double>("a number expected");
  cursor.end_line();
  read_key(cursor, 5);
  cursor.end_line();
  text.columns = classes == 2 && text.solver != "MCSVM_CS" ? 1 : text.labels.size();
  return text;
}

// One plane as a combination of columns: sign * (column `plus` - column `minus`), the latter when there is
// one.
struct Combination {
  std::size_t plus = 0;
  std::size_t minus = SIZE_MAX;
  bool turned = false;
};

[[noreturn]] void too_large(const std::string& name) {
  throw InputError({.file = name}, "the weights are too large",
                   "their differences and products must be finite");
}

void add_plane(const Text& text, const Combination& from, LinearModel& model, const std::string& name) {
  const auto value = [&](std::size_t line) {
    const double* const weights = text.weights.data() + line * text.columns;
    const double w = from.minus == SIZE_MAX ? weights[from.plus] : weights[from.plus] - weights[from.minus];
    return from.turned ? 0 - w : w;
  };
  for (std::size_t j = 0; j < text.features; ++j) model.weights.push_back(value(j));
  model.offsets.push_back(text.bias >= 0 ? value(text.features) * text.bias : 0);
  const auto finite = [](double v) { return std::isfinite(v); };
  if (!std::all_of(model.weights.end() - static_cast<std::ptrdiff_t>(text.features), model.weights.end(),
                   finite) ||
      !finite(model.offsets.back()))
    too_large(name);
}

// text.labels become sorted class names; rank[i] is the place of the i-th label among them.
std::vector<std::string> sorted_classes(const Text& text, std::vector<std::uint32_t>& rank) {
  std::vector<std::string> classes;
  for (const std::int32_t label : text.labels) classes.push_back(fmt::format("{}", label));
  rank.resize(classes.size());
  std::iota(rank.begin(), rank.end(), 0U);
  sort_classes(classes, rank);
  return classes;
}

std::int32_t liblinear_label(const std::string& name) {
  std::int32_t value = 0;
  const char* const last = name.data() + name.size();
  const auto [end, code] = std::from_chars(name.data(), last, value);
  if (name.empty() || code != std::errc() || end != last) {
    throw UsageError(fmt::format("LIBLINEAR's labels are integers; the class '{}' is not", printable(name)),
                     "--to c, javascript, onnx, sql or json");
  }
  return value;
}

const LinearModel& exportable(const Model& model) {
  const auto* linear = std::get_if<LinearModel>(&model.form);
  if (linear == nullptr) throw UsageError("LIBLINEAR has linear models only; this one is not");
  if (has_preparation(model))
    throw UsageError("LIBLINEAR does not scale columns or make features of rows; this model does",
                     "train without --features nystrom or fourier");
  if (model.unit_rows)
    throw UsageError("LIBLINEAR does not scale rows to unit length; this model needs that");
  if (linear->features >= std::numeric_limits<std::int32_t>::max()) {
    throw UsageError(fmt::format("{} features are too many for LIBLINEAR", linear->features));
  }
  return *linear;
}

}  // namespace

namespace {

// The only column becomes the only plane, where it lies.
void take_plane(Text& text, bool turned, LinearModel& model, const std::string& name) {
  if (turned)
    for (double& w : text.weights) w = 0 - w;
  double offset = 0;
  if (text.bias >= 0) {
    offset = text.weights.back() * text.bias;
    text.weights.pop_back();
  }
  if (!std::isfinite(offset)) too_large(name);
  model.weights = std::move(text.weights);
  model.offsets.push_back(offset);
}

Model model_from_text(Text text, const std::string& name) {
  Model model;
  std::vector<std::uint32_t> rank;
  model.classes = sorted_classes(text, rank);
  LinearModel linear{.features = text.features, .planes = rank.size() == 2 ? 1 : rank.size()};
  const bool first_is_last_class = rank[0] == 1;
  if (text.columns > 1) linear.weights.reserve(linear.features * linear.planes);
  if (text.columns == 1) {
    take_plane(text, !first_is_last_class, linear, name);
    model.tie = first_is_last_class ? Tie::Negative : Tie::Positive;
  } else if (rank.size() == 2) {
    add_plane(text, {.plus = 0, .minus = 1, .turned = !first_is_last_class}, linear, name);
    model.tie = first_is_last_class ? Tie::Positive : Tie::Negative;
  } else {
    std::vector<std::size_t> column(rank.size());
    for (std::size_t i = 0; i < rank.size(); ++i) column[rank[i]] = i;
    for (const std::size_t c : column) add_plane(text, {.plus = c}, linear, name);
    linear.order.assign(rank.begin(), rank.end());
  }
  model.form = std::move(linear);
  model.algorithm = "liblinear";
  model.options = {{"solver_type", text.solver}, {"bias", fmt::format("{}", text.bias)}};
  return model;
}

}  // namespace

bool detail::is_liblinear_model(std::string_view head) { return head.starts_with("solver_type "); }

Model detail::model_from_liblinear(std::string_view bytes, const std::string& name) {
  Cursor cursor(bytes, name);
  Text text = read_head(cursor);
  read_weights(cursor, text);
  return model_from_text(std::move(text), name);
}

std::optional<Model> detail::model_from_plain_liblinear(const ByteSource& source, const std::string& name,
                                                        const Threads& threads) {
  std::string head(std::min<std::uint64_t>(source.known_size(), text_head_bytes), '\0');
  const std::optional<std::size_t> size = source.read_at(0, head);
  if (!size || *size != head.size() || !is_liblinear_model(head)) return std::nullopt;
  const std::size_t last_key = head.find("\nw\n");
  if (last_key == std::string::npos) return std::nullopt;
  head.resize(last_key + 3);
  Cursor cursor(head, name);
  Text text = read_head(cursor);
  auto weights = plain_liblinear_weights(source, head.size(), text.lines(), text.columns, name, threads);
  if (!weights) return std::nullopt;
  text.weights = std::move(*weights);
  return model_from_text(std::move(text), name);
}

namespace {

// By the name LIBLINEAR knows what -b 1 may print: of L2R_LR the probabilities of each class against the rest, which those of all classes at
// once are not. MCSVM_CS has as many planes and no probabilities.
std::string_view solver_name(const Model& model) {
  if (is_softmax(model)) return "MCSVM_CS";
  return has_probabilities(model) ? "L2R_LR" : "L2R_L2LOSS_SVC_DUAL";
}

}  // namespace

std::string to_liblinear_text(const Model& model) {
  const LinearModel& linear = exportable(model);
  // Of equal scores LIBLINEAR takes the label that stands first, so labels stand in the order that the model prefers.
  std::vector<std::size_t> order(model.classes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!linear.order.empty()) order.assign(linear.order.begin(), linear.order.end());
  std::vector<std::int32_t> labels;
  labels.reserve(order.size());
  for (const std::size_t c : order) labels.push_back(liblinear_label(model.classes[c]));
  // LIBLINEAR gives its second label when the score of two classes is zero.
  const bool turned = linear.planes == 1 && model.tie == Tie::Positive;
  if (linear.planes == 1 && !turned) std::swap(labels[0], labels[1]);
  const bool biased =
      std::any_of(linear.offsets.begin(), linear.offsets.end(), [](double b) { return b != 0; });

  fmt::memory_buffer out;
  auto to = std::back_inserter(out);
  fmt::format_to(to, "solver_type {}\nnr_class {}\nlabel {}\nnr_feature {}\nbias {}\nw\n", solver_name(model),
                 labels.size(), fmt::join(labels, " "), linear.features, biased ? 1 : -1);
  for (std::size_t j = 0; j < linear.features + (biased ? 1 : 0); ++j) {
    for (std::size_t k = 0; k < linear.planes; ++k) {
      const std::size_t plane = linear.planes == 1 ? 0 : order[k];
      const double w = j < linear.features ? linear.plane(plane)[j] : linear.offsets[plane];
      fmt::format_to(to, "{} ", turned ? 0 - w : w);
    }
    out.push_back('\n');
  }
  return fmt::to_string(out);
}

}  // namespace halfspace
