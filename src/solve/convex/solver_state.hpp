// SPDX-License-Identifier: BSD-3-Clause
// The state of a solver as bytes, exact. A class says once what belongs to it:
//   template <class Archive> void state(Archive& a) { a(theta_, steps_); a.array(z_, n_); a.part(system_); }
// and that is written by StateWriter and read by StateReader, which believes nothing: a length that is not the one
// expected, or more bytes than there are, is an InputError.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "halfspace/core/error.hpp"
#include "halfspace/solve/checkpoint.hpp"

namespace halfspace {

class StateWriter {
 public:
  static constexpr bool reads = false;
  [[nodiscard]] Checkpoint::Bytes take() { return std::move(bytes_); }

  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  template <class Vector>
  void array(const Vector& values, std::size_t) {
    put(values);
  }
  template <class T>
  void part(T& value) {
    value.state(*this);
  }
  // An object that may not be there; `make` makes it when it is read.
  template <class T, class Make>
  void optional_part(std::unique_ptr<T>& value, const Make&) {
    put(value != nullptr);
    if (value != nullptr) value->state(*this);
  }

 private:
  void add(const void* data, std::size_t size) {
    const auto* const from = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), from, from + size);
  }
  template <class T>
  void put(const T& value) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      add(&value, sizeof value);
    } else {
      static_assert(std::is_trivially_copyable_v<typename T::value_type>);
      put(std::uint64_t{value.size()});
      add(value.data(), value.size() * sizeof(typename T::value_type));
    }
  }

  Checkpoint::Bytes bytes_;
};

class StateReader {
 public:
  static constexpr bool reads = true;
  StateReader(std::span<const std::byte> bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  template <class Vector>
  void array(Vector& values, std::size_t expected) {
    get(values);
    if (values.size() != expected) refuse("an array of another length");
  }
  template <class T>
  void part(T& value) {
    value.state(*this);
  }
  template <class T, class Make>
  void optional_part(std::unique_ptr<T>& value, const Make& make) {
    bool there = false;
    get(there);
    if (!there) {
      value.reset();
      return;
    }
    if (value == nullptr) value = make();
    value->state(*this);
  }
  void end() const {
    if (!bytes_.empty()) refuse("bytes behind the state");
  }
  [[noreturn]] void refuse(const char* what) const {
    throw InputError(Place{name_}, std::string("damaged checkpoint: ") + what, {}, "remove it to begin anew");
  }

 private:
  void take(void* to, std::size_t size) {
    if (size > bytes_.size()) refuse("a state that ends too early");
    if (size > 0) std::memcpy(to, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
  }
  template <class T>
  void get(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t byte = 0;
      take(&byte, 1);
      if (byte > 1) refuse("a truth that is neither yes nor no");
      value = byte != 0;
    } else if constexpr (std::is_trivially_copyable_v<T>) {
      take(&value, sizeof value);
    } else {
      using V = typename T::value_type;
      std::uint64_t count = 0;
      take(&count, sizeof count);
      if (count > bytes_.size() / sizeof(V)) refuse("an array that is longer than the file");
      value.resize(count);
      take(value.data(), count * sizeof(V));
    }
  }

  std::span<const std::byte> bytes_;
  std::string name_;
};

// Where a part of the work keeps what it has done; nothing where there is no checkpoint.
class Journal {
 public:
  Journal() = default;
  Journal(Checkpoint* checkpoint, std::string part) : checkpoint_(checkpoint), part_(std::move(part)) {}

  [[nodiscard]] bool on() const { return checkpoint_ != nullptr; }
  [[nodiscard]] Journal below(const std::string& name) const {
    return on() ? Journal(checkpoint_, part_ + "/" + name) : Journal();
  }
  // read(reader) when the part was done before; true then.
  template <class F>
  [[nodiscard]] bool done(const F& read) const {
    return on() && take(checkpoint_->result(part_), read);
  }
  // The same for a state that was left under way.
  template <class F>
  [[nodiscard]] bool resume(const F& read) const {
    return on() && take(checkpoint_->state(part_), read);
  }
  template <class F>
  void finish(const F& write) const {
    if (!on()) return;
    StateWriter writer;
    write(writer);
    checkpoint_->finish(part_, writer.take());
  }
  // At the beginning of a step.
  template <class F>
  void leave(const F& write) const {
    if (!on() || !checkpoint_->due()) return;
    StateWriter writer;
    write(writer);
    checkpoint_->leave(part_, writer.take());
  }

 private:
  template <class F>
  [[nodiscard]] bool take(const std::optional<Checkpoint::Bytes>& bytes, const F& read) const {
    if (!bytes) return false;
    StateReader reader(*bytes, checkpoint_->path());
    read(reader);
    reader.end();
    return true;
  }

  Checkpoint* checkpoint_ = nullptr;
  std::string part_;
};

}  // namespace halfspace
