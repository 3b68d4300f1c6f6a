// SPDX-License-Identifier: BSD-3-Clause
// Files that are either the old one or the new one, never something between.
#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

[[noreturn]] void fail(const std::string& path, std::string_view what, int reason) {
  throw SystemError(fmt::format("{}: {}", what, std::strerror(reason)),
                    path == "-" ? "standard output" : path);
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

// Gathers small pieces; every byte is on its way to the descriptor after flush().
class DescriptorSink final : public ByteSink {
 public:
  DescriptorSink(int descriptor, const std::string& path) : descriptor_(descriptor), path_(path) {
    buffer_.reserve(capacity);
  }
  void write(std::string_view bytes) override {
    if (buffer_.size() + bytes.size() > capacity) flush();
    if (bytes.size() >= capacity) {
      write_through(bytes);
    } else {
      buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    }
  }
  void flush() {
    write_through({buffer_.data(), buffer_.size()});
    buffer_.clear();
  }

 private:
  static constexpr std::size_t capacity = std::size_t{1} << 16;

  // A pipe that someone else has made non-blocking.
  void wait_for_room() const {
    struct pollfd wanted = {descriptor_, POLLOUT, 0};
    if (::poll(&wanted, 1, -1) < 0 && errno != EINTR) fail(path_, "cannot write", errno);
  }
  void write_through(std::string_view bytes) const {
    constexpr std::size_t most = std::size_t{1} << 30;
    while (!bytes.empty()) {
      const ssize_t put = ::write(descriptor_, bytes.data(), std::min(bytes.size(), most));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        wait_for_room();
        continue;
      }
      if (put < 0) fail(path_, "cannot write", errno);
      bytes.remove_prefix(static_cast<std::size_t>(put));
    }
  }

  int descriptor_;
  const std::string& path_;
  std::vector<char> buffer_;
};

// The temporary name in use, in memory that a signal handler may look at. Threads that write at the same time each
// take a place; one that finds none goes without.
struct TemporaryName {
  std::atomic<bool> taken{false};
  std::atomic<bool> set{false};
  char path[PATH_MAX] = {};
};
std::array<TemporaryName, 4> temporary_names;

class NameForSignals {
 public:
  explicit NameForSignals(const std::string& path) {
    if (path.size() >= PATH_MAX) return;
    for (TemporaryName& name : temporary_names) {
      if (name.taken.exchange(true)) continue;
      std::memcpy(name.path, path.c_str(), path.size() + 1);
      name.set = true;
      name_ = &name;
      return;
    }
  }
  ~NameForSignals() {
    if (name_ == nullptr) return;
    name_->set = false;
    name_->taken = false;
  }
  NameForSignals(const NameForSignals&) = delete;
  NameForSignals& operator=(const NameForSignals&) = delete;

 private:
  TemporaryName* name_ = nullptr;
};

// The new file. It has no name before it is complete, so that nothing of it is left however the program ends; where
// the system has no such files it has a temporary one.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& target, const struct stat* existing)
      : target_(target), folder_(folder_of(target)), replaces_(existing != nullptr) {
    const std::size_t slash = target.rfind('/');
    file_ = slash == std::string::npos ? target : target.substr(slash + 1);
    if (file_.empty() || file_ == "." || file_ == "..") fail(target, "cannot write", EISDIR);
    if (file_.size() > NAME_MAX) fail(target, "cannot write", ENAMETOOLONG);
    const mode_t mode = existing == nullptr ? 0666 : 0600;
    if (!open_nameless(mode)) open_named(mode);
    if (existing != nullptr) keep_owner_and_mode(*existing);
  }
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    remove_name();
    if (folder_descriptor_ >= 0) ::close(folder_descriptor_);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }

  void rename_to_target() {
    while (::fsync(descriptor_) != 0)
      if (errno != EINTR) give_up(errno);
    open_folder();
    if (!links_to_target()) {
      if (!nameless_.empty()) link_name();
      while (::rename(path_.c_str(), target_.c_str()) != 0)
        if (errno != EINTR) give_up(errno);
    }
    forget_name();
    // Everything was written and synced: there is nothing left that closing could tell.
    ::close(std::exchange(descriptor_, -1));
    sync_folder();
  }

 private:
  static constexpr std::size_t kept = 200;  // a temporary name must not be too long where the target's is not

  bool open_nameless(mode_t mode) {
    do {
      descriptor_ = ::open(folder_.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
    } while (descriptor_ < 0 && errno == EINTR);
    if (descriptor_ < 0)
      return false;  // not every file system can; if nothing can be written here, a name will tell
    nameless_ = fmt::format("/proc/self/fd/{}", descriptor_);
    struct stat through {};
    struct stat mine {};
    if (::stat(nameless_.c_str(), &through) == 0 && ::fstat(descriptor_, &mine) == 0 &&
        through.st_ino == mine.st_ino && through.st_dev == mine.st_dev)
      return true;
    ::close(std::exchange(descriptor_, -1));  // no /proc: it would never get a name
    nameless_.clear();
    return false;
  }

  void open_named(mode_t mode) {
    constexpr int attempts = 100;  // names left behind by a killed process that had this number
    for (int attempt = 0; descriptor_ < 0; ++attempt) {
      take_name(fmt::format("{}/.{}.{}.{}.tmp", folder_, file_.substr(0, kept), ::getpid(), attempt));
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
      if (descriptor_ >= 0) return;
      const int reason = errno;
      forget_name();
      if (reason != EINTR && (reason != EEXIST || attempt == attempts)) fail(target_, "cannot write", reason);
    }
  }

  // A file that replaces none gets its name at once.
  [[nodiscard]] bool links_to_target() {
    if (nameless_.empty() || replaces_) return false;
    while (!link_to(target_)) {
      if (errno == EEXIST) return false;  // someone was faster
      if (errno != EINTR) give_up(errno);
    }
    return true;
  }

  // Only rename() replaces a file in one step, and it needs a name. Who holds the lock of the folder takes always the
  // same one, so that what a kill between the two calls has left there goes with the next file.
  void link_name() {
    const bool alone = folder_descriptor_ >= 0 && ::flock(folder_descriptor_, LOCK_EX | LOCK_NB) == 0;
    constexpr int attempts = 100;
    for (int attempt = 0; attempt < attempts; ++attempt) {
      const bool fixed = alone && attempt < 2;
      take_name(fixed ? fmt::format("{}/.{}.tmp", folder_, file_.substr(0, kept))
                      : fmt::format("{}/.{}.{}.{}.tmp", folder_, file_.substr(0, kept), ::getpid(), attempt));
      if (link_to(path_)) return;
      const int reason = errno;
      if (reason == EEXIST && fixed) ::unlink(path_.c_str());
      forget_name();
      if (reason != EINTR && reason != EEXIST) give_up(reason);
    }
    give_up(EEXIST);
  }

  [[nodiscard]] bool link_to(const std::string& path) const {
    return ::linkat(AT_FDCWD, nameless_.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
  }

  void take_name(std::string path) {
    path_ = std::move(path);
    for_signals_.emplace(path_);
  }
  void forget_name() {
    for_signals_.reset();
    path_.clear();
  }
  void remove_name() {
    if (!path_.empty()) ::unlink(path_.c_str());
    forget_name();
  }

  void keep_owner_and_mode(const struct stat& existing) {
    struct stat mine {};
    if (::fstat(descriptor_, &mine) != 0) give_up(errno);
    // Only root can give files away; for everyone else the new file belongs to who wrote it.
    if (mine.st_uid != existing.st_uid || mine.st_gid != existing.st_gid) {
      if (::fchown(descriptor_, existing.st_uid, existing.st_gid) != 0 && errno != EPERM) give_up(errno);
    }
    if (::fchmod(descriptor_, existing.st_mode & 0777U) != 0) give_up(errno);
  }
  // Also in the constructor, after which no destructor runs.
  [[noreturn]] void give_up(int reason) {
    ::close(std::exchange(descriptor_, -1));
    remove_name();
    fail(target_, "cannot write", reason);
  }
  void open_folder() {
    do {
      folder_descriptor_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    } while (folder_descriptor_ < 0 && errno == EINTR);
    // A folder one may write to but not list cannot be synced.
    if (folder_descriptor_ < 0 && errno != EACCES && errno != EPERM) give_up(errno);
  }
  void sync_folder() {
    if (folder_descriptor_ < 0) return;
    while (::fsync(folder_descriptor_) != 0) {
      if (errno == EINVAL || errno == ENOTSUP) return;  // not every file system can
      if (errno != EINTR) fail(target_, "written, but perhaps not for good", errno);
    }
  }

  const std::string& target_;
  std::string folder_;
  std::string file_;
  std::string nameless_;  // the way to a file without a name
  std::string path_;      // its temporary name
  std::optional<NameForSignals> for_signals_;
  bool replaces_;  // there was a file of this name
  int descriptor_ = -1;
  int folder_descriptor_ = -1;
};

// The descriptor that a path stands for: "-", /dev/stdout, /dev/fd/7. Such a file is open already, maybe for
// appending, and must not be replaced by another one.
std::optional<int> open_descriptor(std::string_view path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view front : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(front)) continue;
    int number = -1;
    const auto [end, error] = std::from_chars(path.data() + front.size(), path.data() + path.size(), number);
    if (error == std::errc() && end == path.data() + path.size() && number >= 0) return number;
  }
  return std::nullopt;
}

void write_in_place(int descriptor, const std::string& path, const std::function<void(ByteSink&)>& writer) {
  DescriptorSink sink(descriptor, path);
  writer(sink);
  sink.flush();
}

void write_special(const std::string& path, const std::function<void(ByteSink&)>& writer) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) fail(path, "cannot write", errno);
  try {
    write_in_place(descriptor, path, writer);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  if (::close(descriptor) != 0) fail(path, "cannot write", errno);
}

// Where a chain of symbolic links ends; the last name need not exist.
std::string follow_links(std::string path) {
  constexpr int most = 40;
  for (int i = 0; i < most; ++i) {
    char to[PATH_MAX];
    const ssize_t size = ::readlink(path.c_str(), to, sizeof to);
    if (size < 0) return path;  // not a link
    const std::string_view link(to, static_cast<std::size_t>(size));
    const std::size_t slash = path.rfind('/');
    path.resize(link.starts_with('/') || slash == std::string::npos ? 0 : slash + 1);
    path.append(link);
  }
  fail(path, "cannot write", ELOOP);
}

}  // namespace

void check_writable(const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos) fail(path, "cannot write", ENOENT);
  if (open_descriptor(path)) return;
  const std::string target = follow_links(path);
  struct stat existing {};
  const bool exists = ::stat(target.c_str(), &existing) == 0;
  if (!exists && errno != ENOENT) fail(path, "cannot write", errno);
  if (exists && S_ISDIR(existing.st_mode)) fail(path, "cannot write", EISDIR);
  // A file is replaced by another one in its folder; what is no file is written to as it is.
  const std::string written = exists && !S_ISREG(existing.st_mode) ? target : folder_of(target);
  if (::access(written.c_str(), W_OK) != 0) fail(path, "cannot write", errno);
}

bool is_same_file(const std::string& output, const std::string& input) {
  const auto status = [](const std::string& path, int standard, struct stat& to) {
    return (path == "-" ? ::fstat(standard, &to) : ::stat(path.c_str(), &to)) == 0 && S_ISREG(to.st_mode);
  };
  struct stat written {};
  struct stat read {};
  return status(output, STDOUT_FILENO, written) && status(input, STDIN_FILENO, read) &&
         written.st_dev == read.st_dev && written.st_ino == read.st_ino;
}

void remove_temporary_files() noexcept {
  for (TemporaryName& name : temporary_names)
    if (name.set) ::unlink(name.path);
}

void write_file(const std::string& path, const std::function<void(ByteSink&)>& writer) {
  if (path.empty() || path.find('\0') != std::string::npos) fail(path, "cannot write", ENOENT);
  if (const std::optional<int> descriptor = open_descriptor(path))
    return write_in_place(*descriptor, path, writer);
  const std::string target = follow_links(path);
  struct stat existing {};
  const bool exists = ::stat(target.c_str(), &existing) == 0;
  if (!exists && errno != ENOENT) fail(path, "cannot write", errno);
  if (exists && S_ISDIR(existing.st_mode)) fail(path, "cannot write", EISDIR);
  if (exists && !S_ISREG(existing.st_mode)) return write_special(target, writer);
  TemporaryFile temporary(target, exists ? &existing : nullptr);
  DescriptorSink sink(temporary.descriptor(), path);
  writer(sink);
  sink.flush();
  temporary.rename_to_target();
}

}  // namespace halfspace
