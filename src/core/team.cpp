// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/core/team.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

// What stands before the bytes of every gathered message.
enum class Word : std::uint8_t { Fine, Time, Cancelled, Failed };

Word word_of(StopCause cause) {
  return cause == StopCause::None ? Word::Fine : cause == StopCause::Time ? Word::Time : Word::Cancelled;
}

// The word for a failure; `text` says what it was.
Word word_of(const std::exception_ptr& failure, std::string& text) {
  try {
    std::rethrow_exception(failure);
  } catch (const Stopped& stopped) {
    return word_of(stopped.cause());
  } catch (const std::exception& error) {
    text = error.what();
  } catch (...) {
    text = "an unknown error";
  }
  return Word::Failed;
}

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}
template <class T>
T value_of(const Members::Bytes& bytes) {
  T out;
  std::memcpy(&out, bytes.data(), sizeof out);
  return out;
}

// f(), with what it throws kept for later: a member that fails must still say so to the others.
template <class F>
void guarded(std::exception_ptr& failure, const F& f) {
  if (failure) return;
  try {
    f();
  } catch (...) {
    failure = std::current_exception();
  }
}

}  // namespace

std::vector<Members::Bytes> Team::gather(std::span<const std::byte> mine,
                                         const std::exception_ptr& failure) const {
  std::string text;
  const Word word = failure ? word_of(failure, text) : word_of(stop_.cause());
  Members::Bytes message{static_cast<std::byte>(word)};
  if (failure) mine = std::as_bytes(std::span(text));
  message.insert(message.end(), mine.begin(), mine.end());
  std::vector<Members::Bytes> all = members_->gather(message);
  for (std::size_t m = 0; m < all.size(); ++m) {
    const auto said = static_cast<Word>(all[m].front());
    all[m].erase(all[m].begin());
    if (said == Word::Fine) continue;
    if (said == Word::Time) throw Stopped(StopCause::Time);
    if (said == Word::Cancelled) throw Stopped(StopCause::Cancelled);
    if (m == members_->number()) std::rethrow_exception(failure);
    throw SystemError("member " + std::to_string(m) + " of the team failed: " +
                      std::string(reinterpret_cast<const char*>(all[m].data()), all[m].size()));
  }
  return all;
}

Stretch Team::stretch(std::size_t mine) const {
  if (alone()) return {0, mine, mine};
  Stretch out{0, mine, 0};
  const auto all = gather(bytes_of(mine));
  for (std::size_t m = 0; m < all.size(); ++m) {
    const auto size = value_of<std::size_t>(all[m]);
    if (m < members_->number()) out.first += size;
    out.total += size;
  }
  return out;
}

std::uint64_t Team::total(std::uint64_t mine) const {
  if (alone()) return mine;
  std::uint64_t sum = 0;
  for (const auto& one : gather(bytes_of(mine))) sum += value_of<std::uint64_t>(one);
  return sum;
}

double Team::most(double mine) const {
  if (alone()) return mine;
  for (const auto& one : gather(bytes_of(mine))) mine = std::max(mine, value_of<double>(one));
  return mine;
}

StopCause Team::agree(StopCause mine) const {
  if (alone()) return mine;
  // Not by gather(), which would throw: who asks has an answer ready.
  for (const auto& one : members_->gather(bytes_of(mine))) {
    const auto cause = value_of<StopCause>(one);
    if (cause != StopCause::None) return cause;
  }
  return StopCause::None;
}

std::vector<double> Team::join(std::vector<double> mine) const {
  if (alone()) return mine;
  std::vector<double> out;
  for (const auto& one : gather(std::as_bytes(std::span(mine)))) {
    const std::size_t before = out.size();
    out.resize(before + one.size() / sizeof(double));
    if (!one.empty()) std::memcpy(out.data() + before, one.data(), one.size());
  }
  return out;
}

void Team::in_turn(std::span<std::byte> state, const std::function<void()>& work) const {
  if (alone()) return work();
  std::exception_ptr failure;
  const bool last = members_->number() + 1 == members_->count();
  if (members_->number() > 0) {
    const Members::Bytes from = members_->take();
    std::memcpy(state.data(), from.data(), state.size());
  }
  guarded(failure, work);
  if (!last) members_->pass(state);
  const auto all = gather(last ? std::span<const std::byte>(state) : std::span<const std::byte>(), failure);
  std::memcpy(state.data(), all.back().data(), state.size());
}

void Team::blocks(const Stretch& list, std::size_t length, std::size_t bytes,
                  const std::function<std::byte*(std::size_t)>& state_of,
                  const std::function<void(std::size_t, std::size_t, std::byte*)>& work) const {
  const std::size_t first = list.first, end = list.first + list.size;
  const auto run = [&](std::size_t block) {
    work(std::max(first, block * length) - first, std::min(end, (block + 1) * length) - first,
         state_of(block));
  };
  if (alone()) {
    threads_.run((list.total + length - 1) / length, run);
    return;
  }
  if (list.total == 0) return;
  // A block that stands open between two members goes from one to the other.
  const bool open_before = first % length != 0 && first < list.total;
  const bool open_after = end % length != 0 && end < list.total;
  const std::size_t head = first / length, tail = end / length;
  const std::size_t begun = open_before ? head + 1 : head;  // the first block that begins here
  const std::size_t after = list.size == 0 ? head : (end - 1) / length + 1;  // the first of the next member
  std::exception_ptr failure;
  if (begun < after)
    guarded(failure, [&] { threads_.run(after - begun, [&](std::size_t t) { run(begun + t); }); });
  const auto pass = [&] { members_->pass({state_of(tail), bytes}); };
  if (open_after && !(open_before && tail == head)) pass();
  if (open_before) {
    const Members::Bytes state = members_->take();
    std::memcpy(state_of(head), state.data(), bytes);
    if (list.size > 0) guarded(failure, [&] { run(head); });
    if (open_after && tail == head) pass();
  }
  // Every block comes from the member with its last place.
  Members::Bytes ended;
  if (list.size > 0) {
    for (std::size_t block = head; block < (open_after ? tail : after); ++block) {
      const std::byte* const state = state_of(block);
      ended.insert(ended.end(), state, state + bytes);
    }
  }
  std::size_t block = 0;
  for (const Members::Bytes& states : gather(ended, failure))
    for (std::size_t at = 0; at < states.size(); at += bytes, ++block)
      std::memcpy(state_of(block), states.data() + at, bytes);
}

}  // namespace halfspace
