// SPDX-License-Identifier: BSD-3-Clause
// Our model files. The checksum is made right, so that what stands behind it is reached. What was loaded predicts, and is
// saved and loaded again without a change.
#include "halfspace/core/error.hpp"
#include "halfspace/model/model_file.hpp"
#include "model/file/safetensors.hpp"
#include "oracle.hpp"

namespace {

using namespace halfspace;

std::string repaired(std::string_view bytes) {
  std::string out(bytes);
  try {
    const detail::TensorFile file = detail::read_tensors(out, "input");
    const std::string sum = detail::file_checksum(out, file.checksum_at);
    out.replace(file.checksum_at, sum.size(), sum);
  } catch (const InputError&) {  // no layout, no checksum
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string bytes = repaired(fuzz::text(data, size));
    const Model model = model_from_bytes(bytes, "input");
    const std::string saved = to_bytes(model);
    fuzz::require(to_bytes(model_from_bytes(saved, "saved")) == saved,
                  "a saved model is the same after loading and saving again");
    (void)labels_from_scores(model, scores(model, fuzz::small_rows(), Threads(1)));
  } catch (const InputError&) {
  } catch (const UsageError&) {
  }
  return 0;
}
