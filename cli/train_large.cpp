// SPDX-License-Identifier: BSD-3-Clause
#include "train_large.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/write.hpp"
#include "halfspace/solve/algorithms.hpp"
#include "halfspace/solve/memory.hpp"
#include "memory.hpp"

namespace halfspace::cli {
namespace {

// The folder of the model, where there is a file of it.
std::string folder_beside(const std::string& model_path) {
  if (const char* const temporary = std::getenv("TMPDIR"); temporary != nullptr && *temporary != '\0')
    return temporary;
  const std::string folder = std::filesystem::path(model_path).parent_path().string();
  return model_path == "-" || folder.empty() ? "." : folder;
}

}  // namespace

void LargeOptions::add_options(OptionList& options) {
  options.group("Large data");
  options
      .value("--memory", "MB",
             "keep to so many megabytes: rows lie in a file without a name and are mapped from there",
             memory_, {1, 1e9})
      .fallback = "none";
  options.text(
      "--checkpoint", "DIR",
      "keep what is done in this folder; the same command goes on from there after it was ended, to the "
      "same model",
      checkpoint_);
  options.value("--every", "S", "with --checkpoint: seconds between two states", every_, {0, 1e6});
}

std::shared_ptr<Checkpoint> LargeOptions::checkpoint() const {
  return checkpoint_.empty() ? nullptr : std::make_shared<Checkpoint>(checkpoint_, every_);
}

void LargeOptions::check(bool keeps_all_rows, const DataOptions& data) const {
  if (!limited()) return;
  if (keeps_all_rows)
    throw UsageError("--memory: --holdout and --calibrate copy rows in memory",
                     "halfspace split, or halfspace evaluate MODEL TEST");
  if (data.map)
    throw UsageError("--memory: features nystrom and fourier are made in memory", "--scale, or no --memory");
}

void LargeOptions::prepare(DataOptions& data, const Algorithm& algorithm, const std::string& model_path,
                           const Common& common) const {
  if (!limited()) return;
  MemoryShape shape{.rows = 1, .features = 1, .threads = common.team().count()};
  static_cast<void>(algorithm.memory(shape));  // refuses what does not go, before anything is read
  std::error_code ignored;
  if (std::filesystem::is_regular_file(data.path, ignored)) {
    Peeked peeked = peek(open_source(data.path), cache_magic.size());
    if (peeked.head == cache_magic && peeked.source->known_size() > 0) {
      const CacheFacts facts = cache_facts(*peeked.source, data.path);
      shape.rows = facts.rows;
      shape.features = facts.features;
      shape.classes = std::max<std::uint64_t>(2, data.positive.empty() ? facts.classes.size() : 2);
      shape.weighted = facts.weighted;
      detail::check_memory(shape, algorithm.memory(shape), bytes());
    }
  }
  data.read.spill = spill_to(folder_beside(model_path), bytes());
}

void LargeOptions::check_rows(const Dataset& data, const Algorithm& algorithm, const Common& common) const {
  if (!limited()) return;
  const MemoryShape shape = memory_shape(data, common.team().count());
  detail::check_memory(shape, algorithm.memory(shape), bytes());
}

std::string LargeOptions::words() const {
  return fmt::format("at most {:.0f} MB were resident, {} allowed", static_cast<double>(peak_memory()) / 1e6,
                     memory_);
}

}  // namespace halfspace::cli
