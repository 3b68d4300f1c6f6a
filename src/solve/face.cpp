// SPDX-License-Identifier: BSD-3-Clause
// Conjugate gradients on the free face of the dual of hinge and squared hinge: where coordinate steps stall (many
// features and a large C), a few hundred products with the rows near the margin solve the problem.
//
// Face      F = rows with 0 < alpha < upper. On it f is quadratic: f(alpha + x) = f + g . x + 1/2 x (K + E) x with K the
//           products of the rows (and pull y y' for the offset) and E diagonal.
// Rounds    solve for x with a small ridge mu, roughly; rows that leave the box are put on its bound and leave F; solve
//           again from there. A round may go uphill; the x with the smallest true f of all rounds is taken.
// Ridge     mu falls while steps work, and rises when no round descends.
// Compact   the rows of F are copied with columns renumbered by frequency; a column with one entry in F adds to the
//           diagonal alone. Both orders (by row, by column) are kept, so that both halves of a product are sums read
//           from memory, one after the other: threads share them with the same bits for any number of threads.
// Cost      one product: two passes over the entries of F. Memory: 16 bytes per entry of F.
// Reference More, Toraldo: On the solution of large quadratic programming problems with bound constraints, SIAM J.
//           Optim. 1 (1991).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "halfspace/core/kernels.hpp"
#include "solve/dual_state.hpp"

namespace halfspace {

struct FaceStep::Compact {
  std::vector<std::uint32_t> ids;   // rows of the data, ascending
  std::vector<std::int8_t> y;
  std::vector<double> diagonal;     // private columns
  std::vector<char> free;           // rows of `ids` that are in F now
  std::size_t columns = 0;
  std::vector<std::uint64_t> row_start, column_start;
  std::vector<std::uint32_t> row_column, column_row;
  std::vector<float> row_value, column_value;  // y x
  std::vector<double> t;

  void build(const RowAccess& rows, const Problem& p, std::vector<std::uint32_t> chosen);
  // out = (rows rows' + diagonal) x, and sum y x.
  double multiply(const std::vector<double>& x, std::vector<double>& out, const Threads& threads);
};

void FaceStep::Compact::build(const RowAccess& rows, const Problem& p, std::vector<std::uint32_t> chosen) {
  ids = std::move(chosen);
  const std::size_t count = ids.size();
  y.resize(count);
  diagonal.assign(count, 0.0);
  free.assign(count, 1);
  std::vector<std::uint32_t> index(rows.cols());
  std::vector<double> value(rows.cols());
  std::vector<std::uint32_t> seen(rows.cols(), 0);
  for (std::size_t k = 0; k < count; ++k) {
    y[k] = p.y[ids[k]];
    const std::size_t entries = rows.copy_entries(ids[k], index.data(), value.data());
    for (std::size_t e = 0; e < entries; ++e) ++seen[index[e]];
  }
  // Columns by falling frequency, through a count of counts; `seen` becomes the new number, or none.
  constexpr std::uint32_t none = UINT32_MAX;
  std::vector<std::uint32_t> at(count + 2, 0);
  for (const std::uint32_t c : seen) ++at[count - std::min<std::size_t>(c, count) + 1];
  for (std::size_t k = 0; k + 1 < at.size(); ++k) at[k + 1] += at[k];
  columns = 0;
  std::uint64_t kept = 0;
  std::vector<std::uint32_t> sizes;
  for (const std::uint32_t c : seen) {
    columns += c >= 2 ? 1 : 0;
    kept += c >= 2 ? c : 0;
  }
  sizes.assign(columns + 1, 0);
  for (std::uint32_t& c : seen) {
    if (c < 2) {
      c = none;
      continue;
    }
    const std::uint32_t number = at[count - c]++;
    sizes[number] = c;
    c = number;
  }
  column_start.assign(columns + 1, 0);
  for (std::size_t j = 0; j < columns; ++j) column_start[j + 1] = column_start[j] + sizes[j];
  std::vector<std::uint64_t> next(column_start.begin(), column_start.end());
  row_start.assign(count + 1, 0);
  row_column.resize(kept);
  row_value.resize(kept);
  column_row.resize(kept);
  column_value.resize(kept);
  std::uint64_t put = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t entries = rows.copy_entries(ids[k], index.data(), value.data());
    for (std::size_t e = 0; e < entries; ++e) {
      const std::uint32_t j = seen[index[e]];
      if (j == none) {
        diagonal[k] += value[e] * value[e];
        continue;
      }
      const auto v = static_cast<float>(value[e] * y[k]);
      row_column[put] = j;
      row_value[put++] = v;
      column_row[next[j]] = static_cast<std::uint32_t>(k);
      column_value[next[j]++] = v;
    }
    row_start[k + 1] = put;
  }
  t.assign(columns, 0.0);
}

double FaceStep::Compact::multiply(const std::vector<double>& x, std::vector<double>& out, const Threads& threads) {
  const auto gather = [](const std::vector<std::uint64_t>& start, const std::vector<std::uint32_t>& index,
                         const std::vector<float>& value, std::size_t i, const double* from) {
    double sum[4] = {0, 0, 0, 0};
    std::uint64_t e = start[i];
    const std::uint64_t end = start[i + 1];
    for (; e + 4 <= end; e += 4) {
      sum[0] += static_cast<double>(value[e]) * from[index[e]];
      sum[1] += static_cast<double>(value[e + 1]) * from[index[e + 1]];
      sum[2] += static_cast<double>(value[e + 2]) * from[index[e + 2]];
      sum[3] += static_cast<double>(value[e + 3]) * from[index[e + 3]];
    }
    for (; e < end; ++e) sum[0] += static_cast<double>(value[e]) * from[index[e]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  };
  // Tasks of about the same number of entries: bounds by binary search in the starts.
  const auto split = [&](const std::vector<std::uint64_t>& start, const auto& work) {
    const std::size_t tasks = threads.count() == 1 ? 1 : std::clamp<std::size_t>(start.back() / 100000, 1, 16);
    threads.run(tasks, [&](std::size_t k) {
      const auto place = [&](std::size_t task) {
        const std::uint64_t entry = start.back() / tasks * task;
        return task == tasks ? start.size() - 1
                             : static_cast<std::size_t>(std::lower_bound(start.begin(), start.end() - 1, entry) -
                                                        start.begin());
      };
      for (std::size_t i = place(k); i < place(k + 1); ++i) work(i);
    });
  };
  split(column_start,
        [&](std::size_t j) { t[j] = gather(column_start, column_row, column_value, j, x.data()); });
  split(row_start, [&](std::size_t k) {
    out[k] = gather(row_start, row_column, row_value, k, t.data()) + diagonal[k] * x[k];
  });
  double signed_sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) signed_sum += y[k] * x[k];
  return signed_sum;
}

bool FaceStep::run() {
  std::vector<std::uint32_t> free;
  for (std::size_t i = 0; i < s_.n; ++i)
    if (s_.alpha[i] > 0 && s_.alpha[i] < s_.upper(i)) free.push_back(static_cast<std::uint32_t>(i));
  if (free.size() < 2) return false;
  // The copy serves as long as it has all free rows and not many others.
  bool serves = compact_ && static_cast<double>(free.size()) > 0.8 * static_cast<double>(compact_->ids.size()) &&
                std::includes(compact_->ids.begin(), compact_->ids.end(), free.begin(), free.end());
  if (!serves) {
    std::vector<std::uint32_t> take = free;
    if (compact_ && last_clipped_ * 50 < free.size()) {
      take.clear();
      std::set_union(free.begin(), free.end(), compact_->ids.begin(), compact_->ids.end(), std::back_inserter(take));
    }
    compact_ = std::make_shared<Compact>();
    compact_->build(s_.rows, s_.p, std::move(take));
  }
  Compact& c = *compact_;
  const std::size_t count = c.ids.size();
  for (auto* v : {&x_, &kx_, &r_, &dir_, &product_}) v->assign(count, 0.0);
  g_.resize(count);
  best_x_.clear();
  for_blocks(s_.goal.threads, count, row_block, [&](std::size_t begin, std::size_t end) {
    s_.rows.dots(std::span(c.ids).subspan(begin, end - begin), s_.w.data(), g_.data() + begin);
  });
  std::size_t at = 0;
  for (std::size_t k = 0; k < count; ++k) {
    g_[k] = s_.gradient(c.ids[k], g_[k]);
    while (at < free.size() && free[at] < c.ids[k]) ++at;
    c.free[k] = at < free.size() && free[at] == c.ids[k] ? 1 : 0;
  }
  const auto product = [&](const std::vector<double>& v, std::vector<double>& out) {
    const double sum = c.multiply(v, out, s_.goal.threads);
    for (std::size_t k = 0; k < count; ++k) out[k] += s_.diagonal(c.ids[k]) * v[k] + s_.pull * c.y[k] * sum;
  };
  const bool settled = last_clipped_ <= 5;
  const double share = settled ? 0.01 : 0.3;
  const int most = settled ? 600 : 100;
  double first_norm = 0, best = 0, first_value = 0;
  std::size_t clipped_total = 0;
  Stop why = Stop::Converged;
  for (int round = 0; round < 12; ++round) {
    double rho = 0;
    for (std::size_t k = 0; k < count; ++k) {
      r_[k] = c.free[k] != 0 ? -(g_[k] + kx_[k] + ridge_ * x_[k]) : 0.0;
      rho += r_[k] * r_[k];
    }
    if (round == 0) first_norm = std::sqrt(rho);
    dir_ = r_;
    for (int iteration = 0; iteration < most && std::sqrt(rho) > share * first_norm; ++iteration) {
      if (iteration % 16 == 15 && !s_.goal.clock.go_on({std::nan(""), 0, std::nan(""), "face"}, why)) break;
      product(dir_, product_);
      double curvature = 0;
      for (std::size_t k = 0; k < count; ++k) {
        product_[k] = c.free[k] != 0 ? product_[k] + ridge_ * dir_[k] : 0.0;
        curvature += dir_[k] * product_[k];
      }
      if (!(curvature > 0)) break;
      const double length = rho / curvature;
      axpy(length, dir_.data(), x_.data(), count);
      axpy(-length, product_.data(), r_.data(), count);
      const double next = norm2(r_.data(), count);
      const double beta = next / rho;
      rho = next;
      for (std::size_t k = 0; k < count; ++k) dir_[k] = r_[k] + beta * dir_[k];
    }
    std::size_t clipped = 0;
    for (std::size_t k = 0; k < count; ++k) {
      if (c.free[k] == 0) continue;
      const double now = s_.alpha[c.ids[k]] + x_[k];
      const double top = s_.upper(c.ids[k]);
      if (now > 0 && now < top) continue;
      x_[k] = (now <= 0 ? 0.0 : top) - s_.alpha[c.ids[k]];
      c.free[k] = 0;
      ++clipped;
    }
    clipped_total += clipped;
    product(x_, kx_);
    const double value = dot(g_.data(), x_.data(), count) + dot(x_.data(), kx_.data(), count) / 2;
    if (round == 0) first_value = value;
    if (value < best) {
      best = value;
      best_x_ = x_;
    }
    if (clipped == 0 || (clipped <= 1 && round >= 3) || why != Stop::Converged) break;
  }
  last_clipped_ = clipped_total;
  if (best_x_.empty()) {
    ridge_ = 8 * std::max(ridge_, 1e-5);
    return false;
  }
  if (first_value < 0) ridge_ = ridge_ * 0.03 < 1e-6 ? 0 : ridge_ * 0.03;
  std::vector<double> change(count);
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t i = c.ids[k];
    const double next = std::clamp(s_.alpha[i] + best_x_[k], 0.0, s_.upper(i));
    change[k] = (next - s_.alpha[i]) * s_.p.y[i];
    s_.balance += change[k];
    s_.alpha[i] = next;
  }
  s_.rows.axpys(c.ids, change.data(), s_.w.data());
  return true;
}

}  // namespace halfspace
