// SPDX-License-Identifier: BSD-3-Clause
#include "data/storage/spill.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "core/relief.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

constexpr std::uint64_t megabyte = 1'000'000;

std::uint64_t page_bytes() {
  static const auto bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}
std::uint64_t round_up(std::uint64_t bytes, std::uint64_t to) { return (bytes + to - 1) / to * to; }

[[noreturn]] void fail(const std::string& folder, std::string_view what, int reason) {
  throw SystemError(fmt::format("{}: {}", what, std::strerror(reason)), folder);
}

// What faults may add between two looks of the keeper.
std::uint64_t slack_of(std::uint64_t memory) {
  return std::clamp<std::uint64_t>(memory / 8, 8 * megabyte, 96 * megabyte);
}
// A fault in a page that the system has in its cache maps so many bytes around it.
constexpr std::size_t around = std::size_t{64} << 10U;
// What a thread may have read since it last looked at the size of the process.
constexpr std::size_t unseen = std::size_t{1} << 20U;

}  // namespace

// Those that are there; never taken apart, for a thread may still look at it when the process ends.
struct Spill::All {
  std::mutex guard;
  std::vector<Spill*> spills;
  std::atomic<std::int64_t> looked{0};

  static All& instance() {
    static All& all = *new All();
    return all;
  }
  // By threads that work: one of them, and no more than every fifth of a millisecond.
  static void relieve() {
    All& all = instance();
    const auto now = std::chrono::duration_cast<std::chrono::microseconds>(
                         std::chrono::steady_clock::now().time_since_epoch())
                         .count();
    std::int64_t last = all.looked.load(std::memory_order_relaxed);
    if (now - last < 200 || !all.looked.compare_exchange_strong(last, now)) return;
    all.look();
  }
  void look() {
    const std::lock_guard lock(guard);
    for (Spill* spill : spills) {
      const std::lock_guard one(spill->guard_);  // who waits for the keeper adds no pages meanwhile
      spill->look();
    }
  }
  // By threads that go through rows, whatever their order.
  static void count(RowArray array, const void* at, std::size_t bytes) {
    thread_local std::array<std::uintptr_t, 3> behind{};  // what was read last
    thread_local std::size_t sum = 0;
    const auto begin = reinterpret_cast<std::uintptr_t>(at);
    std::uintptr_t& last = behind[static_cast<std::size_t>(array)];
    sum += bytes + (begin - last < around ? begin - last : around);
    last = begin + bytes;
    if (sum < unseen) return;
    sum = 0;
    instance().look();
  }
  void change(Spill* spill, bool there) {
    const std::lock_guard lock(guard);
    spills.erase(std::remove(spills.begin(), spills.end(), spill), spills.end());
    if (there) spills.push_back(spill);
    relief = spills.empty() ? nullptr : &All::relieve;
    page_count = spills.empty() ? nullptr : &All::count;
  }
};

Spill::Spill(std::string folder, std::uint64_t memory)
    : folder_(folder.empty() ? "." : std::move(folder)), memory_(memory), others_(resident().files) {
  ::close(open_file());
  // Signals are for the threads of the caller.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  keeper_ = std::thread([this] { keep(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  All::instance().change(this, true);
}

Spill::~Spill() {
  All::instance().change(this, false);
  {
    const std::lock_guard lock(guard_);
    over_ = true;
  }
  wake_.notify_all();
  keeper_.join();
}

// Little, although there may be room: giving back takes time in which others fault, and a page that is still in the
// system's cache costs next to nothing to map again.
std::uint64_t Spill::mapped_share(std::uint64_t memory) {
  return std::clamp<std::uint64_t>(memory / 8, 12 * megabyte, 64 * megabyte);
}

std::uint64_t Spill::free_bytes() const {
  struct statvfs disk {};
  if (::statvfs(folder_.c_str(), &disk) != 0) fail(folder_, "cannot ask for its free space", errno);
  return std::uint64_t{disk.f_bavail} * disk.f_frsize;
}

void Spill::check_room(std::uint64_t bytes) const {
  const std::uint64_t free = free_bytes();
  if (free >= bytes) return;
  throw SystemError(fmt::format("no room for the rows: {} MB are needed, {} MB are free",
                                bytes / megabyte + 1, free / megabyte),
                    folder_);
}

Spill::Resident Spill::resident() {
  char text[128];
  const int descriptor = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  const ssize_t got = ::read(descriptor, text, sizeof text);
  ::close(descriptor);
  if (got <= 0) return {};
  const char* const end = text + got;
  std::uint64_t pages[3] = {};  // size, resident, of those: of files
  const char* at = text;
  for (std::uint64_t& one : pages) {
    at = std::from_chars(at, end, one).ptr;
    if (at != end) ++at;
  }
  return {pages[1] * page_bytes(), pages[2] * page_bytes()};
}

int Spill::open_file() const {
  int descriptor = -1;
  do {
    descriptor = ::open(folder_.c_str(), O_RDWR | O_TMPFILE | O_EXCL | O_CLOEXEC, 0600);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor >= 0) return descriptor;
  // Not every file system has files without a name: this one loses its name at once.
  std::string name = folder_ + "/.halfspace-rows-XXXXXX";
  descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) fail(folder_, "cannot write rows there", errno);
  ::unlink(name.c_str());
  return descriptor;
}

void Spill::add(const SpillFile* file) {
  const std::lock_guard lock(guard_);
  files_.push_back(file);
}
void Spill::remove(const SpillFile* file) {
  const std::lock_guard lock(guard_);
  files_.erase(std::remove(files_.begin(), files_.end(), file), files_.end());
}

void Spill::look() {
  const Resident now = resident();
  if (now.all <= memory_ - std::min(memory_, slack_of(memory_)) &&
      now.files <= others_ + mapped_share(memory_))
    return;
  for (const SpillFile* file : files_) file->give_back();
}

void Spill::keep() {
  std::unique_lock lock(guard_);
  while (!over_) {
    look();
    wake_.wait_for(lock, std::chrono::microseconds(250));
  }
}

SpillFile::SpillFile(std::shared_ptr<Spill> spill, std::uint64_t most_bytes)
    : spill_(std::move(spill)), mapped_(round_up(std::max<std::uint64_t>(most_bytes, 1), page_bytes())) {
  descriptor_ = spill_->open_file();
  at_ = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor_, 0);
  if (at_ == MAP_FAILED) {
    ::close(descriptor_);
    throw std::bad_alloc();
  }
  // A page at a time, or sixteen: where the system maps pieces of megabytes, a look at a few hundred rows of a sample
  // makes all of the file resident at once.
  static_cast<void>(::madvise(at_, mapped_, MADV_NOHUGEPAGE));
  spill_->add(this);
}

SpillFile::~SpillFile() {
  spill_->remove(this);
  ::munmap(at_, mapped_);
  ::close(descriptor_);
}

void SpillFile::no_room(std::uint64_t bytes, int reason) const {
  fail(spill_->folder(), fmt::format("no room for {} MB of rows", bytes / megabyte + 1), reason);
}

void SpillFile::ensure(std::uint64_t bytes) {
  if (bytes <= there_) return;
  constexpr std::uint64_t step = std::uint64_t{16} << 20U;
  const std::uint64_t wanted = std::min(round_up(bytes, step), mapped_);
  int reason = 0;
  for (const std::uint64_t to : {wanted, bytes}) {
    // Where the system cannot reserve, the library writes zeros.
    do {
      reason = ::posix_fallocate(descriptor_, static_cast<off_t>(there_), static_cast<off_t>(to - there_));
    } while (reason == EINTR);
    if (reason == 0) {
      there_ = to;
      return;
    }
  }
  no_room(bytes, reason);
}

void SpillFile::shrink(std::uint64_t bytes) {
  const std::uint64_t keep = round_up(bytes, page_bytes());
  if (keep >= there_) return;
  // Nothing behind is read any more; where the file stays longer than it need be, it only takes room.
  if (::ftruncate(descriptor_, static_cast<off_t>(keep)) == 0) there_ = keep;
}

void SpillFile::drop(std::uint64_t begin, std::uint64_t end) const {
  const std::uint64_t from = round_up(begin, page_bytes()),
                      to = std::min<std::uint64_t>(end, there_) / page_bytes() * page_bytes();
  if (from < to) static_cast<void>(::madvise(static_cast<std::byte*>(at_) + from, to - from, MADV_REMOVE));
}

void SpillFile::give_back() const { static_cast<void>(::madvise(at_, there_, MADV_DONTNEED)); }

}  // namespace halfspace
