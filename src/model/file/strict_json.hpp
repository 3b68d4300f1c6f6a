// SPDX-License-Identifier: BSD-3-Clause
// JSON from files nobody vouches for: a key twice in one object and nesting beyond what the reader knows are
// refused while parsing, every access says what was expected, and every refusal says where.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halfspace/core/error.hpp"

namespace halfspace::detail {

using Json = nlohmann::json;

// Keys of objects and numbers of list entries, from the outside in.
using JsonPath = std::vector<std::string>;

// A JSON text and where it begins: at a byte of its file, or at a line and column. Places are looked for only when
// something is wrong, by going through the tokens once more. A text that is `quoted` inside another has other bytes in
// the file: its places are all where it begins.
class JsonText {
 public:
  JsonText(std::string_view text, Place begin, bool quoted = false)
      : text_(text), begin_(std::move(begin)), quoted_(quoted) {}

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] Place at(std::size_t offset) const;
  [[nodiscard]] Place token(std::uint64_t number) const;  // brackets, keys and values are counted, from 1
  [[nodiscard]] Place value(const JsonPath& path) const;  // as far as the path leads

 private:
  std::string_view text_;
  Place begin_;
  bool quoted_;
};

struct JsonLimits {
  int depth;                          // objects and lists inside each other
  std::uint64_t values = UINT64_MAX;  // everything that opens, closes, names or is a value
};

// `what` names the text.
[[nodiscard]] Json parse_strict(const JsonText& text, std::string_view what, JsonLimits limits);

// An object of which every key must be asked for, and no other may be there. Neither the members nor the text are
// copied.
class Fields {
 public:
  Fields(const Json& object, const JsonText& text, std::string what, JsonPath path = {});

  [[nodiscard]] const Json& get(std::string_view key);   // refuses when it is not there
  [[nodiscard]] const Json* find(std::string_view key);  // null when it is not there
  [[nodiscard]] const std::string& text(std::string_view key);
  [[nodiscard]] bool flag(std::string_view key);
  [[nodiscard]] std::uint64_t count(std::string_view key, std::uint64_t limit = UINT64_MAX);
  [[nodiscard]] const Json& list(std::string_view key);
  [[nodiscard]] std::vector<std::string> texts(std::string_view key);
  [[nodiscard]] Fields object(std::string_view key, std::string what);
  [[nodiscard]] std::vector<Fields> objects(std::string_view key, const std::string& what);  // of a list
  void no_others() const;  // refuses keys that were never asked for

  // At the value that was asked for last.
  [[noreturn]] void refuse(const std::string& found, const std::string& expected = {}) const;
  // At an entry of a list.
  [[noreturn]] void refuse_entry(std::string_view key, std::size_t entry, const std::string& found,
                                 const std::string& expected = {}) const;

 private:
  [[nodiscard]] JsonPath below(std::string_view key) const;
  [[noreturn]] void refuse_at(const JsonPath& path, const std::string& found,
                              const std::string& expected) const;

  const Json* object_;
  const JsonText* text_;
  std::string what_;
  JsonPath path_;
  std::vector<std::string> asked_;
};

}  // namespace halfspace::detail
