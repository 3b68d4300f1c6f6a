// SPDX-License-Identifier: BSD-3-Clause
// Rows that are not to stay in memory: arrays in files without a name, mapped, whose pages go back to the system before
// the process is larger than it may be. Nobody else can open such a file, so that what was checked once stays as it is,
// and nothing is left of it however the process ends.
//
// Pages      what is written lies in the file cache of the system, which keeps as much of it as there is room for, and on
//            the disk. A page that went back is mapped again when it is next read: a fault, not a copy.
// Keeper     a thread of its own looks at the size of the process every millisecond. It may have to wait for a processor, so
//            those that work look too, between two tasks and whenever they have read a megabyte (core/relief.hpp). Above the mark all pages of all files are
//            unmapped. Pages that somebody is reading just then come back with his next access.
// Disk       room is taken before anything is written: a full disk is a SystemError, never a signal.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace halfspace {

class SpillFile;

class Spill {
 public:
  // `memory`: the most bytes that this process is to have resident, those of files included. Throws SystemError when
  // nothing can be written to the folder.
  Spill(std::string folder, std::uint64_t memory);
  ~Spill();
  Spill(const Spill&) = delete;
  Spill& operator=(const Spill&) = delete;

  [[nodiscard]] std::uint64_t memory() const { return memory_; }
  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] std::uint64_t free_bytes() const;  // of the disk
  // Throws SystemError when the disk has no room for so many bytes.
  void check_room(std::uint64_t bytes) const;

  // What is resident now, in bytes; 0 where the system does not say.
  struct Resident {
    std::uint64_t all = 0, files = 0;
  };
  [[nodiscard]] static Resident resident();
  // So much of the rows may be resident before their pages are given back.
  [[nodiscard]] static std::uint64_t mapped_share(std::uint64_t memory);

 private:
  friend class SpillFile;
  struct All;
  [[nodiscard]] int open_file() const;
  void add(const SpillFile* file);
  void remove(const SpillFile* file);
  void keep();
  void look();  // gives pages back where there are too many

  std::string folder_;
  std::uint64_t memory_;
  std::uint64_t others_;  // of files that are not rows: the program
  std::mutex guard_;
  std::condition_variable wake_;
  bool over_ = false;
  std::vector<const SpillFile*> files_;
  std::thread keeper_;
};

// An array in a file. What has not been asked for with ensure() must not be touched.
class SpillFile {
 public:
  SpillFile(std::shared_ptr<Spill> spill, std::uint64_t most_bytes);
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  [[nodiscard]] void* get() const { return at_; }
  void ensure(std::uint64_t bytes);                         // room for the first so many bytes
  void shrink(std::uint64_t bytes);                         // the bytes behind go back to the disk
  void drop(std::uint64_t begin, std::uint64_t end) const;  // whole pages that will not be read again
  void give_back() const;                                   // all pages; their bytes stay

 private:
  [[noreturn]] void no_room(std::uint64_t bytes, int reason) const;

  std::shared_ptr<Spill> spill_;
  int descriptor_ = -1;
  void* at_ = nullptr;
  std::uint64_t mapped_ = 0;
  std::atomic<std::uint64_t> there_{0};  // the keeper asks
};

}  // namespace halfspace
