// SPDX-License-Identifier: BSD-3-Clause
// A team inside one process: every member is a thread of its own that runs the same program on its own rows, and
// reaches the others through memory that all of them see.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "halfspace/core/team.hpp"

namespace halfspace::testing {

class MeetingPlace {
 public:
  explicit MeetingPlace(std::size_t members) : given_(members), passed_(members + 1) {}
  [[nodiscard]] std::size_t count() const { return given_.size(); }

  std::vector<Members::Bytes> gather(std::size_t member, Members::Bytes mine) {
    std::unique_lock lock(guard_);
    given_[member] = std::move(mine);
    const std::size_t round = round_;
    if (++here_ == count()) {
      all_ = given_;
      here_ = 0;
      ++round_;
      news_.notify_all();
    } else {
      news_.wait(lock, [&] { return round_ != round; });
    }
    return all_;
  }
  void pass(std::size_t to, Members::Bytes state) {
    const std::lock_guard lock(guard_);
    passed_[to].push_back(std::move(state));
    news_.notify_all();
  }
  Members::Bytes take(std::size_t member) {
    std::unique_lock lock(guard_);
    news_.wait(lock, [&] { return !passed_[member].empty(); });
    Members::Bytes out = std::move(passed_[member].front());
    passed_[member].pop_front();
    return out;
  }

 private:
  std::mutex guard_;
  std::condition_variable news_;
  std::vector<Members::Bytes> given_, all_;
  std::vector<std::deque<Members::Bytes>> passed_;
  std::size_t here_ = 0, round_ = 0;
};

class ThreadMember final : public Members {
 public:
  ThreadMember(MeetingPlace& place, std::size_t number) : place_(place), number_(number) {}
  [[nodiscard]] std::size_t count() const override { return place_.count(); }
  [[nodiscard]] std::size_t number() const override { return number_; }
  [[nodiscard]] std::vector<Bytes> gather(std::span<const std::byte> mine) override {
    ++rounds;
    return place_.gather(number_, Bytes(mine.begin(), mine.end()));
  }
  void pass(std::span<const std::byte> state) override {
    place_.pass(number_ + 1, Bytes(state.begin(), state.end()));
  }
  [[nodiscard]] Bytes take() override { return place_.take(number_); }
  std::size_t rounds = 0;

 private:
  MeetingPlace& place_;
  std::size_t number_;
};

// run(members, number) by every member at once; what a member throws is thrown again, of the first of them.
inline void as_team(std::size_t members, const std::function<void(Members&, std::size_t)>& run) {
  MeetingPlace place(members);
  std::vector<std::exception_ptr> failure(members);
  std::vector<std::thread> threads;
  for (std::size_t m = 0; m < members; ++m) {
    threads.emplace_back([&, m] {
      ThreadMember member(place, m);
      try {
        run(member, m);
      } catch (...) {
        failure[m] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& one : failure)
    if (one) std::rethrow_exception(one);
}

// Where the rows of each member end: some partitions of n rows, evenly, unevenly, with members that have none.
inline std::vector<std::vector<std::size_t>> partitions(std::size_t n) {
  return {{n / 2, n},
          {n / 7, n / 7, n},
          {n / 5, 2 * n / 5, 3 * n / 5, 4 * n / 5, n},
          {0, n / 9, n / 2, n / 2 + n / 20, n}};
}

}  // namespace halfspace::testing
