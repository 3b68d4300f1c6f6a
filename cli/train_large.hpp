// SPDX-License-Identifier: BSD-3-Clause
// train with less memory than the rows take, and training that goes on after it was killed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app.hpp"
#include "data_options.hpp"
#include "halfspace/solve/algorithm.hpp"
#include "halfspace/solve/checkpoint.hpp"

namespace halfspace::cli {

class LargeOptions {
 public:
  void add_options(OptionList& options);
  // What cannot go together with the rest of the command.
  void check(bool keeps_all_rows, const DataOptions& data) const;
  // Before anything is read: rows go to files beside the model, or in $TMPDIR. A cache whose header says that the limit is
  // too small is refused at once.
  void prepare(DataOptions& data, const Algorithm& algorithm, const std::string& model_path,
               const Common& common) const;

  // The same for rows that have been read.
  void check_rows(const Dataset& data, const Algorithm& algorithm, const Common& common) const;
  // Where the training keeps what it has done; null: nowhere.
  [[nodiscard]] std::shared_ptr<Checkpoint> checkpoint() const;

  [[nodiscard]] bool limited() const { return memory_ > 0; }
  [[nodiscard]] bool asked() const { return limited() || !checkpoint_.empty(); }
  [[nodiscard]] std::string words() const;  // what was taken at most, and the limit

 private:
  [[nodiscard]] std::uint64_t bytes() const { return static_cast<std::uint64_t>(memory_) * 1'000'000; }

  std::int64_t memory_ = 0;
  std::string checkpoint_;
  double every_ = 60;
};

}  // namespace halfspace::cli
