// SPDX-License-Identifier: BSD-3-Clause
#include "data/kernel/data.hpp"

#include <numeric>

namespace halfspace {

KernelData::KernelData(const Dataset& data, const KernelFunction& kernel, bool find_equal,
                       const Threads& threads)
    : access_(RowAccess::of(data.matrix())),
      features_(data.features()),
      plain_(form_for(data, kernel)),
      form_(plain_) {
  if (worth_multiples(plain_, features_)) multiples_ = find_multiples(*access_, threads);
  if (multiples_.unit > 0) form_ = RowForm::Multiples;
  length2_.resize(data.rows());
  for_blocks(threads, data.rows(), row_block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) length2_[i] = access_->norm2(i);
  });
  if (find_equal && form_ != RowForm::Given) {
    std::vector<std::uint32_t> all(data.rows());
    std::iota(all.begin(), all.end(), 0U);
    equal_ = find_equal_rows(*access_, all, length2_);
  } else {
    equal_ = all_different(data.rows());
  }
}

void KernelData::pack_all(const Threads& threads) {
  constexpr std::size_t few_numbers = std::size_t{1} << 21U;
  if (form_ != RowForm::Dense || features_ * length2_.size() > few_numbers) return;
  std::vector<std::uint32_t> all(length2_.size());
  std::iota(all.begin(), all.end(), 0U);
  all_.emplace(pack<float>(all, form_, threads));
}

std::vector<std::uint32_t> KernelData::columns_of(std::span<const std::uint32_t> rows) const {
  std::vector<std::uint32_t> out;
  if (form_ != RowForm::Given) return out;
  const std::uint32_t numbered = features_ == length2_.size() + 1 ? 1 : 0;
  for (const std::uint32_t i : rows) out.push_back(i + numbered);
  return out;
}

}  // namespace halfspace
