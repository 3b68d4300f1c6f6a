// SPDX-License-Identifier: BSD-3-Clause
// Model files: ours and LIBLINEAR's. What was loaded is saved and loaded again without a change; a LIBLINEAR model is
// the same whichever of its two readers took it, and the quick one takes none that the careful one refuses.
#include <optional>

#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/model/model_file.hpp"
#include "model/liblinear_text.hpp"
#include "oracle.hpp"

namespace {

template <class Read>
std::optional<halfspace::Model> read_or_nothing(const Read& read) {
  try {
    return read();
  } catch (const halfspace::InputError&) {
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace halfspace;
  const std::string_view bytes = fuzz::text(data, size);
  const auto model = read_or_nothing([&] { return std::optional(model_from_bytes(bytes, "input")); });
  const auto in_pieces = read_or_nothing([&] {
    const auto plain = memory_source(bytes, "input");
    return detail::model_from_plain_liblinear(*plain, "input", Threads(1));
  });
  fuzz::require(!in_pieces || (model && to_bytes(*in_pieces) == to_bytes(*model)),
                "a LIBLINEAR model read in pieces is the one read whole");
  if (!model) return 0;
  const std::string saved = to_bytes(*model);
  fuzz::require(to_bytes(model_from_bytes(saved, "saved")) == saved,
                "a saved model is the same after loading and saving again");
  return 0;
}
