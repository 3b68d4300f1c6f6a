// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/core/team.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

// What stands behind the bytes of every gathered message: that all is well, why to stop, or a failure by its kind.
enum class Word : std::uint8_t { Fine, Time, Cancelled, Input, Usage, System, Failed };

Word word_of(StopCause cause) {
  return cause == StopCause::None ? Word::Fine : cause == StopCause::Time ? Word::Time : Word::Cancelled;
}

// A failure as the other members are told: words, each with its length before it, and where it was found.
class FailureText {
 public:
  void add(const std::string& text) {
    add_number(text.size());
    const auto bytes = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void add_number(std::uint64_t number) {
    const auto bytes = std::as_bytes(std::span(&number, 1));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  [[nodiscard]] const Members::Bytes& bytes() const { return bytes_; }

 private:
  Members::Bytes bytes_;
};
class FailureReader {
 public:
  explicit FailureReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::uint64_t number() {
    std::uint64_t out = 0;
    const std::size_t size = std::min(sizeof out, bytes_.size());
    std::memcpy(&out, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
    return out;
  }
  std::string text() {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(number(), bytes_.size()));
    std::string out(reinterpret_cast<const char*>(bytes_.data()), size);
    bytes_ = bytes_.subspan(size);
    return out;
  }

 private:
  std::span<const std::byte> bytes_;
};

// The word for a failure; `text` says what it was.
Word word_of(const std::exception_ptr& failure, FailureText& text) {
  try {
    std::rethrow_exception(failure);
  } catch (const Stopped& stopped) {
    return word_of(stopped.cause());
  } catch (const InputError& error) {
    text.add(error.said().message);
    text.add(error.said().hint);
    text.add(error.place().file);
    text.add_number(error.place().line);
    text.add_number(error.place().column);
    text.add_number(error.place().byte ? 1 : 0);
    text.add_number(error.place().byte.value_or(0));
    return Word::Input;
  } catch (const UsageError& error) {
    text.add(error.said().message);
    text.add(error.said().hint);
    return Word::Usage;
  } catch (const SystemError& error) {
    text.add(error.message());
    text.add(error.file());
    return Word::System;
  } catch (const std::bad_alloc&) {
    text.add("not enough memory");
  } catch (const std::exception& error) {
    text.add(error.what());
  } catch (...) {
    text.add("an unknown error");
  }
  return Word::Failed;
}

// What member `m` has thrown, thrown again.
[[noreturn]] void throw_again(Word word, std::size_t m, std::span<const std::byte> said) {
  FailureReader read(said);
  const std::string message = read.text(), second = read.text();
  if (word == Word::Usage) throw UsageError(message, second);
  if (word == Word::Input) {
    Place place{.file = read.text(), .line = read.number(), .column = read.number()};
    const bool has_byte = read.number() != 0;
    if (has_byte) place.byte = read.number();
    throw InputError(std::move(place), message, {}, second);
  }
  throw SystemError("member " + std::to_string(m) + " of the team failed: " + message, second);
}

Members::Bytes with_word(std::span<const std::byte> bytes, Word word) {
  Members::Bytes out;
  out.reserve(bytes.size() + 1);
  out.insert(out.end(), bytes.begin(), bytes.end());
  out.push_back(static_cast<std::byte>(word));
  return out;
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

// The raw call; whatever goes wrong in it, the members have no common ground any more.
std::vector<Members::Bytes> Team::exchange(std::span<const std::byte> message) const {
  try {
    std::vector<Members::Bytes> all = members_->gather(message);
    if (all.size() != members_->count() ||
        std::any_of(all.begin(), all.end(), [](const Members::Bytes& one) { return one.empty(); }))
      throw SystemError("the members of the team do not speak the same language");
    return all;
  } catch (...) {
    members_->over_ = true;
    throw;
  }
}

std::vector<Members::Bytes> Team::gather(std::span<const std::byte> mine,
                                         const std::exception_ptr& failure) const {
  FailureText text;
  const Word word = failure ? word_of(failure, text) : word_of(stop_.cause());
  if (failure) mine = text.bytes();
  std::vector<Members::Bytes> all = exchange(with_word(mine, word));
  for (std::size_t m = 0; m < all.size(); ++m) {
    const auto said = static_cast<Word>(all[m].back());
    all[m].pop_back();
    if (said == Word::Fine) continue;
    if (said == Word::Time) throw Stopped(StopCause::Time);
    if (said == Word::Cancelled) throw Stopped(StopCause::Cancelled);
    members_->over_ = true;
    if (m == members_->number() && failure) std::rethrow_exception(failure);
    throw_again(said, m, all[m]);
  }
  return all;
}

void Team::abandon(const std::exception_ptr& failure) const {
  if (alone() || members_->over_) return;
  FailureText text;
  const Word word = word_of(failure, text);
  const Members::Bytes message = with_word(text.bytes(), word);
  try {
    pass({}, failure);
    static_cast<void>(exchange(message));
  } catch (...) {  // those that cannot be told find out by themselves
  }
  members_->over_ = true;
}

// An empty state says that the member before has failed.
Members::Bytes Team::take(std::size_t bytes, std::exception_ptr& failure) const {
  Members::Bytes state;
  try {
    state = members_->take();
  } catch (...) {
    members_->over_ = true;
    throw;
  }
  if (state.size() != bytes && !failure)
    failure = std::make_exception_ptr(SystemError(state.empty() ? "the member before has failed"
                                                                : "the members of the team are out of step"));
  state.resize(bytes);
  return state;
}

void Team::pass(std::span<const std::byte> state, const std::exception_ptr& failure) const {
  if (members_->number() + 1 == members_->count()) return;
  try {
    members_->pass(failure ? std::span<const std::byte>() : state);
  } catch (...) {
    members_->over_ = true;
    throw;
  }
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
  const Word word = word_of(mine);
  const auto all = exchange(bytes_of(word));
  for (std::size_t m = 0; m < all.size(); ++m) {
    const auto said = static_cast<Word>(all[m].back());
    if (said == Word::Fine) continue;
    if (said == Word::Time) return StopCause::Time;
    if (said == Word::Cancelled) return StopCause::Cancelled;
    members_->over_ = true;
    throw_again(said, m, std::span(all[m]).first(all[m].size() - 1));
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
    const Members::Bytes from = take(state.size(), failure);
    std::memcpy(state.data(), from.data(), state.size());
  }
  guarded(failure, work);
  pass(state, failure);
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
  const auto pass_tail = [&] { pass({state_of(tail), bytes}, failure); };
  if (open_after && !(open_before && tail == head)) pass_tail();
  if (open_before) {
    const Members::Bytes state = take(bytes, failure);
    std::memcpy(state_of(head), state.data(), bytes);
    if (list.size > 0) guarded(failure, [&] { run(head); });
    if (open_after && tail == head) pass_tail();
  }
  // Every block comes from the member with its last place.
  Members::Bytes ended;
  if (list.size > 0) {
    const std::size_t behind = open_after ? tail : after;
    ended.reserve(behind > head ? (behind - head) * bytes : 0);
    for (std::size_t block = head; block < behind; ++block) {
      const std::byte* const state = state_of(block);
      ended.insert(ended.end(), state, state + bytes);
    }
  }
  std::size_t block = 0;
  const std::vector<Members::Bytes> all = gather(ended, failure);
  for (std::size_t m = 0; m < all.size(); ++m)
    for (std::size_t at = 0; at < all[m].size(); at += bytes, ++block)
      if (m != members_->number()) std::memcpy(state_of(block), all[m].data() + at, bytes);
}

}  // namespace halfspace
