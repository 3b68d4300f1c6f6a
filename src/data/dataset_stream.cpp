// SPDX-License-Identifier: BSD-3-Clause
// Rows in memory as a stream.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "halfspace/core/error.hpp"
#include "halfspace/data/row_stream.hpp"

namespace halfspace {
namespace {

constexpr std::size_t rows_in_block = 2048;  // a few milliseconds between two looks at the clock
constexpr double most_copies = 1e6;          // of one row

class DatasetStream final : public RowStream {
 public:
  explicit DatasetStream(const Dataset& data) : data_(data) {}

  bool next(StreamBlock& block) override {
    do {
      if (at_ == data_.rows()) return false;
      const std::size_t end = std::min(data_.rows(), at_ + rows_in_block);
      part_ = data_.part(at_, end);
      at_ = end;
      set_visits(block, end - part_.rows());
    } while (block.visits.empty() && !data_.weights().empty());  // a block of rows that are absent
    block.matrix = part_.matrix();
    block.labels.assign(part_.labels().begin(), part_.labels().end());
    block.features = data_.features();
    return true;
  }
  [[nodiscard]] const std::string& name() const override { return data_.name(); }
  [[nodiscard]] const std::vector<std::string>& classes() const override { return data_.classes(); }

 private:
  void set_visits(StreamBlock& block, std::size_t first) const {
    block.visits.clear();
    if (data_.weights().empty()) return;
    for (std::size_t i = 0; i < part_.rows(); ++i) {
      const double weight = data_.weight(first + i);
      if (weight != std::floor(weight) || weight > most_copies)
        throw InputError({.file = data_.name()}, fmt::format("weight {} of row {}", weight, first + i + 1),
                         "online learners take whole weights: a weight of k means k copies");
      block.visits.insert(block.visits.end(), static_cast<std::size_t>(weight),
                          static_cast<std::uint32_t>(i));
    }
  }

  Dataset data_, part_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<RowStream> stream_of(const Dataset& data) { return std::make_unique<DatasetStream>(data); }

}  // namespace halfspace
