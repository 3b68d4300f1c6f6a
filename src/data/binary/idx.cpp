// SPDX-License-Identifier: BSD-3-Clause
// IDX, the format of the MNIST files: 0 0 TYPE DIMENSIONS, the sizes as 32-bit big-endian numbers, the
// elements. The first dimension counts the rows; all others together are the features.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "data/binary/rows.hpp"
#include "data/readers.hpp"
#include "data/text/other_file.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

constexpr std::uint64_t magic_bytes = 4;
constexpr unsigned most_dimensions = 32;

struct IdxHeader {
  Elements elements;
  Shape shape;
  bool vector = false;  // a single dimension
  std::uint64_t bytes = 0;
};

unsigned byte_at(std::span<const char> bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

std::optional<ElementType> element_type(unsigned code) {
  switch (code) {
    case 0x08: return ElementType::U8;
    case 0x09: return ElementType::I8;
    case 0x0B: return ElementType::I16;
    case 0x0C: return ElementType::I32;
    case 0x0D: return ElementType::F32;
    case 0x0E: return ElementType::F64;
    default: return std::nullopt;
  }
}

class IdxReader {
 public:
  IdxReader(ByteSource& source, const std::string& name) : source_(source), name_(name) { read_header(); }

  [[nodiscard]] const IdxHeader& header() const { return header_; }
  [[noreturn]] void refuse(std::uint64_t byte, const std::string& found,
                           const std::string& expected = {}) const {
    throw InputError(Place{.file = name_, .byte = byte}, found, expected);
  }
  // The sizes against that of the source, where it is known. Comes after what else may be wrong with the sizes, so that a
  // file and a pipe are refused for the same reason.
  void check_size() const {
    const std::uint64_t declared = header_.bytes + data_bytes(), known = source_.known_size();
    if (known > 0 && known < declared) refuse_short(known);
    if (known > declared) refuse(declared, "trailing bytes after the last element");
  }
  [[nodiscard]] BinaryErrors errors() const {
    return {.bad_value =
                [this](std::uint64_t row, std::uint64_t column, const std::string& why) {
                  const std::uint64_t element = row * header_.shape.cols + column;
                  refuse(header_.bytes + element * header_.elements.bytes(),
                         fmt::format("row {} col {} {}", row, column, why));
                },
            .too_short = [this](std::uint64_t bytes) { refuse_short(header_.bytes + bytes); },
            .too_long =
                [this] { refuse(header_.bytes + data_bytes(), "trailing bytes after the last element"); }};
  }

 private:
  [[nodiscard]] std::uint64_t data_bytes() const {
    return header_.shape.elements() * header_.elements.bytes();
  }

  [[noreturn]] void refuse_short(std::uint64_t at) const {
    refuse(at, fmt::format("size mismatch: the file ends here, {} bytes are declared",
                           header_.bytes + data_bytes()));
  }

  void read_magic() {
    std::array<char, magic_bytes> magic{};
    const std::size_t got = source_.read(magic);
    const std::span<const char> there(magic.data(), got);
    if ((got > 0 && byte_at(there, 0) != 0) || (got > 1 && byte_at(there, 1) != 0)) {
      const bool swapped = got == magic_bytes && byte_at(there, 2) == 0 && byte_at(there, 3) == 0 &&
                           element_type(byte_at(there, 1)) && byte_at(there, 0) != 0;
      if (swapped) refuse(0, "wrong byte order: the header is little-endian", "IDX is big-endian");
      refuse(0, not_this_format("IDX", {magic.data(), got}, source_),
             "an IDX file begins with two zero bytes");
    }
    if (got < magic_bytes)
      refuse(0, "truncated magic", "an IDX file begins with 4 bytes 0 0 TYPE DIMENSIONS");
    const auto type = element_type(byte_at(there, 2));
    if (!type) {
      refuse(2, fmt::format("not IDX: unknown element type 0x{:02x}", byte_at(there, 2)),
             "known are 0x08 0x09 0x0b 0x0c 0x0d 0x0e");
    }
    header_.elements = {*type, true};
    const unsigned dimensions = byte_at(there, 3);
    if (dimensions == 0) refuse(3, "ndim is 0", "at least one dimension is needed");
    if (dimensions > most_dimensions)
      refuse(3, fmt::format("ndim is {}", dimensions), fmt::format("at most {} dimensions", most_dimensions));
    header_.vector = dimensions == 1;
    header_.bytes = magic_bytes + 4 * std::uint64_t{dimensions};
  }

  void read_header() {
    read_magic();
    std::string sizes(header_.bytes - magic_bytes, '\0');
    const std::size_t got = source_.read(sizes);
    if (got < sizes.size()) refuse(magic_bytes + got, "truncated header: a size is missing");
    Shape& shape = header_.shape;
    shape.cols = 1;
    bool fits = true;
    for (std::size_t at = 0; at < sizes.size(); at += 4) {
      std::uint64_t size = 0;
      for (std::size_t k = 0; k < 4; ++k) size = size << 8U | byte_at(sizes, at + k);
      if (size == 0) {
        refuse(magic_bytes + at,
               at == 0 ? "no examples: 0 rows are declared" : "no features: a dimension is 0");
      }
      if (at == 0) {
        shape.rows = size;
      } else {
        fits = fits && checked_mul(shape.cols, size, shape.cols);
      }
    }
    std::uint64_t bytes = 0;
    fits = fits && checked_mul(shape.rows, shape.cols, bytes) &&
           checked_mul(bytes, header_.elements.bytes(), bytes) && checked_add(bytes, header_.bytes, bytes);
    if (!fits) refuse(magic_bytes, "size mismatch: the sizes multiply to more than 64 bits can count");
    if (shape.cols > most_features) {
      refuse(magic_bytes + 4, fmt::format("{} features", shape.cols),
             fmt::format("at most {}", most_features));
    }
  }

  ByteSource& source_;
  const std::string& name_;
  IdxHeader header_;
};

void read_idx_labels(ByteSource& source, const std::string& name, const std::string& images_name,
                     std::uint64_t rows, DatasetParts& parts) {
  const IdxReader reader(source, name);
  const IdxHeader& header = reader.header();
  const bool integers = header.elements.type != ElementType::F32 && header.elements.type != ElementType::F64;
  if (!header.vector)
    reader.refuse(3, "labels have more than one dimension", "one number per row is expected");
  if (!integers) reader.refuse(2, "labels are not integers");
  if (header.shape.rows != rows) {
    reader.refuse(magic_bytes, fmt::format("{} labels", header.shape.rows),
                  fmt::format("{} has {} rows", printable(images_name), rows));
  }
  reader.check_size();
  set_number_labels(parts, read_numbers(source, header.elements, rows, reader.errors()));
}

}  // namespace

DatasetParts read_idx(ByteSource& images, const std::string& name, ByteSource* labels,
                      const std::string& labels_name, const ReadOptions& options) {
  DatasetParts parts;
  parts.name = name;
  if (labels == nullptr && options.need_labels) {
    throw InputError(Place{name}, "no labels", "an IDX file of labels is needed",
                     "give both as IMAGES,LABELS");
  }
  const IdxReader reader(images, name);
  reader.check_size();
  const IdxHeader& header = reader.header();
  const std::uint64_t cols = std::max<std::uint64_t>(header.shape.cols, options.features);
  StoredMatrix stored =
      read_rows(images, header.elements, header.shape, cols, reader.errors(), options.threads);
  parts.matrix = stored.matrix;
  parts.storage = std::move(stored.storage);
  if (labels != nullptr) read_idx_labels(*labels, labels_name, name, header.shape.rows, parts);
  return parts;
}

}  // namespace halfspace
