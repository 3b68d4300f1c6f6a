// SPDX-License-Identifier: BSD-3-Clause
// IDX: two files in one input; without a second one there are no labels.
#include "data/readers.hpp"
#include "oracle.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [first, second] = fuzz::split(fuzz::text(data, size));
  const std::string_view rows = first, labels = second;
  fuzz::check_reader(
      [&](const halfspace::ReadOptions& options) {
        const auto source = halfspace::memory_source(rows, "rows");
        const auto label_source = halfspace::memory_source(labels, "labels");
        return halfspace::read_idx(*source, "rows", labels.empty() ? nullptr : label_source.get(), "labels",
                                   options);
      },
      {.need_labels = !labels.empty()});
  return 0;
}
