// SPDX-License-Identifier: BSD-3-Clause
// One entry point per format; read() has found out which one it is. `name` is what messages call the input.
#pragma once

#include <functional>
#include <string>

#include "data/text/lines.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/data/dataset.hpp"
#include "halfspace/data/read.hpp"

namespace halfspace {

// `piece_bytes`: text is read and parsed in pieces of about so many bytes. What comes out, and where an error is, does not
// depend on it; fuzzing cuts small.
[[nodiscard]] DatasetParts read_libsvm(ByteSource& source, const std::string& name,
                                       const ReadOptions& options,
                                       std::size_t piece_bytes = text_piece_bytes);
// The same of lines among which there may be no row at all.
[[nodiscard]] DatasetParts read_libsvm_lines(ByteSource& source, const std::string& name,
                                             const ReadOptions& options,
                                             std::size_t piece_bytes = text_piece_bytes);
// As read_in_blocks() has it; at most a few megabytes of text each.
using TakeLibsvmBlock = std::function<void(std::size_t number, DatasetParts parts, const Threads& threads)>;
void read_libsvm_blocks(ByteSource& source, const std::string& name, const ReadOptions& options,
                        const TakeLibsvmBlock& take);
[[nodiscard]] DatasetParts read_csv(ByteSource& source, const std::string& name, const ReadOptions& options,
                                    std::size_t piece_bytes = text_piece_bytes);
// `labels` may be null (prediction without labels).
[[nodiscard]] DatasetParts read_idx(ByteSource& images, const std::string& name, ByteSource* labels,
                                    const std::string& labels_name, const ReadOptions& options);
[[nodiscard]] DatasetParts read_npy(ByteSource& matrix, const std::string& name, ByteSource* labels,
                                    const std::string& labels_name, const ReadOptions& options);

// What read() would take a file for.
[[nodiscard]] Format format_of_file(const std::string& path, const ReadOptions& options);

inline constexpr std::size_t most_classes = 65536;
[[noreturn]] void too_many_classes(std::size_t count, const std::string& name);
// The same for labels that look like the targets of a regression: as many classes as there are rows, or nearly. `rows`: of
// all members of a team.
void refuse_regression(const Dataset& data, std::uint64_t rows, const ReadOptions* options = nullptr);

// Canonical text of a numeric label: 1 for +1, 1.0 and 1e0; shortest decimal that reads back the same.
[[nodiscard]] std::string label_text(double label);

}  // namespace halfspace
