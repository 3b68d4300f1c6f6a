// SPDX-License-Identifier: BSD-3-Clause
// Tables. The first byte chooses the options, the rest is the file.
#include "data/readers.hpp"
#include "oracle.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned choice = data[0];
  const std::string_view bytes = fuzz::text(data + 1, size - 1);
  halfspace::ReadOptions options;
  options.missing = static_cast<halfspace::Missing>(choice % 4);
  options.header = static_cast<halfspace::Header>((choice / 4) % 3);
  options.need_labels = (choice & 16) == 0;
  if ((choice & 32) != 0) options.text = {"a"};
  if ((choice & 64) != 0) options.hash_bits = 4;
  if ((choice & 128) != 0) options.delimiter = ';';
  fuzz::check_reader(
      [&](const halfspace::ReadOptions& with) {
        const auto source = halfspace::memory_source(bytes, "input");
        return halfspace::read_csv(*source, "input", with);
      },
      options);
  return 0;
}
