// SPDX-License-Identifier: BSD-3-Clause
// Votes of the planes of a perceptron's walk. First the products of a row with all kept rows, then one walk
// over the mistakes adds them up: after r mistakes the sum is the score of plane r. With few features rows
// are scored a tile at a time, laid out feature by feature, so that every entry of a kept row meets the whole
// tile (cost per row: the entries of the kept rows, several to an instruction). With many features lists of
// the kept rows per feature are used (cost: the entries at the row's own features). Both add in the order of
// the features: the same bits.
#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "core/simd/row_loops.hpp"
#include "model/row_scores.hpp"

namespace halfspace::detail {
namespace {

constexpr std::size_t rows_per_task = 32;
constexpr std::size_t tile = 16;                               // rows
constexpr std::size_t tiled_features = std::size_t{1} << 14U;  // a tile stays in the second-level cache

// The kept rows feature by feature.
struct Lists {
  std::vector<std::uint64_t> start;
  std::vector<std::uint32_t> row;
  std::vector<double> value;
};

Lists lists_of(const VotedModel& model) {
  Lists lists;
  lists.start.assign(model.features + 1, 0);
  for (const std::uint32_t j : model.index) ++lists.start[j + 1];
  for (std::size_t j = 0; j < model.features; ++j) lists.start[j + 1] += lists.start[j];
  lists.row.resize(model.index.size());
  lists.value.resize(model.index.size());
  std::vector<std::uint64_t> next(lists.start.begin(), lists.start.end() - 1);
  for (std::size_t r = 0; r + 1 < model.start.size(); ++r) {
    for (std::uint64_t at = model.start[r]; at < model.start[r + 1]; ++at) {
      const std::uint64_t to = next[model.index[at]]++;
      lists.row[to] = static_cast<std::uint32_t>(r);
      lists.value[to] = model.value[at];
    }
  }
  return lists;
}

double vote_share(const VotedModel& model, std::size_t plane, const std::vector<double>& product) {
  double score = 0;
  double votes = 0;
  double all = 0;
  for (std::uint64_t r = model.first[plane]; r < model.first[plane + 1]; ++r) {
    const double p = product[model.row[r]];
    score += model.positive[r] != 0 ? p : -p;
    const auto weight = static_cast<double>(model.survived[r]);
    all += weight;
    votes += score > 0 ? weight : score < 0 ? -weight : 0.0;
  }
  return all > 0 ? votes / all : 0;
}

// Working memory of a thread, reused from tile to tile.
struct TileScratch {
  std::vector<double> rows;     // features x tile
  std::vector<double> product;  // kept rows x tile
};

// The votes of one plane for all rows of a tile, mistake after mistake.
struct TileVotes {
  double score[tile] = {};
  double votes[tile] = {};

  // The mistakes [begin, end); returns the votes given.
  double count(const VotedModel& model, const double* product, std::uint64_t begin, std::uint64_t end) {
    double given = 0;
    for (std::uint64_t r = begin; r < end; ++r) {
      const double* const p = product + std::size_t{model.row[r]} * tile;
      const double sign = model.positive[r] != 0 ? 1.0 : -1.0;
      const auto weight = static_cast<double>(model.survived[r]);
      given += weight;
      for (std::size_t t = 0; t < tile; ++t) {
        score[t] += sign * p[t];
        votes[t] += (score[t] > 0 ? weight : 0.0) - (score[t] < 0 ? weight : 0.0);
      }
    }
    return given;
  }
  [[nodiscard]] bool decided(std::size_t rows, double left) const {
    return std::all_of(votes, votes + rows, [left](double v) { return std::abs(v) > left; });
  }
};

double all_votes(const VotedModel& model, std::size_t plane) {
  double all = 0;
  for (std::uint64_t r = model.first[plane]; r < model.first[plane + 1]; ++r)
    all += static_cast<double>(model.survived[r]);
  return all;
}

// The rows [begin, end) against the kept rows.
template <class View>
class Tile {
 public:
  Tile(const VotedModel& model, const View& x, std::span<const double> norms, std::size_t begin,
       std::size_t end)
      : model_(model), rows_(end - begin) {
    scratch_.rows.assign(model.features * tile, 0.0);
    scratch_.product.resize(model.constant.size() * tile);
    std::fill(factor_, factor_ + tile, 1.0);
    for (std::size_t i = begin; i < end; ++i) {
      if (!norms.empty() && norms[i] > 0) factor_[i - begin] = norms[i];
      for_entries(x.row(i), [&](std::uint32_t j, double value) {
        if (j < model.features) scratch_.rows[j * tile + (i - begin)] = value;
      });
    }
  }

  void vote(std::size_t plane, double all, double (&share)[tile]) {
    need(model_.constant.size());
    TileVotes votes;
    votes.count(model_, scratch_.product.data(), model_.first[plane], model_.first[plane + 1]);
    for (std::size_t t = 0; t < tile; ++t) share[t] = all > 0 ? votes.votes[t] / all : 0;
  }

  // The same for the one plane of two classes, only until nothing can turn the votes of any row. Kept rows
  // are numbered in the order of their first mistake, so those of later mistakes are never looked at.
  void decide(double all, double (&share)[tile]) {
    constexpr std::uint64_t step = 512;
    TileVotes votes;
    double left = all;
    for (std::uint64_t r = 0; r < model_.first[1];) {
      const std::uint64_t end = std::min(r + step, model_.first[1]);
      need(std::size_t{*std::max_element(model_.row.begin() + static_cast<std::ptrdiff_t>(r),
                                         model_.row.begin() + static_cast<std::ptrdiff_t>(end))} +
           1);
      left -= votes.count(model_, scratch_.product.data(), r, end);
      if (votes.decided(rows_, left)) break;
      r = end;
    }
    for (std::size_t t = 0; t < tile; ++t) share[t] = all > 0 ? votes.votes[t] / all : 0;
  }

 private:
  // Products with the first `count` kept rows.
  void need(std::size_t count) {
    for (; done_ < count; ++done_) {
      const std::uint64_t from = model_.start[done_];
      double* const to = scratch_.product.data() + done_ * tile;
      vector_planes(SparseRow<double>{model_.index.data() + from, model_.value.data() + from,
                                      static_cast<std::size_t>(model_.start[done_ + 1] - from), 1},
                    scratch_.rows.data(), tile, to);
      for (std::size_t t = 0; t < tile; ++t) to[t] = to[t] / factor_[t] + model_.constant[done_];
    }
  }

  static TileScratch& scratch() {
    thread_local TileScratch one;
    return one;
  }

  const VotedModel& model_;
  std::size_t rows_;
  TileScratch& scratch_ = scratch();
  double factor_[tile];
  std::size_t done_ = 0;
};

void score_in_tiles(const VotedModel& model, std::span<const double> norms, const Dataset& data, bool decide,
                    const Threads& threads, std::span<double> out) {
  std::vector<double> all(model.planes);
  for (std::size_t k = 0; k < model.planes; ++k) all[k] = all_votes(model, k);
  std::visit(
      [&](const auto& x) {
        for_blocks(threads, data.rows(), tile, [&](std::size_t begin, std::size_t end) {
          Tile rows(model, x, norms, begin, end);
          double share[tile];
          for (std::size_t k = 0; k < model.planes; ++k) {
            if (decide && model.planes == 1) {
              rows.decide(all[0], share);
            } else {
              rows.vote(k, all[k], share);
            }
            for (std::size_t i = begin; i < end; ++i) out[i * model.planes + k] = share[i - begin];
          }
        });
      },
      data.matrix());
}

void score_by_lists(const VotedModel& model, std::span<const double> norms, const Dataset& data,
                    const Threads& threads, std::span<double> out) {
  const Lists lists = lists_of(model);
  const std::size_t kept = model.constant.size();
  std::visit(
      [&](const auto& x) {
        for_blocks(threads, data.rows(), rows_per_task, [&](std::size_t begin, std::size_t end) {
          std::vector<double> product(kept);
          for (std::size_t i = begin; i < end; ++i) {
            threads.check();
            std::fill(product.begin(), product.end(), 0.0);
            for_entries(x.row(i), [&](std::uint32_t j, double value) {
              if (j >= model.features) return;
              const std::uint64_t from = lists.start[j];
              const auto size = static_cast<std::size_t>(lists.start[j + 1] - from);
              if (size == kept) {  // every kept row has the feature
                axpy(value, lists.value.data() + from, product.data(), size);
              } else {
                axpy(value, SparseRow<double>{lists.row.data() + from, lists.value.data() + from, size, 1},
                     product.data());
              }
            });
            const double factor = !norms.empty() && norms[i] > 0 ? norms[i] : 1;
            for (std::size_t r = 0; r < kept; ++r) product[r] = product[r] / factor + model.constant[r];
            for (std::size_t k = 0; k < model.planes; ++k)
              out[i * model.planes + k] = vote_share(model, k, product);
          }
        });
      },
      data.matrix());
}

}  // namespace

void voted_scores(const VotedModel& model, bool unit_rows, const Dataset& data, bool decide,
                  const Threads& threads, std::span<double> out) {
  if (model.kernel.kind != KernelKind::Linear) {
    kernel_votes(model, unit_rows, data, threads, out);
    return;
  }
  std::vector<double> norms(unit_rows ? data.rows() : 0);
  if (unit_rows) row_norms(data, threads, norms);
  if (model.features <= tiled_features) {
    score_in_tiles(model, norms, data, decide, threads, out);
  } else {
    score_by_lists(model, norms, data, threads, out);
  }
}

}  // namespace halfspace::detail
