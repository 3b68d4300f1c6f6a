// SPDX-License-Identifier: BSD-3-Clause
// What a sum over rows brings to every member: what docs/cluster.md says, byte for byte.
#include <doctest/doctest.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "core/row_sums.hpp"
#include "halfspace/core/counted_members.hpp"
#include "team_members.hpp"

using namespace halfspace;
using namespace halfspace::testing;

namespace {

// One sum by a team whose members have the rows up to these; what the last of them counted is given to look(traffic, m).
template <class Sum, class Look>
void count(const std::vector<std::size_t>& ends, const Sum& sum, const Look& look) {
  std::mutex guard;
  as_team(ends.size(), [&](Members& reached, std::size_t m) {
    CountedMembers members(reached);
    const Team team(Threads(1), members);
    const Stretch rows = team.stretch(ends[m] - (m == 0 ? 0 : ends[m - 1]));
    const Traffic before = members.traffic();
    sum(team, rows);
    const Traffic traffic = members.traffic().since(before);
    const std::lock_guard lock(guard);
    CHECK(traffic.rounds == 1);
    look(traffic, m);
  });
}

}  // namespace

TEST_CASE("a sum of vectors brings every slice once to every member, and an open slice to the next one") {
  constexpr std::size_t rows = 40000, features = 300, slices = 16, length = rows / slices;
  for (const auto& ends : partitions(rows)) {
    std::uint64_t given = 0;
    count(
        ends,
        [&](const Team& team, const Stretch& list) {
          std::vector<double> out(features, 0.0);
          std::vector<std::vector<double>> part;
          add_slices(team, list, slices_of(rows, features), features, out.data(), part,
                     [&](std::size_t begin, std::size_t end, double* to) {
                       to[0] += static_cast<double>(end - begin);
                     });
          CHECK(out[0] == rows);
        },
        [&](const Traffic& traffic, std::size_t m) {
          // A byte of each member says that all is well.
          CHECK(traffic.received == slices * features * sizeof(double) + ends.size());
          const bool cut = ends[m] % length != 0 && m + 1 < ends.size();
          const bool any = ends[m] > 0;
          CHECK(traffic.passed == (cut && any ? features * sizeof(double) : 0));
          given += traffic.given;
        });
    CHECK(given == slices * features * sizeof(double) + ends.size());
  }
}

TEST_CASE("a sum of numbers brings a number for every 1024 rows") {
  constexpr std::size_t rows = 40000;
  for (const auto& ends : partitions(rows))
    count(
        ends,
        [&](const Team& team, const Stretch& list) {
          const double sum = sum_rows(team, list, 0.0, [](std::size_t begin, std::size_t end, double& to) {
            to += static_cast<double>(end - begin);
          });
          CHECK(sum == rows);
        },
        [&](const Traffic& traffic, std::size_t) {
          CHECK(traffic.received == (rows + 1023) / 1024 * sizeof(double) + ends.size());
        });
}
