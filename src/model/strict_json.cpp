// SPDX-License-Identifier: BSD-3-Clause
#include "model/strict_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace halfspace::detail {

Json parse_strict(std::string_view text, const Place& place, std::string_view what, JsonLimits limits) {
  std::uint64_t values = 0;
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    const bool opens =
        event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    if (opens && depth >= limits.depth) {
      throw InputError(place, fmt::format("{}: nested deeper than {} levels", what, limits.depth));
    }
    if (++values > limits.values) {
      throw InputError(place, fmt::format("{}: more than {} values", what, limits.values));
    }
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys.back().insert(key).second) {
        throw InputError(place, fmt::format("{}: the key '{}' appears twice", what, printable(key)));
      }
    }
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), watch);
  } catch (const Json::parse_error& e) {
    Place at = place;
    if (at.byte) *at.byte += e.byte > 0 ? e.byte - 1 : 0;
    throw InputError(at, fmt::format("{}: not valid JSON", what));
  } catch (const Json::exception&) {  // a number beyond the range of double
    throw InputError(place, fmt::format("{}: not valid JSON", what));
  }
}

Fields::Fields(const Json& object, Place place, std::string what)
    : object_(&object), place_(std::move(place)), what_(std::move(what)) {
  if (!object.is_object()) refuse("not an object");
}

void Fields::refuse(const std::string& found, const std::string& expected) const {
  throw InputError(place_, fmt::format("{}: {}", what_, found), expected);
}

const Json* Fields::find(std::string_view key) {
  const auto found = object_->find(std::string(key));
  if (found == object_->end()) return nullptr;
  asked_.emplace_back(key);
  return &*found;
}

const Json& Fields::get(std::string_view key) {
  const Json* const value = find(key);
  if (value == nullptr) refuse(fmt::format("no '{}'", key));
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
    if (!item.is_string()) refuse(fmt::format("'{}' has an entry that is not a text", key));
    result.push_back(item.get<std::string>());
  }
  return result;
}

void Fields::no_others() const {
  for (const auto& item : object_->items()) {
    if (std::find(asked_.begin(), asked_.end(), item.key()) == asked_.end()) {
      refuse(fmt::format("unknown key '{}'", printable(item.key())));
    }
  }
}

}  // namespace halfspace::detail
