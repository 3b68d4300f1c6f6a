// SPDX-License-Identifier: BSD-3-Clause
// The pipeline: one class set against the rest, columns or rows scaled, features made, an algorithm trained, its errors
// on the training rows counted, and a model that takes rows as they are, with a certificate about what is written.
//
//   const Fit fit = train(data, {.scale = ScaleKind::Standard}, Svm{.C = 10}, {.threads = Threads(0)});
//
// May be called by several threads at once, also on the same data: nothing is shared but data that never change. The fit
// refers to nothing of the caller.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "halfspace/prepare/feature_map.hpp"
#include "halfspace/prepare/scaling.hpp"
#include "halfspace/solve/algorithm.hpp"
#include "halfspace/solve/algorithms.hpp"

namespace halfspace {

// What becomes of the rows before the algorithm sees them: labels first, then scaling, then features.
struct Preparation {
  std::string positive;  // the class that stands against the rest; empty: all classes as they are
  ScaleKind scale = ScaleKind::None;
  std::optional<MapChoice> map;
  KernelFunction kernel;  // of the map
  // Libsvm text was read with indices counted from 0: the model reads new rows so.
  bool zero_based = false;
  // Beside the model also what people ask of it: its errors on the training rows, and how far its columns spread.
  bool describe = true;
};

// The model of the fit takes, predicts and verifies `data` as they are. fit.trace.error has the errors on them (nothing
// where counting would take far longer than the training, or a limit came first). A scaling goes into the weights of planes
// where they are the same to ten digits and keep what their certificate says; elsewhere it stands beside them, and rows are
// scaled before they meet the planes. Throws UsageError for options out of their range, by name, and for what cannot go
// together; InputError for data that cannot be trained on.
//
// With run.members, `data` are the rows of this member (none: no_rows() of data/whole.hpp), and all members call this with
// the same options: each gets the fit of all rows in the order of the members, with the bytes that one process would give
// its model, and with the same certificate. Rows need no agreed classes, features or storage; tables need the same columns.
// logistic and svm have it; what goes from row to row is refused by name. What one member throws, all throw, and the
// team is over.
//
// With run.checkpoint, what is done is kept there, and the same call goes on from it in another process, to the same bytes
// of the model (solve/checkpoint.hpp); whoever has saved the model removes it. One process, logistic and svm with planes.
[[nodiscard]] Fit train(const Dataset& data, const Preparation& how, const Algorithm& algorithm,
                        const Run& run = {});

namespace detail {
using TrainRows = std::function<Fit(const Dataset&, const Run&)>;
// `algorithm`: its name and options, for a checkpoint.
[[nodiscard]] Fit train_prepared(const Dataset& data, const Preparation& how, const TrainRows& train_rows,
                                 const Run& run, Facts algorithm);
[[nodiscard]] Facts with_name(std::string_view algorithm, Facts options);
}  // namespace detail

// The same for an algorithm known by its type.
template <AlgorithmOptions A>
[[nodiscard]] Fit train(const Dataset& data, const Preparation& how, const A& options, const Run& run = {}) {
  return detail::train_prepared(
      data, how, [&](const Dataset& rows, const Run& begun) { return train(rows, options, begun); }, run,
      detail::with_name(A::name, option_values(options)));
}

// One pass over rows that come once (online learners), into a model that knows how they were read. The threads of `options`
// are those of the run. Errors are not counted: the rows are gone.
[[nodiscard]] Fit train_stream(const std::string& path, const StreamOptions& options,
                               const Algorithm& algorithm, const Run& run = {});

// The same for rows in memory that are a part of more to come: goes on where run.resume stands, and fit.trace.walk is where
// the next part goes on. Parts in their order leave the plane of one pass over all rows, to the bit. A row of weight k is
// taken k times. Classes and features are those of `data`, which may have no row of a class. UsageError for other passes,
// orders and batches than one.
[[nodiscard]] Fit train_part(const Dataset& data, const Algorithm& algorithm, const Run& run = {});

}  // namespace halfspace
