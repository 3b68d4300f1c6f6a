// SPDX-License-Identifier: BSD-3-Clause
// Members that count what goes between them.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>

#include "halfspace/core/team.hpp"

namespace halfspace {

// Of one member.
struct Traffic {
  std::uint64_t rounds = 0;    // calls of gather
  std::uint64_t given = 0;     // bytes to gather
  std::uint64_t received = 0;  // bytes from gather, its own included
  std::uint64_t passed = 0;    // bytes to the next member
  double seconds = 0;          // in gather and take: waiting for others, and for the network
  std::map<std::uint64_t, std::uint64_t> sizes;  // bytes that a round brought -> such rounds

  [[nodiscard]] Traffic since(const Traffic& before) const {
    Traffic out{rounds - before.rounds, given - before.given,     received - before.received,
                passed - before.passed, seconds - before.seconds, {}};
    for (const auto& [size, count] : sizes) {
      const auto known = before.sizes.find(size);
      const std::uint64_t more = count - (known == before.sizes.end() ? 0 : known->second);
      if (more > 0) out.sizes[size] = more;
    }
    return out;
  }
};

class CountedMembers final : public Members {
 public:
  explicit CountedMembers(Members& inner) : inner_(inner) {}
  [[nodiscard]] std::size_t count() const override { return inner_.count(); }
  [[nodiscard]] std::size_t number() const override { return inner_.number(); }
  [[nodiscard]] std::vector<Bytes> gather(std::span<const std::byte> mine) override {
    const Clock clock(traffic_.seconds);
    ++traffic_.rounds;
    traffic_.given += mine.size();
    std::vector<Bytes> all = inner_.gather(mine);
    std::uint64_t size = 0;
    for (const Bytes& one : all) size += one.size();
    traffic_.received += size;
    ++traffic_.sizes[size];
    return all;
  }
  void pass(std::span<const std::byte> state) override {
    traffic_.passed += state.size();
    inner_.pass(state);
  }
  [[nodiscard]] Bytes take() override {
    const Clock clock(traffic_.seconds);
    return inner_.take();
  }
  [[nodiscard]] const Traffic& traffic() const { return traffic_; }

 private:
  class Clock {
   public:
    explicit Clock(double& seconds) : seconds_(seconds), start_(std::chrono::steady_clock::now()) {}
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;
    ~Clock() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

   private:
    double& seconds_;
    std::chrono::steady_clock::time_point start_;
  };

  Members& inner_;
  Traffic traffic_;
};

}  // namespace halfspace
