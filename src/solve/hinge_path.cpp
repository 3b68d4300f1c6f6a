// SPDX-License-Identifier: BSD-3-Clause
// The walk goes along a parameter t on which the largest dual values depend, ceiling_i(t) = base_i + t rate_i. Of the rows on the
// margin (the elbow) the dual values follow from their margins being 1; then every margin and every dual value is linear in t,
// and the first one to meet its bound changes sides. Several at the same t: the row with the smallest number first, as in
// Murty's least-index method for linear complementarity problems, which ends where those rows are independent.
// Two walks follow each other. The first begins where the larger class has ceilings so low that both classes weigh the same and
// all rows are inside, and raises them: t from 0 to 1. The smaller class is held inside, as it is for every C that is small enough; for
// these theta and C are in proportion, so that any C will do. The second walk raises C itself.
// A row that follows from those of the elbow (a copy of one, say) keeps the margin 1 as long as they do: it has no event of its
// own until one of them leaves.
#include "halfspace/solve/hinge_path.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "data/storage/row_access.hpp"
#include "solve/path/elbow.hpp"

namespace halfspace {
namespace {

constexpr double near = 1e-9;         // margins and shares of ceilings that count as equal
constexpr double same_place = 1e-10;  // relative: values of t that are one
constexpr std::size_t steps_between_scores = 16, steps_between_sums = 200;
constexpr double endless = std::numeric_limits<double>::infinity();

// A line a + b (t - now).
struct Lines {
  std::vector<double> at, slope;
};

class Walk {
 public:
  Walk(const Problem& problem, double most_work, const Threads& threads)
      : p_(problem),
        rows_(RowAccess::of(problem.data->matrix())),
        threads_(threads),
        most_work_(most_work),
        free_(problem.offset == Offset::Free),
        lifted_(problem.offset == Offset::Lifted),
        square_(usual_square()),
        elbow_(*rows_, problem.offset, square_),
        side_(problem.rows(), MarginSide::Inside),
        base_(problem.rows(), 0.0),
        rate_(problem.rows(), 0.0),
        theta_(Lines{std::vector<double>(rows_->cols()), std::vector<double>(rows_->cols())}),
        f_(Lines{std::vector<double>(problem.rows()), std::vector<double>(problem.rows())}) {
    for (std::size_t i = 0; i < p_.rows(); ++i) entries_ += static_cast<double>(rows_->entries(i));
  }

  HingeWalk run(double low, double high, const std::function<bool(const HingePlace&)>& each) {
    const double large = large_c();
    if (free_ && !(cost_sum_[0] > 0 && cost_sum_[1] > 0)) return {PathEnd::Reached, high};
    begin(large);
    double start = large;
    if (free_) {
      if (const PathEnd end = go(1, {}); end != PathEnd::Reached) return {end, 0};
      const auto first = zero_plane_ ? std::nullopt : first_move(large);
      if (!first) return {PathEnd::Reached, high};  // all planes point the same way, or are 0
      start = *first / 2;
    }
    along_c(start);
    HingeWalk out;
    out.end = go(high, [&](HingePlace& place) { return place.C < low || each(place); });
    out.C = out.end == PathEnd::Reached ? high : t_;
    return out;
  }

 private:
  using Each = std::function<bool(HingePlace&)>;

  [[nodiscard]] double usual_square() const {
    double sum = 0;
    for (std::size_t i = 0; i < rows_->rows(); ++i) sum += rows_->norm2(i);
    const double mean = sum / static_cast<double>(std::max<std::size_t>(1, rows_->rows()));
    return mean > 0 ? mean : 1.0;
  }
  [[nodiscard]] double cost_sum(int sign) const {
    double sum = 0;
    for (std::size_t i = 0; i < p_.rows(); ++i)
      if (p_.y[i] == sign) sum += p_.cost[i];
    return sum;
  }
  [[nodiscard]] double ceiling(std::size_t i) const { return base_[i] + t_ * rate_[i]; }

  // How the larger class is scaled down at the beginning; 1 for the other.
  [[nodiscard]] double share_of(std::size_t i) const {
    if (!free_) return 1;
    const double positive = cost_sum_[1], negative = cost_sum_[0];
    return std::min(1.0, p_.y[i] > 0 ? negative / positive : positive / negative);
  }

  // At this C margins lie millions apart where there is a free offset, a quarter where there is none.
  double large_c() {
    cost_sum_ = {cost_sum(-1), cost_sum(1)};
    larger_ = cost_sum_[1] >= cost_sum_[0] ? 1 : -1;
    std::vector<double> all(rows_->cols(), 0.0), f(p_.rows());
    double constant = 0, most = 0;
    for (std::size_t i = 0; i < p_.rows(); ++i) {
      const double a = p_.y[i] * p_.cost[i] * share_of(i);
      rows_->axpy(a, i, all.data());
      constant += lifted_ ? a : 0;
    }
    row_products(*rows_, all.data(), f.data(), threads_);
    for (std::size_t i = 0; i < p_.rows(); ++i)
      if (p_.cost[i] > 0) most = std::max(most, std::abs(f[i] + constant));
    return (free_ ? 1e6 : 0.25) / (most > 0 ? most : 1.0);
  }

  // The machine of the first walk, with another C: theta grows with C, the larger class stays where it is, and the smaller one
  // comes from the margin -1. The C at which its first row is at 1; none: never.
  [[nodiscard]] std::optional<double> first_move(double large) const {
    double most = 0;
    for (std::size_t i = 0; i < p_.rows(); ++i)
      if (p_.y[i] != larger_ && p_.cost[i] > 0) most = std::max(most, 1 + margin(i));
    return most > 0 ? std::optional(2 * large / most) : std::nullopt;
  }

  void begin(double start) {
    while (elbow_.size() > 0) elbow_.remove(elbow_.size() - 1);
    for (std::size_t i = 0; i < p_.rows(); ++i) {
      side_[i] = p_.cost[i] > 0 ? MarginSide::Inside : MarginSide::Outside;
      base_[i] = start * p_.cost[i] * share_of(i);
      rate_[i] = start * p_.cost[i] - base_[i];
    }
    t_ = 0;
    span_ = 1;
    unit_ = start;
    add_up();
    if (!free_) return along_c(start);
    // The largest theta0 with all rows of the larger class inside: the one that it stops at is the first on the margin.
    row_products(*rows_, sum_base_.data(), f_.at.data(), threads_);
    std::optional<std::uint32_t> first;
    for (std::uint32_t i = 0; i < p_.rows(); ++i)
      if (p_.y[i] == larger_ && p_.cost[i] > 0 &&
          (!first || p_.y[i] * f_.at[i] > p_.y[*first] * f_.at[*first]))
        first = i;
    if (first) (void)move(*first, MarginSide::On);
  }

  void along_c(double start) {
    for (std::size_t i = 0; i < p_.rows(); ++i) {
      base_[i] = 0;
      rate_[i] = p_.cost[i];
    }
    t_ = start;
    span_ = 0;  // that of t itself
    unit_ = 1;
    add_up();
  }

  // The sums over the rows inside, anew: what rounding leaves in them does not add up.
  void add_up() {
    sum_base_.assign(rows_->cols(), 0.0);
    sum_rate_ = sum_base_;
    offset_base_ = offset_rate_ = 0;
    for (std::uint32_t i = 0; i < p_.rows(); ++i)
      if (side_[i] == MarginSide::Inside) add_inside(i, 1);
    steps_ = 0;
  }
  void add_inside(std::uint32_t i, double sign) {
    const double base = sign * p_.y[i] * base_[i], rate = sign * p_.y[i] * rate_[i];
    rows_->axpy(base, i, sum_base_.data());
    rows_->axpy(rate, i, sum_rate_.data());
    offset_base_ += base;
    offset_rate_ += rate;
  }

  // False: it depends on those that are on the margin.
  [[nodiscard]] bool move(std::uint32_t i, MarginSide to) {
    if (to == MarginSide::On && !elbow_.add(i)) return false;
    if (side_[i] == MarginSide::Inside) add_inside(i, -1);
    if (to == MarginSide::Inside) add_inside(i, 1);
    if (side_[i] == MarginSide::On)
      elbow_.remove(static_cast<std::size_t>(std::find(elbow_.rows().begin(), elbow_.rows().end(), i) -
                                             elbow_.rows().begin()));
    before_.emplace(i, side_[i]);
    side_[i] = to;
    return true;
  }

  // What follows from the elbow: its dual values, theta, theta0, and the scores, at t and how fast they go.
  void solve() {
    const std::size_t k = elbow_.size();
    std::vector<double> base(k), rate(k), r(k);
    rows_->dots(elbow_.rows(), sum_base_.data(), base.data());
    rows_->dots(elbow_.rows(), sum_rate_.data(), rate.data());
    const double lifted = lifted_ ? 1 : 0;
    for (std::size_t e = 0; e < k; ++e) {
      base[e] += lifted * offset_base_;
      rate[e] = -rate[e] - lifted * offset_rate_;
      r[e] = p_.y[elbow_.rows()[e]] - base[e] + t_ * rate[e];
    }
    now_ = elbow_.solve(std::move(r), -offset_base_ - t_ * offset_rate_);
    drift_ = elbow_.solve(std::move(rate), -offset_rate_);
    for (std::size_t j = 0; j < sum_base_.size(); ++j) {
      theta_.at[j] = sum_base_[j] + t_ * sum_rate_[j];
      theta_.slope[j] = sum_rate_[j];
    }
    rows_->axpys(elbow_.rows(), now_.g.data(), theta_.at.data());
    rows_->axpys(elbow_.rows(), drift_.g.data(), theta_.slope.data());
    if (lifted_) {
      now_.b = offset_base_ + t_ * offset_rate_;
      drift_.b = offset_rate_;
      for (std::size_t e = 0; e < k; ++e) {
        now_.b += now_.g[e];
        drift_.b += drift_.g[e];
      }
    }
    row_products(*rows_, theta_.slope.data(), f_.slope.data(), threads_);
    if (steps_ % steps_between_scores == 0) row_products(*rows_, theta_.at.data(), f_.at.data(), threads_);
    work_ += 2 * entries_ + 6 * static_cast<double>(k * k) + static_cast<double>(p_.rows());
  }

  [[nodiscard]] double margin(std::size_t i) const { return p_.y[i] * (f_.at[i] + now_.b); }
  [[nodiscard]] double margin_slope(std::size_t i) const { return p_.y[i] * (f_.slope[i] + drift_.b); }
  [[nodiscard]] double span() const { return span_ > 0 ? span_ : t_; }
  [[nodiscard]] bool first_walk() const { return span_ > 0; }
  // In the first walk the smaller class stays inside, and what is 1 in the second has no size of its own.
  [[nodiscard]] bool stays(std::size_t i) const {
    return p_.cost[i] == 0 || (first_walk() && p_.y[i] != larger_);
  }
  [[nodiscard]] double theta_size() const {
    double sum = 0;
    for (const double w : theta_.at) sum += w * w;
    return std::sqrt(sum * square_);
  }

  struct Event {
    double after = endless;  // from t
    std::uint32_t row = 0;
    MarginSide to = MarginSide::On;
    [[nodiscard]] bool any() const { return after < endless; }
    void take(double when, std::uint32_t i, MarginSide side) {
      if (when > after || (when == after && i >= row)) return;
      *this = {when, i, side};
    }
  };

  // What is at its bound already and goes beyond counts as an event of now, whatever rounding says.
  [[nodiscard]] Event next() const {
    Event out;
    const auto when = [](double left, double size = 1) { return left <= near * size ? 0.0 : left; };
    const double size = first_walk() ? theta_size() : 1.0;
    for (std::uint32_t i = 0; i < p_.rows(); ++i) {
      if (side_[i] == MarginSide::On || stays(i)) continue;
      const double toward = side_[i] == MarginSide::Inside ? 1.0 : -1.0;
      const double speed = toward * margin_slope(i);
      if (speed * span() > near * size)
        out.take(when(toward * (1 - margin(i)), size) / speed, i, MarginSide::On);
    }
    for (std::size_t e = 0; e < elbow_.size() && !(free_ && elbow_.size() == 1 && !first_walk()); ++e) {
      const std::uint32_t i = elbow_.rows()[e];
      const double unit = unit_ * p_.cost[i], alpha = p_.y[i] * now_.g[e], speed = p_.y[i] * drift_.g[e];
      const double up = speed - rate_[i];
      if (-speed > near * unit)
        out.take(when(alpha / ceiling(i)) * ceiling(i) / -speed, i, MarginSide::Outside);
      if (up > near * unit)
        out.take(when((ceiling(i) - alpha) / ceiling(i)) * ceiling(i) / up, i, MarginSide::Inside);
    }
    return out;
  }

  // The only row on the margin leaves it: theta0 goes on until another comes there.
  [[nodiscard]] bool relieve(const Event& event) {
    const double up = (event.to == MarginSide::Outside ? 1.0 : -1.0) * p_.y[event.row];  // of theta0
    Event best;
    for (std::uint32_t i = 0; i < p_.rows(); ++i) {
      if (i == event.row || stays(i)) continue;
      const double toward = side_[i] == MarginSide::Inside ? 1.0 : -1.0;
      if (toward * p_.y[i] * up > 0) best.take(std::max(0.0, toward * (1 - margin(i))), i, MarginSide::On);
    }
    if (!best.any()) return false;
    if (!move(event.row, event.to)) return false;
    steps_ = 0;
    return move(best.row, MarginSide::On);
  }

  [[nodiscard]] bool change(const Event& event) {
    ++steps_;
    if (free_ && elbow_.size() == 1 && event.to != MarginSide::On) return relieve(event);
    return move(event.row, event.to);
  }

  PathEnd go(double to, const Each& each) {
    before_.clear();
    std::size_t at_once = 0;
    while (true) {
      threads_.check();
      if (work_ > most_work_) return PathEnd::Work;
      if (steps_ >= steps_between_sums) add_up();
      solve();
      const Event event = next();
      if (event.after > same_place * std::max(span(), t_)) {
        at_once = 0;
        if (each && !before_.empty() && !told(each, !event.any())) return PathEnd::Left;
        before_.clear();
        if (!event.any() || t_ + event.after > to) {
          if (first_walk()) advance(to - t_);
          return PathEnd::Reached;
        }
        advance(event.after);
      } else if (++at_once > 100 + p_.rows()) {
        return PathEnd::Ties;
      }
      if (first_walk() && theta_size() <= 1e-11 * unit_ * (cost_sum_[0] + cost_sum_[1]) * square_) {
        zero_plane_ =
            true;  // the classes have a common mean of rows that are all at their ceilings or on the margin
        return PathEnd::Reached;
      }
      if (!change(event)) return PathEnd::Ties;
    }
  }

  void advance(double after) {
    t_ += after;
    for (std::size_t i = 0; i < p_.rows(); ++i) f_.at[i] += after * f_.slope[i];
    for (std::size_t j = 0; j < theta_.at.size(); ++j) theta_.at[j] += after * theta_.slope[j];
    now_.b += after * drift_.b;
  }

  [[nodiscard]] bool told(const Each& each, bool last) {
    HingePlace place{.C = t_, .theta = theta_.at, .theta0 = now_.b, .on_margin = elbow_.size(), .last = last};
    for (const auto& [row, from] : before_)
      if (from != side_[row]) place.moves.push_back({row, from, side_[row]});
    if (place.moves.empty()) return true;
    std::vector<double> alpha(p_.rows(), 0.0);
    for (std::size_t i = 0; i < p_.rows(); ++i)
      if (side_[i] == MarginSide::Inside) alpha[i] = ceiling(i);
    for (std::size_t e = 0; e < elbow_.size(); ++e) {
      const std::uint32_t i = elbow_.rows()[e];
      alpha[i] = std::clamp(p_.y[i] * now_.g[e], 0.0, ceiling(i));
    }
    for (std::uint32_t i = 0; i < p_.rows(); ++i) {
      if (!(alpha[i] > 0)) continue;
      if (alpha[i] > near * ceiling(i)) ++place.vectors;
      place.dual.rows.push_back(i);
      place.dual.alpha.push_back(alpha[i]);
    }
    return each(place);
  }

  const Problem& p_;
  std::unique_ptr<RowAccess> rows_;
  Threads threads_;
  double most_work_, work_ = 0, entries_ = 0;
  bool free_, lifted_;
  double square_;  // of a usual row
  Elbow elbow_;
  std::vector<MarginSide> side_;
  std::vector<double> base_, rate_;
  double t_ = 0, span_ = 1, unit_ = 1;
  std::array<double, 2> cost_sum_{};
  int larger_ = 1;
  bool zero_plane_ = false;  // theta is 0 for every C
  // Over the rows inside: sum of y ceiling x, and of y ceiling.
  std::vector<double> sum_base_, sum_rate_;
  double offset_base_ = 0, offset_rate_ = 0;
  Elbow::Values now_, drift_;  // y alpha of the rows on the margin, and theta0
  Lines theta_, f_;            // f without theta0
  std::size_t steps_ = 0;
  std::map<std::uint32_t, MarginSide> before_;  // of rows that have moved at this t
};

}  // namespace

HingeWalk walk_hinge_path(const Problem& problem, double low, double high, double most_work,
                          const Threads& threads, const std::function<bool(const HingePlace&)>& each) {
  return Walk(problem, most_work, threads).run(low, high, each);
}

}  // namespace halfspace
