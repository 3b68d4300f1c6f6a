// SPDX-License-Identifier: BSD-3-Clause
// Which check a model gets, and what all of them share: the same rows, classes and features.
#include "halfspace/certify/verify_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "certify/claims/claim.hpp"
#include "certify/claims/verify_errors.hpp"
#include "certify/claims/verify_kernel.hpp"
#include "certify/claims/verify_margins.hpp"
#include "certify/claims/verify_online.hpp"
#include "certify/claims/verify_planes.hpp"
#include "certify/claims/verify_preparation.hpp"
#include "certify/claims/verify_rows.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

enum class Check { Planes, Machines, Margins, KernelMargins, Online, Errors };

[[noreturn]] void refuse_bare(const std::string& why) {
  throw UsageError(
      why + ": there is nothing to verify",
      "svm, nu-svm, logistic, hard-margin, fewest-errors and the perceptrons carry certificates, and "
      "passive-aggressive when it "
      "separates the rows");
}

// What the model has to be checked for. Throws UsageError when it carries nothing.
Check check_for(const Model& model) {
  const bool linear = std::holds_alternative<LinearModel>(model.form);
  const bool kernel = std::holds_alternative<KernelModel>(model.form);
  const bool hard_margin = model.algorithm == "hard-margin", errors = model.algorithm == "fewest-errors";
  const bool known =
      kernel ? hard_margin || model.algorithm == "svm" || model.algorithm == "nu-svm"
             : linear && (hard_margin || errors || model.algorithm == "svm" || model.algorithm == "logistic");
  if (detail::is_online(model)) {
    if (model.certificate.empty())
      refuse_bare(fmt::format("this model of '{}' carries no certificate", printable(model.algorithm)));
    return Check::Online;
  }
  if (!known) refuse_bare(fmt::format("a model of '{}' carries no certificate", printable(model.algorithm)));
  if (model.certificate.empty())
    refuse_bare(fmt::format(
        "this model of '{}' carries no certificate (it was stopped before it was proved, trained without "
        "one or without a penalty, or has a kernel or a margin that proves nothing)",
        printable(model.algorithm)));
  if (errors) return Check::Errors;
  if (kernel) return hard_margin ? Check::KernelMargins : Check::Machines;
  return hard_margin ? Check::Margins : Check::Planes;
}

// One class against the rest, when the model says so: its name and that of the rest come from the data.
std::optional<Dataset> training_labels(const Model& model, const Dataset& data, ModelCheck& out) {
  const std::string positive = detail::text_of(model.facts, "positive");
  if (positive.empty()) return data;
  const std::vector<std::string>& classes = data.classes();
  if (std::find(classes.begin(), classes.end(), positive) != classes.end())
    return data.one_against_rest(positive);
  out.lines.push_back(
      fmt::format("no row has the label {}, which the model sets against the rest", printable(positive)));
  return std::nullopt;
}

// The rows are the ones of the training, seen as the model sees them. What differs goes to `out`.
bool same_rows(const Model& model, const Dataset& data, const detail::StatedFacts& stated, ModelCheck& out) {
  const std::string found = data.fingerprint();
  if (stated.data != found) {
    out.lines.push_back(
        fmt::format("the data are not the ones it was trained on: fingerprint {}, the model says {}", found,
                    printable(stated.data)));
    return false;
  }
  if (model.features() != data.features() || model.classes != data.classes()) {
    out.lines.emplace_back("classes or features of the model and the data differ");
    return false;
  }
  if (stated.rows != data.rows() || stated.features != data.features()) {
    out.lines.push_back(fmt::format("the data have {} rows and {} features, the model says {} and {}",
                                    data.rows(), data.features(), stated.rows, stated.features));
    return false;
  }
  return true;
}

// What decides between equal scores is no matter of taste: no training writes anything else.
bool answers_as_trained(const Model& model, const Dataset& data, ModelCheck& out) {
  const auto* kernel = std::get_if<KernelModel>(&model.form);
  std::vector<std::uint32_t> seen;  // the classes as the rows bring them
  if (kernel != nullptr && !kernel->order.empty())
    for (const std::uint32_t label : data.labels())
      if (std::find(seen.begin(), seen.end(), label) == seen.end()) seen.push_back(label);
  const auto* linear = std::get_if<LinearModel>(&model.form);
  if (kernel != nullptr && !kernel->sigmoid.empty()) {
    out.lines.emplace_back("the model has probabilities that no training gives it");
    return false;
  }
  if (model.tie == Tie::Negative && (kernel == nullptr || kernel->order == seen) &&
      (linear == nullptr || linear->order.empty()))
    return true;
  out.lines.emplace_back("the model decides between equal scores as no training does");
  return false;
}

// Products of a row whose squared length is below this may underflow, and the bounds on errors are relative to them.
bool large_enough(const Dataset& data, ModelCheck& out) {
  constexpr double least = 1e-280;
  const auto small = std::visit(
      [&](const auto& view) {
        for (std::size_t i = 0; i < view.rows; ++i) {
          double length2 = 0, largest = 0;
          for_entries(view.row(i), [&](std::uint32_t, double x) {
            length2 += x * x;
            largest = std::max(largest, std::abs(x));
          });
          if (largest > 0 && !(length2 >= least)) return i + 1;
        }
        return std::size_t{0};
      },
      data.matrix());
  if (small == 0) return true;
  out.lines.push_back(fmt::format("the values of row {} are so small that their products underflow", small));
  return false;
}

// `data`: the rows as the form sees them. `model`: without preparation.
void check_claims(Check check, const Model& model, const Dataset& data, const detail::StatedOptions& options,
                  const std::string& file, const Team& team, ModelCheck& out) {
  const Threads& threads = team.threads();
  const bool kernels = !std::holds_alternative<LinearModel>(model.form);
  if (kernels && !large_enough(data, out)) return;
  if (check == Check::Online) return detail::verify_online(model, data, file, threads, out);
  const auto* linear = std::get_if<LinearModel>(&model.form);
  const auto* kernel = std::get_if<KernelModel>(&model.form);
  if (linear != nullptr && options.kernel.kind != KernelKind::Linear) {
    out.lines.emplace_back("planes, where the options say a kernel");
    return;
  }
  switch (check) {
    case Check::Planes: return detail::verify_planes(model, *linear, data, options, file, team, out);
    case Check::Errors: return detail::verify_errors(model, *linear, data, options, file, threads, out);
    case Check::Margins: return detail::verify_margins(model, *linear, data, options, file, threads, out);
    case Check::Machines: return detail::verify_machines(model, *kernel, data, options, file, threads, out);
    case Check::KernelMargins:
      return detail::verify_kernel_margins(model, *kernel, data, options, file, threads, out);
    case Check::Online: return;
  }
}

}  // namespace

ModelCheck detail::verify_rows(const Model& model, const Dataset& rows, const Team& team) {
  ModelCheck out;
  const Check check = check_for(model);
  check_claims(check, model, rows, check == Check::Online ? StatedOptions{} : stated_options(model, {}), {},
               team, out);
  return out;
}

ModelCheck verify(const Model& model, const Dataset& read, const Threads& threads, const std::string& file) {
  const Check check = check_for(model);
  detail::StatedOptions options;
  if (check != Check::Online) options = detail::stated_options(model, file);
  const detail::StatedFacts facts = detail::stated_facts(model, file);
  options.each_C = facts.C;
  if (std::holds_alternative<NoPenalty>(options.penalty))
    throw UsageError("a fit without a penalty carries no duality gap to verify");
  ModelCheck out;
  const std::optional<Dataset> data = training_labels(model, read, out);
  if (!data) return out;
  if (!same_rows(model, *data, facts, out)) {
    // What differs, when that is how a table was read.
    if (model.encoding && data->encoding())
      if (std::string other = detail::difference(*model.encoding, *data->encoding()); !other.empty())
        out.lines.push_back(std::move(other));
    return out;
  }
  if (!answers_as_trained(model, *data, out)) return out;
  const auto plain = detail::check_preparation(model, *data, threads, out);
  if (plain) check_claims(check, plain->model, plain->rows, options, file, threads, out);
  return out;
}

}  // namespace halfspace
