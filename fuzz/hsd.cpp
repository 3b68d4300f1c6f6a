// SPDX-License-Identifier: BSD-3-Clause
// The binary cache, from a file on a memory file system.
#include <unistd.h>

#include <fstream>

#include "oracle.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = fuzz::scratch_path("input.hsd");
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  fuzz::check([&](const halfspace::ReadOptions& options) { return halfspace::read(path, options); },
              {.format = halfspace::Format::Hsd, .need_labels = false});
  unlink(path.c_str());
  return 0;
}
