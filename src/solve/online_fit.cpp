// SPDX-License-Identifier: BSD-3-Clause
#include "solve/online_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "halfspace/core/kernels.hpp"

namespace halfspace {
namespace {

double y_of(const Dataset& data, std::size_t i, std::size_t k) {
  const std::size_t positive = data.classes().size() == 2 ? 1 : k;
  return data.labels()[i] == positive ? 1.0 : -1.0;
}

// Steps that the plane after mistake r lived, those up to step `from` left out.
std::uint64_t lifetime(const PlaneWalk& plane, std::size_t r, std::uint64_t from) {
  const std::uint64_t born = plane.record[r].step;
  const std::uint64_t died = r + 1 < plane.record.size() ? plane.record[r + 1].step : plane.steps + 1;
  const std::uint64_t begin = std::max(born, from + 1);
  return died > begin ? died - begin : 0;
}

// Largest |x|^2 over the rows that count, with the lifted 1.
double radius2_of(const Dataset& data, const RowAccess& rows, bool lifted, const Threads& threads) {
  std::vector<double> largest((rows.rows() + row_block - 1) / row_block, 0.0);
  for_blocks(threads, rows.rows(), row_block, [&](std::size_t begin, std::size_t end) {
    double& most = largest[begin / row_block];
    for (std::size_t i = begin; i < end; ++i)
      if (data.weight(i) > 0) most = std::max(most, rows.norm2(i) + (lifted ? 1.0 : 0.0));
  });
  return *std::max_element(largest.begin(), largest.end());
}

// Smallest signed margin of a plane over the rows that count.
double least_margin(const Dataset& data, const RowAccess& rows, const PlaneWalk& plane, std::size_t k,
                    const Threads& threads) {
  std::vector<double> score(rows.rows());
  row_products(rows, plane.theta.data(), score.data(), threads);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < score.size(); ++i) {
    if (data.weight(i) > 0) least = std::min(least, y_of(data, i, k) * (score[i] + plane.theta0));
  }
  return least;
}

double length_of(const PlaneWalk& plane, bool lifted) {
  return std::sqrt(norm2(plane.theta.data(), plane.theta.size()) +
                   (lifted ? plane.theta0 * plane.theta0 : 0.0));
}

}  // namespace

std::vector<ChosenPlane> last_planes(const OnlineWalk& walk) {
  std::vector<ChosenPlane> out;
  for (const PlaneWalk& plane : walk.planes) {
    if (plane.clean || plane.best.empty()) {
      out.push_back({plane.theta, plane.theta0});
    } else {
      out.push_back({plane.best, plane.best0});
    }
  }
  return out;
}

std::vector<ChosenPlane> mean_planes(const OnlineWalk& walk) {
  std::vector<ChosenPlane> out;
  for (const PlaneWalk& plane : walk.planes) out.push_back({plane.mean, plane.mean0});
  return out;
}

std::vector<ChosenPlane> last_half_planes(const Dataset& data, const OnlineWalk& walk, bool lifted) {
  const auto rows = RowAccess::of(data.matrix());
  std::vector<ChosenPlane> out;
  for (const PlaneWalk& plane : walk.planes) {
    const std::uint64_t from = plane.steps / 2;
    const auto steps = static_cast<double>(std::max<std::uint64_t>(1, plane.steps - from));
    std::vector<double> u(rows->cols(),
                          0.0);  // what theta lacked before its last value, summed over the steps
    double u0 = 0;
    for (const Mistake& mistake : plane.record) {
      if (mistake.step <= from + 1) continue;
      const double a = (mistake.positive ? 1.0 : -1.0) * static_cast<double>(mistake.step - from - 1);
      rows->axpy(a, mistake.row, u.data());
      if (lifted) u0 += a;
    }
    for (std::size_t j = 0; j < u.size(); ++j) u[j] = (steps * plane.theta[j] - u[j]) / steps;
    out.push_back({std::move(u), (steps * plane.theta0 - u0) / steps});
  }
  return out;
}

std::vector<ChosenPlane> longest_planes(const Dataset& data, const OnlineWalk& walk, bool lifted) {
  const auto rows = RowAccess::of(data.matrix());
  std::vector<ChosenPlane> out;
  for (const PlaneWalk& plane : walk.planes) {
    std::size_t best = 0;
    std::uint64_t longest = 0;
    for (std::size_t r = 0; r < plane.record.size(); ++r) {
      if (lifetime(plane, r, 0) > longest) {
        longest = lifetime(plane, r, 0);
        best = r + 1;
      }
    }
    ChosenPlane chosen{std::vector<double>(rows->cols(), 0.0)};
    for (std::size_t r = 0; r < best; ++r) {
      const double y = plane.record[r].positive ? 1.0 : -1.0;
      rows->axpy(y, plane.record[r].row, chosen.theta.data());
      if (lifted) chosen.theta0 += y;
    }
    out.push_back(std::move(chosen));
  }
  return out;
}

VotedModel voted_model(const Dataset& data, const OnlineWalk& walk, bool lifted, bool last_half) {
  const auto rows = RowAccess::of(data.matrix());
  VotedModel model{.features = data.features(), .planes = walk.planes.size()};
  constexpr std::uint32_t none = UINT32_MAX;
  std::vector<std::uint32_t> kept(data.rows(), none);
  std::vector<std::uint32_t> index(data.features());
  std::vector<double> value(data.features());
  for (const PlaneWalk& plane : walk.planes) {
    const std::uint64_t from = last_half ? plane.steps / 2 : 0;
    for (std::size_t r = 0; r < plane.record.size(); ++r) {
      const Mistake& mistake = plane.record[r];
      std::uint32_t& number = kept[mistake.row];
      if (number == none) {
        number = static_cast<std::uint32_t>(model.constant.size());
        const std::size_t size = rows->copy_entries(mistake.row, index.data(), value.data());
        model.index.insert(model.index.end(), index.begin(),
                           index.begin() + static_cast<std::ptrdiff_t>(size));
        model.value.insert(model.value.end(), value.begin(),
                           value.begin() + static_cast<std::ptrdiff_t>(size));
        model.start.push_back(model.index.size());
        model.constant.push_back(lifted ? 1.0 : 0.0);
      }
      model.row.push_back(number);
      model.positive.push_back(mistake.positive ? 1 : 0);
      model.survived.push_back(lifetime(plane, r, from));
    }
    model.first.push_back(model.row.size());
  }
  return model;
}

LinearModel linear_model(std::vector<ChosenPlane> planes) {
  LinearModel linear{.features = planes.at(0).theta.size(), .planes = planes.size()};
  if (planes.size() == 1) {
    linear.weights = std::move(planes[0].theta);
    linear.offsets = {planes[0].theta0};
    return linear;
  }
  linear.weights.reserve(linear.features * linear.planes);
  for (const ChosenPlane& plane : planes) {
    linear.weights.insert(linear.weights.end(), plane.theta.begin(), plane.theta.end());
    linear.offsets.push_back(plane.theta0);
  }
  return linear;
}

Fit online_fit(OnlineWalk& walk, const OnlineSetup& setup) {
  Fit fit;
  fit.stop = walk.stop;
  fit.iterations = static_cast<std::uint64_t>(std::ceil(walk.passes));
  fit.mistakes = 0;
  for (const PlaneWalk& plane : walk.planes) *fit.mistakes += plane.mistakes;
  fit.figures.emplace_back("passes", walk.passes);
  if (walk.planes.size() == 1) {
    PlaneWalk& plane = walk.planes[0];
    fit.counts = std::move(plane.counts);
    fit.curve = std::move(plane.curve);
    const double seen =
        setup.order == Order::Worst ? 0.0 : static_cast<double>(walk.visits) * std::min(1.0, walk.passes);
    if (seen > 0) {
      const double share = static_cast<double>(plane.first_mistakes) / seen;
      fit.figures.emplace_back("progressive_error", share);
      fit.notes.push_back(
          fmt::format("progressive error {:.4g}: {} mistake{} in the first {:.0f} rows, each judged before "
                      "it was learned from",
                      share, plane.first_mistakes, plane.first_mistakes == 1 ? "" : "s", seen));
    }
  }
  if (setup.pocket && walk.stop != Stop::Clean) {
    double errors = 0;
    for (const PlaneWalk& plane : walk.planes) errors += plane.clean ? 0 : plane.best_value;
    fit.figures.emplace_back("best_errors", errors);
    fit.notes.push_back(fmt::format("the plane kept is the best one seen, with {} training error{}", errors,
                                    errors == 1 ? "" : "s"));
  }
  return fit;
}

std::vector<Certificate> mistake_bounds(const Dataset& data, const OnlineWalk& walk, bool lifted,
                                        const Threads& threads) {
  const auto rows = RowAccess::by_row(data.matrix());
  const double radius2 = radius2_of(data, *rows, lifted, threads);
  std::vector<Certificate> out;
  if (!squares_are_exact(radius2)) return out;
  const double radius = std::sqrt(radius2);
  for (std::size_t k = 0; k < walk.planes.size(); ++k) {
    const PlaneWalk& plane = walk.planes[k];
    const double length = length_of(plane, lifted);
    MistakeBound bound{.mistakes = plane.mistakes, .radius = radius, .lifted = lifted};
    bound.margin_upper = plane.mistakes == 0 ? std::numeric_limits<double>::infinity()
                                             : length / static_cast<double>(plane.mistakes);
    if (plane.clean)
      bound.margin_lower = std::max(0.0, least_margin(data, *rows, plane, k, threads) / length);
    out.emplace_back(bound);
  }
  return out;
}

std::vector<Certificate> separators(const Dataset& data, const OnlineWalk& walk, bool lifted,
                                    const Threads& threads) {
  const auto rows = RowAccess::of(data.matrix());
  std::vector<Certificate> out;
  for (std::size_t k = 0; k < walk.planes.size(); ++k) {
    const PlaneWalk& plane = walk.planes[k];
    const double least = plane.clean ? least_margin(data, *rows, plane, k, threads) : 0;
    if (!(least > 0)) return {};
    out.emplace_back(Separator{plane.theta, plane.theta0, least / length_of(plane, lifted)});
  }
  return out;
}

}  // namespace halfspace
