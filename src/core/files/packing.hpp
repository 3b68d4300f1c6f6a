// SPDX-License-Identifier: BSD-3-Clause
// The four kinds of compressed streams: recognised by their first bytes, decoded and encoded piece by piece.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "halfspace/core/bytes.hpp"

namespace halfspace {

enum class Packing { None, Gzip, Bzip2, Xz, Zstd };

inline constexpr std::size_t packing_magic_bytes = 10;  // enough to tell

[[nodiscard]] Packing packing_of_content(std::string_view head);
[[nodiscard]] Packing packing_of_name(std::string_view path);

// Decodes `packed`: all members one after the other. A stream that stops early, is damaged or is followed by
// something else is an InputError, so that no one takes a part for the whole.
[[nodiscard]] std::unique_ptr<ByteSource> unpack(std::unique_ptr<ByteSource> packed, Packing packing,
                                                 std::string name);

// Throws InputError when a compressed source has made more than 64 MiB, and more than a hundred times what it took: for
// readers that keep everything.
void check_unpacking(const ByteSource& source, std::uint64_t size, const std::string& name);

// Runs `writer` on a sink that compresses into `to`, and ends the stream.
void pack_into(ByteSink& to, Packing packing, const std::function<void(ByteSink&)>& writer);

}  // namespace halfspace
