// SPDX-License-Identifier: BSD-3-Clause
// Tables, whole and in pieces. The first byte chooses the options, the rest is the file.
#include "data/readers.hpp"
#include "oracle.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace halfspace;
  if (size == 0) return 0;
  const unsigned choice = data[0];
  ReadOptions options;
  options.missing = static_cast<Missing>(choice % 4);
  options.header = static_cast<Header>((choice / 4) % 3);
  options.need_labels = (choice & 16) == 0;
  if ((choice & 32) != 0) options.text = {"a"};
  if ((choice & 64) != 0) options.hash_bits = 4;
  if ((choice & 128) != 0) options.delimiter = ';';
  fuzz::check_text(
      fuzz::text(data + 1, size - 1),
      [](ByteSource& source, const ReadOptions& with, std::size_t piece) {
        return read_csv(source, "input", with, piece);
      },
      options);
  return 0;
}
