// SPDX-License-Identifier: BSD-3-Clause
// Model files: ours and LIBLINEAR's. What was loaded is saved and loaded again without a change.
#include "halfspace/core/error.hpp"
#include "halfspace/model/model_file.hpp"
#include "oracle.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  halfspace::Model model;
  try {
    model = halfspace::model_from_bytes(fuzz::text(data, size), "input");
  } catch (const halfspace::InputError&) {
    return 0;
  }
  const std::string saved = halfspace::to_bytes(model);
  fuzz::require(halfspace::to_bytes(halfspace::model_from_bytes(saved, "saved")) == saved,
                "a saved model is the same after loading and saving again");
  return 0;
}
