// SPDX-License-Identifier: BSD-3-Clause
// Files that are either the old one or the new one, never something between.
#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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
  throw SystemError(fmt::format("{}: {}", what, std::strerror(reason)), path == "-" ? "standard output" : path);
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

  void write_through(std::string_view bytes) const {
    constexpr std::size_t most = std::size_t{1} << 30;
    while (!bytes.empty()) {
      const ssize_t put = ::write(descriptor_, bytes.data(), std::min(bytes.size(), most));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) fail(path_, "cannot write", errno);
      bytes.remove_prefix(static_cast<std::size_t>(put));
    }
  }

  int descriptor_;
  const std::string& path_;
  std::vector<char> buffer_;
};

// Removes the temporary file unless it was renamed.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& target, const struct stat* existing) {
    const std::size_t slash = target.rfind('/');
    folder_ = folder_of(target);
    const std::string file = slash == std::string::npos ? target : target.substr(slash + 1);
    if (file.empty() || file == "." || file == "..") fail(target, "cannot write", EISDIR);
    if (file.size() > NAME_MAX) fail(target, "cannot write", ENAMETOOLONG);
    constexpr std::size_t kept =
        200;  // the name of the temporary file must not be too long where the target is not
    constexpr int attempts = 100;  // names left behind by a killed process that had this number
    for (int attempt = 0; descriptor_ < 0; ++attempt) {
      path_ = fmt::format("{}/.{}.{}.{}.tmp", folder_, file.substr(0, kept), ::getpid(), attempt);
      const mode_t mode = existing == nullptr ? 0666 : 0600;
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
      if (descriptor_ < 0 && errno != EINTR && (errno != EEXIST || attempt == attempts)) {
        fail(target, "cannot write", errno);
      }
    }
    if (existing != nullptr) keep_owner_and_mode(target, *existing);
  }
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!renamed_) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }

  void rename_to(const std::string& target) {
    if (::fsync(descriptor_) != 0) fail(target, "cannot write", errno);
    if (::close(std::exchange(descriptor_, -1)) != 0) fail(target, "cannot write", errno);
    if (::rename(path_.c_str(), target.c_str()) != 0) fail(target, "cannot write", errno);
    renamed_ = true;
    sync_folder(target);
  }

 private:
  void keep_owner_and_mode(const std::string& target, const struct stat& existing) {
    struct stat mine {};
    if (::fstat(descriptor_, &mine) != 0) abandon(target);
    // Only root can give files away; for everyone else the new file belongs to who wrote it.
    if (mine.st_uid != existing.st_uid || mine.st_gid != existing.st_gid) {
      if (::fchown(descriptor_, existing.st_uid, existing.st_gid) != 0 && errno != EPERM) abandon(target);
    }
    if (::fchmod(descriptor_, existing.st_mode & 0777U) != 0) abandon(target);
  }
  [[noreturn]] void abandon(const std::string& target) {
    const int reason = errno;
    ::close(descriptor_);
    ::unlink(path_.c_str());
    fail(target, "cannot write", reason);
  }
  void sync_folder(const std::string& target) const {
    const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;  // a folder one may write to but not list cannot be synced
    const int result = ::fsync(folder);
    const int reason = errno;
    ::close(folder);
    if (result != 0 && reason != EINVAL && reason != ENOTSUP) fail(target, "cannot write", reason);
  }

  std::string folder_;
  std::string path_;
  int descriptor_ = -1;
  bool renamed_ = false;
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
    const std::string link(to, static_cast<std::size_t>(size));
    const std::size_t slash = path.rfind('/');
    path = link.starts_with('/') || slash == std::string::npos ? link : path.substr(0, slash + 1) + link;
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
  temporary.rename_to(target);
}

}  // namespace halfspace
