// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/core/version.hpp"

namespace halfspace {
std::string_view version() { return HALFSPACE_VERSION; }
}  // namespace halfspace
