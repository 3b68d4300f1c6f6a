// SPDX-License-Identifier: BSD-3-Clause
// Where all rows are on their side, in the space of weights: a square, cut by one half plane after the other (Sutherland and
// Hodgman, Communications of the ACM 17, 1974).
#include <algorithm>
#include <cmath>

#include "playground/answers.hpp"

namespace halfspace::playground {

std::vector<Corner> solution_region(const Points& points, double theta0, double half_width) {
  const double b = half_width;
  std::vector<Corner> region = {{-b, -b}, {b, -b}, {b, b}, {-b, b}};
  std::vector<Corner> cut;
  for (std::size_t i = 0; i < points.rows() && !region.empty(); ++i) {
    const double y = points.labels[i];
    const double x1 = points.values[2 * i], x2 = points.values[2 * i + 1];
    const auto margin = [&](const Corner& at) { return y * (x1 * at.x + x2 * at.y + theta0); };
    cut.clear();
    bool inside = false;  // something on the right side, not only on its edge
    for (std::size_t k = 0; k < region.size(); ++k) {
      const Corner& here = region[k];
      const Corner& next = region[(k + 1) % region.size()];
      const double m = margin(here), n = margin(next);
      inside = inside || m > 0;
      if (m >= 0) cut.push_back(here);
      if ((m > 0 && n < 0) || (m < 0 && n > 0)) {
        const double t = m / (m - n);
        cut.push_back({here.x + t * (next.x - here.x), here.y + t * (next.y - here.y)});
      }
    }
    if (!inside) return {};
    region.swap(cut);
  }
  return region.size() < 3 ? std::vector<Corner>{} : region;
}

}  // namespace halfspace::playground
