// SPDX-License-Identifier: BSD-3-Clause
// What must hold for any bytes at all, beyond "no crash": rows, or the words and the place of the error, are the same
// however a file is cut into pieces and whether or not it can be sought in, and what was read can be written and read
// back. Nothing here touches a file or starts a thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "halfspace/core/bytes.hpp"
#include "halfspace/data/dataset.hpp"
#include "halfspace/data/read.hpp"

namespace fuzz {

inline std::string_view text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Aborts with a message that shows in the log.
void require(bool holds, const std::string& message);

// Bytes as they are, never unpacked: a file (size known, random access) or a pipe.
class Plain final : public halfspace::ByteSource {
 public:
  enum Kind { File, Pipe };
  Plain(std::string_view bytes, Kind kind) : bytes_(bytes), kind_(kind) {}
  std::size_t read(std::span<char> to) override;
  std::uint64_t known_size() const override { return kind_ == File ? bytes_.size() : 0; }
  std::optional<std::size_t> read_at(std::uint64_t offset, std::span<char> to) const override;

 private:
  std::string_view bytes_;
  Kind kind_;
  std::size_t at_ = 0;
};

// A number from the bytes, to choose by.
std::uint64_t choice(std::string_view bytes);

// A reader of text: from a source, in pieces of so many bytes.
using TextReader = std::function<halfspace::DatasetParts(
    halfspace::ByteSource&, const halfspace::ReadOptions&, std::size_t piece_bytes)>;
void check_text(std::string_view bytes, const TextReader& read, const halfspace::ReadOptions& options);

// Two files in one input: a length in two bytes, that many bytes (or as many as there are), the rest: a file of rows and
// one of labels; without a second one there are no labels.
using PairReader = halfspace::DatasetParts (*)(halfspace::ByteSource& rows, const std::string& name,
                                               halfspace::ByteSource* labels, const std::string& labels_name,
                                               const halfspace::ReadOptions& options);
void check_pair(std::string_view bytes, PairReader read);

// The data come back unchanged from the binary cache.
void check_cache_of(const halfspace::Dataset& data);

// A few rows for models to predict.
const halfspace::Dataset& small_rows();

}  // namespace fuzz
