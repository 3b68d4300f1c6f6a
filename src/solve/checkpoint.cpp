// SPDX-License-Identifier: BSD-3-Clause
// The file: magic, version, number of bytes, what is trained, the parts, a fingerprint of all that. Numbers of 64 bits,
// little-endian; texts and bytes with their length before them.
#include "halfspace/solve/checkpoint.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

constexpr std::string_view magic = "HALFCKPT";
constexpr std::uint64_t format_version = 1;
constexpr std::size_t head_bytes = 8 + 2 * sizeof(std::uint64_t), print_bytes = 32;

std::string fingerprint_of(std::string_view bytes) {
  Fingerprint hash;
  hash.add(std::as_bytes(std::span(bytes)));
  return hash.hex();
}

void put(std::string& to, std::uint64_t number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}
void put(std::string& to, std::string_view text) {
  put(to, text.size());
  to.append(text);
}

// Reads what it is given and nothing behind it.
class Cursor {
 public:
  Cursor(std::string_view bytes, std::size_t at, const std::string& name)
      : bytes_(bytes), at_(at), name_(name) {}

  std::uint64_t number() {
    std::uint64_t out = 0;
    if (bytes_.size() - at_ < sizeof out) refuse("ends too early");
    std::memcpy(&out, bytes_.data() + at_, sizeof out);
    at_ += sizeof out;
    return out;
  }
  std::string_view text() {
    const std::uint64_t size = number();
    if (bytes_.size() - at_ < size) refuse("a length beyond the end");
    const std::string_view out = bytes_.substr(at_, size);
    at_ += size;
    return out;
  }
  [[noreturn]] void refuse(std::string_view what) const {
    throw InputError(Place{.file = name_, .byte = at_}, fmt::format("damaged checkpoint: {}", what));
  }
  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }

 private:
  std::string_view bytes_;
  std::size_t at_;
  const std::string& name_;
};

[[noreturn]] void refuse(const std::string& name, std::uint64_t byte, const std::string& what,
                         const std::string& expected = {}) {
  throw InputError(Place{.file = name, .byte = byte}, what, expected, "remove it to begin anew");
}

// Whole, of this version, and as it was written: what is left are the bytes between the head and the fingerprint.
std::string_view checked(std::string_view bytes, const std::string& name) {
  if (bytes.substr(0, magic.size()) != magic.substr(0, bytes.size()) || bytes.empty())
    refuse(name, 0, "not a checkpoint of halfspace");
  if (bytes.size() < head_bytes + print_bytes)
    refuse(name, bytes.size(), "damaged checkpoint: ends too early");
  std::uint64_t version = 0, size = 0;
  std::memcpy(&version, bytes.data() + magic.size(), sizeof version);
  std::memcpy(&size, bytes.data() + magic.size() + sizeof version, sizeof size);
  if (version != format_version)
    refuse(name, magic.size(), fmt::format("checkpoint of version {}", version),
           fmt::format("version {}", format_version));
  if (size != bytes.size())
    refuse(name, std::min<std::uint64_t>(size, bytes.size()),
           fmt::format("damaged checkpoint: {} bytes declared, {} are there", size, bytes.size()));
  const std::size_t end = bytes.size() - print_bytes;
  if (fingerprint_of(bytes.substr(0, end)) != bytes.substr(end))
    refuse(name, end, "damaged checkpoint: the fingerprint at its end is another one");
  return bytes.substr(0, end);
}

}  // namespace

Checkpoint::Checkpoint(const std::string& folder, double every)
    : path_(folder + "/halfspace.checkpoint"), every_(every) {
  if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST)
    throw SystemError(fmt::format("cannot make the folder: {}", std::strerror(errno)), folder);
  check_writable(path_);
}

void Checkpoint::begin(Facts what) {
  what_ = std::move(what);
  if (::access(path_.c_str(), F_OK) != 0 && errno == ENOENT) return;
  const auto source = open_source(path_);
  parse(read_all(*source, path_), path_);
}

std::string Checkpoint::print() const {
  const std::lock_guard lock(guard_);
  std::string out(magic);
  put(out, format_version);
  put(out, std::uint64_t{0});
  put(out, what_.size());
  for (const auto& [name, value] : what_) {
    put(out, name);
    put(out, value);
  }
  put(out, parts_.size());
  for (const auto& [name, part] : parts_) {
    put(out, name);
    put(out, std::uint64_t{part.done ? 1U : 0U});
    put(out, std::string_view(reinterpret_cast<const char*>(part.bytes.data()), part.bytes.size()));
  }
  const std::uint64_t size = out.size() + print_bytes;
  std::memcpy(out.data() + magic.size() + sizeof format_version, &size, sizeof size);
  return out + fingerprint_of(out);
}

void Checkpoint::parse(std::string_view bytes, const std::string& name) {
  Cursor cursor(checked(bytes, name), head_bytes, name);
  Facts there;
  for (std::uint64_t left = cursor.number(); left > 0; --left) {
    std::string word(cursor.text());
    there.emplace_back(std::move(word), cursor.text());
  }
  refuse_other(there);
  std::map<std::string, Part> parts;
  for (std::uint64_t left = cursor.number(); left > 0; --left) {
    std::string part(cursor.text());
    const std::uint64_t done = cursor.number();
    if (done > 1) cursor.refuse("a part that is neither done nor under way");
    const auto state = std::as_bytes(std::span(cursor.text()));
    if (!parts.emplace(std::move(part), Part{done == 1, {state.begin(), state.end()}}).second)
      cursor.refuse("a part twice");
  }
  if (!cursor.at_end()) cursor.refuse("bytes behind the last part");
  const std::lock_guard lock(guard_);
  parts_ = std::move(parts);
  resumed_ = true;
}

void Checkpoint::refuse_other(const Facts& there) const {
  if (there == what_) return;
  std::string differs;
  for (std::size_t k = 0; k < std::max(there.size(), what_.size()) && differs.empty(); ++k) {
    if (k >= there.size() || k >= what_.size() || there[k].first != what_[k].first) {
      differs = "another kind of training";
    } else if (there[k] != what_[k]) {
      differs = fmt::format("{} {}, this is {}", printable(there[k].first), printable(there[k].second),
                            printable(what_[k].second));
    }
  }
  throw UsageError(fmt::format("{} is of another training: {}", printable(path_, 200), differs),
                   "another folder, or remove it to begin anew");
}

void Checkpoint::remove() { ::unlink(path_.c_str()); }

std::optional<Checkpoint::Bytes> Checkpoint::find(const std::string& part, bool done) const {
  const std::lock_guard lock(guard_);
  const auto found = parts_.find(part);
  if (found == parts_.end() || found->second.done != done) return std::nullopt;
  return found->second.bytes;
}
std::optional<Checkpoint::Bytes> Checkpoint::result(const std::string& part) const {
  return find(part, true);
}
std::optional<Checkpoint::Bytes> Checkpoint::state(const std::string& part) const {
  return find(part, false);
}

void Checkpoint::finish(const std::string& part, Bytes result) {
  const std::lock_guard lock(guard_);
  const std::string below = part + "/";
  for (auto at = parts_.lower_bound(below); at != parts_.end() && at->first.starts_with(below);)
    at = parts_.erase(at);
  parts_[part] = {true, std::move(result)};
}

bool Checkpoint::due() const {
  const std::lock_guard lock(guard_);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - written_).count() >= every_;
}

void Checkpoint::leave(const std::string& part, Bytes state) {
  {
    const std::lock_guard lock(guard_);
    parts_[part] = {false, std::move(state)};
    written_ = std::chrono::steady_clock::now();
  }
  const std::lock_guard one(writing_);
  const std::string bytes = print();
  write_file(path_, [&](ByteSink& sink) { sink.write(bytes); });
}

}  // namespace halfspace
