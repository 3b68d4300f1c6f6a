// SPDX-License-Identifier: BSD-3-Clause
// Sources of bytes: files, standard input, memory; fingerprints.
#include "halfspace/core/bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY  // the state of a hash, to hand it on
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/files/packing.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

[[noreturn]] void cannot_open(const std::string& path, int reason) {
  throw InputError(Place{path}, fmt::format("cannot open: {}", std::strerror(reason)));
}

[[noreturn]] void cannot_read(const std::string& path, int reason) {
  throw SystemError(fmt::format("cannot read: {}", std::strerror(reason)), path);
}

class Descriptor {
 public:
  Descriptor(int number, bool owned) : number_(number), owned_(owned) {}
  Descriptor(Descriptor&& other) noexcept
      : number_(other.number_), owned_(std::exchange(other.owned_, false)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (owned_) ::close(number_);
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
  bool owned_;
};

Descriptor open_for_reading(const std::string& path) {
  if (path.find('\0') != std::string::npos) cannot_open(path, ENOENT);
  for (;;) {
    const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (number >= 0) return {number, true};
    if (errno != EINTR) cannot_open(path, errno);
  }
}

struct stat status_of(const Descriptor& file, const std::string& path) {
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) cannot_open(path, errno);
  if (S_ISDIR(status.st_mode)) cannot_open(path, EISDIR);
  return status;
}

class FileSource final : public ByteSource {
 public:
  FileSource(Descriptor file, std::string path, StopHandle stop)
      : file_(std::move(file)), path_(std::move(path)), stop_(std::move(stop)) {
    opened_ = status_of(file_, path_);
    if (!S_ISREG(opened_.st_mode)) return;
    // Standard input may be a file that someone else has read the front of.
    const off_t at = ::lseek(file_.number(), 0, SEEK_CUR);
    if (at < 0) return;
    regular_ = true;
    base_ = static_cast<std::uint64_t>(at);
    size_ = static_cast<std::uint64_t>(std::max<off_t>(0, opened_.st_size - at));
  }

  std::size_t read(std::span<char> to) override {
    const std::size_t asked = to.size();
    if (has_size()) to = to.first(static_cast<std::size_t>(std::min<std::uint64_t>(asked, size_ - done_)));
    const std::size_t got =
        fill(to, [&](char* at, std::size_t size, std::size_t) { return ::read(file_.number(), at, size); });
    if (has_size() && got < to.size()) cut_short();
    done_ += got;
    if (got < asked) check_unchanged();
    return got;
  }

  std::uint64_t known_size() const override { return size_; }

  std::optional<std::size_t> read_at(std::uint64_t offset, std::span<char> to) const override {
    if (!regular_) return std::nullopt;
    if (offset >= size_) return 0;
    to = to.first(static_cast<std::size_t>(std::min<std::uint64_t>(to.size(), size_ - offset)));
    const std::size_t got = fill(to, [&](char* at, std::size_t size, std::size_t done) {
      return ::pread(file_.number(), at, size, static_cast<off_t>(base_ + offset + done));
    });
    if (got < to.size()) cut_short();
    return got;
  }

  void check_unchanged() const override {
    if (!regular_) return;
    struct stat now {};
    if (::fstat(file_.number(), &now) != 0) cannot_read(path_, errno);
    // Files of size 0 that have bytes (/proc) also have the time at which one looks.
    const bool touched = opened_.st_size > 0 && (now.st_mtim.tv_sec != opened_.st_mtim.tv_sec ||
                                                 now.st_mtim.tv_nsec != opened_.st_mtim.tv_nsec);
    if (now.st_size != opened_.st_size || touched) changed(now);
  }

 private:
  // Of a size of 0 nothing follows: the files of /proc have it.
  [[nodiscard]] bool has_size() const { return regular_ && opened_.st_size > 0; }

  [[noreturn]] void cut_short() const {
    check_unchanged();
    throw SystemError("cannot read: the file ends before its size", path_);
  }
  [[noreturn]] void changed(const struct stat& now) const {
    throw SystemError(
        now.st_size == opened_.st_size
            ? std::string("the file changed while it was read")
            : fmt::format("the file changed while it was read: {} bytes when it was opened, {} now",
                          opened_.st_size, now.st_size),
        path_ == "-" ? "standard input" : path_);
  }

  // Until there is something to read, or an end; false: a stop was asked for first.
  [[nodiscard]] bool wait_for_bytes() const {
    constexpr int pause = 50;  // milliseconds between two looks at the clock
    for (;;) {
      if (stop_.asked()) return false;
      struct pollfd wanted = {file_.number(), POLLIN, 0};
      const int ready = ::poll(&wanted, 1, stop_.possible() ? pause : -1);
      if (ready > 0) return true;
      if (ready < 0 && errno != EINTR) cannot_read(path_, errno);
    }
  }

  template <class Call>
  std::size_t fill(std::span<char> to, Call call) const {
    constexpr std::size_t most = std::size_t{1} << 30;  // a single call moves less than 2 GiB
    std::size_t done = 0;
    while (done < to.size()) {
      if (!regular_ && stop_.possible() && !wait_for_bytes()) break;
      const ssize_t got = call(to.data() + done, std::min(most, to.size() - done), done);
      if (got < 0 && errno == EINTR) continue;
      // Standard input that someone else has made non-blocking.
      if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        if (!wait_for_bytes()) break;
        continue;
      }
      if (got < 0) cannot_read(path_, errno);
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  Descriptor file_;
  std::string path_;
  StopHandle stop_;
  struct stat opened_ {};
  bool regular_ = false;
  std::uint64_t base_ = 0;
  std::uint64_t size_ = 0;  // from base_ on
  std::uint64_t done_ = 0;  // by read()
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}

  std::size_t read(std::span<char> to) override {
    const std::size_t got = copy(at_, to);
    at_ += got;
    return got;
  }
  std::uint64_t known_size() const override { return bytes_.size(); }
  std::optional<std::size_t> read_at(std::uint64_t offset, std::span<char> to) const override {
    return copy(std::min<std::uint64_t>(offset, bytes_.size()), to);
  }

 private:
  std::size_t copy(std::size_t from, std::span<char> to) const {
    const std::size_t size = std::min(to.size(), bytes_.size() - from);
    if (size > 0) std::memcpy(to.data(), bytes_.data() + from, size);
    return size;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

// Bytes that were read ahead, and then the rest.
class PrefixedSource final : public ByteSource {
 public:
  PrefixedSource(std::string head, std::unique_ptr<ByteSource> rest)
      : head_(std::move(head)), rest_(std::move(rest)) {}

  std::size_t read(std::span<char> to) override {
    const std::size_t size = std::min(to.size(), head_.size() - at_);
    std::copy_n(head_.data() + at_, size, to.data());
    at_ += size;
    return size == to.size() ? size : size + rest_->read(to.subspan(size));
  }
  std::uint64_t known_size() const override { return rest_->known_size(); }
  std::optional<std::size_t> read_at(std::uint64_t offset, std::span<char> to) const override {
    return rest_->read_at(offset, to);  // random access counts from the very beginning
  }
  void check_unchanged() const override { rest_->check_unchanged(); }
  std::optional<std::uint64_t> packed_bytes() const override { return rest_->packed_bytes(); }

 private:
  std::string head_;
  std::size_t at_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

std::unique_ptr<ByteSource> decoded(std::unique_ptr<ByteSource> raw, const std::string& name) {
  Peeked front = peek(std::move(raw), packing_magic_bytes);
  const Packing packing = packing_of_content(front.head);
  if (packing == Packing::None) return std::move(front.source);
  return unpack(std::move(front.source), packing, name);
}

}  // namespace

std::optional<std::size_t> ByteSource::read_at(std::uint64_t, std::span<char>) const { return std::nullopt; }

std::unique_ptr<ByteSource> open_source(const std::string& path, StopHandle stop) {
  Descriptor file = path == "-" ? Descriptor(STDIN_FILENO, false) : open_for_reading(path);
  return decoded(std::make_unique<FileSource>(std::move(file), path, std::move(stop)), path);
}

std::unique_ptr<ByteSource> memory_source(std::string_view bytes, const std::string& name) {
  return decoded(std::make_unique<MemorySource>(bytes), name);
}

Peeked peek(std::unique_ptr<ByteSource> source, std::size_t bytes) {
  Peeked peeked;
  peeked.head.resize(bytes);
  peeked.head.resize(source->read(peeked.head));
  peeked.source = std::make_unique<PrefixedSource>(peeked.head, std::move(source));
  return peeked;
}

std::string read_all(ByteSource& source, const std::string& name, std::uint64_t limit) {
  constexpr std::size_t first_step = std::size_t{1} << 16;
  constexpr std::size_t most_step = std::size_t{16} << 20;  // a stream is looked at again after each
  std::string all;
  std::size_t size = 0;
  // A known size is the size of a real file, not a claim inside one. One byte more finds the end in one go.
  std::size_t step = first_step;
  if (source.known_size() > 0) step = static_cast<std::size_t>(std::min(source.known_size(), limit)) + 1;
  for (;;) {
    all.resize(size + step);
    const std::size_t got = source.read(std::span<char>(all).subspan(size));
    size += got;
    if (size > limit) throw InputError(Place{name}, fmt::format("larger than {} bytes", limit));
    check_unpacking(source, size, name);
    if (got < step) break;
    step = std::min(std::max(first_step, size), most_step);
  }
  all.resize(size);
  return all;
}

struct Fingerprint::State {
  State() : hash(XXH3_createState()) {
    if (hash == nullptr || XXH3_128bits_reset(hash) != XXH_OK) throw std::bad_alloc();
  }
  ~State() { XXH3_freeState(hash); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  XXH3_state_t* hash;
};

Fingerprint::Fingerprint() : state_(std::make_unique<State>()) {}
Fingerprint::~Fingerprint() = default;

void Fingerprint::add(std::span<const std::byte> bytes) {
  if (!bytes.empty()) XXH3_128bits_update(state_->hash, bytes.data(), bytes.size());
}

std::vector<std::byte> Fingerprint::state() const {
  XXH3_state_t copy = *state_->hash;
  copy.extSecret = nullptr;  // an address of this process
  const auto bytes = std::as_bytes(std::span(&copy, 1));
  return {bytes.begin(), bytes.end()};
}

void Fingerprint::resume(std::span<const std::byte> state) {
  const unsigned char* const secret = state_->hash->extSecret;
  std::memcpy(state_->hash, state.data(), std::min(state.size(), sizeof *state_->hash));
  state_->hash->extSecret = secret;
}

std::string Fingerprint::hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->hash);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace halfspace
