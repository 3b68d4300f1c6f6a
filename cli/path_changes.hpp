// SPDX-License-Identifier: BSD-3-Clause
// The places along a path where support vectors change, in words and in JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "halfspace/core/options.hpp"
#include "halfspace/evaluate/support_changes.hpp"
#include "output.hpp"

namespace halfspace::cli {

enum class ShowChanges { Auto, List, None };
namespace detail {
inline constexpr std::string_view show_changes_words[] = {"auto", "list", "none"};
}

void print_changes(const SupportChanges& changes, const std::string& option, ShowChanges how,
                   const Output& output);
[[nodiscard]] Json changes_json(const SupportChanges& changes, const std::string& option, ShowChanges how);

}  // namespace halfspace::cli

template <>
inline constexpr std::span<const std::string_view> halfspace::enum_words<halfspace::cli::ShowChanges> =
    halfspace::cli::detail::show_changes_words;
