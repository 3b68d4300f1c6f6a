// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/certify/verify_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "certify/verify_kernel.hpp"
#include "halfspace/certify/duality_gap.hpp"
#include "halfspace/certify/separation.hpp"
#include "halfspace/certify/softmax_gap.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/objective/class_weights.hpp"
#include "halfspace/objective/problem.hpp"

namespace halfspace {
namespace {

std::string text_of(const Facts& facts, std::string_view key) {
  const auto found =
      std::find_if(facts.begin(), facts.end(), [&](const auto& fact) { return fact.first == key; });
  return found == facts.end() ? std::string() : found->second;
}

// What the model claims for one plane; NaN where it claims nothing.
struct Claim {
  double primal = std::nan("");
  double dual = std::nan("");
};
std::vector<Claim> claims_of(const Model& model) {
  std::vector<Claim> out;
  const auto json = nlohmann::json::parse(model.certificate, nullptr, false);
  if (!json.is_array()) return out;
  for (const auto& item : json) {
    Claim claim;
    if (item.is_object() && item.contains("kind") && item["kind"] == "duality-gap") {
      if (item.contains("primal") && item["primal"].is_number()) claim.primal = item["primal"].get<double>();
      if (item.contains("dual") && item["dual"].is_number()) claim.dual = item["dual"].get<double>();
    }
    out.push_back(claim);
  }
  return out;
}

Loss loss_of(const Model& model) {
  if (model.algorithm == "logistic") return Logistic{};
  return text_of(model.options, "loss") == "squared-hinge" ? Loss(SquaredHinge{}) : Loss(Hinge{});
}

// svm has one C for all functions among its options, nu-svm one for each among its facts.
void verify_machines(const Model& model, const KernelModel& kernel, const Dataset& data,
                     const std::vector<Claim>& claims, const Threads& threads, ModelCheck& out) {
  std::string text = text_of(model.algorithm == "svm" ? model.options : model.facts, "C") + ",";
  std::vector<double> C;
  for (std::size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',')) {
    C.push_back(OptionType<double>::parse("C", text.substr(0, comma), {0, 1e300}));
    text.erase(0, comma + 1);
  }
  if (C.size() == 1) C.resize(kernel.offsets.size(), C[0]);
  if (C.size() != kernel.offsets.size()) {
    out.lines.emplace_back("not one C for every function");
    return;
  }
  std::vector<detail::GapClaim> kernel_claims;
  for (const Claim& claim : claims) kernel_claims.push_back({claim.primal, claim.dual});
  const std::vector<double> weights = class_weights(data, text_of(model.options, "class-weight"));
  detail::verify_kernel(model, kernel, data, C, weights, kernel_claims, threads, out);
  if (model.algorithm != "nu-svm" || !out.holds) return;
  // The dual values add up to nu times all bounds.
  const double nu = OptionType<double>::parse("nu", text_of(model.options, "nu"), {0, 1});
  for (std::size_t k = 0; k < model.dual.size(); ++k) {
    double sum = 0, bounds = 0;
    const auto classes = static_cast<std::uint32_t>(model.classes.size());
    std::vector<bool> counted(classes, !kernel.pairs);
    if (kernel.pairs) {
      std::size_t left = k;
      std::uint32_t a = 0;
      for (; left >= classes - 1 - a; ++a) left -= classes - 1 - a;
      counted[a] = counted[a + 1 + left] = true;
    }
    for (const double alpha : model.dual[k].alpha) sum += alpha;
    for (std::size_t i = 0; i < data.rows(); ++i)
      if (counted[data.labels()[i]]) bounds += C[k] * data.weight(i);
    if (std::abs(sum - nu * bounds) <= 1e-9 * bounds) continue;
    out.lines.push_back(fmt::format("{}: the dual values add up to nu = {:.10g}, the model says {}",
                                    printable(function_name(model, k)), sum / bounds, nu));
    out.holds = false;
  }
}

// What is not finite proves nothing, and equals nothing.
bool near(double a, double b, double scale) {
  return std::isfinite(a) && std::isfinite(scale) && std::abs(a - b) <= 1e-9 * std::max(1.0, scale);
}

void compare(const std::string& name, const DualityGap& gap, const Claim& claim, bool offset_fits,
             ModelCheck& out) {
  out.gaps.push_back(gap);
  const double scale = std::abs(gap.primal);
  const bool same = near(gap.primal, claim.primal, scale) && near(gap.dual, claim.dual, scale);
  out.holds = out.holds && same && offset_fits;
  out.lines.push_back(
      fmt::format("{}: objective at most {:.10g}, best at least {:.10g}, relative gap {:.3g}{}", name,
                  gap.primal, gap.dual, gap.relative(),
                  same ? "" : fmt::format("; the model says {:.10g} and {:.10g}", claim.primal, claim.dual)));
}

// Hard margin: the plane and the hull points of the dual are a certificate of separability with bounds of the
// margin; primal and dual value are 1 / (2 margin^2). Exact but for the last digits of the claim.
void verify_margins(const Model& model, const LinearModel& linear, const Dataset& data,
                    const std::vector<Claim>& claims, const Threads& threads, ModelCheck& out) {
  if (model.dual.size() != linear.planes) {
    out.lines.emplace_back("not one dual point for every plane");
    return;
  }
  out.holds = true;
  for (std::size_t k = 0; k < linear.planes; ++k) {
    const Claim& claim = claims[k];
    const std::string& label = model.classes[linear.planes == 1 ? 1 : k];
    SeparationProof proof;
    proof.fingerprint = data.fingerprint();
    proof.rows = data.rows();
    proof.features = data.features();
    proof.values = Values::Doubles;
    proof.offset = OptionType<Offset>::parse("offset", text_of(model.options, "offset"), {});
    for (const std::string& name : data.classes())
      (name == label ? proof.positive : proof.negative).push_back(name);
    for (std::uint32_t j = 0; j < linear.features; ++j) {
      if (linear.plane(k)[j] == 0) continue;
      proof.plane.columns.push_back(j);
      proof.plane.weights.push_back(fmt::format("{}", linear.plane(k)[j]));
    }
    proof.plane.offset = fmt::format("{}", linear.offsets[k]);
    proof.margin_plane = proof.plane;
    proof.margin_lower = fmt::format("{:.17g}", std::sqrt(0.5 / claim.primal) * (1 - 1e-9));
    proof.margin_upper = fmt::format("{:.17g}", std::sqrt(0.5 / claim.dual) * (1 + 1e-9));
    proof.hull.rows = model.dual[k].rows;
    for (const double alpha : model.dual[k].alpha) proof.hull.weights.push_back(fmt::format("{}", alpha));
    const bool usable = claim.primal > 0 && claim.dual > 0 &&
                        std::all_of(proof.hull.rows.begin(), proof.hull.rows.end(),
                                    [&](std::uint32_t row) { return row < data.rows(); });
    const Verdict verdict = usable ? verify(proof, data, threads) : Verdict{false, "no bounds are claimed"};
    out.gaps.push_back({claim.primal, claim.dual});
    out.lines.push_back(fmt::format("{}: {}", printable(label), verdict.why));
    out.holds = out.holds && verdict.holds;
  }
}

}  // namespace

ModelCheck verify(const Model& given, const Dataset& read, const Threads& threads) {
  Model model = given;
  Dataset data = read;
  const auto* linear = std::get_if<LinearModel>(&model.form);
  const auto* kernel = std::get_if<KernelModel>(&model.form);
  const bool kernel_margin = kernel != nullptr && model.algorithm == "hard-margin";
  const bool kernel_svm =
      kernel_margin || (kernel != nullptr && (model.algorithm == "svm" || model.algorithm == "nu-svm"));
  const bool hard_margin = linear != nullptr && model.algorithm == "hard-margin";
  if (!kernel_svm && !hard_margin &&
      (linear == nullptr || (model.algorithm != "svm" && model.algorithm != "logistic"))) {
    throw UsageError(
        fmt::format("a model of '{}' carries no duality gap to verify", printable(model.algorithm)));
  }
  if (kernel_svm && model.certificate.empty())
    throw UsageError(
        "the kernel matrix is not positive semidefinite: the model carries no duality gap to verify");
  if (text_of(model.options, "penalty") == "none")
    throw UsageError("a fit without a penalty carries no duality gap to verify");
  ModelCheck out;
  const std::string claimed = text_of(model.facts, "data");
  const std::string found = data.fingerprint();
  if (claimed != found) {
    out.lines.push_back(
        fmt::format("the data are not the ones it was trained on: fingerprint {}, the model says {}", found,
                    printable(claimed)));
    return out;
  }
  if (model.features() != data.features() || model.classes != data.classes()) {
    out.lines.emplace_back("classes or features of the model and the data differ");
    return out;
  }
  if (has_preparation(model)) {
    // The gap is that of the rows as the form sees them: scaled, or turned into features, by what the model
    // stores.
    data = prepared_rows(given, read, 0, read.rows(), threads);
    model = without_preparation(given);
    linear = std::get_if<LinearModel>(&model.form);
    kernel = std::get_if<KernelModel>(&model.form);
  }
  const std::vector<Claim> claims = claims_of(model);
  const bool softmax = is_softmax(model);
  if (claims.size() != (softmax ? 1 : model.functions())) {
    out.lines.push_back(fmt::format("{} certificates for {} planes", claims.size(), model.functions()));
    return out;
  }
  if (kernel_margin) {
    std::vector<detail::GapClaim> brackets;
    for (const Claim& claim : claims) brackets.push_back({claim.primal, claim.dual});
    detail::verify_kernel_margins(model, *kernel, data, brackets, threads, out);
    return out;
  }
  if (kernel_svm) {
    verify_machines(model, *kernel, data, claims, threads, out);
    return out;
  }
  if (hard_margin) {
    verify_margins(model, *linear, data, claims, threads, out);
    return out;
  }
  const double C = OptionType<double>::parse("C", text_of(model.options, "C"), {0, 1e300});
  const Offset offset = OptionType<Offset>::parse("offset", text_of(model.options, "offset"), {});
  const std::vector<double> weights = class_weights(data, text_of(model.options, "class-weight"));
  out.holds = true;
  if (softmax) {
    const DualityGap gap = softmax_gap(make_softmax_problem(data, offset, C, weights), *linear, threads);
    const bool offset_fits =
        offset != Offset::None ||
        std::all_of(linear->offsets.begin(), linear->offsets.end(), [](double b) { return b == 0; });
    compare("all classes", gap, claims[0], offset_fits, out);
    return out;
  }
  for (std::size_t k = 0; k < linear->planes; ++k) {
    const auto positive = static_cast<std::uint32_t>(linear->planes == 1 ? 1 : k);
    const Problem problem = make_problem(data, positive, loss_of(model), offset, C, weights);
    std::optional<DualPoint> point;
    if (k < model.dual.size() && !model.dual[k].rows.empty()) point = model.dual[k];
    const bool offset_fits = offset != Offset::None || linear->offsets[k] == 0;
    const DualityGap gap = duality_gap(problem, linear->plane(k), linear->offsets[k], point, threads);
    compare(printable(model.classes[positive]), gap, claims[k], offset_fits, out);
  }
  return out;
}

}  // namespace halfspace
