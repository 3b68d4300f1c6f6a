// SPDX-License-Identifier: BSD-3-Clause
// Requests to the playground: whatever is asked, the answer is one line of JSON, an object, and the same again when asked again.
#include "halfspace/playground/playground.hpp"

#include <nlohmann/json.hpp>

#include "oracle.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace halfspace;
  static const Playground engine(fuzz::small_rows().relabelled({0, 1, 0, 1}, {"a", "b"}));
  const std::string answer = engine.answer(fuzz::text(data, size));
  fuzz::require(answer.find('\n') == std::string::npos, "an answer is one line");
  const auto object = nlohmann::json::parse(answer);
  fuzz::require(object.is_object(), "an answer is an object");
  if (object.contains("points"))
    fuzz::require(engine.answer(fuzz::text(data, size)) == answer, "the same question, the same answer");
  return 0;
}
