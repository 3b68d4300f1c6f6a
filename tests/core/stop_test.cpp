// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/core/stop.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "halfspace/data/generate.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/solve/algorithm.hpp"
#include "halfspace/solve/separability.hpp"
#include "support.hpp"

using namespace halfspace;
using namespace halfspace::testing;

namespace {

// Two classes that overlap a little, and three that a plane each tells apart.
Dataset two_classes() { return generate(GeneratorKind::Gaussians, {.rows = 400, .features = 3}).data; }
Dataset three_classes() {
  Rows rows;
  std::vector<int> labels;
  for (int i = 0; i < 120; ++i) {
    const int k = i % 3;
    const double a = 0.37 * i;
    rows.push_back({4.0 * (k == 1) + std::sin(a), 4.0 * (k == 2) + std::cos(a)});
    labels.push_back(k);
  }
  return dataset_from(rows, labels);
}

// Everything of the list, and what it does with a kernel or in another way.
struct Case {
  std::string algorithm;
  std::vector<std::pair<std::string, std::string>> options;
};
std::vector<Case> cases() {
  std::vector<Case> out;
  for (const std::string& name : Algorithm::names()) out.push_back({name, {}});
  for (const char* name : {"svm", "nu-svm", "hard-margin", "perceptron", "voted-perceptron"})
    out.push_back({name, {{"kernel", "rbf:2"}}});
  out.push_back({"svm", {{"solver", "dual-descent"}}});
  out.push_back({"svm", {{"loss", "squared-hinge"}}});
  out.push_back({"logistic", {{"solver", "dual-descent"}, {"multiclass", "one-vs-rest"}}});
  out.push_back({"perceptron", {{"passes", "until-clean"}, {"max-passes", "50"}}});
  out.push_back({"perceptron", {{"order", "worst"}}});
  return out;
}
Algorithm made(const Case& c) {
  Algorithm algorithm = Algorithm::by_name(c.algorithm);
  for (const auto& [name, value] : c.options) algorithm.set(name, value);
  return algorithm;
}

}  // namespace

TEST_CASE("a handle that was not made never stops anybody") {
  const StopHandle none;
  none.cancel();
  CHECK_FALSE(none.asked());
  CHECK_NOTHROW(none.check());
  CHECK_FALSE(none.within(1e300).asked());
}

TEST_CASE("all copies of a handle see the cancel, and say why") {
  const StopHandle handle = StopHandle::make();
  const StopHandle copy = handle, limited = handle.within(1e6);
  CHECK_FALSE(copy.asked());
  std::thread([&] { handle.cancel(); }).join();
  CHECK(copy.cause() == StopCause::Cancelled);
  CHECK(limited.cause() == StopCause::Cancelled);
  CHECK_THROWS_AS(copy.check(), Stopped);
}

TEST_CASE("a deadline in the past stops at once, and a grace puts it off") {
  const StopHandle past = StopHandle().within(-1);
  CHECK(past.cause() == StopCause::Time);
  CHECK_FALSE(past.with_grace(1e6).asked());
  CHECK(past.within(1e6).asked());
  const StopHandle cancelled = StopHandle::make();
  cancelled.cancel();
  CHECK_FALSE(cancelled.with_grace(1e6).asked());
}

TEST_CASE("a team that is stopped begins no more tasks") {
  for (const int threads : {1, 4}) {
    const StopHandle stop = StopHandle::make();
    const Threads team(threads, stop);
    std::atomic<int> ran = 0;
    CHECK_THROWS_AS(team.run(100000,
                             [&](std::size_t) {
                               ++ran;
                               stop.cancel();
                             }),
                    Stopped);
    CHECK(ran <= threads);
    CHECK_THROWS_AS(team.alone().run(1, [](std::size_t) {}), Stopped);
    team.until({}).run(3, [&](std::size_t) { ++ran; });
    CHECK(ran >= 4);
  }
}

TEST_CASE("no algorithm calls its observer by two threads at once, or again after a no") {
  for (const Dataset& data : {two_classes(), three_classes()}) {
    for (const Case& c : cases()) {
      CAPTURE(c.algorithm);
      std::atomic<bool> inside = false, overlap = false;
      std::atomic<int> calls = 0, after_no = 0;
      Run run;
      run.threads = Threads(4);
      run.observe = [&](const Progress&) {
        if (inside.exchange(true)) overlap = true;
        const int call = ++calls;
        if (call > 20) ++after_no;
        std::this_thread::yield();
        inside = false;
        return call < 20;
      };
      try {
        static_cast<void>(made(c).train(data, run));
      } catch (const Stopped& stopped) {
        CHECK(stopped.cause() == StopCause::Cancelled);
      }
      CHECK_FALSE(overlap);
      CHECK(after_no == 0);
    }
  }
}

TEST_CASE("another thread cancels a walk without end, and gets the plane it has reached") {
  for (const char* name : {"perceptron", "averaged-perceptron", "passive-aggressive", "pegasos", "sgd"}) {
    CAPTURE(name);
    Algorithm algorithm = Algorithm::by_name(name);
    algorithm.set("passes", "1e9");
    Run run;
    run.threads = Threads(2);
    run.stop = StopHandle::make();
    std::atomic<bool> begun = false;
    run.observe = [&](const Progress&) { return begun = true; };
    std::thread other([&] {
      while (!begun) std::this_thread::yield();
      run.stop.cancel();
    });
    const Fit fit = algorithm.train(two_classes(), run);
    other.join();
    CHECK(fit.answer.stop == Stop::Cancelled);
    for (const double w : std::get<LinearModel>(fit.model().form).weights) CHECK(std::isfinite(w));
  }
}

TEST_CASE("a run whose time is over gives a model that can be written, or none") {
  for (const Dataset& data : {two_classes(), three_classes()}) {
    for (const Case& c : cases()) {
      CAPTURE(c.algorithm);
      Run run;
      run.threads = Threads(2);
      run.seconds = 0;
      try {
        const Fit fit = made(c).train(data, run);
        if (!fit.has_model()) continue;
        const Model again = model_from_bytes(to_bytes(fit.model()), "model");
        CHECK(again.planes() == fit.model().planes());
        CHECK(scores(again, data, Threads(1)).size() == data.rows() * again.planes());
      } catch (const Stopped& stopped) {
        CHECK(stopped.cause() == StopCause::Time);
      }
    }
  }
}

TEST_CASE("a question that is stopped is not decided, and says so") {
  Run run;
  run.stop = StopHandle::make();
  run.stop.cancel();
  const Separability answer = separability(two_classes(), {}, run);
  CHECK_FALSE(answer.decided);
  CHECK(answer.stopped == StopCause::Cancelled);
}

TEST_CASE("a run that could have been stopped and was not has the same bits") {
  for (const Dataset& data : {two_classes(), three_classes()}) {
    for (const Case& c : cases()) {
      CAPTURE(c.algorithm);
      Run plain, guarded;
      guarded.threads = Threads(3);
      guarded.stop = StopHandle::make();
      guarded.seconds = 1e6;
      guarded.observe = [](const Progress&) { return true; };
      const Fit one = made(c).train(data, plain), other = made(c).train(data, guarded);
      CHECK(one.answer.stop == other.answer.stop);
      if (!one.has_model()) continue;
      CHECK(to_bytes(one.model()) == to_bytes(other.model()));
    }
  }
}

TEST_CASE("a handle knows how much of its time is left") {
  CHECK(std::isinf(StopHandle().left()));
  CHECK(std::isinf(StopHandle::make().left()));
  const StopHandle handle = StopHandle().within(1000);
  CHECK(handle.left() > 900);
  CHECK(handle.left() <= 1000);
  CHECK(handle.within(10).left() <= 10);
  CHECK(StopHandle().within(0).left() <= 0);
}
