// SPDX-License-Identifier: BSD-3-Clause
// How much of a model or certificate is read: its first bytes say what it is, its header how long it must be. Nothing
// else is worth the memory.
#include <fmt/format.h>

#include <algorithm>

#include "core/files/packing.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/model/model_file.hpp"
#include "model/file/safetensors.hpp"
#include "model/file/strict_json.hpp"

namespace halfspace {
namespace {

constexpr std::size_t head_bytes = 4096;
constexpr std::size_t length_bytes = 8;

bool is_text_byte(char c) {
  return static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\r' || c == '\t';
}

// Reads until there are `size` bytes, or all.
void grow_to(std::string& bytes, std::size_t size, ByteSource& source) {
  const std::size_t had = std::min(bytes.size(), size);
  if (had == size) return;
  bytes.resize(size);
  bytes.resize(had + source.read(std::span<char>(bytes).subspan(had)));
}

// A text, up to its end or to a byte that no text has, which is all that a reader needs to refuse it.
void read_text(std::string& bytes, ByteSource& source, const std::string& name) {
  constexpr std::size_t step = std::size_t{1} << 20U;
  constexpr std::uint64_t most_of_a_pipe = std::uint64_t{1} << 30U;
  const std::uint64_t known = source.known_size();
  for (;;) {
    const std::size_t had = bytes.size();
    grow_to(bytes, had + step, source);
    const std::size_t got = bytes.size() - had;
    check_unpacking(source, bytes.size(), name);
    if (known == 0 && !source.packed_bytes() && bytes.size() > most_of_a_pipe)
      throw InputError(Place{name}, fmt::format("more than {} bytes of text from a pipe", most_of_a_pipe));
    const std::string_view fresh(bytes.data() + had, got);
    if (got < step || fresh.find('\0') != std::string_view::npos) return;
  }
}

// Where the last tensor ends, by the header alone.
std::uint64_t declared_size(std::string_view header, const std::string& name) {
  const detail::JsonText text(header, Place{.file = name, .byte = length_bytes});
  const detail::Json json = detail::parse_strict(text, "header", {.depth = 3, .values = 1000});
  std::uint64_t end = 0;
  for (const auto& item : json.items()) {
    const auto offsets = item.value().find("data_offsets");
    if (!item.value().is_object() || offsets == item.value().end() || !offsets->is_array() ||
        offsets->size() != 2)
      continue;
    if ((*offsets)[1].is_number_unsigned()) end = std::max(end, (*offsets)[1].get<std::uint64_t>());
  }
  std::uint64_t size = 0;
  return checked_add(length_bytes + header.size(), end, size) ? size : UINT64_MAX;
}

void read_tensors(std::string& bytes, std::uint64_t header, ByteSource& source, const std::string& name) {
  const std::size_t data_at = length_bytes + static_cast<std::size_t>(header);
  grow_to(bytes, data_at, source);
  if (bytes.size() < data_at || bytes[length_bytes] != '{') return;
  const std::uint64_t declared =
      declared_size(std::string_view(bytes).substr(length_bytes, static_cast<std::size_t>(header)), name);
  const std::uint64_t known = source.known_size();
  if (known > 0 && declared > known) {
    throw InputError({.file = name, .byte = known},
                     fmt::format("the file ends here, {} bytes are declared", declared), {},
                     "was the file cut short?");
  }
  const auto refuse_more = [&](const std::string& count) {
    throw InputError({.file = name, .byte = declared}, fmt::format("{}bytes after the last tensor", count),
                     "the end was expected here");
  };
  if (known > declared) refuse_more(fmt::format("{} ", known - declared));
  if (bytes.size() > declared) refuse_more("");
  bytes += read_all(source, name, declared - bytes.size());
}

}  // namespace

std::string read_model_bytes(ByteSource& source, const std::string& name) {
  std::string bytes;
  grow_to(bytes, head_bytes, source);
  std::uint64_t header = 0;
  for (std::size_t i = 0; i < std::min(bytes.size(), length_bytes); ++i)
    header |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  if (bytes.size() < head_bytes && header > detail::header_limit) return bytes;  // all of it
  if (header <= detail::header_limit) {
    read_tensors(bytes, header, source, name);
  } else if (std::all_of(bytes.begin(), bytes.begin() + length_bytes, is_text_byte)) {
    read_text(bytes, source, name);
  }
  source.check_unchanged();
  return bytes;
}

}  // namespace halfspace
