// SPDX-License-Identifier: BSD-3-Clause
// Of every algorithm of the list: it stops when it is told to, with a model that can be used or with none.
#include <doctest/doctest.h>

#include <functional>

#include "contract/cases.hpp"

using namespace halfspace;
using namespace halfspace::contract;

namespace {

// Trains until `run` stops it. What comes back says so and is usable; where nothing was there yet, Stopped says so. A
// proof that there is no answer may come first. `told` says whether the algorithm heard of the stop while it worked.
void check_stops(const Variant& variant, const Sample& sample, const Run& run, StopCause cause,
                 const std::function<bool()>& told) {
  const Dataset data = sample.data();
  try {
    const auto fit = fit_of(variant, sample.name, data, run);
    if (!fit) return;
    const Stop expected = cause == StopCause::Time ? Stop::Time : Stop::Cancelled;
    if (fit->outcome() != Outcome::No && told() && nature(variant.algorithm).asks)
      CHECK(fit->answer.stop == expected);
    if (fit->answer.stop == expected) CHECK(fit->outcome() == Outcome::Limit);
    if (fit->has_model())
      check_usable(fit->model(), data);
    else
      CHECK_FALSE(fit->answer.reason.empty());
  } catch (const Stopped& stopped) {
    CHECK(stopped.cause() == cause);
  }
}

template <class F>
void for_all(F&& f) {
  for (const Sample& sample : samples()) {
    CAPTURE(sample.name);
    for (const Variant& variant : variants()) {
      CAPTURE(variant.name());
      f(variant, sample);
    }
  }
}

}  // namespace

TEST_CASE("every algorithm: an observer that says no at its first call is not asked again, and obeyed") {
  for (const int threads : {1, 3}) {
    for_all([&](const Variant& variant, const Sample& sample) {
      int calls = 0;
      Run run;
      run.threads = Threads(threads);
      run.observe = [&](const Progress&) {
        ++calls;
        return false;
      };
      check_stops(variant, sample, run, StopCause::Cancelled, [&] { return calls > 0; });
      CHECK(calls <= 1);
    });
  }
}

TEST_CASE("every algorithm: cancelled before it began, it tells of progress once a class at most") {
  for_all([&](const Variant& variant, const Sample& sample) {
    int calls = 0;
    Run run;
    run.stop = StopHandle::make();
    run.stop.cancel();
    run.observe = [&](const Progress&) {
      ++calls;
      return true;
    };
    check_stops(variant, sample, run, StopCause::Cancelled, [] { return true; });
    CHECK(calls <= 3);
  });
}

TEST_CASE("every algorithm: without time it gives what it has") {
  for (const double seconds : {0.0, -1.0, 1e-9}) {
    for_all([&](const Variant& variant, const Sample& sample) {
      Run run;
      run.seconds = seconds;
      check_stops(variant, sample, run, StopCause::Time, [] { return true; });
    });
  }
}
