// SPDX-License-Identifier: BSD-3-Clause
// Training that is ended anywhere and goes on gives the bytes that it would have given; what is damaged or of another
// training is refused.
#include "halfspace/solve/checkpoint.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "folder.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/train/train.hpp"
#include "support.hpp"

using namespace halfspace;
using namespace halfspace::testing;

namespace {

Dataset made(std::size_t rows, std::size_t features, std::size_t entries, std::size_t classes) {
  Random random(3);
  MatrixBuilder builder;
  DatasetParts parts;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto label = static_cast<std::uint32_t>(random.below(classes));
    const std::size_t step = features / entries;
    for (std::size_t e = 0; e < entries; ++e) {
      const std::size_t j = e * step + (step > 1 ? random.below(step) : 0);
      builder.add(static_cast<std::uint32_t>(j), random.normal() + (j % classes == label ? 0.7 : 0.0));
    }
    builder.end_row();
    parts.labels.push_back(label);
  }
  for (std::size_t c = 0; c < classes; ++c) parts.classes.push_back(std::to_string(c));
  StoredMatrix stored = builder.finish(features, Threads(1));
  parts.matrix = stored.matrix;
  parts.storage = std::move(stored.storage);
  parts.name = "made";
  return Dataset::make(std::move(parts));
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Ended at the k-th look at its progress, and ended again a few looks later, for every k up to the end.
template <class Options>
int ends_everywhere(const Dataset& data, const Options& options, const Preparation& how = {}) {
  const std::string whole = to_bytes(train(data, how, options, {.threads = Threads(2)}).model());
  int ended = 0, went_on = 0;
  for (int k = 1;; k += 1 + k / 4) {
    const Folder folder;
    const std::string place = folder / "left";
    bool done = false;
    for (int part = 0; part < 3 && !done; ++part) {
      const auto checkpoint = std::make_shared<Checkpoint>(place, 0.0);
      int looks = 0;
      Run run{.threads = Threads(part == 1 ? 1 : 2)};
      run.checkpoint = checkpoint;
      run.observe = [&](const Progress&) { return part == 2 || ++looks < k; };
      std::string model;
      try {
        const Fit fit = train(data, how, options, run);
        done = fit.answer.stop != Stop::Cancelled;
        model = to_bytes(fit.model());
      } catch (const Stopped&) {
      }
      went_on += checkpoint->resumed() ? 1 : 0;
      ended += done ? 0 : 1;
      if (done) CHECK(model == whole);
      if (done && part == 0) {  // it was over before the k-th look
        CHECK(ended > 0);
        return went_on;
      }
    }
    REQUIRE(done);
  }
}

// The state of a fit that was ended in its middle.
std::string left_behind(const Folder& folder, const Dataset& data) {
  Run run;
  run.checkpoint = std::make_shared<Checkpoint>(folder / "left", 0.0);
  int looks = 0;
  run.observe = [&](const Progress&) { return ++looks < 3; };
  static_cast<void>(train(data, {}, LogisticRegression{}, run));
  return run.checkpoint->path();
}

std::string go_on(const Folder& folder, const Dataset& data, const LogisticRegression& options = {},
                  const Run& how = {}, const Preparation& preparation = {}) {
  Run run = how;
  run.checkpoint = std::make_shared<Checkpoint>(folder / "left", 1000.0);
  try {
    static_cast<void>(train(data, preparation, options, run));
  } catch (const UsageError& error) {
    return error.what();
  } catch (const InputError& error) {
    return error.what();
  }
  return "done";
}

}  // namespace

TEST_CASE("few columns: the narrow solver") {
  CHECK(ends_everywhere(made(30000, 6, 6, 2), LogisticRegression{}) > 0);
  CHECK(ends_everywhere(made(30000, 6, 6, 2), Svm{}) > 0);
}
TEST_CASE("Newton steps, by levels and by products") {
  CHECK(ends_everywhere(made(12000, 100, 20, 2), LogisticRegression{.gap = 1e-8}) > 3);
  CHECK(ends_everywhere(made(3000, 100, 20, 2), Svm{.C = 10, .loss = SquaredHinge{}}) > 3);
  CHECK(ends_everywhere(made(700, 3000, 30, 2), LogisticRegression{.C = 1e4, .solver = SolverName::Newton}) >
        3);
}
TEST_CASE("the hinge, by semismooth steps") {
  CHECK(ends_everywhere(made(3000, 90, 20, 2), Svm{}) > 5);
  CHECK(ends_everywhere(made(400, 12, 12, 2), Svm{.C = 100}) > 3);
}
TEST_CASE("softmax, and classes against the rest") {
  CHECK(ends_everywhere(made(4000, 60, 20, 4), LogisticRegression{.C = 100}) > 5);
  CHECK(ends_everywhere(made(3000, 70, 10, 3), Svm{.loss = SquaredHinge{}}) > 3);
}
TEST_CASE("scaled columns, and a solver whose planes alone are kept") {
  CHECK(ends_everywhere(made(5000, 80, 20, 2), LogisticRegression{}, {.scale = ScaleKind::Standard}) > 2);
  static_cast<void>(ends_everywhere(made(600, 2000, 20, 3), Svm{}));
}

TEST_CASE("what another training has left is refused by name") {
  const Dataset data = made(5000, 80, 20, 2);
  const Folder folder;
  const std::string path = left_behind(folder, data);
  REQUIRE(!bytes_of(path).empty());
  CHECK(go_on(folder, made(5000, 81, 20, 2)).find("data") != std::string::npos);
  CHECK(go_on(folder, data, LogisticRegression{.C = 2}).find("C 1, this is 2") != std::string::npos);
  CHECK(go_on(folder, data, {}, {.seed = 2}).find("seed 1, this is 2") != std::string::npos);
  CHECK(go_on(folder, data, {}, {}, {.scale = ScaleKind::Unit}).find("scale") != std::string::npos);
  CHECK(go_on(folder, data, {}, {.threads = Threads(3)}) == "done");
}

TEST_CASE("a damaged file is refused with its place, and one that was forged does no harm") {
  const Dataset data = made(3000, 70, 8, 2);
  const Folder folder;
  const std::string path = left_behind(folder, data), good = bytes_of(path);
  REQUIRE(good.size() > 1000);
  Random random(7);
  for (int k = 0; k < 300; ++k) {
    std::string bad = good;
    if (k % 3 == 0) {
      bad.resize(random.below(good.size()));
    } else {
      bad[random.below(good.size())] ^= static_cast<char>(1U << random.below(8));
    }
    write_bytes(path, bad);
    CHECK(go_on(folder, data).find(path) == 0);
  }
  write_bytes(path, good + "x");
  CHECK(go_on(folder, data).find("bytes declared") != std::string::npos);
  // With a fingerprint that is right: lengths and places are looked at before they are used.
  int refused = 0;
  for (int k = 0; k < 150; ++k) {
    std::string bad = good.substr(0, good.size() - 32);
    const std::size_t at = random.below(k % 2 == 0 ? std::size_t{1500} : bad.size());
    bad[at] = static_cast<char>(random.below(256));
    Fingerprint hash;
    hash.add(std::as_bytes(std::span(bad)));
    write_bytes(path, bad + hash.hex());
    refused += go_on(folder, data, {}, {.seconds = 0.5}) == "done" ? 0 : 1;
  }
  CHECK(refused > 10);
  write_bytes(path, good);
  CHECK(go_on(folder, data) == "done");
}

TEST_CASE("what keeps no states says so") {
  Run run;
  const Folder folder;
  run.checkpoint = std::make_shared<Checkpoint>(folder / "left", 1.0);
  const Dataset data = made(50, 4, 4, 2);
  CHECK_THROWS_AS((void)train(data, {}, AveragedPerceptron{}, run), UsageError);
  CHECK_THROWS_AS((void)train(data, {}, LogisticRegression{.penalty = NoPenalty{}}, run), UsageError);
  CHECK_THROWS_AS((void)train(data, {}, Svm{.kernel = {.kind = KernelKind::Rbf}}, run), UsageError);
}
