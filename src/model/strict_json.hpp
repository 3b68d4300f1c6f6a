// SPDX-License-Identifier: BSD-3-Clause
// JSON from files nobody vouches for: a key twice in one object and nesting beyond what the reader knows are
// refused while parsing, and every access says what was expected.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "halfspace/core/error.hpp"

namespace halfspace::detail {

using Json = nlohmann::json;

struct JsonLimits {
  int depth;                          // objects and lists inside each other
  std::uint64_t values = UINT64_MAX;  // everything that opens, closes, names or is a value
};

// `place` is where the text begins: errors name the byte in the file when it has one. `what` names the text.
[[nodiscard]] Json parse_strict(std::string_view text, const Place& place, std::string_view what,
                                JsonLimits limits);

// An object of which every key must be asked for, and no other may be there. The members are not copied.
class Fields {
 public:
  Fields(const Json& object, Place place, std::string what);

  [[nodiscard]] const Json& get(std::string_view key);   // refuses when it is not there
  [[nodiscard]] const Json* find(std::string_view key);  // null when it is not there
  [[nodiscard]] const std::string& text(std::string_view key);
  [[nodiscard]] bool flag(std::string_view key);
  [[nodiscard]] std::uint64_t count(std::string_view key, std::uint64_t limit = UINT64_MAX);
  [[nodiscard]] const Json& list(std::string_view key);
  [[nodiscard]] std::vector<std::string> texts(std::string_view key);
  void no_others() const;  // refuses keys that were never asked for

  [[noreturn]] void refuse(const std::string& found, const std::string& expected = {}) const;

 private:
  const Json* object_;
  Place place_;
  std::string what_;
  std::vector<std::string> asked_;
};

}  // namespace halfspace::detail
