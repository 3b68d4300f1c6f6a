// SPDX-License-Identifier: BSD-3-Clause
// A round is one collective operation where everybody has little to say, which most have; the others take one more for
// every piece. All operations are begun and then asked about, so that nobody is deaf while it waits. On one machine all
// this goes through pages that the processes share, but for states that are too long for them.
#include "mpi_members.hpp"

#include <algorithm>
#include <cstring>

namespace halfspace::mpi {
namespace {

constexpr int state_tag = 2;

// What a member says first: how much it has, and as much of it as fits.
struct Frame {
  static constexpr std::size_t room = 248;
  std::uint64_t size = 0;
  std::byte head[room] = {};
};

}  // namespace

void MpiMembers::finish(MPI_Request request, const char* call) {
  world_.wait([&] {
    int done = 0;
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), call);
    return done != 0;
  });
}

std::vector<Members::Bytes> MpiMembers::gather(std::span<const std::byte> mine) {
  if (pages_) {
    if (sent_.empty()) return pages_->gather(mine, {});
    return pages_->gather(mine, [this] {
      forget_sent();
      return sent_.empty();
    });
  }
  Frame frame{.size = mine.size()};
  if (mine.size() <= Frame::room && !mine.empty()) std::memcpy(frame.head, mine.data(), mine.size());
  std::vector<Frame> frames(count());
  MPI_Request request = MPI_REQUEST_NULL;
  {
    const std::lock_guard lock(world_.lock());
    forget_sent();
    check(MPI_Iallgather(&frame, sizeof frame, MPI_BYTE, frames.data(), sizeof frame, MPI_BYTE, world_.sums(),
                         &request),
          "MPI_Iallgather");
  }
  finish(request, "MPI_Iallgather");
  std::vector<Bytes> all(count());
  bool long_ones = false;
  for (std::size_t m = 0; m < all.size(); ++m) {
    all[m].resize(frames[m].size);
    if (frames[m].size > Frame::room) {
      long_ones = true;
    } else if (frames[m].size > 0) {
      std::memcpy(all[m].data(), frames[m].head, frames[m].size);
    }
  }
  if (long_ones) gather_pieces(mine, all);
  return all;
}

// Those with more than a frame give it in pieces, so that a round moves no more than piece_ bytes in all.
void MpiMembers::gather_pieces(std::span<const std::byte> mine, std::vector<Bytes>& all) {
  const std::size_t each = std::max<std::size_t>(1, piece_ / count());
  std::size_t longest = 0;
  for (const Bytes& one : all) longest = std::max(longest, one.size());
  std::vector<int> sizes(count()), places(count());
  Bytes room;
  for (std::size_t from = 0; from < longest; from += each) {
    std::size_t sum = 0;
    for (std::size_t m = 0; m < all.size(); ++m) {
      const bool has = all[m].size() > Frame::room && all[m].size() > from;
      sizes[m] = has ? static_cast<int>(std::min(each, all[m].size() - from)) : 0;
      places[m] = static_cast<int>(sum);
      sum += static_cast<std::size_t>(sizes[m]);
    }
    room.resize(std::max<std::size_t>(1, sum));
    MPI_Request request = MPI_REQUEST_NULL;
    {
      const std::lock_guard lock(world_.lock());
      const int size = sizes[number()];
      check(MPI_Iallgatherv(size > 0 ? mine.data() + from : mine.data(), size, MPI_BYTE, room.data(),
                            sizes.data(), places.data(), MPI_BYTE, world_.sums(), &request),
            "MPI_Iallgatherv");
    }
    finish(request, "MPI_Iallgatherv");
    for (std::size_t m = 0; m < all.size(); ++m)
      if (sizes[m] > 0)
        std::memcpy(all[m].data() + from, room.data() + places[m], static_cast<std::size_t>(sizes[m]));
  }
}

void MpiMembers::forget_sent() {
  while (!sent_.empty()) {
    int done = 0;
    check(MPI_Test(&sent_.front().request, &done, MPI_STATUS_IGNORE), "MPI_Isend");
    if (done == 0) break;
    sent_.pop_front();
  }
}

void MpiMembers::send(std::span<const std::byte> bytes) {
  const std::lock_guard lock(world_.lock());
  forget_sent();
  Sent& sent = sent_.emplace_back();
  sent.bytes.assign(bytes.begin(), bytes.end());
  check(MPI_Isend(sent.bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, world_.number() + 1, state_tag,
                  world_.sums(), &sent.request),
        "MPI_Isend");
}

// A message of a whole piece is followed by another one.
void MpiMembers::pass(std::span<const std::byte> state) {
  if (pages_ && pages_->pass(state)) return;
  for (; state.size() >= piece_; state = state.subspan(piece_)) send(state.first(piece_));
  send(state);
}

Members::Bytes MpiMembers::take() {
  Bytes out;
  if (pages_ && pages_->take(out)) return out;
  for (std::size_t got = piece_; got == piece_;) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    world_.wait([&] {
      int here = 0;
      check(MPI_Improbe(world_.number() - 1, state_tag, world_.sums(), &here, &message, &status),
            "MPI_Improbe");
      return here != 0;
    });
    MPI_Request request = MPI_REQUEST_NULL;
    {
      const std::lock_guard lock(world_.lock());
      int size = 0;
      check(MPI_Get_count(&status, MPI_BYTE, &size), "MPI_Get_count");
      got = static_cast<std::size_t>(size);
      out.resize(out.size() + got);
      check(MPI_Imrecv(out.data() + out.size() - got, size, MPI_BYTE, &message, &request), "MPI_Imrecv");
    }
    finish(request, "MPI_Imrecv");
  }
  return out;
}

}  // namespace halfspace::mpi
