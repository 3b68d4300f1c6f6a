// SPDX-License-Identifier: BSD-3-Clause
// How DATA is to be read, as options; and the same data as a model sees them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app.hpp"
#include "halfspace/data/read.hpp"
#include "halfspace/model/model.hpp"
#include "halfspace/prepare/feature_map.hpp"
#include "halfspace/prepare/scaling.hpp"
#include "row_facts.hpp"

namespace halfspace::cli {

struct DataOptions {
  std::string path;
  ReadOptions read;
  std::string positive;
  ScaleKind scale = ScaleKind::None;
  std::optional<MapChoice> map;  // --features nystrom:M or fourier:M
  KernelFunction map_kernel;
  bool map_allowed = false;
  std::vector<std::string> renames;  // OLD=NEW, for labels of new rows

  // Every option about reading; with a model most of them follow from the model.
  void add_reading(OptionList& options);
  void add_reading_for_model(OptionList& options);
  void add_cells(OptionList& options);     // delimiter and mark of decimals: part of both
  void add_rename(OptionList& options);    // --rename
  void add_training(OptionList& options);  // --positive, --scale
  // The kernel that the features stand for; only when some were asked for.
  void add_map_kernel(OptionList& options);

 private:
  void set_features(const std::string& text);
};

// Throws UsageError when a model and its rows are both to come from standard input.
void check_one_stdin(const std::string& model, const std::string& rows);

// Loads the model of a verb that takes MODEL DATA; says so when the two are given the other way round.
// A file that is no model at all is refused in these words, with `usage` as the hint.
[[nodiscard]] Model load_model(const std::string& path, const Common& common, std::string_view usage);
[[nodiscard]] Model load_before_rows(std::string_view verb, const std::string& model, const std::string& rows,
                                     const Common& common);

// Before the work: throws UsageError when `output` is one of the files that are read, and SystemError when it cannot be
// written. An input may be a pair "rows,labels".
void check_output(const std::string& output, std::initializer_list<std::string> inputs);

// Reads; what the reader has to tell goes into `notes`.
[[nodiscard]] Dataset read_data(const DataOptions& options, const Common& common,
                                std::vector<std::string>& notes);

// The same by several processes: the share of this one, of all rows.
[[nodiscard]] Dataset read_share_of(const DataOptions& options, const Common& common,
                                    std::vector<std::string>& notes);

// Reads the data the way the model's training data were read.
[[nodiscard]] Dataset read_for_model(const DataOptions& options, const Model& model, const Common& common,
                                     std::vector<std::string>& notes);
// The same, some rows at a time, as read_in_blocks() has it.
void read_blocks_for_model(const DataOptions& options, const Model& model, const Common& common,
                           std::vector<std::string>& notes, const TakeBlock& take);

}  // namespace halfspace::cli
