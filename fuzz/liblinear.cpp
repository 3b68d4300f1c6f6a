// SPDX-License-Identifier: BSD-3-Clause
// Models of LIBLINEAR: the same whichever of the two readers took it, the quick one takes none that the careful one
// refuses, and what is written in that format again predicts the same.
#include "halfspace/model/liblinear.hpp"

#include <optional>

#include "halfspace/core/error.hpp"
#include "halfspace/model/model_file.hpp"
#include "model/foreign/liblinear_text.hpp"
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
  const auto model =
      read_or_nothing([&] { return std::optional(detail::model_from_liblinear(bytes, "input")); });
  const auto in_pieces = read_or_nothing([&] {
    const fuzz::Plain plain(bytes, fuzz::Plain::File);
    return detail::model_from_plain_liblinear(plain, "input", Threads(2));
  });
  fuzz::require(!in_pieces || (model && to_bytes(*in_pieces) == to_bytes(*model)),
                "a LIBLINEAR model read in pieces is the one read whole");
  if (!model) return 0;
  const auto found = scores(*model, fuzz::small_rows(), Threads(1));
  const Model again = detail::model_from_liblinear(to_liblinear_text(*model), "written");
  fuzz::require(labels_from_scores(again, scores(again, fuzz::small_rows(), Threads(1))) ==
                    labels_from_scores(*model, found),
                "a model written for LIBLINEAR predicts the same");
  return 0;
}
