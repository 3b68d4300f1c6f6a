// SPDX-License-Identifier: BSD-3-Clause
#include "model/file/strict_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace halfspace::detail {
namespace {

// The tokens of a text that was parsed at least as far as one goes; commas and colons are passed over.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  struct Token {
    std::size_t begin = 0;
    std::string_view text;  // empty: the end
    [[nodiscard]] bool opens() const { return text == "{" || text == "["; }
    [[nodiscard]] bool closes() const { return text == "}" || text == "]"; }
  };

  Token next() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n,:", at_), text_.size());
    const std::size_t begin = at_;
    if (at_ == text_.size()) return {begin, {}};
    if (text_[at_] == '"') {
      for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) at_ += text_[at_] == '\\' ? 1 : 0;
      at_ = std::min(at_ + 1, text_.size());
    } else if (std::string_view("{}[]").find(text_[at_]) != std::string_view::npos) {
      ++at_;
    } else {
      at_ = std::min(text_.find_first_of(" \t\r\n,:{}[]\"", at_), text_.size());
    }
    return {begin, text_.substr(begin, at_ - begin)};
  }

  // The rest of the value that `token` began.
  void pass(Token token) {
    for (int depth = token.opens() ? 1 : 0; depth > 0 && !token.text.empty();) {
      token = next();
      depth += token.opens() ? 1 : token.closes() ? -1 : 0;
    }
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

bool names(const Tokens::Token& token, const std::string& key) {
  const Json name = Json::parse(token.text.begin(), token.text.end(), nullptr, false);
  return name.is_string() && name.get_ref<const std::string&>() == key;
}

}  // namespace

Place JsonText::at(std::size_t offset) const {
  Place place = begin_;
  if (quoted_) return place;
  if (place.byte) {
    *place.byte += offset;
  } else if (place.line > 0) {
    const std::string_view before = text_.substr(0, offset);
    const std::size_t last = before.rfind('\n');
    place.line += static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
    place.column = last == std::string_view::npos ? place.column + offset : offset - last;
  }
  return place;
}

Place JsonText::token(std::uint64_t number) const {
  Tokens tokens(text_);
  Tokens::Token token = tokens.next();
  for (std::uint64_t k = 1; k < number && !token.text.empty(); ++k) token = tokens.next();
  return at(token.begin);
}

Place JsonText::value(const JsonPath& path) const {
  Tokens tokens(text_);
  Tokens::Token found = tokens.next();
  for (const std::string& step : path) {
    const bool named = found.text == "{";
    bool there = false;
    for (std::size_t entry = 0; found.opens() && !there; ++entry) {
      Tokens::Token item = tokens.next();
      if (item.text.empty() || item.closes()) break;
      there = named ? names(item, step) : step == std::to_string(entry);
      if (named) item = tokens.next();
      if (there) {
        found = item;
      } else {
        tokens.pass(item);
      }
    }
    if (!there) break;
  }
  return at(found.begin);
}

namespace {

// Goes over the text before anything is kept of it: nesting, number of values, keys that come twice. (A callback of the
// parser itself would look through all entries of a list again at the end of each of them.)
class Watch final : public nlohmann::json_sax<Json> {
 public:
  Watch(const JsonText& text, std::string_view what, JsonLimits limits)
      : text_(text), what_(what), limits_(limits) {}

  bool null() override { return count(); }
  bool boolean(bool) override { return count(); }
  bool number_integer(number_integer_t) override { return count(); }
  bool number_unsigned(number_unsigned_t) override { return count(); }
  bool number_float(number_float_t, const string_t&) override { return count(); }
  bool string(string_t&) override { return count(); }
  bool binary(binary_t&) override { return count(); }
  bool start_object(std::size_t) override {
    open();
    keys_.emplace_back();
    return true;
  }
  bool end_object() override {
    keys_.pop_back();
    return close();
  }
  bool start_array(std::size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    count();
    if (!keys_.back().insert(name).second)
      throw InputError(text_.token(values_),
                       fmt::format("{}: the key '{}' appears twice", what_, printable(name)));
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception& e) override {
    if (const auto* syntax = dynamic_cast<const Json::parse_error*>(&e))
      throw InputError(text_.at(syntax->byte > 0 ? syntax->byte - 1 : 0),
                       fmt::format("{}: not valid JSON", what_));
    throw InputError(text_.token(values_ + 1), fmt::format("{}: a number out of range", what_));
  }

 private:
  bool count() {
    if (++values_ > limits_.values)
      throw InputError(text_.token(values_), fmt::format("{}: more than {} values", what_, limits_.values));
    return true;
  }
  bool open() {
    if (depth_++ >= limits_.depth)
      throw InputError(text_.token(values_ + 1),
                       fmt::format("{}: nested deeper than {} levels", what_, limits_.depth));
    return count();
  }
  bool close() {
    --depth_;
    return count();
  }

  const JsonText& text_;
  std::string_view what_;
  JsonLimits limits_;
  std::uint64_t values_ = 0;
  int depth_ = 0;
  std::vector<std::set<std::string>> keys_;  // of the objects that are open
};

}  // namespace

Json parse_strict(const JsonText& text, std::string_view what, JsonLimits limits) {
  // The parser takes a zero byte for the end of the text.
  if (const std::size_t zero = text.text().find('\0'); zero != std::string_view::npos)
    throw InputError(text.at(zero), fmt::format("{}: byte 0x00", what), "JSON text");
  Watch watch(text, what, limits);
  Json::sax_parse(text.text().begin(), text.text().end(), &watch);
  return Json::parse(text.text().begin(), text.text().end());
}

Fields::Fields(const Json& object, const JsonText& text, std::string what, JsonPath path)
    : object_(&object), text_(&text), what_(std::move(what)), path_(std::move(path)) {
  if (!object.is_object()) refuse_at(path_, "not an object", {});
}

void Fields::refuse_at(const JsonPath& path, const std::string& found, const std::string& expected) const {
  throw InputError(text_->value(path), fmt::format("{}: {}", what_, found), expected);
}

void Fields::refuse(const std::string& found, const std::string& expected) const {
  refuse_at(asked_.empty() ? path_ : below(asked_.back()), found, expected);
}

void Fields::refuse_entry(std::string_view key, std::size_t entry, const std::string& found,
                          const std::string& expected) const {
  JsonPath path = below(key);
  path.push_back(std::to_string(entry));
  refuse_at(path, found, expected);
}

JsonPath Fields::below(std::string_view key) const {
  JsonPath path = path_;
  path.emplace_back(key);
  return path;
}

const Json* Fields::find(std::string_view key) {
  const auto found = object_->find(std::string(key));
  if (found == object_->end()) return nullptr;
  asked_.emplace_back(key);
  return &*found;
}

const Json& Fields::get(std::string_view key) {
  const Json* const value = find(key);
  if (value == nullptr) refuse_at(path_, fmt::format("no '{}'", key), {});
  return *value;
}

const std::string& Fields::text(std::string_view key) {
  const Json& value = get(key);
  if (!value.is_string()) refuse(fmt::format("'{}' is not a text", key));
  return value.get_ref<const std::string&>();
}

bool Fields::flag(std::string_view key) {
  const Json& value = get(key);
  if (!value.is_boolean()) refuse(fmt::format("'{}' is not true or false", key));
  return value.get<bool>();
}

std::uint64_t Fields::count(std::string_view key, std::uint64_t limit) {
  const Json& value = get(key);
  if (!value.is_number_unsigned()) refuse(fmt::format("'{}' is not a whole number", key));
  const auto number = value.get<std::uint64_t>();
  if (number > limit)
    refuse(fmt::format("'{}' is {}", key, number), fmt::format("at most {} is allowed", limit));
  return number;
}

const Json& Fields::list(std::string_view key) {
  const Json& value = get(key);
  if (!value.is_array()) refuse(fmt::format("'{}' is not a list", key));
  return value;
}

std::vector<std::string> Fields::texts(std::string_view key) {
  std::vector<std::string> result;
  for (const Json& item : list(key)) {
    if (!item.is_string())
      refuse_entry(key, result.size(), fmt::format("'{}' has an entry that is not a text", key));
    result.push_back(item.get<std::string>());
  }
  return result;
}

Fields Fields::object(std::string_view key, std::string what) {
  return {get(key), *text_, std::move(what), below(key)};
}

std::vector<Fields> Fields::objects(std::string_view key, const std::string& what) {
  std::vector<Fields> result;
  for (const Json& item : list(key)) {
    JsonPath path = below(key);
    path.push_back(std::to_string(result.size()));
    result.emplace_back(item, *text_, what, std::move(path));
  }
  return result;
}

void Fields::no_others() const {
  for (const auto& item : object_->items()) {
    if (std::find(asked_.begin(), asked_.end(), item.key()) == asked_.end()) {
      refuse_at(below(item.key()), fmt::format("unknown key '{}'", printable(item.key())), {});
    }
  }
}

}  // namespace halfspace::detail
