// SPDX-License-Identifier: BSD-3-Clause
// The threads of the process: one list of open jobs, a caller that works on its own job, and workers that
// join it.
//
// Job: a number of tasks, claimed one after the other through a counter. It lives on its caller's stack and
// stays in the list while tasks are left; who works on it is counted, and the caller returns when nobody
// does.
//
// Nesting: a task may open a job of its own. Nobody ever waits for a job before working on it, and a caller
// that waits for the last tasks of its job joins the jobs which those have opened, so a wait always ends.
//
// Waiting: a worker spins a moment, then sleeps. Loops follow each other closely, and waking takes as long as
// a small one.
//
// Why own threads: a library of tasks took 2 ms to load and to find out about the machine, which is what a
// small fit takes.
#include "halfspace/core/parallel.hpp"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "core/relax.hpp"
#include "core/relief.hpp"

namespace halfspace {
namespace {

struct Job {
  const std::function<void(std::size_t)>& task;
  const StopHandle& stop;
  const std::size_t tasks;
  const Job* const parent;  // the job whose task opened this one
  int places;               // for helpers, free; guarded by the pool
  Job* next_open = nullptr;
  std::atomic<std::size_t> next{0};
  std::atomic<int> helpers{0};
  std::mutex guard;  // of the failure, which is that of the lowest task: the one a single thread would have
                     // met first
  std::size_t failed_task = tasks;
  std::exception_ptr failure;

  [[nodiscard]] bool descends_from(const Job* other) const {
    for (const Job* job = parent; job != nullptr; job = job->parent)
      if (job == other) return true;
    return false;
  }
};

thread_local const Job* current = nullptr;  // what this thread works on

void work_on(Job& job) {
  const Job* const before = std::exchange(current, &job);
  const auto fail = [&job](std::size_t t, std::exception_ptr failure) {
    const std::lock_guard lock(job.guard);
    if (t < job.failed_task) {
      job.failed_task = t;
      job.failure = std::move(failure);
    }
  };
  for (std::size_t t = job.next.fetch_add(1); t < job.tasks; t = job.next.fetch_add(1)) {
    if (job.stop.asked()) {
      fail(t, std::make_exception_ptr(Stopped(job.stop.cause())));
      job.next = job.tasks;  // the rest is nobody's
      break;
    }
    try {
      job.task(t);
      relieve();
    } catch (...) {
      fail(t, std::current_exception());
    }
  }
  current = before;
}

cpu_set_t allowed_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) CPU_ZERO(&allowed);
  return allowed;
}

// A new thread shares the processor of its maker until the system balances them, which takes longer than a
// small file: it begins on another one, the `step`-th after the maker's, and is free to move from there on.
void begin_elsewhere(std::thread& worker, int step) {
  const cpu_set_t allowed = allowed_processors();
  const int here = sched_getcpu();
  if (here < 0 || CPU_COUNT(&allowed) < 2) return;
  int processor = here;
  for (int left = step % CPU_COUNT(&allowed); left > 0;) {
    processor = (processor + 1) % CPU_SETSIZE;
    if (CPU_ISSET(processor, &allowed)) --left;
  }
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  pthread_setaffinity_np(worker.native_handle(), sizeof one, &one);
}

class Pool {
 public:
  // Kept for ever: nobody knows whether a worker still looks at it when the process ends.
  static Pool& instance() {
    static Pool& pool = *new Pool();
    return pool;
  }

  void run(Job& job) {
    {
      const std::lock_guard lock(guard_);
      grow(job.places);
      job.next_open = open_;
      open_ = &job;
      tell();
    }
    work_on(job);
    {
      const std::lock_guard lock(guard_);
      Job** at = &open_;
      while (*at != &job) at = &(*at)->next_open;
      *at = job.next_open;
    }
    while (job.helpers.load(std::memory_order_acquire) != 0) {
      const std::uint64_t seen = events_.load(std::memory_order_acquire);
      if (help(&job)) continue;
      wait(seen, [&] { return job.helpers.load(std::memory_order_acquire) == 0; });
    }
  }

 private:
  void grow(int workers) {
    if (workers_ >= workers) return;
    // Signals are for the threads of the caller.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      for (; workers_ < workers; ++workers_) {
        std::thread worker([this, allowed = allowed_processors()] {
          // Only now, when the caller has let go of the pool: it has said where to begin.
          { const std::lock_guard lock(guard_); }
          sched_setaffinity(0, sizeof allowed, &allowed);
          work();
        });
        begin_elsewhere(worker, workers_ + 1);
        worker.detach();
      }
    } catch (const std::system_error&) {
      // A machine that gives no more threads: the caller and those there are do the work.
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  [[noreturn]] void work() {
    while (true) {
      const std::uint64_t seen = events_.load(std::memory_order_acquire);
      if (!help(nullptr)) wait(seen, [] { return false; });
    }
  }

  // Works on an open job with a free place: any, or one that descends from `ancestor`. False: there is none.
  bool help(const Job* ancestor) {
    std::unique_lock lock(guard_);
    Job* job = open_;
    while (job != nullptr && (job->places == 0 || job->next.load(std::memory_order_relaxed) >= job->tasks ||
                              (ancestor != nullptr && !job->descends_from(ancestor))))
      job = job->next_open;
    if (job == nullptr) return false;
    --job->places;
    job->helpers.fetch_add(1, std::memory_order_relaxed);
    lock.unlock();
    work_on(*job);
    lock.lock();
    ++job->places;
    if (job->helpers.fetch_sub(1, std::memory_order_release) == 1)
      tell();  // from here on the job may be gone
    return true;
  }

  void tell() {
    events_.fetch_add(1, std::memory_order_release);
    if (sleepers_ > 0) news_.notify_all();
  }

  // Until something happened after `seen`, or `done`.
  template <class Done>
  void wait(std::uint64_t seen, const Done& done) {
    using Clock = std::chrono::steady_clock;
    const auto over = [&] { return events_.load(std::memory_order_acquire) != seen || done(); };
    const auto start = Clock::now();
    for (int turn = 0;; ++turn) {
      for (int k = 0; k < spins_; ++k) {
        if (over()) return;
        relax();
      }
      if (Clock::now() - start > std::chrono::microseconds(200)) break;
      if (turn >= 8) sched_yield();
    }
    std::unique_lock lock(guard_);
    ++sleepers_;
    news_.wait(lock, over);
    --sleepers_;
  }

  const int spins_ = Threads::available() > 1 ? 100 : 1;
  std::mutex guard_;
  Job* open_ = nullptr;  // newest first: the innermost jobs are the ones that others wait for
  int workers_ = 0;
  int sleepers_ = 0;
  std::condition_variable news_;
  std::atomic<std::uint64_t> events_{0};  // jobs opened, and jobs that their last helper left
};

}  // namespace

int Threads::available() {
  const cpu_set_t allowed = allowed_processors();
  return std::max(1, CPU_COUNT(&allowed));
}

Threads::Threads(int count, StopHandle stop)
    : count_(count > 0 ? count : available()), stop_(std::move(stop)) {}

void Threads::run(std::size_t tasks, const std::function<void(std::size_t)>& task) const {
  if (count_ == 1 || tasks <= 1) {
    for (std::size_t t = 0; t < tasks; ++t) {
      stop_.check();
      task(t);
      relieve();
    }
    return;
  }
  const std::size_t helpers = std::min(static_cast<std::size_t>(count_), tasks) - 1;
  Job job{
      .task = task, .stop = stop_, .tasks = tasks, .parent = current, .places = static_cast<int>(helpers)};
  Pool::instance().run(job);
  if (job.failure) std::rethrow_exception(job.failure);
}

}  // namespace halfspace
