// SPDX-License-Identifier: BSD-3-Clause
#include "data/text/other_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace halfspace {
namespace {

using namespace std::literals;

struct Signature {
  std::string_view bytes, what, hint;
};

constexpr std::string_view unpack = "unpack it first";
constexpr std::string_view save_as_csv = "save it as CSV";

// None of these can begin a text: each has a byte that no text has, or one is asked for in what follows it.
constexpr std::array binary_kinds = {
    Signature{"PK\x03\x04"sv, "a ZIP archive", "unpack it first; a workbook can be saved as CSV"},
    Signature{"PK\x05\x06"sv, "an empty ZIP archive", ""},
    Signature{"\xD0\xCF\x11\xE0"sv, "an old Excel workbook", save_as_csv},
    Signature{"PAR1"sv, "a Parquet file", save_as_csv},
    Signature{"ARROW1"sv, "an Arrow file", save_as_csv},
    Signature{"FEA1"sv, "a Feather file", save_as_csv},
    Signature{"\x89HDF\r\n"sv, "an HDF5 file", "save the arrays as .npy"},
    Signature{"MATLAB 5.0 MAT-file"sv, "a MATLAB file", "save the arrays as .npy or CSV"},
    Signature{"SQLite format 3\0"sv, "an SQLite database", save_as_csv},
    Signature{"\x80\x02"sv, "a Python pickle", "save the arrays as .npy"},
    Signature{"\x80\x03"sv, "a Python pickle", "save the arrays as .npy"},
    Signature{"\x80\x04\x95"sv, "a Python pickle", "save the arrays as .npy"},
    Signature{"\x80\x05\x95"sv, "a Python pickle", "save the arrays as .npy"},
    Signature{"\x89PNG\r\n"sv, "a PNG picture", ""},
    Signature{"\xFF\xD8\xFF"sv, "a JPEG picture", ""},
    Signature{"GIF8"sv, "a GIF picture", ""},
    Signature{"\x7F"
              "ELF"sv,
              "a program", ""},
    Signature{"\x04\x22\x4D\x18"sv, "packed with LZ4", unpack},
    Signature{"7z\xBC\xAF\x27\x1C"sv, "a 7z archive", unpack},
    Signature{"Rar!\x1A\x07"sv, "a RAR archive", unpack},
    Signature{"\x1F\x9D"sv, "packed with compress", unpack},
    Signature{"\x1F\x8B"sv, "packed with gzip twice", unpack},
    Signature{"\x93NUMPY"sv, "a NumPy array", "--format npy"},
};

// Compared without regard to upper and lower case.
constexpr std::array text_kinds = {
    Signature{"<!doctype", "an HTML page", "did a download save an error page?"},
    Signature{"<html", "an HTML page", "did a download save an error page?"},
    Signature{"<?xml", "XML", ""},
    Signature{"%pdf-", "a PDF document", ""},
    Signature{"{\\rtf", "an RTF document", save_as_csv},
    Signature{"version https://git-lfs", "a pointer of Git LFS", "git lfs pull fetches the file itself"},
    Signature{"@relation ", "an ARFF file", save_as_csv},
};

bool begins_with(std::string_view text, std::string_view lower_case) {
  return text.size() >= lower_case.size() &&
         std::equal(lower_case.begin(), lower_case.end(), text.begin(), [](char a, char b) {
           return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b + 32) : b);
         });
}

bool has_control_byte(std::string_view head) {
  return std::any_of(head.begin(), head.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
  });
}

// {"key", {} or [{, [[, [": what no cell and no label looks like.
bool begins_json(std::string_view text) {
  if (text.empty() || (text[0] != '{' && text[0] != '[')) return false;
  const std::size_t next = text.find_first_not_of(" \t\r\n", 1);
  if (next == std::string_view::npos) return false;
  return text[0] == '{' ? text[next] == '"' || text[next] == '}'
                        : "{[\""sv.find(text[next]) != std::string_view::npos;
}

// Text in units of two or four bytes, with a mark or without: then nearly every unit of what we read has zeros, and
// always in the same place.
std::string_view wide_text(std::string_view head) {
  if (head.starts_with("\xFF\xFE\0\0"sv) || head.starts_with("\0\0\xFE\xFF"sv)) return "UTF-32";
  if (head.starts_with("\xFF\xFE"sv) || head.starts_with("\xFE\xFF"sv)) return "UTF-16";
  std::array<std::size_t, 4> zeros{};  // by the place in a unit of four bytes
  const std::size_t units = head.size() / 4;
  for (std::size_t i = 0; i < head.size(); ++i) zeros[i % 4] += head[i] == 0 ? 1U : 0U;
  const auto nearly_all = [&](std::size_t place) { return units > 0 && 4 * zeros[place] >= 3 * units; };
  const auto nearly_none = [&](std::size_t place) { return 8 * zeros[place] <= units; };
  if (nearly_none(0) && nearly_all(2) && nearly_all(3)) return "UTF-32LE";
  if (nearly_none(3) && nearly_all(0) && nearly_all(1)) return "UTF-32BE";
  const std::size_t even = zeros[0] + zeros[2], odd = zeros[1] + zeros[3];
  const auto wide = [&](std::size_t high, std::size_t low) {
    return 8 * high >= head.size() && high >= 2 && 8 * low <= high;
  };
  return wide(odd, even) ? "UTF-16LE"sv : wide(even, odd) ? "UTF-16BE"sv : ""sv;
}

}  // namespace

std::optional<OtherFile> other_file(std::string_view head) {
  head = head.substr(0, other_file_bytes);
  if (const std::string_view wide = wide_text(head); !wide.empty())
    return OtherFile{fmt::format("text in {}", wide),
                     fmt::format("convert it with iconv -f {} -t UTF-8", wide)};
  for (const Signature& kind : binary_kinds) {
    if (head.starts_with(kind.bytes) && has_control_byte(head))
      return OtherFile{std::string(kind.what), std::string(kind.hint)};
  }
  const std::size_t mark = head.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  const std::size_t at = std::min(head.find_first_not_of(" \t\r\n", mark), head.size());
  const std::string_view before = head.substr(0, at);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto found = [&](std::string_view what, std::string_view hint) {
    return OtherFile{std::string(what), std::string(hint), at,
                     1 + static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n')),
                     at - line_start + 1};
  };
  for (const Signature& kind : text_kinds)
    if (begins_with(head.substr(at), kind.bytes)) return found(kind.what, kind.hint);
  if (begins_json(head.substr(at))) return found("JSON", "");
  return std::nullopt;
}

std::string not_this_format(std::string_view format, std::string_view begin, ByteSource& rest) {
  std::string head(begin);
  head.resize(other_file_bytes);
  head.resize(begin.size() + rest.read(std::span(head).subspan(begin.size())));
  const auto other = other_file(head);
  return other ? fmt::format("not {}: the file is {}", format, other->what) : fmt::format("not {}", format);
}

}  // namespace halfspace
