// SPDX-License-Identifier: BSD-3-Clause
// Votes of the planes of a perceptron's walk. First the products of a row with all kept rows, then one walk
// over the mistakes adds them up: after r mistakes the sum is the score of plane r. With few features rows
// are scored a tile at a time, laid out feature by feature, so that every entry of a kept row meets the whole
// tile (cost per row: the entries of the kept rows, several to an instruction). With many features lists of
// the kept rows per feature are used (cost: the entries at the row's own features). Both add in the order of
// the features: the same bits.
#include <algorithm>
#include <variant>
#include <vector>

#include "halfspace/core/kernels.hpp"
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

// Votes of all rows of a tile in one walk over the mistakes of a plane.
void vote_tile(const VotedModel& model, std::size_t plane, const double* product, double (&share)[tile]) {
  double score[tile] = {};
  double votes[tile] = {};
  double all = 0;
  for (std::uint64_t r = model.first[plane]; r < model.first[plane + 1]; ++r) {
    const double* const p = product + std::size_t{model.row[r]} * tile;
    const double sign = model.positive[r] != 0 ? 1.0 : -1.0;
    const auto weight = static_cast<double>(model.survived[r]);
    all += weight;
    for (std::size_t t = 0; t < tile; ++t) {
      score[t] += sign * p[t];
      votes[t] += (score[t] > 0 ? weight : 0.0) - (score[t] < 0 ? weight : 0.0);
    }
  }
  for (std::size_t t = 0; t < tile; ++t) share[t] = all > 0 ? votes[t] / all : 0;
}

template <class View>
void score_tile(const VotedModel& model, const View& x, std::span<const double> norms, std::size_t begin,
                std::size_t end, std::span<double> out) {
  thread_local TileScratch scratch;
  scratch.rows.assign(model.features * tile, 0.0);
  const std::size_t kept = model.constant.size();
  scratch.product.resize(kept * tile);
  double factor[tile];
  std::fill(factor, factor + tile, 1.0);
  for (std::size_t i = begin; i < end; ++i) {
    if (!norms.empty() && norms[i] > 0) factor[i - begin] = norms[i];
    for_entries(x.row(i), [&](std::uint32_t j, double value) {
      if (j < model.features) scratch.rows[j * tile + (i - begin)] = value;
    });
  }
  for (std::size_t r = 0; r < kept; ++r) {
    const std::uint64_t from = model.start[r];
    double* const to = scratch.product.data() + r * tile;
    vector_planes(SparseRow<double>{model.index.data() + from, model.value.data() + from,
                                    static_cast<std::size_t>(model.start[r + 1] - from), 1},
                  scratch.rows.data(), tile, to);
    for (std::size_t t = 0; t < tile; ++t) to[t] = to[t] / factor[t] + model.constant[r];
  }
  for (std::size_t k = 0; k < model.planes; ++k) {
    double share[tile];
    vote_tile(model, k, scratch.product.data(), share);
    for (std::size_t i = begin; i < end; ++i) out[i * model.planes + k] = share[i - begin];
  }
}

void score_in_tiles(const VotedModel& model, std::span<const double> norms, const Dataset& data,
                    const Threads& threads, std::span<double> out) {
  std::visit(
      [&](const auto& x) {
        for_blocks(threads, data.rows(), tile,
                   [&](std::size_t begin, std::size_t end) { score_tile(model, x, norms, begin, end, out); });
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

void voted_scores(const VotedModel& model, bool unit_rows, const Dataset& data, const Threads& threads,
                  std::span<double> out) {
  std::vector<double> norms(unit_rows ? data.rows() : 0);
  if (unit_rows) row_norms(data, threads, norms);
  if (model.features <= tiled_features) {
    score_in_tiles(model, norms, data, threads, out);
  } else {
    score_by_lists(model, norms, data, threads, out);
  }
}

}  // namespace halfspace::detail
