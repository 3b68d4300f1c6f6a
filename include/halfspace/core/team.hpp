// SPDX-License-Identifier: BSD-3-Clause
// Who adds up sums over rows: the threads of this process, and perhaps other members (processes, or threads that
// play them) that hold other rows of the same data. Every member runs the same program on its own rows, which are a
// stretch of all rows in order; numbers for a row stay with its member, sums over rows come back the same on all.
//
// Same bits    a list of rows is cut into blocks by places in the whole list, never by who holds them. A block that
//              two members share is begun by the first and continued by the second: the additions, and their order,
//              are those of a member that has all rows. So any partition gives the same bits.
// Stops        where there are several members, threads do not stop by themselves: every sum asks all members, and
//              one that was cancelled or is out of time stops all of them at the same sum.
// Failures     what one member throws, all of them throw, at the next call that they share; the team is over then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <vector>

#include "halfspace/core/parallel.hpp"

namespace halfspace {

// How the members of a team reach each other. All members make the same calls in the same order.
class Members {
 public:
  using Bytes = std::vector<std::byte>;
  virtual ~Members() = default;
  Members() = default;
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  [[nodiscard]] virtual std::size_t count() const = 0;
  [[nodiscard]] virtual std::size_t number() const = 0;  // of this one, from 0: the order of the rows
  // What every member gave, by number.
  [[nodiscard]] virtual std::vector<Bytes> gather(std::span<const std::byte> mine) = 0;
  // To the next member, without waiting for it, and from the one before, waiting.
  virtual void pass(std::span<const std::byte> state) = 0;
  [[nodiscard]] virtual Bytes take() = 0;

 private:
  friend class Team;
  bool over_ = false;  // a member has failed, and all of them know
};

// What one member has of a list: `size` places from `first` on, of `total`.
struct Stretch {
  std::size_t first = 0, size = 0, total = 0;
  // The first place of this member at which `stride` divides the number of the place.
  [[nodiscard]] std::size_t first_of(std::size_t stride) const { return (stride - first % stride) % stride; }
};

class Team {
 public:
  Team(const Threads& threads) : threads_(threads), stop_(threads.stop()) {}  // alone
  Team(const Threads& threads, Members& members)
      : threads_(threads.count()), stop_(threads.stop()), members_(&members) {}

  [[nodiscard]] bool alone() const { return members_ == nullptr; }
  [[nodiscard]] std::size_t count() const { return alone() ? 1 : members_->count(); }
  [[nodiscard]] std::size_t number() const { return alone() ? 0 : members_->number(); }
  // Whether it is this member that speaks for all.
  [[nodiscard]] bool first() const { return alone() || members_->number() == 0; }
  [[nodiscard]] const Threads& threads() const { return threads_; }  // for work on this member's rows
  // The same members with another word on when to stop.
  [[nodiscard]] Team until(const StopHandle& stop) const {
    const Threads threads = threads_.until(stop);
    return alone() ? Team(threads) : Team(threads, *members_);
  }

  // Where the `mine` entries of this member stand in the list of all.
  [[nodiscard]] Stretch stretch(std::size_t mine) const;
  [[nodiscard]] std::uint64_t total(std::uint64_t mine) const;
  [[nodiscard]] double most(double mine) const;
  // The cause of the first member that has one.
  [[nodiscard]] StopCause agree(StopCause mine) const;
  // The numbers of all members one after the other.
  [[nodiscard]] std::vector<double> join(std::vector<double> mine) const;
  // True where it is true for any member.
  [[nodiscard]] bool any(bool mine) const { return total(mine ? 1 : 0) > 0; }
  // The bytes of all members, by number; throws what any member has thrown (`failure`), and Stopped if one is to stop.
  [[nodiscard]] std::vector<Members::Bytes> gather(std::span<const std::byte> mine,
                                                   const std::exception_ptr& failure = nullptr) const;

  // For a member that goes no further because of what it has caught outside of a sum: the others throw it too, where they
  // wait. Nothing where they know already.
  void abandon(const std::exception_ptr& failure) const;

  // One number after the other, through all members in order: work() continues from `state`, which is the same on all
  // members before and after.
  void in_turn(std::span<std::byte> state, const std::function<void()>& work) const;

  // The list in blocks of `length` places, each with a state of `bytes` bytes at state_of(block), where it has its
  // first value. work(begin, end, state) continues the state with the places [begin, end) of this member, counted
  // from its own first one. In the end all members have the states of all blocks. Both may be called by any thread,
  // for different blocks at once.
  void blocks(const Stretch& list, std::size_t length, std::size_t bytes,
              const std::function<std::byte*(std::size_t)>& state_of,
              const std::function<void(std::size_t, std::size_t, std::byte*)>& work) const;

 private:
  [[nodiscard]] std::vector<Members::Bytes> exchange(std::span<const std::byte> message) const;
  [[nodiscard]] Members::Bytes take(std::size_t bytes, std::exception_ptr& failure) const;
  void pass(std::span<const std::byte> state, const std::exception_ptr& failure) const;

  Threads threads_;
  StopHandle stop_;
  Members* members_ = nullptr;
};

}  // namespace halfspace
