// SPDX-License-Identifier: BSD-3-Clause
// Rows of weight 0 are absent. One pass over the entries gives the figures of columns and rows; equal rows
// are found by hashing and confirmed by comparison; what needs a sorted column is left to column_checks.
#include "halfspace/data/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/radix_sort.hpp"
#include "data/examine/column_checks.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

constexpr double huge_value = 1e30;
constexpr double wide_ratio = 1e3;

std::uint64_t mix(std::uint64_t h, std::uint64_t x) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{h ^ x} * 0x9E3779B97F4A7C15ULL + 0xD1B54A32D192ED03ULL;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

template <class View>
bool same_row(const View& view, std::size_t a, std::size_t b) {
  const auto x = view.row(a), y = view.row(b);
  if (x.size != y.size) return false;
  if constexpr (is_sparse<View>) {
    if (!std::equal(x.index, x.index + x.size, y.index)) return false;
  }
  if constexpr (!std::is_same_v<typename View::Value, One>) {
    for (std::size_t k = 0; k < x.size; ++k) {
      if (decode(x.value[k], x.divisor) != decode(y.value[k], y.divisor)) return false;
    }
  }
  return true;
}

// The first row with the same entries, for every row that is present.
struct Twins {
  std::vector<std::uint32_t> present;
  std::vector<std::uint32_t> first;  // by row number
};
template <class View>
Twins find_twins(const Dataset& data, const View& view, const Threads& threads) {
  std::vector<std::uint64_t> hash(view.rows);
  for_blocks(threads, view.rows, row_block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::uint64_t h = 0x243F6A8885A308D3ULL;
      for_entries(view.row(i),
                  [&](std::uint32_t j, double x) { h = mix(mix(h, j), std::bit_cast<std::uint64_t>(x)); });
      hash[i] = h;
    }
  });
  Twins twins;
  twins.first.resize(view.rows);
  std::iota(twins.first.begin(), twins.first.end(), 0U);
  for (std::uint32_t i = 0; i < view.rows; ++i) {
    if (data.weight(i) > 0) twins.present.push_back(i);
  }
  struct HashedRow {
    std::uint64_t hash;
    std::uint32_t row;
  };
  std::vector<HashedRow> hashed, room;
  hashed.reserve(twins.present.size());
  for (const std::uint32_t i : twins.present) hashed.push_back({hash[i], i});
  radix_sort(hashed, room, [](const HashedRow& one) { return one.hash; });
  std::vector<std::uint32_t> order;
  order.reserve(hashed.size());
  for (const HashedRow& one : hashed) order.push_back(one.row);
  std::vector<std::uint32_t> distinct;  // among the rows of one hash
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k == 0 || hash[order[k]] != hash[order[k - 1]]) distinct.clear();
    const auto twin = std::find_if(distinct.begin(), distinct.end(),
                                   [&](std::uint32_t row) { return same_row(view, row, order[k]); });
    if (twin == distinct.end()) {
      distinct.push_back(order[k]);
    } else {
      twins.first[order[k]] = *twin;
    }
  }
  return twins;
}

// Of equal rows a classifier is at most right on those of one class, at best the most frequent.
std::uint64_t least_errors(const Dataset& data, const Twins& twins) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> rows;  // the first of the equal ones, and the label
  rows.reserve(twins.present.size());
  for (const std::uint32_t i : twins.present) rows.emplace_back(twins.first[i], data.labels()[i]);
  std::sort(rows.begin(), rows.end());
  std::uint64_t right = 0, most = 0, same = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    same = k > 0 && rows[k] == rows[k - 1] ? same + 1 : 1;
    if (k > 0 && rows[k].first != rows[k - 1].first) right += std::exchange(most, 0);
    most = std::max(most, same);
  }
  return rows.size() - (right + most);
}

void report_twins(const Dataset& data, const Twins& twins, Examination& result) {
  std::uint64_t copies = 0, against = 0;
  std::string examples;
  std::uint32_t first_copy = 0;
  std::size_t named = 0;
  for (const std::uint32_t i : twins.present) {
    const std::uint32_t j = twins.first[i];
    if (j == i) continue;
    if (copies++ == 0) first_copy = i;
    if (!data.labelled() || data.labels()[i] == data.labels()[j]) continue;
    ++against;
    if (++named > 5) continue;
    examples += fmt::format("{}row {} ({}) and row {} ({})", named > 1 ? ", " : "", j + 1,
                            printable(data.classes()[data.labels()[j]]), i + 1,
                            printable(data.classes()[data.labels()[i]]));
  }
  result.distinct_rows = twins.present.size() - copies;
  if (against > 0) {
    const std::uint64_t errors = least_errors(data, twins);
    result.findings.push_back(
        {"contradiction",
         fmt::format("{} row{} the values of an earlier row but another label: {}{}", against,
                     against == 1 ? " has" : "s have", examples,
                     against > 5 ? fmt::format(" and {} more", against - 5) : ""),
         fmt::format(
             "no classifier is right on both; check the labels, or expect at least {} error{} on these "
             "rows from any",
             errors, errors == 1 ? "" : "s")});
  }
  if (copies > 0) {
    result.findings.push_back(
        {"duplicates",
         fmt::format("{} of {} rows repeat an earlier row (the first: row {} repeats row {})", copies,
                     twins.present.size(), first_copy + 1, twins.first[first_copy] + 1),
         "copies in both training and test rows make a test look too good; split before copying"});
  }
}

template <class View>
ColumnFigures measure(const Dataset& data, const View& view) {
  ColumnFigures f;
  f.low.assign(view.cols, std::numeric_limits<double>::infinity());
  f.high.assign(view.cols, -std::numeric_limits<double>::infinity());
  f.stored.assign(view.cols, 0);
  f.whole.assign(view.cols, true);
  for (std::size_t i = 0; i < view.rows; ++i) {
    if (data.weight(i) == 0) continue;
    ++f.rows;
    std::size_t entries = 0;
    for_entries(view.row(i), [&](std::uint32_t j, double x) {
      f.low[j] = std::min(f.low[j], x);
      f.high[j] = std::max(f.high[j], x);
      f.whole[j] = f.whole[j] && x == std::nearbyint(x);
      ++f.stored[j];
      ++entries;
      if (std::abs(x) > huge_value && f.huge++ == 0) f.first_huge = {i, j};
    });
    if (entries == 0 && f.empty_rows++ == 0) f.first_empty = i;
  }
  for (std::size_t j = 0; j < view.cols; ++j) {
    if (f.stored[j] == f.rows && f.rows > 0) continue;
    f.low[j] = std::min(f.low[j], 0.0);
    f.high[j] = std::max(f.high[j], 0.0);
  }
  return f;
}

void report_columns(const Dataset& data, const ColumnFigures& f, Examination& result) {
  NameList constant, never;
  std::size_t least = f.low.size(), most = f.low.size();
  const auto scale = [&](std::size_t j) { return std::max(std::abs(f.low[j]), std::abs(f.high[j])); };
  for (std::size_t j = 0; j < f.low.size(); ++j) {
    if (f.stored[j] == 0) {
      never.add(data, j);
    } else if (f.low[j] == f.high[j]) {
      constant.add(data, j);
    } else {
      if (least == f.low.size() || scale(j) < scale(least)) least = j;
      if (most == f.low.size() || scale(j) > scale(most)) most = j;
    }
  }
  if (constant.count > 0) {
    result.findings.push_back({"constant-column",
                               fmt::format("{} column{} the same value in every row: {}", constant.count,
                                           constant.count == 1 ? " has" : "s have", constant.text()),
                               "such a column says nothing; it only acts as a second offset"});
  }
  if (never.count > 0) {
    result.findings.push_back({"empty-column",
                               fmt::format("{} of {} columns {} never filled: {}", never.count, f.low.size(),
                                           never.count == 1 ? "is" : "are", never.text()),
                               "harmless, but perhaps --features is too large or the wrong file was read"});
  }
  if (most < f.low.size() && scale(most) > wide_ratio * scale(least)) {
    result.findings.push_back(
        {"scale",
         fmt::format(
             "columns differ in scale by a factor of {:.3g}: column {} reaches {:.3g}, column {} only {:.3g}",
             scale(most) / scale(least), data.feature_name(static_cast<std::uint32_t>(most)), scale(most),
             data.feature_name(static_cast<std::uint32_t>(least)), scale(least)),
         "--scale standard or --scale minmax (--scale unit for sparse rows)"});
  }
  if (f.huge > 0) {
    result.findings.push_back(
        {"huge-values",
         fmt::format("{} value{} beyond 1e30, the first in row {}, column {}", f.huge, f.huge == 1 ? "" : "s",
                     f.first_huge.first + 1, data.feature_name(f.first_huge.second)),
         "perhaps a code for a missing value; their squares may overflow"});
  }
  if (f.empty_rows > 0) {
    result.findings.push_back({"zero-rows",
                               fmt::format("{} row{} only zeros, the first is row {}", f.empty_rows,
                                           f.empty_rows == 1 ? " has" : "s have", f.first_empty + 1),
                               "the offset alone decides their class"});
  }
}

void report_classes(const Dataset& data, const Twins& twins, Examination& result) {
  if (!data.labelled()) return;
  result.class_rows.assign(data.classes().size(), 0);
  for (const std::uint32_t i : twins.present) ++result.class_rows[data.labels()[i]];
  const auto rows = static_cast<double>(twins.present.size());
  std::size_t filled = 0, rare = 0;
  std::string names;
  for (std::size_t c = 0; c < data.classes().size(); ++c) {
    const std::uint64_t count = result.class_rows[c];
    filled += count > 0 ? 1 : 0;
    if (count >= 5 && static_cast<double>(count) >= 0.01 * rows) continue;
    if (++rare <= 5)
      names += fmt::format("{}{} ({} rows)", rare > 1 ? ", " : "", printable(data.classes()[c]), count);
  }
  if (filled < 2) {
    result.findings.push_back({"one-class",
                               fmt::format("{} of {} classes has rows", filled, data.classes().size()),
                               "there is nothing to tell apart"});
    return;
  }
  if (rare > 0) {
    result.findings.push_back({"rare-class",
                               fmt::format("{} class{} fewer than 5 rows or 1 % of them: {}{}", rare,
                                           rare == 1 ? " has" : "es have", names,
                                           rare > 5 ? fmt::format(" and {} more", rare - 5) : ""),
                               "collect more of them; figures for these classes will be uncertain"});
  }
  const auto most = std::max_element(result.class_rows.begin(), result.class_rows.end());
  if (static_cast<double>(*most) > 0.9 * rows) {
    result.findings.push_back(
        {"imbalance",
         fmt::format("always answering {} is right for {:.1f} % of the rows",
                     printable(data.classes()[static_cast<std::size_t>(most - result.class_rows.begin())]),
                     100 * static_cast<double>(*most) / rows),
         "compare with that figure; look at recall by class; weights can balance the classes"});
  }
}

}  // namespace

Examination examine(const Dataset& data, const Threads& threads) {
  Examination result;
  std::visit(
      [&](const auto& view) {
        const Twins twins = find_twins(data, view, threads);
        report_twins(data, twins, result);
        report_classes(data, twins, result);
        const ColumnFigures figures = measure(data, view);
        report_columns(data, figures, result);
        if (!figures.low.empty() && figures.rows > 0) {
          result.min_value = *std::min_element(figures.low.begin(), figures.low.end());
          result.max_value = *std::max_element(figures.high.begin(), figures.high.end());
        }
        check_columns(data, figures, threads, result);
      },
      data.matrix());
  return result;
}

}  // namespace halfspace
