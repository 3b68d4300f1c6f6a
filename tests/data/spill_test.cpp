// SPDX-License-Identifier: BSD-3-Clause
// Rows that lie in files are the rows that would be in memory, and train the same model.
#include "data/storage/spill.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <string>

#include "folder.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/data/read.hpp"
#include "halfspace/data/write.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/prepare/scaling.hpp"
#include "halfspace/train/train.hpp"
#include "support.hpp"

using namespace halfspace;
using namespace halfspace::testing;

namespace {

constexpr std::uint64_t megabyte = 1'000'000;

// A file of rows in many pieces, in which values of several kinds follow each other.
std::string write_text(const Folder& folder, const std::string& name, std::size_t rows, std::size_t features,
                       bool sparse) {
  Random random(11);
  std::string text;
  for (std::size_t i = 0; i < rows; ++i) {
    text += random.below(2) == 0 ? "-1" : "+1";
    for (std::size_t j = 0; j < features; ++j) {
      if (sparse && random.below(10) != 0) continue;
      const std::size_t number = random.below(2000);
      text += " " + std::to_string(j + 1) + ":";
      text += i < rows / 3   ? "1"
              : i < rows / 2 ? std::to_string(number + 1)
                             : "0." + std::to_string(number + 1);
    }
    text += "\n";
  }
  const std::string path = folder / name;
  std::ofstream(path) << text;
  return path;
}

Dataset read_spilled(const Folder& folder, const std::string& path) {
  return read(path, {.spill = spill_to(folder / "", 500 * megabyte), .threads = Threads(2)});
}

void check_same(const Dataset& a, const Dataset& b) {
  CHECK(a.storage_name() == b.storage_name());
  CHECK(a.rows() == b.rows());
  CHECK(a.features() == b.features());
  CHECK(a.fingerprint() == b.fingerprint());
}

// A limit of the system on the size of files, which a full disk is much like; the signal that comes with it is ignored.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit now = before_;
    now.rlim_cur = bytes;
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

}  // namespace

TEST_CASE("text, caches and packed files have the same rows in files as in memory") {
  const Folder folder, files;
  for (const bool sparse : {true, false}) {
    const std::string text =
        write_text(folder, sparse ? "sparse" : "dense", sparse ? 9000 : 4000, 60, sparse);
    const Dataset memory = read(text, {.threads = Threads(2)});
    write(memory, text + ".hsd");
    write_packed_file(text + ".gz", [&](ByteSink& sink) {
      std::ifstream in(text);
      sink.write(std::string(std::istreambuf_iterator<char>(in), {}));
    });
    write_packed_file(text + ".hsd.gz", [&](ByteSink& sink) {
      std::ifstream in(text + ".hsd", std::ios::binary);
      sink.write(std::string(std::istreambuf_iterator<char>(in), {}));
    });
    for (const std::string ending : {"", ".gz", ".hsd", ".hsd.gz"}) {
      const Dataset spilled = read_spilled(files, text + ending);
      check_same(memory, spilled);
      REQUIRE(spilled.spill() != nullptr);
      CHECK(files.files() == 0);  // they have no names
      for (const ScaleKind kind : {ScaleKind::Standard, ScaleKind::MinMax, ScaleKind::Unit}) {
        const Scaling scaling = learn_scaling(memory, kind, Threads(2));
        check_same(apply_scaling(memory, scaling, Threads(2)), apply_scaling(spilled, scaling, Threads(2)));
      }
    }
  }
}

TEST_CASE("models have the same bytes") {
  const Folder folder, files;
  const std::string path = write_text(folder, "rows", 4000, 80, true);
  const Dataset memory = read(path), spilled = read_spilled(files, path);
  const auto same = [&](const auto& options, const Preparation& how) {
    const Run run{.threads = Threads(2)};
    CHECK(to_bytes(train(memory, how, options, run).model()) ==
          to_bytes(train(spilled, how, options, run).model()));
  };
  same(LogisticRegression{}, {});
  same(LogisticRegression{}, {.scale = ScaleKind::Standard});
  same(Svm{}, {});
  same(Svm{.loss = SquaredHinge{}}, {.scale = ScaleKind::Unit});
  same(AveragedPerceptron{}, {});
}

TEST_CASE(
    "many columns: Newton's method in place of dual descent, and columns that nobody has are left out") {
  const Folder folder, files;
  Random random(2);
  std::string text;
  for (int i = 0; i < 500; ++i) {
    text += i % 2 == 0 ? "1" : "-1";
    for (int e = 0; e < 5; ++e) text += " " + std::to_string(40 * e + random.below(40) + (i % 2) + 1) + ":1";
    text += i == 7 ? " 30000:1\n" : "\n";
  }
  const std::string path = folder / "wide";
  std::ofstream(path) << text;
  const Dataset memory = read(path), spilled = read_spilled(files, path);
  const Fit fit = train(spilled, {}, LogisticRegression{});
  CHECK(fit.proof.objective->relative_gap() <= 1e-4);
  const Fit asked = train(memory, {}, LogisticRegression{.solver = SolverName::Newton});
  const auto& plane = std::get<LinearModel>(fit.model().form);
  CHECK(plane.weights == std::get<LinearModel>(asked.model().form).weights);
  bool said = false;
  for (const std::string& note : fit.words.notes)
    said = said || note.find("in place of dual-descent") != note.npos;
  CHECK(said);
  CHECK_THROWS_AS((void)train(spilled, {}, Svm{}), UsageError);
  CHECK_THROWS_AS((void)train(spilled, {}, LogisticRegression{.solver = SolverName::DualDescent}),
                  UsageError);
  CHECK_THROWS_AS((void)train(spilled, {}, LogisticRegression{.penalty = L1{}}), UsageError);
  CHECK_THROWS_AS((void)train(spilled, {}, HardMargin{}), UsageError);
}

TEST_CASE("a limit that is too small is refused with the number that would do") {
  const Folder folder, files;
  const std::string path = write_text(folder, "rows", 3000, 20, true);
  const Dataset data = read(path, {.spill = spill_to(files / "", 20 * megabyte)});
  std::string said;
  try {
    static_cast<void>(train(data, {}, LogisticRegression{}));
  } catch (const UsageError& error) {
    said = error.hint();
  }
  REQUIRE(said.find("memory ") != std::string::npos);
  const std::uint64_t enough = std::stoull(said.substr(said.find("memory ") + 7));
  CHECK(enough > 20);
  static_cast<void>(
      train(read(path, {.spill = spill_to(files / "", enough * megabyte)}), {}, LogisticRegression{}));
}

TEST_CASE("no room for the rows is an error, and nothing is left") {
  const Folder folder, files;
  const std::string path = write_text(folder, "rows", 20000, 60, true);
  write(read(path), path + ".hsd");
  for (const std::string ending : {"", ".hsd"}) {
    const FileLimit limit(100'000);
    CHECK_THROWS_AS((void)read_spilled(files, path + ending), SystemError);
  }
  CHECK(files.files() == 0);
  CHECK_THROWS_AS((void)spill_to(folder / "not there", megabyte), SystemError);
  const std::string table = folder / "table.csv";
  std::ofstream(table) << "a,label\n1,x\n2,y\n";
  CHECK_THROWS_AS((void)read_spilled(files, table), UsageError);
}

TEST_CASE("pages go back" * doctest::skip(sanitized)) {  // sanitizers have memory of their own
  const Folder files;
  const auto spill = spill_to(files / "", 60 * megabyte);
  constexpr std::uint64_t bytes = 200 * megabyte;
  SpillFile file(spill, bytes);
  file.ensure(bytes);
  auto* const at = static_cast<char*>(file.get());
  for (std::uint64_t k = 0; k < bytes; k += 4096) at[k] = static_cast<char>(k >> 12U);
  for (int wait = 0; wait < 2000 && Spill::resident().all > 60 * megabyte; ++wait)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(Spill::resident().all <= 60 * megabyte);
  for (std::uint64_t k = 0; k < bytes; k += 4096 * 61) REQUIRE(at[k] == static_cast<char>(k >> 12U));
}
