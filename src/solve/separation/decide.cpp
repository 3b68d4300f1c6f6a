// SPDX-License-Identifier: BSD-3-Clause
#include "solve/separation/decide.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solve/separation/exact/exact_simplex.hpp"

namespace halfspace::separation {
namespace {

constexpr std::size_t most_rational_columns = 120;  // of a basis of rationals
constexpr double most_rational_work = 4e8;

}  // namespace

Decision::Decision(const IntegerRows& rows, std::size_t most_columns, std::uint64_t seed,
                   const Threads& threads)
    : rows_(rows), most_columns_(most_columns), seed_(seed), threads_(threads) {}
Decision::~Decision() = default;

bool Decision::decide() {
  peeling_ = peel(rows_, threads_);
  if (peeling_.core.empty()) {
    method_ = "peeling";
    return separated({});
  }
  core_ = std::make_unique<CoreRows>(rows_, peeling_.core, threads_);
  fixed_.assign(core_->rows(), 0);
  return decide_core();
}

bool Decision::decide_core() {
  find_obvious_witnesses();
  std::vector<double> near(core_->rows(), 0.0);
  if (witnesses_.empty() || core_->rows() > 8 * core_->columns()) {
    Probe found = probe(*core_, seed_);
    if (witnesses_.empty() && found.errors == 0 && prove_plane(found.weights, true)) {
      method_ = "probe";
      return true;
    }
    for (std::size_t i = 0; i < near.size(); ++i) near[i] = std::abs(found.margins[i]);
    plane_ = std::move(found.weights);
    alpha_ = std::move(found.alpha);
  }
  std::vector<std::uint32_t> hint;
  if (choose_columns() && run_simplex(near, hint)) return true;
  // Peeled rows are apart from those of a witness by the peeled columns alone: that is a verdict, if not all
  // there is to say.
  if (!witnesses_.empty() && !peeling_.steps.empty()) {
    unproved_ = true;
    return not_separated({});
  }
  return run_rational(hint);
}

// A row of zeros, and the same x in both classes.
void Decision::find_obvious_witnesses() {
  for (std::uint32_t i = 0; i < core_->rows(); ++i)
    if (core_->begin(i) == core_->end(i)) take({{i}, {1}});
  for (const auto& [a, b] : core_->contradictions())
    if (fixed_[a] == 0 || fixed_[b] == 0) take({{a, b}, {1, 1}});
  if (!witnesses_.empty()) method_ = "duplicates";
}

// With fewer rows than columns a basis of the columns is enough. False: too large.
bool Decision::choose_columns() {
  if (core_->columns() > core_->rows()) {
    const double work =
        std::pow(static_cast<double>(core_->rows()), 2) * static_cast<double>(core_->columns());
    if (work > 2e10) return false;
    IndependentRows independent(*core_);
    for (std::uint32_t i = 0; i < core_->rows(); ++i) static_cast<void>(independent.add(i));
    std::vector<std::uint32_t> columns = independent.columns();
    std::sort(columns.begin(), columns.end());
    if (!columns.empty()) core_->approximate_columns(std::move(columns));
  }
  return core_->approximate().cols() <= most_columns_;
}

bool Decision::run_simplex(const std::vector<double>& near, std::vector<std::uint32_t>& hint) {
  Balance found;
  if (search_by_newton(near, found)) return true;
  method_ = witnesses_.empty() ? "" : method_;
  RaySimplex simplex(*core_, near, seed_, threads_);
  bool ray = false;
  if (found.rows.empty()) {
    simplex.start(free_);
  } else {
    ray = simplex.start_from(found.rows, found.weights);
  }
  if (!free_.empty()) simplex.close(span().members(simplex.open_rows()));
  for (int failures = 0; failures < 4;) {
    const RaySimplex::Event event = ray ? RaySimplex::Event::Ray : simplex.run();
    ray = false;
    pivots_ = simplex.pivots();
    if (event == RaySimplex::Event::Stalled) break;
    if (event == RaySimplex::Event::Look) {
      simplex.close(span().members(simplex.open_rows()));
      continue;
    }
    if (event == RaySimplex::Event::Ray) {
      const bool proved = !witnesses_.empty();
      // The first one is proved at once, the others together at the end.
      if (proved || prove_ray(simplex)) {
        if (proved) keep_ray(simplex);
        simplex.accept_ray();
        simplex.close(span().members(simplex.open_working_rows()));
      } else {
        simplex.reject();
        ++failures;
      }
      continue;
    }
    prove_kept_rays();
    if (method_.empty()) method_ = "simplex";
    if (event == RaySimplex::Event::Spanned) {
      if (not_separated({})) return true;
      break;
    }
    // The first plane may have rows on it by chance; the next ones keep their distance.
    if (prove_plane(simplex.weights(), failures > 0)) return true;
    simplex.reject();
    ++failures;
  }
  hint = simplex.basis_rows();
  return false;
}

// Where no witness is known yet: rows near the plane that balance each other are one but for their number. A
// few times as many rows as columns are hardly ever separable when all are not; when they are, so may be the
// rest. True: a plane was found and proved.
bool Decision::search_by_newton(const std::vector<double>& near, Balance& found) {
  const RowAccess& rows = core_->approximate();
  const std::size_t columns = rows.cols();
  if (!free_.empty() || plane_.size() != columns || columns <= 60) return false;
  std::vector<std::uint32_t> chosen(core_->rows());
  std::iota(chosen.begin(), chosen.end(), 0U);
  std::stable_sort(chosen.begin(), chosen.end(), [&](auto a, auto b) { return near[a] < near[b]; });
  chosen.resize(std::min(chosen.size(), 6 * columns));
  for (int round = 0; round < 10; ++round) {
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    found = balance(rows, chosen, std::move(plane_), threads_);
    plane_ = found.plane;
    if (!found.separated) return false;
    std::vector<double> products(core_->rows());
    row_products(rows, plane_.data(), products.data(), threads_);
    std::vector<std::pair<double, std::uint32_t>> wrong;
    for (std::uint32_t i = 0; i < products.size(); ++i)
      if (!(products[i] > 1e-9)) wrong.emplace_back(products[i], i);
    if (wrong.empty()) {
      method_ = "probe";
      return prove_plane(plane_, true);
    }
    std::sort(wrong.begin(), wrong.end());
    for (std::size_t k = 0; k < std::min(wrong.size(), 2 * columns); ++k) chosen.push_back(wrong[k].second);
  }
  return false;
}

bool Decision::prove_ray(const RaySimplex& simplex) {
  IndependentRows independent(*core_);
  for (const std::uint32_t row : simplex.positive()) static_cast<void>(independent.add(row));
  auto combination = independent.combination({{simplex.entering()}, {1}});
  // Every row of the ray must be there: the simplex makes all of them free.
  if (!combination || combination->rows.size() != simplex.positive().size() + 1) return false;
  if (std::any_of(combination->weights.begin(), combination->weights.end(),
                  [](const mpz_class& w) { return w <= 0; }))
    return false;
  take(std::move(*combination));
  method_ = "simplex";
  return true;
}

void Decision::keep_ray(const RaySimplex& simplex) {
  rays_.push_back({simplex.entering(), simplex.positive(), simplex.free_part(), simplex.positive_weights(),
                   simplex.free_weights()});
  free_.insert(free_.end(), simplex.positive().begin(), simplex.positive().end());
}

// The sum of the rays, each so large that it outweighs what the later ones take from its rows, is one
// witness.
bool Decision::prove_sum_of_rays(std::span<const Ray> rays) {
  std::vector<double> later(core_->rows(), 0.0);
  std::vector<double> factors(rays.size());
  double factor = 1, smallest = INFINITY;
  for (std::size_t m = rays.size(); m-- > 0;) {
    const Ray& ray = rays[m];
    for (std::size_t k = 0; k < ray.fresh.size(); ++k) {
      const double taken = -later[ray.fresh[k]];
      while (factor < 1e200 && factor * ray.fresh_weights[k] < 2 * taken) factor *= 2;
    }
    for (std::size_t k = 0; k < ray.fresh.size(); ++k) later[ray.fresh[k]] += factor * ray.fresh_weights[k];
    for (std::size_t k = 0; k < ray.others.size(); ++k) later[ray.others[k]] += factor * ray.other_weights[k];
    // The rays are about rows of length 1.
    factors[m] = factor * core_->row_scale(ray.entering);
    smallest = std::min(smallest, factors[m]);
  }
  ExactCombination others;
  for (std::size_t m = 0; m < rays.size(); ++m) {
    if (!(factors[m] / smallest < 1e280)) return false;
    others.rows.push_back(rays[m].entering);
    others.weights.emplace_back(std::round(factors[m] / smallest * 0x1p20));
  }
  auto combination = span().combination(others);
  if (!combination) return false;
  for (std::size_t k = 0; k < combination->rows.size(); ++k)
    if (fixed_[combination->rows[k]] == 0 && combination->weights[k] <= 0) return false;
  take(std::move(*combination));
  return true;
}

// All at once, or by halves where rounding misjudged one of them.
bool Decision::prove_rays(std::span<const Ray> rays) {
  if (prove_sum_of_rays(rays)) return true;
  if (rays.size() < 2) return false;
  const std::size_t half = rays.size() / 2;
  return prove_rays(rays.first(half)) && prove_rays(rays.subspan(half));
}

void Decision::prove_kept_rays() {
  if (rays_.empty()) return;
  if (prove_rays(rays_)) {
    method_ = "simplex";
  } else {
    unproved_ = true;
  }
  rays_.clear();
}

void Decision::take(ExactCombination combination) {
  Combination witness;
  for (std::size_t k = 0; k < combination.rows.size(); ++k) {
    const std::uint32_t row = combination.rows[k];
    witness.rows.push_back(core_->row(row));
    witness.weights.push_back(combination.weights[k].get_str());
    free_.push_back(row);  // twice does no harm
    fixed_[row] = 1;
  }
  witnesses_.push_back(std::move(witness));
}

IndependentRows& Decision::span() {
  if (span_ == nullptr) span_ = std::make_unique<IndependentRows>(*core_);
  for (; spanned_ < free_.size(); ++spanned_) static_cast<void>(span_->add(free_[spanned_]));
  return *span_;
}

bool Decision::prove_plane(const std::vector<double>& weights, bool incomplete) {
  if (witnesses_.empty()) {
    auto whole = whole_weights(*core_, weights, [&](const auto& w) { return core_->on_their_side(w, true); });
    return whole && separated(std::move(*whole));
  }
  // On the plane: exactly the rows that lie in the span of the witnesses, as far as can be seen here.
  for (const int bits : {28, 56}) {
    auto whole = span().orthogonal(rounded(*core_, weights, bits));
    if (whole && core_->on_their_side(*whole, false) && not_separated(*whole) &&
        (complete_ || unproved_ || incomplete))
      return true;
  }
  return false;
}

bool Decision::run_rational(const std::vector<std::uint32_t>& hint) {
  const auto c = static_cast<double>(core_->columns());
  if (core_->columns() > std::min(most_columns_, most_rational_columns) ||
      c * c * static_cast<double>(core_->rows()) > most_rational_work)
    return false;
  std::vector<std::uint32_t> proved;
  for (std::uint32_t i = 0; i < core_->rows(); ++i)
    if (fixed_[i] != 0) proved.push_back(i);
  free_ = proved;
  unproved_ = false;
  span_.reset();
  spanned_ = 0;
  ExactOutcome outcome = exact_simplex(*core_, proved, hint, 20000);
  if (!outcome.decided) return false;
  method_ = "rational simplex";
  for (ExactCombination& combination : outcome.witnesses) take(std::move(combination));
  if (witnesses_.empty()) return separated(std::move(outcome.weights));
  return not_separated(outcome.weights);
}

bool Decision::separated(std::vector<mpz_class> core_weights) {
  verdict_ = Separation::Separable;
  weights_ = std::vector<mpz_class>(rows_.columns);  // zeros without memory of their own
  for (std::size_t j = 0; j < core_weights.size(); ++j)
    weights_[core_->column(j)] = std::move(core_weights[j]);
  unpeel(rows_, peeling_, weights_);
  return true;
}

// With core weights: a plane with the rows off the span on their side. Without: all core rows are in the
// span.
bool Decision::not_separated(const std::vector<mpz_class>& core_weights) {
  std::vector<std::uint32_t> claimed;  // distinct core rows that lie on the plane
  bool apart = !peeling_.steps.empty();
  if (core_weights.empty()) {
    for (std::uint32_t i = 0; i < core_->rows(); ++i) claimed.push_back(i);
  } else {
    const std::vector<std::int8_t> signs = core_->signs(core_weights);
    for (std::uint32_t i = 0; i < signs.size(); ++i)
      if (signs[i] == 0) claimed.push_back(i);
    apart = apart || claimed.size() < signs.size();
  }
  verdict_ = apart ? Separation::Touching : Separation::Overlapping;
  complete_ = !unproved_ && prove_span(claimed);
  if (!complete_) null_space_.clear();
  if (!complete_ && verdict_ == Separation::Overlapping) return false;
  weights_ = std::vector<mpz_class>(rows_.columns);  // zeros without memory of their own
  if (!apart) return true;
  for (std::size_t j = 0; j < core_weights.size(); ++j) weights_[core_->column(j)] = core_weights[j];
  unpeel(rows_, peeling_, weights_);
  return true;
}

std::vector<double> Decision::near_weights(std::size_t data_rows) const {
  std::vector<double> out(data_rows, 0.0);
  for (std::size_t i = 0; i < alpha_.size(); ++i)
    out[rows_.row[core_->row(i)]] = alpha_[i] * core_->row_scale(i);
  return out;
}

void Decision::write(SeparationProof& proof) const {
  proof.verdict = verdict_;
  if (verdict_ != Separation::Overlapping) {
    std::vector<std::uint32_t> columns(weights_.size());
    std::iota(columns.begin(), columns.end(), 0U);
    proof.plane = rows_.plane(columns, weights_);
  }
  proof.witnesses.clear();
  for (const Combination& from : witnesses_) {
    std::vector<std::size_t> order(from.rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return from.rows[a] < from.rows[b]; });
    Combination& to = proof.witnesses.emplace_back();
    for (const std::size_t k : order) {
      to.rows.push_back(rows_.row[from.rows[k]]);
      to.weights.push_back(from.weights[k]);
    }
  }
  proof.null_space.clear();
  for (const std::vector<mpz_class>& vector : null_space_)
    proof.null_space.push_back(rows_.plane(core_->core_columns(), vector));
  proof.complete = verdict_ == Separation::Touching && complete_;
}

}  // namespace halfspace::separation
