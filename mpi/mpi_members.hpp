// SPDX-License-Identifier: BSD-3-Clause
// The members of a team as processes of MPI.
#pragma once

#include <deque>
#include <memory>

#include "halfspace/core/team.hpp"
#include "shared_pages.hpp"
#include "world.hpp"

namespace halfspace::mpi {

class MpiMembers final : public Members {
 public:
  // What is longer travels in pieces: MPI counts bytes of a message in an int. All members have the same number.
  explicit MpiMembers(World& world, std::size_t piece = std::size_t{1} << 29U)
      : world_(world), piece_(piece), pages_(SharedPages::of(world)) {}

  [[nodiscard]] std::size_t count() const override { return static_cast<std::size_t>(world_.count()); }
  [[nodiscard]] std::size_t number() const override { return static_cast<std::size_t>(world_.number()); }
  [[nodiscard]] std::vector<Bytes> gather(std::span<const std::byte> mine) override;
  void pass(std::span<const std::byte> state) override;
  [[nodiscard]] Bytes take() override;
  // The others cannot be reached.
  [[nodiscard]] bool broken() const { return broken_; }

 private:
  // MPI's answer to a call: throws where it failed.
  void check(int code, const char* call) {
    broken_ = broken_ || code != MPI_SUCCESS;
    mpi::check(code, call);
  }
  struct Sent {
    Bytes bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  void finish(MPI_Request request, const char* call);
  void gather_pieces(std::span<const std::byte> mine, std::vector<Bytes>& all);
  void send(std::span<const std::byte> bytes);
  void forget_sent();  // what has arrived

  World& world_;
  std::size_t piece_;
  std::unique_ptr<SharedPages> pages_;
  std::deque<Sent> sent_;
  bool broken_ = false;
};

}  // namespace halfspace::mpi
