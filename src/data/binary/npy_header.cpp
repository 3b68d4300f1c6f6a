// SPDX-License-Identifier: BSD-3-Clause
#include "data/binary/npy_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>

#include "data/text/other_file.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::uint64_t header_limit = 1U << 16;
constexpr std::size_t most_npy_dimensions = 32;

[[noreturn]] void refuse_at(const std::string& name, std::uint64_t byte, const std::string& found,
                            const std::string& expected = {}) {
  throw InputError(Place{.file = name, .byte = byte}, found, expected);
}

// Reads the one dictionary literal that a header may be.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::uint64_t first_byte, const std::string& name)
      : text_(text), first_byte_(first_byte), name_(name) {}

  void parse(NpyHeader& header) {
    std::set<std::string> seen;
    expect('{');
    const std::size_t dictionary = at_ - 1;
    while (!next_is('}')) {
      const std::size_t key_at = at_;  // next_is() has passed the blanks before it
      const std::string key = quoted();
      if (!seen.insert(key).second) refuse(key_at, fmt::format("the key '{}' appears twice", printable(key)));
      expect(':');
      if (key == "descr") {
        if (next_is('[')) refuse(at_, "unsupported dtype: records", expected_types);
        header.descr_at = first_byte_ + at_;
        header.descr = quoted();
      } else if (key == "fortran_order") {
        header.fortran_order = boolean();
      } else if (key == "shape") {
        shape(header);
      } else {
        refuse(key_at, fmt::format("unknown key '{}'", printable(key)),
               "descr, fortran_order and shape are known");
      }
      if (!next_is('}')) expect(',');
    }
    expect('}');
    skip_space();
    if (at_ != text_.size()) refuse(at_, "characters after the dictionary of the header");
    for (const char* key : {"descr", "fortran_order", "shape"}) {
      if (!seen.contains(key)) refuse(dictionary, fmt::format("missing key '{}' in the header", key));
    }
  }

  static constexpr const char* expected_types =
      "b1, i1 to i8, u1 to u8, f4, f8 are read, and S and U for labels";

 private:
  [[noreturn]] void refuse(std::size_t at, const std::string& found, const std::string& expected = {}) const {
    refuse_at(name_, first_byte_ + at, found, expected);
  }
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  [[nodiscard]] bool next_is(char wanted) {
    skip_space();
    return at_ < text_.size() && text_[at_] == wanted;
  }
  void expect(char wanted) {
    if (!next_is(wanted)) refuse(at_, fmt::format("'{}' expected in the header", wanted));
    ++at_;
  }
  std::string quoted() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') refuse(at_, "a quoted text is expected in the header");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) refuse(at_, "the quote opened here is never closed");
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    if (inside.find('\\') != std::string_view::npos) refuse(at_, "a backslash in a text of the header");
    at_ = end + 1;
    return std::string(inside);
  }
  bool boolean() {
    skip_space();
    for (const std::string_view word : {"True", "False"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return word == "True";
    }
    refuse(at_, "True or False is expected in the header");
  }
  void shape(NpyHeader& header) {
    expect('(');
    header.shape_at = first_byte_ + at_ - 1;
    while (!next_is(')')) {
      if (header.shape.size() == most_npy_dimensions) refuse(at_, "too many dimensions");
      header.size_at.push_back(first_byte_ + at_);
      header.shape.push_back(dimension());
      if (!next_is(')')) expect(',');
    }
    expect(')');
  }
  std::uint64_t dimension() {
    skip_space();
    if (next_is('-')) refuse(at_, "a dimension of the shape is < 0");
    std::uint64_t size = 0;
    const char* const first = text_.data() + at_;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), size);
    if (error == std::errc::result_out_of_range) refuse(at_, "a dimension that 64 bits cannot count");
    if (error != std::errc()) refuse(at_, "a whole number is expected in the shape");
    at_ += static_cast<std::size_t>(end - first);
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote long numbers so
    return size;
  }

  std::string_view text_;
  std::uint64_t first_byte_;
  const std::string& name_;
  std::size_t at_ = 0;
};

std::optional<ElementType> number_type(std::string_view kind) {
  constexpr std::array<std::pair<std::string_view, ElementType>, 11> types = {{{"b1", ElementType::Bool},
                                                                               {"u1", ElementType::U8},
                                                                               {"i1", ElementType::I8},
                                                                               {"u2", ElementType::U16},
                                                                               {"i2", ElementType::I16},
                                                                               {"u4", ElementType::U32},
                                                                               {"i4", ElementType::I32},
                                                                               {"u8", ElementType::U64},
                                                                               {"i8", ElementType::I64},
                                                                               {"f4", ElementType::F32},
                                                                               {"f8", ElementType::F64}}};
  for (const auto& [word, type] : types)
    if (word == kind) return type;
  return std::nullopt;
}

// '<f8', '|u1', '>U12'
bool read_descr(NpyHeader& header) {
  const std::string_view descr = header.descr;
  constexpr std::string_view orders = "<>|=";  // '=' is the order of the machine, and ours are little-endian
  if (descr.size() < 3 || orders.find(descr[0]) == std::string_view::npos) return false;
  header.elements.big_endian = descr[0] == '>';
  if (const auto type = number_type(descr.substr(1))) {
    header.elements.type = *type;
    header.item_bytes = header.elements.bytes();
    return true;
  }
  if (descr[1] != 'S' && descr[1] != 'U') return false;
  header.kind = descr[1] == 'S' ? NpyKind::Bytes : NpyKind::Text;
  std::uint32_t length = 0;
  const auto [end, error] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), length);
  constexpr std::uint32_t longest = 1U << 20;
  if (error != std::errc() || end != descr.data() + descr.size() || length == 0 || length > longest)
    return false;
  header.item_bytes = header.kind == NpyKind::Text ? 4 * std::uint64_t{length} : length;
  return true;
}

// Declared bytes of data, or nullopt when 64 bits cannot count them.
std::optional<std::uint64_t> declared_bytes(const NpyHeader& header) {
  std::uint64_t bytes = header.item_bytes;
  for (const std::uint64_t size : header.shape)
    if (!checked_mul(bytes, size, bytes)) return std::nullopt;
  std::uint64_t with_header = 0;
  if (!checked_add(bytes, header.bytes, with_header)) return std::nullopt;
  return bytes;
}

std::string read_header_text(ByteSource& source, const std::string& name, NpyHeader& header) {
  std::array<char, 12> front{};
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint64_t>(static_cast<unsigned char>(front[i]));
  };
  const std::size_t got = source.read(std::span<char>(front).first(8));
  const std::size_t known = std::min(got, magic.size());
  if (std::string_view(front.data(), known) != magic.substr(0, known))
    refuse_at(name, 0, not_this_format("NPY", {front.data(), got}, source),
              "an NPY file begins with \\x93NUMPY");
  if (got < 8)
    refuse_at(name, 0, "truncated magic", "an NPY file begins with \\x93NUMPY and two bytes of version");
  if (byte(6) < 1 || byte(6) > 3 || byte(7) != 0) {
    const bool major = byte(6) < 1 || byte(6) > 3;
    refuse_at(name, major ? 6 : 7, fmt::format("unsupported version {}.{}", byte(6), byte(7)),
              "1.0, 2.0 and 3.0 are read");
  }
  const std::size_t length_bytes = byte(6) == 1 ? 2 : 4;
  if (source.read(std::span<char>(front).subspan(8, length_bytes)) < length_bytes)
    refuse_at(name, 8, "truncated header");
  std::uint64_t length = 0;
  for (std::size_t k = 0; k < length_bytes; ++k) length |= byte(8 + k) << (8 * k);
  if (length > header_limit) {
    refuse_at(name, 8, fmt::format("a header of {} bytes", length), fmt::format("at most {}", header_limit));
  }
  std::string text(length, '\0');
  text.resize(source.read(text));
  header.bytes = 8 + length_bytes + length;
  const bool whole = text.find('}') != std::string::npos;
  if (text.size() < length) {
    // Where the dictionary is all there, not the file was cut short: the length is wrong.
    refuse_at(
        name, whole ? 8 : 8 + length_bytes + text.size(),
        fmt::format("truncated header: its length is given as {}, {} bytes are there", length, text.size()));
  }
  if (!whole && !text.ends_with('\n'))
    refuse_at(name, 8, fmt::format("a header of length {} ends before its dictionary does", length));
  return text;
}

}  // namespace

std::string NpyHeader::shape_text() const {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

void refuse_npy_size(const NpyHeader& header, const std::string& name, std::uint64_t data_bytes) {
  const auto declared = declared_bytes(header);
  const std::string shape = fmt::format("shape {} of dtype {}", header.shape_text(), printable(header.descr));
  if (!declared) refuse_at(name, header.shape_at, fmt::format("size mismatch: {} is beyond 64 bits", shape));
  if (data_bytes > *declared)
    refuse_at(name, header.bytes + *declared, fmt::format("trailing bytes after {}", shape));
  refuse_at(name, header.bytes + data_bytes,
            fmt::format("size mismatch: the file ends here, {} needs {} bytes, {} are there", shape,
                        *declared, data_bytes));
}

NpyHeader read_npy_header(ByteSource& source, const std::string& name) {
  NpyHeader header;
  const std::string text = read_header_text(source, name, header);
  HeaderParser(text, header.bytes - text.size(), name).parse(header);
  if (!read_descr(header)) {
    refuse_at(name, header.descr_at, fmt::format("unsupported dtype '{}'", printable(header.descr)),
              HeaderParser::expected_types);
  }
  for (std::size_t k = 0; k < header.shape.size(); ++k) {
    if (header.shape[k] > 0) continue;
    refuse_at(name, header.size_at[k],
              fmt::format("no {}: shape {}", k == 0 ? "examples" : "features", header.shape_text()));
  }
  if (!declared_bytes(header)) refuse_npy_size(header, name, 0);
  return header;
}

void check_npy_size(const NpyHeader& header, const ByteSource& source, const std::string& name) {
  if (source.known_size() > 0 && source.known_size() != header.bytes + *declared_bytes(header))
    refuse_npy_size(header, name, source.known_size() - header.bytes);
}

}  // namespace halfspace
