// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints. The input is what stands between head and fingerprint, which are made right; the part "p" is read as the
// state of a solver.
#include "halfspace/solve/checkpoint.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "halfspace/core/error.hpp"
#include "oracle.hpp"
#include "solve/convex/solver.hpp"

namespace {

using namespace halfspace;

std::string whole(std::string_view body) {
  std::string out = "HALFCKPT";
  const std::uint64_t version = 1, size = out.size() + 2 * sizeof(std::uint64_t) + body.size() + 32;
  out.append(reinterpret_cast<const char*>(&version), sizeof version);
  out.append(reinterpret_cast<const char*>(&size), sizeof size);
  out.append(body);
  Fingerprint hash;
  hash.add(std::as_bytes(std::span(out)));
  return out + hash.hex();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = whole(fuzz::text(data, size));
  Checkpoint checkpoint(".", 1e9);
  try {
    checkpoint.parse(bytes, "input");
    Checkpoint again(".", 1e9);
    again.parse(checkpoint.print(), "input");
    if (again.print() != checkpoint.print()) std::abort();
    Solution solution;
    static_cast<void>(Journal(&checkpoint, "p").resume([&](StateReader& in) { in.part(solution); }));
  } catch (const InputError&) {
  } catch (const UsageError&) {
  }
  return 0;
}
