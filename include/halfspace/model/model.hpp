// SPDX-License-Identifier: BSD-3-Clause
// What predicts. A model keeps everything needed to read new rows the way the training rows were read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "halfspace/core/kernel_function.hpp"
#include "halfspace/core/options.hpp"
#include "halfspace/core/parallel.hpp"
#include "halfspace/data/dataset.hpp"
#include "halfspace/model/calibrator.hpp"
#include "halfspace/prepare/feature_map.hpp"
#include "halfspace/prepare/scaling.hpp"

namespace halfspace {

// What a score of exactly zero means between two classes.
enum class Tie { Negative, Positive, Abstain };
namespace detail {
inline constexpr std::string_view tie_words[] = {"negative", "positive", "abstain"};
}
template <>
inline constexpr std::span<const std::string_view> enum_words<Tie> = detail::tie_words;

// f(x) = weights . x + offset. Two classes: one plane, f > 0 means the last class. More: one plane per class,
// the largest score wins; of equal ones the first class, or the first in `order`.
struct LinearModel {
  std::size_t features = 0;
  std::size_t planes = 1;
  std::vector<double> weights;  // planes x features, row after row
  std::vector<double> offsets;  // one per plane
  std::vector<std::uint32_t>
      order;  // of classes with equal scores the first here wins; empty: the order of the classes
  [[nodiscard]] std::span<const double> plane(std::size_t k) const {
    return std::span(weights).subspan(k * features, features);
  }
};

// The class of a row by the exact value of one feature; values never seen get the fallback.
struct LookupModel {
  std::size_t features = 0;
  std::uint32_t feature = 0;
  std::vector<double> values;         // ascending
  std::vector<std::uint32_t> labels;  // class of each value
  std::uint32_t fallback = 0;
};

// The planes of a perceptron's walk, each voting with the number of steps it survived. A plane is the sum of the rows
// before it, so only the rows are kept, each once, and the list of mistakes. Score: share of the votes, -1 to 1; a
// plane on which the row lies votes for neither side.
struct VotedModel {
  std::size_t features = 0;
  std::size_t planes = 1;
  std::vector<std::uint64_t> start{0};  // the rows: entries start[r] to start[r + 1] of index and value,
  std::vector<std::uint32_t> index;
  std::vector<double> value;
  std::vector<double> constant;  // and what the row adds to theta0
  std::vector<std::uint64_t> first{
      0};  // the mistakes of plane k: first[k] to first[k + 1] of the arrays below
  std::vector<std::uint32_t> row;
  std::vector<std::uint8_t> positive;   // 1: the row is added, 0: subtracted
  std::vector<std::uint64_t> survived;  // steps that the plane after this mistake lived
  KernelFunction kernel;                // the product of a row with a kept row, before the constant is added
};

// f(x) = sum of coefficient K(support vector, x) + offset for every function. Two classes: one function, f > 0 means the
// last class. More: one function per class, the largest wins; or, with `pairs`, one per pair of classes a < b in the order
// (0, 1), (0, 2), ..., (1, 2), ..., f > 0 a vote for b, otherwise for a, and the scores are the votes.
struct KernelModel {
  std::size_t features = 0;
  KernelFunction kernel;
  bool pairs = false;
  std::vector<std::uint64_t> start{
      0};  // support vectors: entries start[r] to start[r + 1] of index and value
  std::vector<std::uint32_t> index;
  std::vector<double> value;
  std::vector<std::uint64_t> first{0};  // function k: first[k] to first[k + 1] of the arrays below
  std::vector<std::uint32_t> vector;    // ascending within a function
  std::vector<double> coefficient;
  std::vector<double> offsets;  // one per function
  std::vector<std::uint32_t>
      order;  // of classes with equal votes the first here wins; empty: the order of the classes
  // Where the model has probabilities: for every function A and B, the later class of its pair having the probability
  // 1 / (1 + exp(A f + B)) between the two.
  std::vector<double> sigmoid;
  [[nodiscard]] std::size_t vectors() const { return start.size() - 1; }
};

// How the model came to be, for people and for checking: text by key, in a fixed order.
using Facts = std::vector<std::pair<std::string, std::string>>;

// Dual values of the training rows that have one, rows ascending: what a duality gap is recomputed from.
struct DualPoint {
  std::vector<std::uint32_t> rows;
  std::vector<double> alpha;
};

struct Model {
  std::variant<LinearModel, LookupModel, VotedModel, KernelModel> form;
  std::vector<std::string> classes;  // sorted; the last is the positive one
  std::shared_ptr<const Encoding> encoding;
  bool unit_rows = false;  // rows are divided by their norm first
  // Of the columns, for forms that cannot take it in as planes can; None: there is none, or it was folded in.
  Scaling scaling;
  std::shared_ptr<const FeatureMap>
      map;  // what becomes of the rows after that; the form is one of its outputs
  Tie tie = Tie::Negative;
  std::string algorithm;
  Facts options;                // every option of the algorithm with its value
  Facts facts;                  // rows, data fingerprint, formula, ...
  std::vector<DualPoint> dual;  // one per plane or kernel function, or none
  // Of every feature over the training rows as read: what makes weights of columns in different units comparable. Empty: not
  // known.
  std::vector<double> deviations;
  Calibrator
      calibrator;  // what its probabilities come from, where it has learned that; labels never depend on it
  std::string certificate;  // JSON text of the certificates, empty when there is none

  [[nodiscard]] std::size_t features() const;  // of the rows as they are read
  [[nodiscard]] std::size_t planes() const;    // columns of scores(): 1 for two classes, else one per class
  [[nodiscard]] std::size_t functions()
      const;  // what is trained: the planes, or one function per pair of classes
};

[[nodiscard]] std::string fact(const Model& model, std::string_view key);  // empty when there is none

inline constexpr std::uint32_t abstained = UINT32_MAX;

// Scores of every row, row after row, planes() each: the products added in the order of the features, then
// the offset, so a row's score has the same bits in every storage, batch and number of threads. Features that
// the model does not know are ignored (they count in the norm of unit_rows). Lookup models: -1 or +1, or a 1
// for the class.
[[nodiscard]] std::vector<double> scores(const Model& model, const Dataset& data,
                                         const Threads& threads = Threads(1));
// Those of some of the rows, in this order.
[[nodiscard]] std::vector<double> scores(const Model& model, const Dataset& data,
                                         std::span<const std::uint32_t> rows, const Threads& threads);
// Scores that give the same labels, for callers who want no more: a vote between two classes is counted until it is
// decided.
[[nodiscard]] std::vector<double> deciding_scores(const Model& model, const Dataset& data,
                                                  const Threads& threads);
// Class of every row from its scores (`abstained` for a zero score under Tie::Abstain).
[[nodiscard]] std::vector<std::uint32_t> labels_from_scores(const Model& model,
                                                            std::span<const double> scores);

// The functions of a kernel model, row after row, functions() each; before the votes of pairs.
[[nodiscard]] std::vector<double> function_values(const KernelModel& model, bool unit_rows,
                                                  const Dataset& data, const Threads& threads);
// Rows are not seen as they are: their columns are scaled, or they are turned into other features.
[[nodiscard]] bool has_preparation(const Model& model);
// The rows [begin, end) as the form of the model sees them, and the model that sees them so.
[[nodiscard]] Dataset prepared_rows(const Model& model, const Dataset& data, std::size_t begin,
                                    std::size_t end, const Threads& threads);
[[nodiscard]] Model without_preparation(const Model& model);

// What function k decides: a class, or "A against B".
[[nodiscard]] std::string function_name(const Model& model, std::size_t k);

// Logistic regression with all classes at once: the scores of the planes are logarithms of probabilities up to a common
// constant.
[[nodiscard]] bool is_softmax(const Model& model);
// Models of logistic regression (LIBLINEAR's too) have probabilities, LIBSVM's that were trained with -b 1, and every model
// that was calibrated.
[[nodiscard]] bool has_probabilities(const Model& model);
// The numbers of every row that probabilities_from_scores() takes: the scores; the values of all functions where pairs of classes have
// probabilities.
[[nodiscard]] std::vector<double> probability_scores(const Model& model, const Dataset& data,
                                                     const Threads& threads);
// Probability of every class for every row, row after row, from probability_scores(). Calibrated: what the calibrator says.
// Pairs: LIBSVM's coupling. Else 1 / (1 + exp(-f)) for two classes; for
// more, exp(f) divided by their sum (softmax), or those of the classes against the rest, divided by their sum. The largest one belongs to the largest score, so
// probabilities and labels agree; for pairs the labels that go with them are those of labels_from_probabilities().
[[nodiscard]] std::vector<double> probabilities_from_scores(const Model& model,
                                                            std::span<const double> scores);
// Two classes: the score above which the last class has more than probability p, 0 < p < 1; beyond all scores where none has.
// Nothing for models without probabilities that follow from one score.
[[nodiscard]] std::optional<double> score_of_probability(const Model& model, double p);
// The most probable class, which for pairs of classes need not be the one with the most votes.
[[nodiscard]] bool labels_follow_probabilities(const Model& model);
[[nodiscard]] std::vector<std::uint32_t> labels_from_probabilities(const Model& model,
                                                                   std::span<const double> probabilities);

}  // namespace halfspace
