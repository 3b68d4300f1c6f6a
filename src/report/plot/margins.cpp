// SPDX-License-Identifier: BSD-3-Clause
// The histogram of the margins, classes stacked.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/plot/pictures.hpp"
#include "report/plot/svg.hpp"

namespace halfspace::report {

std::string margins_picture(const std::vector<MarginBin>& bins, const std::vector<std::string>& classes,
                            bool support_margin) {
  double most = 1;
  for (const MarginBin& bin : bins)
    most = std::max(most, std::accumulate(bin.rows.begin(), bin.rows.end(), 0.0));
  constexpr std::size_t named = 6;
  Drawing drawing(640, 360, "Margins of the rows",
                  "Histogram of the margin y f(x) of every row, by class. Rows left of zero are wrong.");
  if (bins.empty()) return drawing.svg();
  const Frame frame{{64, 44}, 552, 256, bins.front().low, bins.back().high, 0, most * 1.05};
  frame.axes(drawing, "margin", "rows");
  for (const MarginBin& bin : bins) {
    double below = 0;
    for (std::size_t k = 0; k < bin.rows.size(); ++k) {
      if (bin.rows[k] == 0) continue;
      const Point top = frame.at(bin.low, below + bin.rows[k]), bottom = frame.at(bin.high, below);
      drawing.box({top.x + 0.5, top.y}, bottom.x - top.x - 1, bottom.y - top.y, class_ink(k),
                  k % 2 == 0 ? 0.95 : 0.7);
      below += bin.rows[k];
    }
  }
  const auto rule = [&](double at, std::string_view words) {
    if (at < frame.x_low || at > frame.x_high) return;
    drawing.line(frame.at(at, frame.y_low), frame.at(at, frame.y_high), Ink::Accent, 1.5,
                 at == 0 ? "" : "5 4");
    drawing.text({frame.at(at, 0).x + 4, frame.corner.y + (at == 0 ? 10 : 24)}, words, "start", Ink::Text,
                 11);
  };
  rule(0, "wrong | right");
  if (support_margin) rule(1, "margin 1");
  double x = 64;
  for (std::size_t k = 0; k < std::min(classes.size(), named); ++k) {
    const std::string name = classes[k].size() > 20 ? classes[k].substr(0, 17) + "..." : classes[k];
    drawing.box({x, 16}, 11, 11, class_ink(k), k % 2 == 0 ? 0.95 : 0.7);
    drawing.text({x + 16, 26}, name);
    x += 30 + 7.2 * static_cast<double>(name.size());
  }
  return drawing.svg();
}

}  // namespace halfspace::report
