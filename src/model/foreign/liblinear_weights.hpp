// SPDX-License-Identifier: BSD-3-Clause
// The weights of a LIBLINEAR model the fast way: pieces of the file, by all threads, never the whole text in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halfspace/core/bytes.hpp"
#include "halfspace/core/parallel.hpp"

namespace halfspace::detail {

// `lines` lines of `columns` weights from byte `begin` to the end of a source with random access, each weight followed
// by a space, as LIBLINEAR writes them; line after line. Nothing: it is not quite so, and wants a careful reader.
[[nodiscard]] std::optional<std::vector<double>> plain_liblinear_weights(
    const ByteSource& source, std::uint64_t begin, std::uint64_t lines, std::size_t columns,
    const std::string& name, const Threads& threads);

}  // namespace halfspace::detail
