// SPDX-License-Identifier: BSD-3-Clause
#include "model/file/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "halfspace/core/bytes.hpp"
#include "model/file/strict_json.hpp"

namespace halfspace::detail {
namespace {

constexpr std::string_view dtype_words[] = {"F64", "U64", "U32", "U8"};
constexpr std::uint64_t dtype_sizes[] = {8, 8, 4, 1};
constexpr std::uint64_t length_bytes = 8;
constexpr std::string_view no_checksum = "00000000000000000000000000000000";  // what its digits count as

std::string little_endian(std::uint64_t value) {
  std::string bytes;
  for (unsigned shift = 0; shift < 64; shift += 8)
    bytes.push_back(static_cast<char>((value >> shift) & 0xFFU));
  return bytes;
}

std::uint64_t header_length(std::string_view bytes, const Place& place) {
  if (bytes.size() < length_bytes) {
    throw InputError(place, fmt::format("the file ends after {} bytes", bytes.size()),
                     "a model file was expected");
  }
  std::uint64_t length = 0;
  for (unsigned i = 0; i < length_bytes; ++i) {
    length |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  const std::uint64_t there = bytes.size() - length_bytes;
  if (length > header_limit) {
    throw InputError(place, fmt::format("a header of {} bytes", length),
                     fmt::format("a model's header has at most {}", header_limit), "is this a model file?");
  }
  if (length > there) {
    throw InputError(place, fmt::format("a header of {} bytes, but only {} follow", length, there), {},
                     "was the file cut short?");
  }
  return length;
}

// Two whole numbers for "data_offsets", up to two for "shape".
std::vector<std::uint64_t> read_counts(Fields& fields, std::string_view key) {
  std::vector<std::uint64_t> counts;
  for (const Json& item : fields.list(key)) {
    if (!item.is_number_unsigned())
      fields.refuse_entry(key, counts.size(),
                          fmt::format("'{}' has an entry that is not a whole number", key));
    counts.push_back(item.get<std::uint64_t>());
  }
  if (counts.size() > 2)
    fields.refuse(fmt::format("'{}' has {} numbers", key, counts.size()), "at most 2 are known");
  return counts;
}

Tensor read_tensor(const std::string& name, Fields fields, std::string_view data, std::uint64_t data_at) {
  Tensor tensor;
  tensor.name = name;
  const std::string& dtype = fields.text("dtype");
  const auto* const known = std::find(std::begin(dtype_words), std::end(dtype_words), dtype);
  if (known == std::end(dtype_words)) fields.refuse(fmt::format("unknown dtype '{}'", printable(dtype)));
  const auto which = static_cast<std::size_t>(known - std::begin(dtype_words));
  tensor.dtype = static_cast<Dtype>(which);
  tensor.shape = read_counts(fields, "shape");
  const auto offsets = read_counts(fields, "data_offsets");
  fields.no_others();
  if (offsets.size() != 2 || offsets[0] > offsets[1])
    fields.refuse("'data_offsets' are not a begin and an end");
  if (offsets[1] > data.size()) {
    fields.refuse(fmt::format("ends at byte {} of the data, which has {}", offsets[1], data.size()),
                  "was the file cut short?");
  }
  std::uint64_t size = dtype_sizes[which];
  for (const std::uint64_t extent : tensor.shape) {
    if (!checked_mul(size, extent, size)) fields.refuse("the shape is beyond 64 bits");
  }
  if (size != offsets[1] - offsets[0]) {
    fields.refuse(fmt::format("the shape needs {} bytes, the place has {}", size, offsets[1] - offsets[0]));
  }
  tensor.bytes = data.substr(offsets[0], size);
  tensor.place = data_at + offsets[0];
  return tensor;
}

void check_order(std::vector<Tensor>& tensors, std::uint64_t data_at, std::uint64_t file_size,
                 const Place& place) {
  // Empty tensors share their place with a neighbour: the shorter one comes first.
  std::sort(tensors.begin(), tensors.end(), [](const Tensor& a, const Tensor& b) {
    return std::pair(a.place, a.bytes.size()) < std::pair(b.place, b.bytes.size());
  });
  std::uint64_t at = data_at;
  for (const Tensor& tensor : tensors) {
    if (tensor.place != at) {
      throw InputError(place,
                       fmt::format("tensor '{}' starts at byte {}", printable(tensor.name), tensor.place),
                       fmt::format("byte {} expected: tensors follow each other without gaps", at));
    }
    at += tensor.bytes.size();
  }
  if (at != file_size) {
    Place end = place;
    end.byte = at;
    throw InputError(end, fmt::format("{} bytes after the last tensor", file_size - at),
                     "the end was expected here");
  }
}

}  // namespace

std::string file_checksum(std::string_view bytes, std::uint64_t digits_at) {
  Fingerprint sum;
  sum.add_values(std::span(bytes.substr(0, digits_at)));
  sum.add_values(std::span(no_checksum));
  sum.add_values(std::span(bytes.substr(digits_at + no_checksum.size())));
  return sum.hex();
}

std::string write_tensors(const std::string& fields, std::span<const Tensor> tensors) {
  Json json = {{"__metadata__", {{"halfspace", fields}, {"checksum", no_checksum}}}};
  std::uint64_t at = 0;
  for (const Tensor& tensor : tensors) {
    const std::uint64_t end = at + tensor.bytes.size();
    json[tensor.name] = {{"dtype", dtype_words[static_cast<std::size_t>(tensor.dtype)]},
                         {"shape", tensor.shape},
                         {"data_offsets", {at, end}}};
    at = end;
  }
  std::string header = json.dump();
  header.resize((header.size() + 7) / 8 * 8, ' ');  // the tensors start on a multiple of eight
  if (header.size() > header_limit) {
    throw InputError({}, fmt::format("the model's header would have {} bytes", header.size()),
                     fmt::format("at most {} are possible", header_limit), "are there too many classes?");
  }
  std::string bytes;
  bytes.reserve(length_bytes + header.size() + at);
  bytes += little_endian(header.size());
  bytes += header;
  for (const Tensor& tensor : tensors) bytes += tensor.bytes;
  // Keys are sorted: the checksum is the first value of the header.
  const std::uint64_t digits_at = bytes.find(no_checksum, length_bytes);
  bytes.replace(digits_at, no_checksum.size(), file_checksum(bytes, digits_at));
  return bytes;
}

TensorFile read_tensors(std::string_view bytes, const std::string& name) {
  Place place{.file = name, .byte = 0};
  const std::uint64_t length = header_length(bytes, place);
  const std::uint64_t data_at = length_bytes + length;
  place.byte = length_bytes;
  const std::string_view header = bytes.substr(length_bytes, length);
  if (header.empty() || header[0] != '{') throw InputError(place, "no JSON header", "'{' expected");
  const JsonText text(header, place);
  const Json json = parse_strict(text, "header", {.depth = 3, .values = 1000});

  TensorFile file;
  Fields root(json, text, "header");
  Fields metadata = root.object("__metadata__", "header: __metadata__");
  file.fields = metadata.text("halfspace");
  file.fields_place = text.value({"__metadata__", "halfspace"});
  file.checksum = metadata.text("checksum");
  file.checksum_place = text.value({"__metadata__", "checksum"});
  file.checksum_at = *file.checksum_place.byte + 1;  // after the quote
  if (file.checksum.size() != no_checksum.size() ||
      bytes.substr(file.checksum_at, no_checksum.size()) != file.checksum)
    metadata.refuse("'checksum' is not a checksum", "32 hexadecimal digits as they are");
  metadata.no_others();
  for (const auto& item : json.items()) {
    if (item.key() == "__metadata__") continue;
    Fields fields = root.object(item.key(), fmt::format("tensor '{}'", printable(item.key())));
    file.tensors.push_back(read_tensor(item.key(), std::move(fields), bytes.substr(data_at), data_at));
  }
  check_order(file.tensors, data_at, bytes.size(), place);
  return file;
}

}  // namespace halfspace::detail
