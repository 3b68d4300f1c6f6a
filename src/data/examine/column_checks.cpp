// SPDX-License-Identifier: BSD-3-Clause
// The entries are laid out column after column. One visit clears most columns; the others are sorted by value:
// O(entries log rows). Beyond `affordable` entries this is left out, and said so.
#include "data/examine/column_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "core/radix_sort.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

constexpr std::uint64_t affordable = 20'000'000;
constexpr std::uint64_t enough_rows = 10;  // below, a column tells the classes apart by chance
constexpr std::uint64_t entries_per_task = 100'000;
constexpr std::size_t most_columns_per_task = 256;

// Entries that are not zero, column after column.
struct ByColumn {
  std::vector<std::uint64_t> start;
  std::vector<double> value;
  std::vector<std::uint32_t> label;
};
ByColumn transpose(const Dataset& data, const ColumnFigures& figures) {
  ByColumn by;
  by.start.assign(figures.stored.size() + 1, 0);
  for (std::size_t j = 0; j < figures.stored.size(); ++j) by.start[j + 1] = by.start[j] + figures.stored[j];
  by.value.resize(by.start.back());
  by.label.resize(by.start.back());
  std::vector<std::uint64_t> next(by.start.begin(), by.start.end() - 1);
  std::visit(
      [&](const auto& view) {
        for (std::size_t i = 0; i < view.rows; ++i) {
          if (data.weight(i) == 0) continue;
          for_entries(view.row(i), [&](std::uint32_t j, double x) {
            const std::uint64_t at = next[j]++;
            by.value[at] = x;
            by.label[at] = data.labelled() ? data.labels()[i] : 0;
          });
        }
      },
      data.matrix());
  return by;
}

struct Verdict {
  bool numbers_rows = false;  // every row another integer
  bool tells_label = false;   // equal values always have equal labels, with far fewer values than rows
  bool by_threshold = false;  // and every class is one interval of values
};

using ValueLabels = std::vector<std::pair<double, std::uint32_t>>;

// Whether the values of every class lie apart from those of the others, by their extremes.
class ClassRanges {
 public:
  explicit ClassRanges(std::size_t classes) : low_(classes, infinity), high_(classes, -infinity) {}
  void add(double x, std::uint32_t label) {
    low_[label] = std::min(low_[label], x);
    high_[label] = std::max(high_[label], x);
  }
  [[nodiscard]] bool apart() const {
    std::vector<std::pair<double, double>> ranges;
    for (std::size_t c = 0; c < low_.size(); ++c)
      if (low_[c] <= high_[c]) ranges.emplace_back(low_[c], high_[c]);
    std::sort(ranges.begin(), ranges.end());
    for (std::size_t k = 1; k < ranges.size(); ++k)
      if (ranges[k].first <= ranges[k - 1].second) return false;
    return true;
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> low_, high_;
};

// True: judge() would find nothing in this column, and here it costs no sorting. Values are hashed: as many places as are hit
// are at least as many values, and a value that its place remembers with another label tells no class.
class Clearance {
 public:
  Clearance(std::size_t rows, std::size_t classes)
      : hit_(std::bit_ceil(rows / 16 + 4)), rows_(rows), classes_(classes) {}

  [[nodiscard]] bool clears(const ValueLabels& entries, bool whole) {
    std::fill(hit_.begin(), hit_.end(), 0);
    std::array<std::pair<double, std::uint32_t>, 256> last{};
    ClassRanges ranges(classes_);
    std::size_t places = 0;
    const int shift = 64 - std::countr_zero(hit_.size() * 64);
    for (const auto& [x, label] : entries) {
      const std::uint64_t hash = order_key(x) * 0x9E3779B97F4A7C15ULL;
      auto& known = last[hash >> 56U];
      if (known.first == x && known.second != label && x != 0) return true;
      known = {x, label};
      const std::uint64_t place = hash >> static_cast<unsigned>(shift),
                          bit = std::uint64_t{1} << (place % 64);
      places += (hit_[place / 64] & bit) == 0 ? 1 : 0;
      hit_[place / 64] |= bit;
      ranges.add(x, label);
    }
    return !whole && (classes_ < 2 || (2 * places > rows_ && !ranges.apart()));
  }

 private:
  std::vector<std::uint64_t> hit_;
  std::size_t rows_, classes_;
};

// One column as runs of equal values in ascending order.
Verdict judge(ValueLabels& entries, ValueLabels& room, Clearance& clearance,
              const std::vector<std::uint64_t>& class_rows, bool whole, std::uint64_t rows, bool labelled) {
  const std::uint64_t zero_rows = rows - entries.size();
  // More zeros than any class has rows are of several classes: the usual case of a sparse column, and cheap.
  if (zero_rows > *std::max_element(class_rows.begin(), class_rows.end())) return {};
  // The zeros that are not stored: of how many classes, and of which.
  std::vector<std::uint64_t> zeros = class_rows;
  for (const auto& entry : entries) --zeros[entry.second];
  std::size_t zero_classes = 0;
  std::uint32_t zero_class = 0;
  for (std::uint32_t c = 0; c < zeros.size(); ++c) {
    if (zeros[c] == 0) continue;
    ++zero_classes;
    zero_class = c;
  }
  if (zero_classes > 1) return {};
  if (zero_rows > 0) entries.emplace_back(0.0, zero_class);
  if (clearance.clears(entries, whole)) return {};
  // By value, and by label where values are equal.
  radix_sort(entries, room, [](const auto& entry) { return std::uint64_t{entry.second}; });
  radix_sort(entries, room, [](const auto& entry) { return order_key(entry.first); });

  std::uint64_t values = 0, changes = 0;
  bool pure = true;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const bool fresh = k == 0 || entries[k].first != entries[k - 1].first;
    const bool other_label = k > 0 && entries[k].second != entries[k - 1].second;
    values += fresh ? 1 : 0;
    changes += other_label ? 1 : 0;
    pure = pure && (fresh || !other_label);
  }
  const std::size_t classes = static_cast<std::size_t>(
      std::count_if(class_rows.begin(), class_rows.end(), [](std::uint64_t n) { return n > 0; }));
  Verdict verdict;
  verdict.numbers_rows = whole && values == rows && zero_rows <= 1;
  if (!labelled || classes < 2 || !pure) return verdict;
  verdict.by_threshold = changes + 1 == classes;
  verdict.tells_label = verdict.by_threshold || 2 * values <= rows;
  return verdict;
}

}  // namespace

void NameList::add(const Dataset& data, std::size_t column) {
  if (++count > 5) return;
  if (count > 1) names += ", ";
  names += printable(data.feature_name(static_cast<std::uint32_t>(column)));
}
std::string NameList::text() const {
  return count > 5 ? fmt::format("{} and {} more", names, count - 5) : names;
}

void check_columns(const Dataset& data, const ColumnFigures& figures, const Threads& threads,
                   Examination& result) {
  if (figures.rows < enough_rows) return;
  if (data.nonzeros() > affordable) {
    result.findings.push_back(
        {"not-checked",
         fmt::format(
             "{} entries are too many to look for columns that give the label away or number the rows",
             data.nonzeros()),
         "examine a part of the rows"});
    return;
  }
  const ByColumn by = transpose(data, figures);
  std::vector<std::uint64_t> class_rows = result.class_rows;
  if (class_rows.empty()) class_rows.assign(1, figures.rows);
  std::vector<Verdict> verdicts(figures.low.size());
  const std::uint64_t each = by.value.size() / std::max<std::size_t>(1, figures.low.size()) + 1;
  const std::size_t columns_per_task =
      std::clamp<std::size_t>(entries_per_task / each, 1, most_columns_per_task);
  for_blocks(threads, figures.low.size(), columns_per_task, [&](std::size_t begin, std::size_t end) {
    ValueLabels entries, room;
    Clearance clearance(figures.rows, class_rows.size());
    for (std::size_t j = begin; j < end; ++j) {
      if (figures.low[j] == figures.high[j]) continue;
      entries.clear();
      for (std::uint64_t k = by.start[j]; k < by.start[j + 1]; ++k)
        entries.emplace_back(by.value[k], by.label[k]);
      verdicts[j] =
          judge(entries, room, clearance, class_rows, figures.whole[j], figures.rows, data.labelled());
    }
  });

  NameList separates, tells, numbers;
  for (std::size_t j = 0; j < verdicts.size(); ++j) {
    if (verdicts[j].tells_label) (verdicts[j].by_threshold ? separates : tells).add(data, j);
    if (verdicts[j].numbers_rows) numbers.add(data, j);
  }
  const std::string leak = "if the column is not known when a prediction is wanted, leave it out";
  if (separates.count > 0) {
    result.findings.push_back(
        {"leak", fmt::format("a threshold on one column alone tells the classes apart: {}", separates.text()),
         leak});
  }
  if (tells.count > 0) {
    result.findings.push_back(
        {"leak", fmt::format("the value of one column alone determines the class: {}", tells.text()), leak});
  }
  if (numbers.count > 0) {
    result.findings.push_back(
        {"row-number",
         fmt::format("{} column{} a different integer in every row, like a row number: {}", numbers.count,
                     numbers.count == 1 ? " has" : "s have", numbers.text()),
         "a number of the row or person is no feature; leave it out"});
  }
}

}  // namespace halfspace
