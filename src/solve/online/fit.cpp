// SPDX-License-Identifier: BSD-3-Clause
#include "solve/online/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "certify/mistake_bound.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

// Steps that the plane after mistake r lived, those up to step `from` left out.
std::uint64_t lifetime(const PlaneWalk& plane, std::size_t r, std::uint64_t from) {
  const std::uint64_t born = plane.record[r].step;
  const std::uint64_t died = r + 1 < plane.record.size() ? plane.record[r + 1].step : plane.steps + 1;
  const std::uint64_t begin = std::max(born, from + 1);
  return died > begin ? died - begin : 0;
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

std::vector<ChosenPlane> longest_planes(const Dataset& data, const OnlineWalk& walk, bool lifted,
                                        const StartPlane* start) {
  const auto rows = RowAccess::of(data.matrix());
  std::vector<ChosenPlane> out;
  for (std::size_t k = 0; k < walk.planes.size(); ++k) {
    const PlaneWalk& plane = walk.planes[k];
    std::size_t best = 0;
    // Zero is no plane that could be kept; another start is.
    std::uint64_t longest =
        start == nullptr ? 0 : (plane.record.empty() ? plane.steps : plane.record[0].step - 1);
    for (std::size_t r = 0; r < plane.record.size(); ++r) {
      if (lifetime(plane, r, 0) > longest) {
        longest = lifetime(plane, r, 0);
        best = r + 1;
      }
    }
    ChosenPlane chosen{std::vector<double>(rows->cols(), 0.0)};
    if (start != nullptr) {
      chosen.theta.assign(start->planes.plane(k).begin(), start->planes.plane(k).end());
      chosen.theta0 = start->planes.offsets[k];
    }
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
  Fit fit{.answer = {.model = Model{}}};
  fit.answer.stop = walk.stop;
  fit.trace.iterations = static_cast<std::uint64_t>(std::ceil(walk.passes));
  fit.trace.mistakes = 0;
  for (const PlaneWalk& plane : walk.planes) *fit.trace.mistakes += plane.mistakes;
  fit.trace.figures.emplace_back("passes", walk.passes);
  if (walk.planes.size() == 1) {
    PlaneWalk& plane = walk.planes[0];
    fit.trace.counts = std::move(plane.counts);
    fit.trace.curve = std::move(plane.curve);
    const double seen =
        setup.order == Order::Worst ? 0.0 : static_cast<double>(walk.visits) * std::min(1.0, walk.passes);
    if (seen > 0) {
      const double share = static_cast<double>(plane.first_mistakes) / seen;
      fit.trace.figures.emplace_back("progressive_error", share);
      fit.words.summary.push_back(
          fmt::format("progressive error {:.4g}: {} mistake{} in the first {:.0f} rows, each judged before "
                      "it was learned from",
                      share, plane.first_mistakes, plane.first_mistakes == 1 ? "" : "s", seen));
    }
  }
  if (setup.pocket && walk.stop != Stop::Clean) {
    double errors = 0;
    for (const PlaneWalk& plane : walk.planes) errors += plane.clean ? 0 : plane.best_value;
    fit.trace.figures.emplace_back("best_errors", errors);
    fit.words.summary.push_back(fmt::format("the plane kept is the best one seen, with {} training error{}",
                                            errors, errors == 1 ? "" : "s"));
  }
  return fit;
}

std::vector<DualPoint> mistakes_by_row(const OnlineWalk& walk, const Fit& fit) {
  std::vector<DualPoint> out;
  for (const PlaneWalk& plane : walk.planes) {
    const std::vector<std::uint32_t>& counts = walk.planes.size() == 1 ? fit.trace.counts : plane.counts;
    DualPoint& point = out.emplace_back();
    for (std::uint32_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      point.rows.push_back(i);
      point.alpha.push_back(counts[i]);
    }
  }
  return out;
}

void add_mistake_bounds(Fit& fit, const Dataset& data, const OnlineWalk& walk, bool lifted,
                        const KernelFunction& kernel, const Threads& threads) {
  std::vector<DualPoint> counts = mistakes_by_row(walk, fit);
  // Planes side by side, each by one thread; kernels take all threads for one.
  const bool beside = kernel.kind == KernelKind::Linear && counts.size() > 1;
  const double radius2 = beside ? radius2_above(data, lifted, threads) : 0;
  std::vector<std::optional<MistakeBound>> found(counts.size());
  (beside ? threads : threads.alone()).run(counts.size(), [&](std::size_t k) {
    const auto positive = static_cast<std::uint32_t>(data.classes().size() == 2 ? 1 : k);
    found[k] = mistake_bound(data, counts[k], {positive, lifted, kernel, walk.planes[k].clean, radius2},
                             beside ? threads.alone() : threads);
  });
  std::vector<Certificate> bounds;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (!found[k] || found[k]->mistakes != walk.planes[k].mistakes) return;
    bounds.emplace_back(*found[k]);
  }
  fit.proof.certificates = std::move(bounds);
  fit.model().dual = std::move(counts);
}

std::vector<Certificate> separators(const Dataset& data, const OnlineWalk& walk, bool lifted,
                                    const Threads& threads) {
  std::vector<Certificate> out;
  for (std::uint32_t k = 0; k < walk.planes.size(); ++k) {
    const PlaneWalk& plane = walk.planes[k];
    if (!plane.clean) return {};
    const double margin = separator_margin(data, data.classes().size() == 2 ? 1 : k, plane.theta,
                                           plane.theta0, lifted, threads);
    if (!(margin > 0)) return {};
    out.emplace_back(Separator{plane.theta, plane.theta0, margin});
  }
  return out;
}

void check_watchable(const Dataset& data) {
  if (data.classes().size() == 2) return;
  throw UsageError(fmt::format("a trace follows one plane; the data have {} classes", data.classes().size()),
                   "choose one with --positive LABEL");
}

void LateVotes::see(const Update& update) {
  if (waiting_) show(update.step - update_.step);
  waiting_ = true;
  update_ = update;
  theta_.assign(update.theta.begin(), update.theta.end());
  theta_before_.assign(update.theta_before.begin(), update.theta_before.end());
  rows_.assign(update.rows.begin(), update.rows.end());
}

void LateVotes::finish(std::uint64_t votes) {
  if (waiting_) show(votes);
}

void LateVotes::show(std::uint64_t votes) {
  ++seen_;
  if ((seen_ - 1) % observer_.every != 0 || shown_ >= observer_.most) return;
  ++shown_;
  update_.theta = theta_;
  update_.theta_before = theta_before_;
  update_.rows = rows_;
  update_.voted = true;
  update_.votes = votes;
  observer_.see(update_);
}

}  // namespace halfspace
