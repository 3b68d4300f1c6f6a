// SPDX-License-Identifier: BSD-3-Clause
// Points to begin with. Two decimals, so that a class can read them; the same seed gives the same points everywhere.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "halfspace/core/error.hpp"
#include "halfspace/core/options.hpp"
#include "halfspace/core/random.hpp"
#include "playground/answers.hpp"

namespace halfspace::playground {
namespace {

enum class Kind { Blobs, Xor, Nearly, Outlier, Ring };
constexpr std::string_view kind_words[] = {"blobs", "xor", "nearly", "outlier", "ring"};

double two_decimals(double x) { return std::round(100 * x) / 100; }

void put(Points& points, double x, double y, int label) {
  points.values.push_back(two_decimals(x));
  points.values.push_back(two_decimals(y));
  points.labels.push_back(label);
}

// Uniform in a disc: no point strays so far that two blobs meet.
void put_in_disc(Points& points, Random& random, double x, double y, double radius, int label) {
  const double r = radius * std::sqrt(random.uniform());
  const double angle = 2 * std::numbers::pi * random.uniform();
  put(points, x + r * std::cos(angle), y + r * std::sin(angle), label);
}

}  // namespace

Points make_points(const std::string& kind, std::size_t rows, std::uint64_t seed) {
  const auto which = static_cast<Kind>(parse_word("kind", kind, kind_words));
  Points out;
  Random random(seed, 0x9A7);
  for (std::size_t i = 0; i < rows; ++i) {
    const int label = i % 2 == 0 ? 1 : -1;
    switch (which) {
      case Kind::Blobs: put_in_disc(out, random, 1.7 * label, 1.2 * label, 1.6, label); break;
      case Kind::Xor: {
        const double side = i % 4 < 2 ? 1 : -1;
        put_in_disc(out, random, 2 * side, 2 * side * label, 1.4, label);
        break;
      }
      case Kind::Nearly:  // two normal clouds whose tails cross
        put(out, 1.1 * label + random.normal(), 0.75 * label + random.normal(), label);
        break;
      case Kind::Outlier:  // one point of +1 among those of -1: the first
        if (i == 0)
          put(out, -2.4, -1.5, 1);
        else
          put_in_disc(out, random, 2 * label, 1.4 * label, 1.3, label);
        break;
      case Kind::Ring: {
        const double angle = 2 * std::numbers::pi * random.uniform();
        const double r = label > 0 ? 1.3 * std::sqrt(random.uniform()) : 2.6 + 0.9 * random.uniform();
        put(out, r * std::cos(angle), r * std::sin(angle), label);
        break;
      }
    }
  }
  return out;
}

Json points_json(const Points& points) {
  Json out = Json::array();
  for (std::size_t i = 0; i < points.rows(); ++i)
    out.push_back({points.values[2 * i], points.values[2 * i + 1], points.labels[i]});
  return out;
}

}  // namespace halfspace::playground
