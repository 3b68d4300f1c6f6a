// SPDX-License-Identifier: BSD-3-Clause
// What a long training has done, in a file from which the same training goes on after whatever ended it, with the bits that
// it would have had.
//
// Parts   training is a tree of parts, each with a name: classes against the rest, attempts, levels. A part that is done
//         leaves its result in place of all that was below it; one under way leaves the state of its solver at the
//         beginning of a step, as exact doubles. Going on means to begin again and to find results where they were made.
// File    written by another name, synced and renamed (write_file), so that a kill at any moment leaves the one before.
//         A fingerprint over all of it comes last: damage is found before anything is believed.
// Whose   the file says what is trained on what: another data set, other options, another version are refused by name.
//         Threads do not matter.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halfspace/core/bytes.hpp"
#include "halfspace/model/model.hpp"

namespace halfspace {

class Checkpoint {
 public:
  using Bytes = std::vector<std::byte>;

  // The folder is made if it is not there. A state is written when the last one is `every` seconds old.
  Checkpoint(const std::string& folder, double every);

  // What is trained, in words. Reads what an earlier run has left: UsageError where that was another training, InputError
  // with its place where the file is damaged.
  void begin(Facts what);
  [[nodiscard]] bool resumed() const { return resumed_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  // The model is safe: the file goes.
  void remove();

  // The solvers' part, from any thread. The result of a part that is done, or the state of one that is not.
  [[nodiscard]] std::optional<Bytes> result(const std::string& part) const;
  [[nodiscard]] std::optional<Bytes> state(const std::string& part) const;
  void finish(const std::string& part, Bytes result);
  // Whether `part` should leave its state now; then leave() writes the file.
  [[nodiscard]] bool due() const;
  void leave(const std::string& part, Bytes state);

  // The file as bytes and back; throws InputError.
  [[nodiscard]] std::string print() const;
  void parse(std::string_view bytes, const std::string& name);

 private:
  struct Part {
    bool done = false;
    Bytes bytes;
  };
  void refuse_other(const Facts& there) const;
  [[nodiscard]] std::optional<Bytes> find(const std::string& part, bool done) const;

  std::string path_;
  double every_;
  Facts what_;
  bool resumed_ = false;
  mutable std::mutex guard_;
  std::mutex writing_;  // one at a time: what is written last is what was left last
  std::map<std::string, Part> parts_;
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
};

}  // namespace halfspace
