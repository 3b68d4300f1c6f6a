// SPDX-License-Identifier: BSD-3-Clause
// Highway for a source that is compiled once per instruction set: define HWY_TARGET_INCLUDE, then include
// this. No guard: foreach_target.h reads the source again for every instruction set, and each reading needs
// it.

// SVE and RVV vectors have no size the compiler knows, and arrays of them are not allowed; SSSE3 and AVX3_DL
// bring nothing over their neighbours here.
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3 | HWY_AVX3_DL)
#endif

// Checks of Highway in debug and sanitizer builds would call a function of its library, which is not linked.
#include <hwy/base.h>
#undef HWY_DASSERT
#define HWY_DASSERT(condition) \
  do {                         \
  } while (false)

// The order of these three is their meaning.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on
