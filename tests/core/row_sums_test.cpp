// SPDX-License-Identifier: BSD-3-Clause
#include "core/row_sums.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "halfspace/core/error.hpp"
#include "team_members.hpp"

using namespace halfspace;
using namespace halfspace::testing;

namespace {

// Numbers whose sum depends on the order of the additions.
double number(std::size_t i) {
  return std::sin(static_cast<double>(i) * 1.7) * std::exp(static_cast<double>(i % 40));
}

struct Sums {
  double sum;
  std::vector<double> wide, apart, vector, turn;
  bool operator==(const Sums&) const = default;
};

// All kinds of sums over the places [first, first + size) of this member.
Sums sums_of(const Team& team, std::size_t first, std::size_t size) {
  constexpr std::size_t d = 7;
  const Stretch list = team.stretch(size);
  CHECK(list.first == first);
  Sums out;
  out.sum = sum_rows(team, list, 0.0, [&](std::size_t b, std::size_t e, double& s) {
    for (std::size_t k = b; k < e; ++k) s += number(first + k);
  });
  const auto rows = [&](std::size_t b, std::size_t e, double* s) {
    for (std::size_t k = b; k < e; ++k)
      for (std::size_t j = 0; j < d; ++j) s[j] += number(d * (first + k) + j);
  };
  out.wide = sum_rows_wide(team, list, d, rows);
  std::vector<std::vector<double>> part;
  slice_sums(team, list, slices_of(list.total, d), d, part, rows);
  out.apart.assign(d, 0.0);
  add_parts(team.threads(), part, d, out.apart.data());
  out.vector.assign(d, 0.25);
  add_list(team, list, d, out.vector.data(), part, rows);
  out.turn.assign(d, 0.5);
  add_in_turn(team, out.turn, [&](std::vector<double>& s) { rows(0, size, s.data()); });
  return out;
}

}  // namespace

TEST_CASE("sums over rows have the same bits for any number of threads and any partition among members") {
  for (const std::size_t n : {1, 5, 1024, 3000, 20000}) {
    const Sums alone = sums_of(Team(Threads(1)), 0, n);
    CHECK(sums_of(Team(Threads(3)), 0, n) == alone);
    for (const auto& ends : partitions(n)) {
      as_team(ends.size(), [&](Members& members, std::size_t m) {
        const std::size_t first = m == 0 ? 0 : std::min(n, ends[m - 1]), end = std::min(n, ends[m]);
        const Sums mine = sums_of(Team(Threads(2), members), first, end - first);
        CHECK(mine == alone);
      });
    }
  }
}

TEST_CASE("a sum is right: known answers") {
  const Team team{Threads(2)};
  const Stretch list = team.stretch(5000);
  CHECK(sum_rows(team, list, std::size_t{0}, [](std::size_t b, std::size_t e, std::size_t& s) {
          for (std::size_t k = b; k < e; ++k) s += k;
        }) == 5000U * 4999U / 2);
  as_team(3, [](Members& members, std::size_t m) {
    const Team three(Threads(1), members);
    CHECK(three.total(m + 1) == 6);
    CHECK(three.most(m == 1 ? 7.5 : -1.0) == 7.5);
    CHECK(three.join({static_cast<double>(m), 10.0}) == std::vector<double>{0, 10, 1, 10, 2, 10});
    CHECK(three.agree(m == 2 ? StopCause::Time : StopCause::None) == StopCause::Time);
  });
}

TEST_CASE("one member that is cancelled stops all of them at the same sum") {
  as_team(3, [](Members& members, std::size_t m) {
    const StopHandle stop = StopHandle::make();
    const Team team(Threads(2, stop), members);
    const Stretch list = team.stretch(3000);
    int sums = 0;
    const auto add = [&] {
      ++sums;
      return sum_rows(team, list, 0.0,
                      [](std::size_t b, std::size_t e, double& s) { s += static_cast<double>(e - b); });
    };
    CHECK(add() == 9000);
    if (m == 1) stop.cancel();
    CHECK_THROWS_AS((void)add(), Stopped);
    CHECK(sums == 2);
  });
}

TEST_CASE("a member that fails in a sum ends all of them, with its reason") {
  as_team(3, [](Members& members, std::size_t m) {
    const Team team(Threads(1), members);
    const Stretch list = team.stretch(3000);
    const auto add = [&] {
      return sum_rows(team, list, 0.0, [&](std::size_t, std::size_t, double&) {
        if (m == 1) throw std::runtime_error("no more memory");
      });
    };
    try {
      (void)add();
      FAIL("nothing was thrown");
    } catch (const SystemError& error) {
      CHECK(m != 1);
      CHECK(error.message() == "member 1 of the team failed: no more memory");
    } catch (const std::runtime_error&) {
      CHECK(m == 1);
    }
  });
}
