// SPDX-License-Identifier: BSD-3-Clause
// One algorithm or several with options that may be ranges, for the verbs that compare ways of training; and the folds.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "data_options.hpp"
#include "halfspace/evaluate/tuning.hpp"
#include "holdout.hpp"

namespace halfspace::cli {

class AlgorithmChoice {
 public:
  // `option`: --algorithm or --algorithms; the names have commas between them.
  AlgorithmChoice(const std::vector<std::string>& args, std::string option, std::string_view fallback);

  void add_options(OptionList& options, bool makes_features);
  [[nodiscard]] std::string hint_for(const std::string& option) const;
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  // Every algorithm with the options given. Ranges and lists of values become axes; `search`: with none of these, the
  // usual range is searched. Throws UsageError for an option that none of the algorithms has a use for.
  [[nodiscard]] std::vector<SearchSpace> spaces(const DataOptions& data, bool search,
                                                double per_decade = 1) const;
  // The same without values to search.
  [[nodiscard]] std::vector<Candidate> candidates(const DataOptions& data) const;

 private:
  std::string option_;
  std::string word_;
  std::vector<std::string> names_;
  bool makes_features_ = false;
  std::map<std::string, std::string> given_;
};

// --folds, --repeats, --deal, --groups, --metric, --cost.
struct FoldChoice {
  std::int64_t folds = 5, repeats = 1;
  Deal deal = Deal::Place;
  GroupOption groups;
  Metric metric;
  std::string cost;

  void add_options(OptionList& options);
  void check();  // reads --cost
  // `group` outlives the result.
  [[nodiscard]] FoldOptions plan(const Common& common, const std::vector<std::uint32_t>& group) const {
    return {folds, repeats, group, static_cast<std::uint64_t>(common.seed), deal};
  }
  [[nodiscard]] std::string words() const;  // "error, 5 folds"
};

// Reads DATA for training and folds: one class against the rest, groups, and no figures of all rows in the rows.
struct FoldData {
  Dataset data;
  std::vector<std::uint32_t> groups;
  double seconds = 0;
};
[[nodiscard]] FoldData read_for_folds(DataOptions& options, const GroupOption& groups, const Common& common,
                                      std::vector<std::string>& notes);

[[nodiscard]] Json ends_json(const Interval& interval);
[[nodiscard]] std::string ends_words(const Interval& interval);  // "0.02 to 0.05"

}  // namespace halfspace::cli
