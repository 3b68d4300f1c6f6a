// SPDX-License-Identifier: BSD-3-Clause
// What stands behind the handles of the C interface, and the one place where exceptions become error codes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>

#include "halfspace/c.h"
#include "halfspace/core/error.hpp"
#include "halfspace/core/stop.hpp"
#include "halfspace/data/dataset.hpp"
#include "halfspace/model/model.hpp"

struct halfspace_dataset {
  halfspace::Dataset data;
};
struct halfspace_model {
  halfspace::Model model;
};
struct halfspace_stop {
  halfspace::StopHandle handle;
};

namespace halfspace::c {

using Json = nlohmann::ordered_json;

[[nodiscard]] Dataset dense_set(const halfspace_array& array, const halfspace_rows& rows);

inline std::string text_or(const char* text, std::string_view otherwise = {}) {
  return text == nullptr ? std::string(otherwise) : std::string(text);
}

// Freed by halfspace_text_free(). One byte more than the text, which is zero.
inline char* allocate_text(std::string_view text) {
  // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): callers in C know no other
  char* out = static_cast<char*>(std::malloc(text.size() + 1));
  if (out == nullptr) throw std::bad_alloc();
  std::copy_n(text.data(), text.size(), out);
  out[text.size()] = '\0';
  return out;
}
// Names of the caller may be no UTF-8: JSON has it.
inline char* allocate_json(const Json& json) {
  return allocate_text(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

template <class T>
const T& need(const T* pointer, const char* what) {
  if (pointer == nullptr) throw UsageError(std::string(what) + " is a null pointer");
  return *pointer;
}
template <class T>
T& need(T* pointer, const char* what) requires(!std::is_const_v<T>) {
  if (pointer == nullptr) throw UsageError(std::string(what) + " is a null pointer");
  return *pointer;
}

inline bool is_aligned(const halfspace_array& array, std::size_t item) {
  return reinterpret_cast<std::uintptr_t>(array.data) % item == 0;
}

// Cut at a whole character of UTF-8.
template <std::size_t N>
void put_text(char (&out)[N], std::string_view text) {
  std::size_t size = std::min(text.size(), N - 1);
  if (size < text.size())
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  std::copy_n(text.data(), size, out);
  out[size] = '\0';
}

inline std::int32_t put_error(halfspace_error* error, std::int32_t code, std::string_view message,
                              std::string_view hint = {}, const Place& place = {}) noexcept {
  if (error == nullptr) return code;
  error->code = code;
  put_text(error->message, message);
  put_text(error->hint, hint);
  put_text(error->file, place.file);
  error->line = place.line;
  error->column = place.column;
  return code;
}

// Runs f; nothing that it throws gets out.
template <class F>
std::int32_t guarded(halfspace_error* error, F&& f) noexcept {
  try {
    f();
    return put_error(error, HALFSPACE_OK, "");
  } catch (const InputError& e) {
    return put_error(error, HALFSPACE_INPUT, e.message(), e.hint(), e.place());
  } catch (const UsageError& e) {
    return put_error(error, HALFSPACE_USAGE, e.what(), e.hint());
  } catch (const SystemError& e) {
    return put_error(error, HALFSPACE_SYSTEM, e.message(), {}, {.file = e.file()});
  } catch (const Stopped& e) {
    return put_error(error, HALFSPACE_STOPPED, e.what());
  } catch (const std::bad_alloc&) {
    return put_error(error, HALFSPACE_SYSTEM, "not enough memory");
  } catch (const std::exception& e) {
    return put_error(error, HALFSPACE_MISTAKE, e.what());
  } catch (...) {
    return put_error(error, HALFSPACE_MISTAKE, "unknown exception");
  }
}

}  // namespace halfspace::c
