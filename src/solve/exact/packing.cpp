// SPDX-License-Identifier: BSD-3-Clause
#include "solve/exact/packing.hpp"

#include <algorithm>
#include <cmath>

#include "halfspace/core/random.hpp"

namespace halfspace::exact {
namespace {

constexpr double least_worth = 1e-7, least_pivot = 1e-9;
constexpr std::size_t pivots_a_check = 64;

}  // namespace

Packing::Packing(std::vector<double> weight, StopHandle stop)
    : n_(weight.size()),
      weight_(std::move(weight)),
      stop_(std::move(stop)),
      place_(n_, none),
      free_(n_, 0),
      price_(n_, 0.0) {
  Random random(7, 43);
  for (double& w : weight_) w *= 1 - 1e-6 * random.uniform();
}

std::size_t Packing::add(std::vector<std::uint32_t> rows) {
  circuits_.push_back({std::move(rows), 1, false});
  return circuits_.size() - 1;
}

void Packing::release(std::uint32_t row) { free_[row] = 1; }

// The basis stays what it was; a share that costs is given up on the way to the best ones.
void Packing::forbid(std::size_t circuit) { circuits_[circuit].gain = -1; }

double Packing::value() const {
  double out = 0;
  for (std::size_t k = 0; k < basic_.size(); ++k) out += circuits_[basic_[k]].gain * share_[k];
  return out;
}

std::vector<double> Packing::shares() const {
  std::vector<double> out(circuits_.size(), 0.0);
  for (std::size_t k = 0; k < basic_.size(); ++k)
    if (circuits_[basic_[k]].gain > 0) out[basic_[k]] = std::max(0.0, share_[k]);
  return out;
}

// Afresh, by elimination with pivots; where the matrix has no inverse, from the empty basis.
void Packing::invert() {
  const std::size_t k = basic_.size();
  std::vector<double> a(k * k, 0.0), out(k * k, 0.0);
  for (std::size_t c = 0; c < k; ++c) {
    for (const std::uint32_t i : circuits_[basic_[c]].rows)
      if (place_[i] != none) a[place_[i] * k + c] = 1;
    out[c * k + c] = 1;
  }
  for (std::size_t p = 0; p < k; ++p) {
    std::size_t best = p;
    for (std::size_t j = p + 1; j < k; ++j)
      if (std::abs(a[j * k + p]) > std::abs(a[best * k + p])) best = j;
    if (std::abs(a[best * k + p]) < least_pivot) {
      for (const std::uint32_t c : basic_) circuits_[c].basic = false;
      basic_.clear();
      full_.clear();
      inverse_.clear();
      std::fill(place_.begin(), place_.end(), none);
      return;
    }
    std::swap_ranges(&a[p * k], &a[p * k] + k, &a[best * k]);
    std::swap_ranges(&out[p * k], &out[p * k] + k, &out[best * k]);
    const double f = 1 / a[p * k + p];
    for (std::size_t j = 0; j < k; ++j) {
      a[p * k + j] *= f;
      out[p * k + j] *= f;
    }
    for (std::size_t r = 0; r < k; ++r) {
      const double g = a[r * k + p];
      if (r == p || g == 0) continue;
      for (std::size_t j = 0; j < k; ++j) {
        a[r * k + j] -= g * a[p * k + j];
        out[r * k + j] -= g * out[p * k + j];
      }
    }
  }
  inverse_ = std::move(out);
}

void Packing::settle() {
  const std::size_t k = basic_.size();
  share_.assign(k, 0.0);
  room_ = weight_;
  for (std::size_t b = 0; b < k; ++b) {
    const double* const row = inverse_.data() + b * k;
    for (std::size_t f = 0; f < k; ++f) share_[b] += row[f] * weight_[full_[f]];
    for (const std::uint32_t i : circuits_[basic_[b]].rows) room_[i] -= share_[b];
  }
  set_prices();
}

double Packing::rounding() const {
  double out = 0;
  for (const std::uint32_t i : full_) out = std::max(out, std::abs(room_[i]));
  return out;
}

void Packing::set_prices() {
  const std::size_t k = basic_.size();
  std::vector<double> sum(k, 0.0);
  for (std::size_t b = 0; b < k; ++b) {
    const double* const row = inverse_.data() + b * k;
    const double gain = circuits_[basic_[b]].gain;
    for (std::size_t f = 0; f < k; ++f) sum[f] += gain * row[f];
  }
  std::fill(price_.begin(), price_.end(), 0.0);
  for (std::size_t f = 0; f < k; ++f) price_[full_[f]] = sum[f];
}

Packing::Enters Packing::choose() const {
  Enters out;
  out.worth = least_worth;
  for (std::uint32_t c = 0; c < circuits_.size(); ++c) {
    const Circuit& circuit = circuits_[c];
    if (circuit.basic || circuit.gain < 0) continue;
    double worth = circuit.gain;
    for (const std::uint32_t i : circuit.rows) worth -= price_[i];
    if (worth > out.worth) out = {c, none, 1, worth};
  }
  for (const std::uint32_t i : full_) {
    if (-price_[i] > out.worth) out = {none, i, 1, -price_[i]};
    if (free_[i] != 0 && price_[i] > out.worth) out = {none, i, -1, price_[i]};
  }
  return out;
}

void Packing::direction(const Enters& enters) {
  const std::size_t k = basic_.size();
  by_share_.assign(k, 0.0);
  by_room_.assign(n_, 0.0);
  const auto add_column = [&](std::uint32_t row, double x) {
    if (place_[row] == none) return;
    for (std::size_t b = 0; b < k; ++b) by_share_[b] -= x * inverse_[b * k + place_[row]];
  };
  if (enters.circuit == none) {
    add_column(enters.row, enters.by);
  } else {
    for (const std::uint32_t i : circuits_[enters.circuit].rows) {
      add_column(i, 1);
      by_room_[i] -= 1;
    }
  }
  for (std::size_t b = 0; b < k; ++b)
    for (const std::uint32_t i : circuits_[basic_[b]].rows) by_room_[i] -= by_share_[b];
}

Packing::Leaves Packing::ratio_test() const {
  Leaves out;
  double& ratio = out.ratio;
  for (std::uint32_t b = 0; b < basic_.size(); ++b) {
    if (by_share_[b] > -least_pivot || share_[b] >= -ratio * by_share_[b]) continue;
    ratio = std::max(0.0, share_[b]) / -by_share_[b];
    out.basic = b;
    out.row = none;
  }
  for (std::uint32_t i = 0; i < n_; ++i) {
    if (place_[i] != none || free_[i] != 0 || by_room_[i] > -least_pivot || room_[i] >= -ratio * by_room_[i])
      continue;
    ratio = std::max(0.0, room_[i]) / -by_room_[i];
    out.basic = none;
    out.row = i;
  }
  return out;
}

// The matrix row of this row of the program, over the basic circuits, times the inverse.
std::vector<double> Packing::times_inverse(std::uint32_t row) const {
  const std::size_t k = basic_.size();
  std::vector<double> out(k, 0.0);
  for (std::size_t b = 0; b < k; ++b) {
    const std::vector<std::uint32_t>& rows = circuits_[basic_[b]].rows;
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) continue;
    for (std::size_t f = 0; f < k; ++f) out[f] += inverse_[b * k + f];
  }
  return out;
}

// One circuit and one row more.
void Packing::grow(std::uint32_t circuit, std::uint32_t row) {
  const std::size_t k = basic_.size();
  const std::vector<double> u = times_inverse(row);
  const double pivot = -by_room_[row];  // of the row, what is left of the circuit beside the others
  std::vector<double> next((k + 1) * (k + 1));
  for (std::size_t b = 0; b < k; ++b) {
    const double d = -by_share_[b] / pivot;
    for (std::size_t f = 0; f < k; ++f) next[b * (k + 1) + f] = inverse_[b * k + f] + d * u[f];
    next[b * (k + 1) + k] = -d;
  }
  for (std::size_t f = 0; f < k; ++f) next[k * (k + 1) + f] = -u[f] / pivot;
  next[k * (k + 1) + k] = 1 / pivot;
  inverse_ = std::move(next);
  basic_.push_back(circuit);
  circuits_[circuit].basic = true;
  place_[row] = static_cast<std::uint32_t>(k);
  full_.push_back(row);
}

// One circuit and one row less.
void Packing::shrink(std::size_t basic, std::size_t place) {
  const std::size_t k = basic_.size();
  const double pivot = inverse_[basic * k + place];
  std::vector<double> next;
  next.reserve((k - 1) * (k - 1));
  for (std::size_t b = 0; b < k; ++b) {
    if (b == basic) continue;
    const double f = inverse_[b * k + place] / pivot;
    for (std::size_t j = 0; j < k; ++j)
      if (j != place) next.push_back(inverse_[b * k + j] - f * inverse_[basic * k + j]);
  }
  inverse_ = std::move(next);
  circuits_[basic_[basic]].basic = false;
  basic_.erase(basic_.begin() + static_cast<std::ptrdiff_t>(basic));
  place_[full_[place]] = none;
  full_.erase(full_.begin() + static_cast<std::ptrdiff_t>(place));
  for (std::size_t f = place; f < full_.size(); ++f) place_[full_[f]] = static_cast<std::uint32_t>(f);
}

void Packing::exchange(const Enters& enters, const Leaves& leaves) {
  const std::size_t k = basic_.size();
  if (enters.circuit != none && leaves.row != none) {
    grow(enters.circuit, leaves.row);
  } else if (enters.circuit != none) {
    // A circuit for another.
    const std::size_t at = leaves.basic;
    const double pivot = -by_share_[at];
    for (std::size_t f = 0; f < k; ++f) inverse_[at * k + f] /= pivot;
    for (std::size_t b = 0; b < k; ++b) {
      const double d = -by_share_[b];
      if (b == at || d == 0) continue;
      for (std::size_t f = 0; f < k; ++f) inverse_[b * k + f] -= d * inverse_[at * k + f];
    }
    circuits_[basic_[at]].basic = false;
    circuits_[enters.circuit].basic = true;
    basic_[at] = enters.circuit;
  } else if (leaves.row != none) {
    // A full row for another.
    const std::vector<double> u = times_inverse(leaves.row);
    const std::size_t at = place_[enters.row];
    for (std::size_t b = 0; b < k; ++b) {
      const double column = inverse_[b * k + at] / u[at];
      for (std::size_t f = 0; f < k; ++f) inverse_[b * k + f] -= column * u[f];
      inverse_[b * k + at] = column;
    }
    place_[full_[at]] = none;
    full_[at] = leaves.row;
    place_[leaves.row] = static_cast<std::uint32_t>(at);
  } else {
    shrink(leaves.basic, place_[enters.row]);
  }
}

// Shares and room at the end of the step, in the order that exchange() leaves.
void Packing::step(const Enters& enters, const Leaves& leaves) {
  for (std::size_t b = 0; b < share_.size(); ++b) share_[b] += leaves.ratio * by_share_[b];
  for (std::size_t i = 0; i < n_; ++i) room_[i] += leaves.ratio * by_room_[i];
  for (const std::uint32_t i : full_) room_[i] = 0;
  if (enters.row != none) room_[enters.row] = enters.by * leaves.ratio;
  if (leaves.row != none) room_[leaves.row] = 0;
  if (enters.circuit != none && leaves.row != none)
    share_.push_back(leaves.ratio);
  else if (enters.circuit != none)
    share_[leaves.basic] = leaves.ratio;
  else if (leaves.row == none)
    share_.erase(share_.begin() + static_cast<std::ptrdiff_t>(leaves.basic));
}

void Packing::solve() {
  settle();
  for (std::size_t steps = 0; steps < 50 * n_ + 1000; ++steps) {
    if (steps % 8 == 0) stop_.check();
    const Enters enters = choose();
    if (enters.circuit == none && enters.row == none) return;
    direction(enters);
    const Leaves leaves = ratio_test();
    if (leaves.basic == none && leaves.row == none) return;
    step(enters, leaves);
    exchange(enters, leaves);
    if (++pivots_ % pivots_a_check == 0) {
      settle();
      if (rounding() > 1e-7) {
        invert();
        settle();
      }
    } else {
      set_prices();
    }
  }
}

}  // namespace halfspace::exact
