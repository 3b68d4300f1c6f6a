// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/core/parallel.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace halfspace;

TEST_CASE("every task runs once, whatever the number of threads") {
  for (const int threads : {1, 2, 3, 8}) {
    for (const std::size_t tasks : {0U, 1U, 2U, 7U, 10000U}) {
      std::vector<std::atomic<int>> ran(tasks);
      Threads(threads).run(tasks, [&](std::size_t t) { ++ran[t]; });
      for (const auto& r : ran) CHECK(r == 1);
    }
  }
}

TEST_CASE("loops inside loops end, and are shared") {
  std::atomic<int> ran = 0;
  const Threads threads(4);
  for (int again = 0; again < 50; ++again)
    threads.run(5, [&](std::size_t) {
      threads.run(7, [&](std::size_t) { threads.run(3, [&](std::size_t) { ++ran; }); });
    });
  CHECK(ran == 50 * 5 * 7 * 3);
}

TEST_CASE("the exception of the lowest task arrives, after all tasks have run") {
  for (const int threads : {2, 4}) {
    for (int again = 0; again < 200; ++again) {
      std::atomic<int> ran = 0;
      std::string seen;
      try {
        Threads(threads).run(64, [&](std::size_t t) {
          ++ran;
          if (t % 10 == 3) throw std::runtime_error(std::to_string(t));
        });
      } catch (const std::runtime_error& e) {
        seen = e.what();
      }
      CHECK(seen == "3");
      CHECK(ran == 64);
    }
  }
}

TEST_CASE("an exception from a loop inside a loop passes through both") {
  const Threads threads(3);
  CHECK_THROWS_AS(threads.run(4,
                              [&](std::size_t) {
                                threads.run(4, [](std::size_t t) {
                                  if (t == 2) throw std::out_of_range("inner");
                                });
                              }),
                  std::out_of_range);
}

TEST_CASE("several threads of the caller's own may run loops at the same time") {
  std::atomic<std::size_t> sum = 0;
  std::vector<std::thread> callers;
  for (int k = 0; k < 4; ++k)
    callers.emplace_back([&] {
      for (int again = 0; again < 300; ++again) Threads(3).run(20, [&](std::size_t t) { sum += t; });
    });
  for (std::thread& c : callers) c.join();
  CHECK(sum == 4U * 300U * 190U);
}

TEST_CASE("a worker that has gone to sleep comes back") {
  std::atomic<int> ran = 0;
  for (int again = 0; again < 20; ++again) {
    Threads(2).run(16, [&](std::size_t) { ++ran; });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(ran == 320);
}

TEST_CASE("sums are added in the order of the blocks") {
  const auto sum = [](int threads) {
    return sum_blocks(Threads(threads), 100000, 64, 0.0, [](std::size_t begin, std::size_t end) {
      double s = 0;
      for (std::size_t i = begin; i < end; ++i) s += 1.0 / static_cast<double>(i + 1);
      return s;
    });
  };
  for (const int threads : {2, 3, 5}) CHECK(sum(threads) == sum(1));
}
