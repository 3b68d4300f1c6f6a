// SPDX-License-Identifier: BSD-3-Clause
// Pages that all processes of one machine map: what they give each other is laid out there once and read by the others,
// and a round is over when everybody has seen that everybody is there. No call of MPI is made for it.
//
// Pieces    a member has two places for pieces of what it gives, used in turn. It writes the one of round r + 2 after
//           everybody has said r + 1, and so has read what stood there. Longer messages take several rounds.
// States    what goes to the next member lies in a ring of a few places.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "halfspace/core/team.hpp"
#include "world.hpp"

namespace halfspace::mpi {

class SharedPages {
 public:
  using Bytes = Members::Bytes;
  // Null where the processes are on several machines, or MPI has no such pages. All processes call it, before the
  // pulse begins.
  [[nodiscard]] static std::unique_ptr<SharedPages> of(World& world);
  SharedPages(const SharedPages&) = delete;
  SharedPages& operator=(const SharedPages&) = delete;

  // sent(), called under the world's lock: nothing that MPI has for the next member is under way any more. None where
  // nothing was.
  [[nodiscard]] std::vector<Bytes> gather(std::span<const std::byte> mine, const std::function<bool()>& sent);
  // False: too long, the next member is told to take it from MPI.
  [[nodiscard]] bool pass(std::span<const std::byte> state);
  // False: it comes from MPI.
  [[nodiscard]] bool take(Bytes& state);

 private:
  struct Lane;
  SharedPages(World& world, std::vector<Lane*> lanes) : world_(world), lanes_(std::move(lanes)) {}
  [[nodiscard]] Lane& mine() const { return *lanes_[static_cast<std::size_t>(world_.number())]; }

  World& world_;
  std::vector<Lane*> lanes_;  // of all members; they stay until MPI ends
  std::uint64_t round_ = 0, passed_ = 0, taken_ = 0;
};

}  // namespace halfspace::mpi
