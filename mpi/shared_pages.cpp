// SPDX-License-Identifier: BSD-3-Clause
#include "shared_pages.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

namespace halfspace::mpi {
namespace {

constexpr std::size_t piece_bytes = std::size_t{256} * 1024, state_bytes = std::size_t{64} * 1024;
constexpr std::size_t pieces = 2, states = 4;
constexpr std::uint64_t by_mpi = UINT64_MAX;

}  // namespace

// Written by its member alone, `taken` too: of what the member before passed.
struct SharedPages::Lane {
  alignas(64) std::atomic<std::uint64_t> told{0};
  std::uint64_t size[pieces] = {};  // of the whole message
  alignas(64) std::atomic<std::uint64_t> passed{0};
  std::uint64_t passed_size[states] = {};
  alignas(64) std::atomic<std::uint64_t> taken{0};
  alignas(64) std::byte piece[pieces][piece_bytes];
  alignas(64) std::byte state[states][state_bytes];
};

std::unique_ptr<SharedPages> SharedPages::of(World& world) {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  if (world.count() < 2) return nullptr;
  const char* const asked = std::getenv("HALFSPACE_SHARED_PAGES");
  const bool wanted = asked == nullptr || std::string_view(asked) != "0";
  MPI_Comm here = MPI_COMM_NULL;
  check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, world.number(), MPI_INFO_NULL, &here),
        "MPI_Comm_split_type");
  MPI_Comm_set_errhandler(here, MPI_ERRORS_RETURN);
  int near = 0;
  check(MPI_Comm_size(here, &near), "MPI_Comm_size");
  // All of them, or none: whoever has no pages says so.
  const auto all = [](bool yes) {
    int mine = yes ? 1 : 0, least = 0;
    check(MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), "MPI_Allreduce");
    return least == 1;
  };
  void* base = nullptr;
  std::vector<Lane*> lanes;
  MPI_Win window = MPI_WIN_NULL;
  if (all(near == world.count() && wanted)) {
    MPI_Info info = MPI_INFO_NULL;
    check(MPI_Info_create(&info), "MPI_Info_create");
    check(MPI_Info_set(info, "alloc_shared_noncontig", "true"), "MPI_Info_set");  // pages of its own for each
    const bool made =
        MPI_Win_allocate_shared(sizeof(Lane) + alignof(Lane), 1, info, here, &base, &window) == MPI_SUCCESS;
    MPI_Info_free(&info);
    if (all(made)) {
      for (int m = 0; m < near; ++m) {
        MPI_Aint size = 0;
        int unit = 0;
        check(MPI_Win_shared_query(window, m, &size, &unit, static_cast<void*>(&base)),
              "MPI_Win_shared_query");
        auto room = static_cast<std::size_t>(size);
        lanes.push_back(static_cast<Lane*>(std::align(alignof(Lane), sizeof(Lane), base, room)));
      }
      new (lanes[static_cast<std::size_t>(world.number())]) Lane;
      check(MPI_Barrier(here), "MPI_Barrier");
    }
  }
  MPI_Comm_free(&here);
  if (lanes.empty()) return nullptr;
  return std::unique_ptr<SharedPages>(new SharedPages(world, std::move(lanes)));
}

std::vector<SharedPages::Bytes> SharedPages::gather(std::span<const std::byte> mine,
                                                    const std::function<bool()>& sent) {
  const std::size_t count = lanes_.size();
  const auto me = static_cast<std::size_t>(world_.number());
  std::vector<Bytes> all(count);
  all[me].assign(mine.begin(), mine.end());
  std::size_t longest = mine.size();
  for (std::size_t from = 0; from == 0 || from < longest; from += piece_bytes) {
    const std::size_t place = ++round_ % pieces;
    Lane& lane = *lanes_[me];
    if (from < mine.size())
      std::memcpy(lane.piece[place], mine.data() + from, std::min(piece_bytes, mine.size() - from));
    lane.size[place] = mine.size();
    lane.told.store(round_, std::memory_order_release);
    for (std::size_t k = 1; k < count; ++k) {
      const std::size_t m = (me + k) % count;
      const Lane& other = *lanes_[m];
      const auto told = [&] { return other.told.load(std::memory_order_acquire) >= round_; };
      // A long message goes only while its sender calls MPI. The next member takes it before it tells the round, but one
      // that has failed tells the round and never takes it: so that the message is not all that is waited for.
      if (sent && from == 0 && k == 1) world_.wait([&] { return sent() || told(); });
      world_.wait_near(told);
      const auto size = static_cast<std::size_t>(other.size[place]);
      longest = std::max(longest, size);
      if (from >= size) continue;
      if (from == 0) all[m].reserve(size);
      const std::byte* const piece = other.piece[place];
      all[m].insert(all[m].end(), piece, piece + std::min(piece_bytes, size - from));
    }
  }
  return all;
}

bool SharedPages::pass(std::span<const std::byte> state) {
  Lane& lane = mine();
  const std::size_t place = passed_ % states;
  // Never waits in step: a member passes one or two states between two rounds.
  const Lane& next = *lanes_[static_cast<std::size_t>(world_.number()) + 1];
  world_.wait_near([&] { return next.taken.load(std::memory_order_acquire) + states > passed_; });
  const bool fits = state.size() <= state_bytes;
  lane.passed_size[place] = fits ? state.size() : by_mpi;
  if (fits && !state.empty()) std::memcpy(lane.state[place], state.data(), state.size());
  lane.passed.store(++passed_, std::memory_order_release);
  return fits;
}

bool SharedPages::take(Bytes& state) {
  const Lane& before = *lanes_[static_cast<std::size_t>(world_.number()) - 1];
  world_.wait_near([&] { return before.passed.load(std::memory_order_acquire) > taken_; });
  const std::size_t place = taken_ % states;
  const std::uint64_t size = before.passed_size[place];
  if (size != by_mpi) state.assign(before.state[place], before.state[place] + size);
  mine().taken.store(++taken_, std::memory_order_release);
  return size != by_mpi;
}

}  // namespace halfspace::mpi
