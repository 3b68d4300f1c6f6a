// SPDX-License-Identifier: BSD-3-Clause
// What is no model is refused by its beginning, whatever comes after it.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "folder.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/model/model_file.hpp"

using namespace halfspace;
using halfspace::testing::Folder;
namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t huge = std::uintmax_t{40} << 30U;  // more than the memory has

// The error of loading a file of `bytes` and then zeros up to a huge size, which take no place on the disk.
std::string error_with_hole(const std::string& bytes) {
  const Folder folder;
  const std::string path = folder / "m";
  std::ofstream(path, std::ios::binary) << bytes;
  fs::resize_file(path, huge);
  try {
    (void)load(path);
  } catch (const InputError& error) {
    return error.message();
  }
  return {};
}

std::string error_packed(const std::string& bytes, std::size_t more, char filler) {
  const Folder folder;
  write_packed_file(folder / "m.zst", [&](ByteSink& sink) {
    sink.write(bytes);
    const std::string piece(std::size_t{1} << 20U, filler);
    for (std::size_t i = 0; i < more; ++i) sink.write(piece);
  });
  try {
    (void)load(folder / "m.zst");
  } catch (const InputError& error) {
    return error.message();
  }
  return {};
}

std::string good_model() {
  Model model;
  model.classes = {"a", "b"};
  LinearModel linear;
  linear.planes = 1;
  linear.features = 3;
  linear.weights = {1, 2, 3};
  linear.offsets = {0.5};
  model.form = std::move(linear);
  return to_bytes(model);
}

const std::string liblinear_head = "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias -1\nw\n";

}  // namespace

TEST_CASE("devices without an end are no models") {
  CHECK_THROWS_AS((void)load("/dev/zero"), InputError);
  CHECK_THROWS_AS((void)load("/dev/urandom"), InputError);
}

TEST_CASE("huge files with holes are refused by what they begin with") {
  CHECK_FALSE(error_with_hole("").empty());
  CHECK(error_with_hole(good_model()) ==
        fmt::format("{} bytes after the last tensor; the end was expected here", huge - good_model().size()));
  CHECK_FALSE(error_with_hole(liblinear_head + "1 \n2 \n").empty());
  CHECK_FALSE(error_with_hole("svm_type c_svc\nkernel_type linear\n").empty());
  CHECK_FALSE(error_with_hole("{\"schema\":").empty());
  CHECK_FALSE(error_with_hole("HALFSPCE").empty());
}

TEST_CASE("compressed models take the memory that their header declares, not what comes") {
  CHECK(error_packed(good_model(), 0, ' ') == "");
  CHECK(error_packed(good_model(), 200, '\0').find("after the last tensor") != std::string::npos);
  CHECK_FALSE(error_packed("", 200, '\0').empty());
  CHECK_FALSE(error_packed(liblinear_head, 200, '\0').empty());
  CHECK(error_packed(liblinear_head, 200, '1').find("at most 100 times as many") != std::string::npos);
  CHECK(error_packed("{", 200, ' ').find("at most 100 times as many") != std::string::npos);
}

TEST_CASE("a header that declares more than there is allocates nothing") {
  std::string bytes = good_model();
  const std::string offsets = "\"data_offsets\":[24,32]";
  const std::size_t at = bytes.find(offsets);
  REQUIRE(at != std::string::npos);
  bytes.replace(at, offsets.size(), "\"data_offsets\":[1,3e9]");
  CHECK_THROWS_AS((void)model_from_bytes(bytes, "m"), InputError);
  const Folder folder;
  std::ofstream(folder / "m", std::ios::binary) << bytes;
  CHECK_THROWS_AS((void)load(folder / "m"), InputError);
}

TEST_CASE("models are read whole from files, streams and compressed files") {
  const Folder folder;
  const std::string bytes = good_model();
  for (const std::string name : {"m", "m.gz", "m.xz"}) {
    write_packed_file(folder / name, [&](ByteSink& sink) { sink.write(bytes); });
    CHECK(read_model_bytes(*open_source(folder / name), name) == bytes);
  }
  std::string text = liblinear_head;
  while (text.size() < 3'000'000) text += "0.25 \n";
  CHECK(read_model_bytes(*memory_source(text, "m"), "m") == text);
  CHECK(read_model_bytes(*memory_source("", "m"), "m").empty());
  CHECK(read_model_bytes(*memory_source("{}", "m"), "m") == "{}");
}
