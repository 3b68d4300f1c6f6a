// SPDX-License-Identifier: BSD-3-Clause
// The C interface: the updates of an online learner, and the page about a model.
#include "c/training.hpp"
#include "halfspace/certify/verify_model.hpp"
#include "halfspace/report/report.hpp"

namespace halfspace::c {
namespace {

// Nothing for models that carry no claim, and for other rows than those of the training.
std::optional<ModelCheck> claims_of(const Model& model, const Dataset& data, const Threads& threads) {
  try {
    return verify(model, data, threads);
  } catch (const UsageError&) {
  } catch (const InputError&) {
  }
  return std::nullopt;
}

}  // namespace
}  // namespace halfspace::c

using namespace halfspace;
using namespace halfspace::c;

std::int32_t halfspace_trace(const halfspace_dataset* data, const halfspace_training* how,
                             std::uint64_t every, std::uint64_t most, halfspace_see see, void* context,
                             halfspace_model** model, char** report, halfspace_error* error) {
  return guarded(error, [&] {
    const halfspace_training& given = need(how, "how");
    need(model, "model") = nullptr;
    if (see == nullptr) throw UsageError("see is a null pointer");
    if (preparation_of(given).scale != ScaleKind::None || given.features != nullptr ||
        given.positive != nullptr)
      throw UsageError("updates are shown among the rows as they are: no scaling, no features made of them");
    const UpdateObserver observer{
        every == 0 ? 1 : every, most == 0 ? UINT64_MAX : most, [&](const Update& update) {
          const halfspace_update shown{update.number,        update.pass,         update.row,    update.y,
                                       update.margin_before, update.margin_after, update.theta0, update.norm,
                                       update.theta.data(),  update.theta.size()};
          see(context, &shown);
        }};
    Fit fit = algorithm_of(given).trace(need(data, "data").data, run_of(given), observer);
    hand_out(std::move(fit), *model, report);
  });
}

std::int32_t halfspace_report(const halfspace_model* model, const halfspace_dataset* data,
                              const halfspace_dataset* test, const char* name, std::int32_t threads,
                              const halfspace_stop* stop, char** page, char** json, halfspace_error* error) {
  return guarded(error, [&] {
    const Model& shown = need(model, "model").model;
    const Dataset& rows = need(data, "data").data;
    Run run;
    run.threads = Threads(threads);
    if (stop != nullptr) run.stop = stop->handle;
    run = begin_run(run);
    const std::string object = report_json({.model = shown,
                                            .data = rows,
                                            .test = test == nullptr ? nullptr : &test->data,
                                            .model_name = text_or(name, "model"),
                                            .data_name = rows.name(),
                                            .test_name = test == nullptr ? "" : test->data.name(),
                                            .notes = {},
                                            .check = claims_of(shown, rows, run.threads)},
                                           run);
    if (json != nullptr) *json = allocate_text(object);
    if (page != nullptr) *page = allocate_text(report_page(object));
  });
}
