// SPDX-License-Identifier: BSD-3-Clause
// One turn of a loop that waits for another thread.
#pragma once

namespace halfspace {

inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

}  // namespace halfspace
