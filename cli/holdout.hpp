// SPDX-License-Identifier: BSD-3-Clause
// Rows that are kept from training to judge by them: a share of DATA, or another file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data_options.hpp"
#include "halfspace/evaluate/evaluation.hpp"

namespace halfspace::cli {

// --groups COLUMN: rows with the same cell stay together. The column is no feature.
// A share of the rows, as 0.2 or 20%.
OptionSpec& add_share(OptionList& options, const std::string& name, std::string help, double& share,
                      Range range);

class GroupOption {
 public:
  void add(OptionList& options);
  [[nodiscard]] bool given() const { return !column_.empty(); }
  // read_data() with the column taken out of the features.
  [[nodiscard]] Dataset read_rows(DataOptions& data, const Common& common,
                                  std::vector<std::string>& notes) const;
  // After: the group of every row; empty when none were asked for.
  [[nodiscard]] std::vector<std::uint32_t> read(const DataOptions& data, const Common& common,
                                                const Dataset& rows) const;

 private:
  std::string column_;
};

class Holdout {
 public:
  void add_options(OptionList& options);
  [[nodiscard]] bool shares() const { return share_ > 0; }
  [[nodiscard]] bool asked() const { return share_ > 0 || !test_path_.empty(); }
  [[nodiscard]] bool holds_out() const { return share_ > 0; }
  [[nodiscard]] bool grouped() const { return groups_.given(); }
  [[nodiscard]] const std::string& test_path() const { return test_path_; }
  // Throws UsageError for options that contradict each other.
  void check() const;
  [[nodiscard]] Dataset read_rows(DataOptions& data, const Common& common,
                                  std::vector<std::string>& notes) const {
    return groups_.read_rows(data, common, notes);
  }
  // The rows to train on; those held out are kept here.
  [[nodiscard]] Dataset training_part(const Dataset& data, const DataOptions& options, const Common& common);
  // `training`: the rows that the model was trained on; many of them among those of --test are said in a note.
  [[nodiscard]] std::optional<Evaluation> judge(const Model& model, const Dataset& training,
                                                const DataOptions& options, const Common& common,
                                                std::vector<std::string>& notes) const;
  [[nodiscard]] std::string words(const Evaluation& found) const;
  [[nodiscard]] Json json(const std::optional<Evaluation>& found) const;

 private:
  void note_overlap(const Dataset& training, const Dataset& test, const Common& common,
                    std::vector<std::string>& notes) const;

  double share_ = 0;
  std::string test_path_;
  GroupOption groups_;
  std::optional<Dataset> held_out_;
};

}  // namespace halfspace::cli
