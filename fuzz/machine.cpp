// SPDX-License-Identifier: BSD-3-Clause
// Models of LIBSVM. What was read predicts, and is saved in our format and loaded again without a change.
#include "halfspace/core/error.hpp"
#include "halfspace/model/libsvm.hpp"
#include "halfspace/model/model_file.hpp"
#include "model/foreign/libsvm_text.hpp"
#include "oracle.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace halfspace;
  try {
    const Model model = detail::model_from_libsvm(fuzz::text(data, size), "input");
    const std::string saved = to_bytes(model);
    fuzz::require(to_bytes(model_from_bytes(saved, "saved")) == saved,
                  "a saved model is the same after loading and saving again");
    (void)labels_from_scores(model, scores(model, fuzz::small_rows(), Threads(1)));
    (void)detail::model_from_libsvm(to_libsvm_text(model), "written");
  } catch (const InputError&) {
  } catch (const UsageError&) {
  }
  return 0;
}
