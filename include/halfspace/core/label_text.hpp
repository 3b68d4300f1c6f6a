// SPDX-License-Identifier: BSD-3-Clause
// Names of classes in lines and cells. A name may be anything that a quoted cell of a table can be; what is written of it
// never moves a cursor, turns the direction of a line or is a formula, and can be read back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace halfspace {

// The name on one line: what printable() would not leave as it is stands as \xNN, byte after byte, and so does a backslash
// before an x. Every other name is itself.
[[nodiscard]] std::string label_line(std::string_view name);
// The way back: every \xNN is the byte NN.
[[nodiscard]] std::string label_from_line(std::string_view line);

// The same as a cell of a table with this delimiter. What a spreadsheet would take for a formula (= or @, or + or - before
// something that is no number) has its first character as \xNN. Cells between commas are quoted where they must be.
[[nodiscard]] std::string label_cell(std::string_view name, char delimiter);

// A name that is a number, as such; a plus sign may stand before it.
[[nodiscard]] std::optional<double> label_number(std::string_view name);

}  // namespace halfspace
