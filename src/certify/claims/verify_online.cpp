// SPDX-License-Identifier: BSD-3-Clause
// A walk of a perceptron is claimed by its counts, how often each row was a mistake: they are the dual values of the
// model. Everything said about margins follows from them and the rows. A vote has to be made of these very rows, a
// kernel machine that is the last of the walk of these very counts, and a plane that is the last of a clean walk has
// to separate the rows by itself. How long a plane lived, and so the mean over a walk and the weights of votes, cannot be
// seen from the rows; nothing is claimed about it.
#include "certify/claims/verify_online.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "certify/claims/claim.hpp"
#include "certify/claims/verify_kernel.hpp"
#include "certify/mistake_bound.hpp"
#include "certify/separation/refusal.hpp"
#include "halfspace/core/error.hpp"
#include "model/file/strict_json.hpp"

namespace halfspace::detail {
namespace {

// A number that is there, or null for infinity.
double number(Fields& fields, std::string_view key, bool may_be_null) {
  const Json& value = fields.get(key);
  if (may_be_null && value.is_null()) return std::numeric_limits<double>::infinity();
  if (!value.is_number()) fields.refuse(fmt::format("'{}' is not a number", key));
  return value.get<double>();
}

// One certificate for every plane, all of the kind that the algorithm has.
std::vector<Certificate> claims_of(const Model& model, bool separators) {
  const JsonText source(model.certificate, {});
  const Json json = parse_strict(source, "certificate", {.depth = 2});
  if (!json.is_array()) throw Refused{"the certificate is not a list"};
  if (json.size() != model.functions())
    throw Refused{fmt::format("{} certificates for {} planes", json.size(), model.functions())};
  std::vector<Certificate> out;
  for (const Json& item : json) {
    Fields fields(item, source, "certificate");
    if (fields.text("kind") != (separators ? "separator" : "mistake-bound"))
      throw Refused{"a certificate of another kind"};
    if (separators) {
      out.emplace_back(Separator{.theta = {}, .theta0 = 0, .margin = number(fields, "margin", false)});
    } else {
      MistakeBound bound;
      bound.mistakes = fields.count("mistakes");
      bound.radius = number(fields, "radius", false);
      bound.margin_lower = number(fields, "margin_lower", false);
      bound.margin_upper = number(fields, "margin_upper", true);
      const std::string& offset = fields.text("offset");
      if (offset != "lifted" && offset != "none") fields.refuse("'offset' is neither lifted nor none");
      bound.lifted = offset == "lifted";
      out.emplace_back(bound);
    }
    fields.no_others();
  }
  return out;
}

// The options that enter the claim.
struct WalkOptions {
  bool lifted = true;
  KernelFunction kernel;
  bool last = false;    // the plane kept is the last one,
  bool pocket = false;  // or the best one seen when the last was not clean
};

WalkOptions walk_options(const Model& model, const std::string& file) {
  Stated options(model.options, "option", file);
  WalkOptions out;
  const auto offset = options.value<Offset>("offset");
  require(offset != Offset::Free, "a free offset, which these learners do not have");
  out.lifted = offset == Offset::Lifted;
  constexpr Range counts{0, 1e18};
  (void)options.value<double>("max-passes", counts);
  (void)options.word("order", {"cyclic", "shuffled", "random", "worst", "content"});
  out.pocket = options.text("passes") == "until-clean";
  if (!out.pocket) (void)options.value<double>("passes", counts);
  if (model.algorithm == "passive-aggressive") {
    (void)options.word("variant", {"pa", "pa1", "pa2"});
    (void)options.value<double>("C", {0, 1e300});
    require(!options.value<bool>("average"), "a mean of planes claims nothing");
    out.last = true;
  } else {
    out.kernel = options.value<KernelFunction>("kernel").for_features(model.features());
    require(options.value<std::int64_t>("budget", {0, 4294967295.0}) == 0,
            "rows that leave again bound nothing");
    if (model.algorithm == "perceptron")
      out.last = options.word("online-to-batch",
                              {"last", "average", "last-half", "longest", "vote", "all"}) == "last";
    if (model.algorithm == "voted-perceptron") (void)options.value<bool>("last-half");
  }
  options.no_others();
  require(out.kernel.semidefinite(), "a kernel that is not positive semidefinite bounds nothing");
  return out;
}

// Two numbers that were computed the same way on other processors. What is not a number equals nothing.
bool near(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return a == b;
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

void check_counts(const DualPoint& counts, const Dataset& data, std::uint64_t mistakes) {
  constexpr double most = 4294967295.0;
  double sum = 0;
  for (std::size_t t = 0; t < counts.rows.size(); ++t) {
    const double count = counts.alpha[t];
    require(counts.rows[t] < data.rows() && data.weight(counts.rows[t]) > 0,
            "mistakes on a row that is not there");
    require(count >= 1 && count <= most && count == std::floor(count),
            "a number of mistakes that is not whole");
    sum += count;
  }
  if (sum != static_cast<double>(mistakes))
    throw Refused{fmt::format("{} mistakes are claimed, the rows have {}", mistakes, sum)};
}

void check_kernel(const KernelFunction& kernel, const WalkOptions& options) {
  const bool linear = kernel.kind == KernelKind::Linear && options.kernel.kind == KernelKind::Linear;
  require(linear || (kernel.kind == options.kernel.kind && kernel.gamma == options.kernel.gamma &&
                     kernel.coef == options.kernel.coef && kernel.degree == options.kernel.degree),
          "the kernel of the model is not the one of its options");
}

// Entries of a row as bytes, so that equal rows are found.
std::string key_of(std::span<const std::uint32_t> index, std::span<const double> value) {
  std::string key(index.size_bytes() + value.size_bytes(), '\0');
  if (key.empty()) return key;
  std::memcpy(key.data(), index.data(), index.size_bytes());
  std::memcpy(key.data() + index.size_bytes(), value.data(), value.size_bytes());
  return key;
}
std::string key_of(const Dataset& data, std::size_t row) {
  std::vector<std::uint32_t> index;
  std::vector<double> value;
  std::visit(
      [&](const auto& view) {
        for_entries(view.row(row), [&](std::uint32_t j, double x) {
          index.push_back(j);
          value.push_back(x);
        });
      },
      data.matrix());
  return key_of(index, value);
}

// The rows that vote are training rows, each as often and with the sign that the counts have.
class Votes {
 public:
  Votes(const VotedModel& model, const Model& whole, const Dataset& data, bool lifted)
      : model_(model), data_(data) {
    for (const DualPoint& counts : whole.dual)
      for (const std::uint32_t row : counts.rows)
        if (group_of_row_.try_emplace(row, 0).second)
          group_of_row_[row] = group_.try_emplace(key_of(data, row), group_.size()).first->second;
    for (std::size_t r = 0; r < model.constant.size(); ++r) {
      require(model.constant[r] == (lifted ? 1.0 : 0.0),
              "a row of the vote adds another constant than its offset does");
      const std::size_t size = model.start[r + 1] - model.start[r];
      const auto found = group_.find(key_of(std::span(model.index).subspan(model.start[r], size),
                                            std::span(model.value).subspan(model.start[r], size)));
      if (found == group_.end())
        throw Refused{fmt::format("row {} of the vote is not a training row", r + 1)};
      kept_.push_back(found->second);
    }
  }

  void check(std::size_t k, const DualPoint& counts, std::uint32_t positive) const {
    std::vector<double> left(2 * group_.size(), 0.0);
    for (std::size_t t = 0; t < counts.rows.size(); ++t)
      left[2 * group_of_row_.at(counts.rows[t]) + (data_.labels()[counts.rows[t]] == positive ? 1 : 0)] +=
          counts.alpha[t];
    for (std::uint64_t m = model_.first[k]; m < model_.first[k + 1]; ++m)
      left[2 * kept_[model_.row[m]] + (model_.positive[m] != 0 ? 1 : 0)] -= 1;
    require(std::all_of(left.begin(), left.end(), [](double x) { return x == 0; }),
            "the planes that vote are not made of the mistakes that are claimed");
  }

 private:
  const VotedModel& model_;
  const Dataset& data_;
  std::unordered_map<std::string, std::size_t> group_;  // looked up only
  std::unordered_map<std::uint32_t, std::size_t> group_of_row_;
  std::vector<std::size_t> kept_;
};

std::string bound_line(const MistakeBound& bound) {
  if (bound.mistakes == 0) return "no mistakes, and nothing is bounded";
  const std::string upper = fmt::format("no plane has a margin above {:.10g}", bound.margin_upper);
  const std::string after = fmt::format("{} mistakes, radius {:.10g}", bound.mistakes, bound.radius);
  return bound.margin_lower > 0 ? fmt::format("separated with a margin of at least {:.10g}, {} ({})",
                                              bound.margin_lower, upper, after)
                                : fmt::format("{} ({})", upper, after);
}

void check_walk(const Model& model, std::uint32_t k, const MistakeBound& claim, const WalkOptions& options,
                const Dataset& data, const Threads& threads, ModelCheck& out) {
  const std::uint32_t positive = model.classes.size() == 2 ? 1 : k;
  const DualPoint& counts = model.dual[k];
  check_counts(counts, data, claim.mistakes);
  require(claim.lifted == options.lifted, "the offset of the claim is not the one of the options");
  require(claim.margin_lower >= 0 && std::isfinite(claim.margin_lower), "a margin that cannot be");
  const auto found = mistake_bound(
      data, counts, {positive, options.lifted, options.kernel, claim.margin_lower > 0}, threads);
  require(found.has_value(), "values so large or small that nothing is bounded");
  out.found.emplace_back(*found);
  out.lines.push_back(fmt::format("{}: {}", printable(function_name(model, k)), bound_line(*found)));
  const bool same = near(claim.radius, found->radius) && near(claim.margin_upper, found->margin_upper) &&
                    near(claim.margin_lower, found->margin_lower);
  if (!same) throw Refused{fmt::format("the model says: {}", bound_line(claim))};
  // Novikoff 1962: what a perceptron that started at 0 cannot have done.
  if (claim.margin_lower > 0) {
    const double ratio = found->radius / found->margin_lower;
    require(static_cast<double>(claim.mistakes) <= ratio * ratio * (1 + 1e-9),
            "more mistakes than (R / margin)^2");
  }
  if (const auto* linear = std::get_if<LinearModel>(&model.form)) {
    const bool clean = claim.margin_lower > 0;
    if (!options.last || (options.pocket && !clean)) return;
    require(!clean || separator_margin(data, positive, linear->plane(k), linear->offsets[k], options.lifted,
                                       threads) > 0,
            "the plane of the model does not separate the rows");
    // Ten digits are left where a scaling was folded into the weights.
    constexpr double most_apart = 1e-6;
    require(distance_from_sum(data, counts, {positive, options.lifted, {}, false}, linear->plane(k),
                              linear->offsets[k]) <= most_apart,
            "the plane of the model is not the sum of the mistakes");
  } else if (const auto* kernel = std::get_if<KernelModel>(&model.form); kernel != nullptr && options.last) {
    const std::string wrong = not_made_of(*kernel, k, data, positive, counts);
    if (!wrong.empty()) throw Refused{wrong};
    double offset = 0;
    for (std::size_t t = 0; t < counts.rows.size(); ++t)
      offset += (data.labels()[counts.rows[t]] == positive ? 1 : -1) * counts.alpha[t];
    require(kernel->offsets[k] == (options.lifted ? offset : 0.0), "the offset is not that of the mistakes");
  }
}

void check_walks(const Model& model, const std::vector<Certificate>& claims, const WalkOptions& options,
                 const Dataset& data, const Threads& threads, ModelCheck& out) {
  require(model.dual.size() == claims.size(), "the model does not say which rows were mistakes");
  const auto* voted = std::get_if<VotedModel>(&model.form);
  const auto* kernel = std::get_if<KernelModel>(&model.form);
  require(kernel == nullptr || !kernel->pairs, "a perceptron has no pairs of classes");
  check_kernel(voted != nullptr    ? voted->kernel
               : kernel != nullptr ? kernel->kernel
                                   : KernelFunction{},
               options);
  for (std::uint32_t k = 0; k < claims.size(); ++k) {
    check_walk(model, k, std::get<MistakeBound>(claims[k]), options, data, threads, out);
  }
  const bool clean = std::all_of(claims.begin(), claims.end(), [](const Certificate& claim) {
    return std::get<MistakeBound>(claim).margin_lower > 0;
  });
  if (!options.last || (kernel == nullptr && options.pocket && !clean))
    out.lines.emplace_back(voted != nullptr
                               ? "how long each plane lived, and so its vote, is not part of the claim"
                               : "which plane of the walk was kept is not part of the claim");
  if (voted == nullptr) return;
  const Votes votes(*voted, model, data, options.lifted);
  for (std::uint32_t k = 0; k < claims.size(); ++k)
    votes.check(k, model.dual[k], model.classes.size() == 2 ? 1 : k);
}

void check_separators(const Model& model, const std::vector<Certificate>& claims, const WalkOptions& options,
                      const Dataset& data, const Threads& threads, ModelCheck& out) {
  const auto* linear = std::get_if<LinearModel>(&model.form);
  require(linear != nullptr, "a separator is a plane");
  for (std::uint32_t k = 0; k < claims.size(); ++k) {
    require(options.lifted || linear->offsets[k] == 0, "an offset where the options say none");
    const double margin = separator_margin(data, model.classes.size() == 2 ? 1 : k, linear->plane(k),
                                           linear->offsets[k], options.lifted, threads);
    const std::string name = printable(function_name(model, k));
    if (!(margin > 0)) throw Refused{fmt::format("{}: the plane does not separate the rows", name)};
    out.found.emplace_back(Separator{.theta = {}, .theta0 = 0, .margin = margin});
    out.lines.push_back(fmt::format("{}: every row is on its side, margin at least {:.10g}", name, margin));
  }
  for (std::uint32_t k = 0; k < claims.size(); ++k) {
    const double claim = std::get<Separator>(claims[k]).margin;
    if (!near(claim, std::get<Separator>(out.found[k]).margin))
      throw Refused{fmt::format("the model says a margin of {:.10g}", claim)};
  }
}

}  // namespace

bool is_online(const Model& model) {
  return model.algorithm == "perceptron" || model.algorithm == "averaged-perceptron" ||
         model.algorithm == "voted-perceptron" || model.algorithm == "passive-aggressive";
}

void verify_online(const Model& model, const Dataset& data, const std::string& file, const Threads& threads,
                   ModelCheck& out) {
  try {
    // From another start than zero the mistakes bound nothing; what is claimed is that the plane separates.
    const bool separators = model.algorithm == "passive-aggressive" || !text_of(model.facts, "from").empty();
    const std::vector<Certificate> claims = claims_of(model, separators);
    const WalkOptions options = walk_options(model, file);
    (separators ? check_separators : check_walks)(model, claims, options, data, threads, out);
    out.holds = true;
  } catch (const Refused& refused) {
    out.holds = false;
    out.lines.push_back(refused.why);
  }
}

}  // namespace halfspace::detail
