// SPDX-License-Identifier: BSD-3-Clause
// Choosing among the functions that Highway compiled for several instruction sets. Highway's own library does the
// same, but measures the processor while it is being loaded, which costs a short command most of its time.
// Include after hwy/foreach_target.h and hwy/highway.h, use inside HWY_ONCE and the namespace around HWY_NAMESPACE.
#pragma once

#include <hwy/detect_targets.h>

#include <cstdint>

namespace halfspace::detail {

// Whether this processor (and its operating system) runs the code of a Highway target.
inline bool runs_target(std::int64_t target) {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
                    __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
  if (target == HWY_AVX3_DL) {
    return runs_target(HWY_AVX3) && __builtin_cpu_supports("avx512vbmi2") != 0 &&
           __builtin_cpu_supports("avx512vbmi") != 0 && __builtin_cpu_supports("avx512vnni") != 0 &&
           __builtin_cpu_supports("avx512bitalg") != 0 && __builtin_cpu_supports("avx512vpopcntdq") != 0 &&
           __builtin_cpu_supports("vpclmulqdq") != 0;
  }
  if (target == HWY_AVX3) {
    return avx2 && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
           __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
           __builtin_cpu_supports("avx512cd") != 0;
  }
  if (target == HWY_AVX2) return avx2;
  if (target == HWY_SSE4) return __builtin_cpu_supports("sse4.2") != 0;
#endif
  return target == HWY_STATIC_TARGET;
}

}  // namespace halfspace::detail

#if HWY_TARGETS & HWY_AVX3_DL
#define HALFSPACE_AVX3_DL(use) use(HWY_AVX3_DL, N_AVX3_DL)
#else
#define HALFSPACE_AVX3_DL(use)
#endif
#if HWY_TARGETS & HWY_AVX3
#define HALFSPACE_AVX3(use) use(HWY_AVX3, N_AVX3)
#else
#define HALFSPACE_AVX3(use)
#endif
#if HWY_TARGETS & HWY_AVX2
#define HALFSPACE_AVX2(use) use(HWY_AVX2, N_AVX2)
#else
#define HALFSPACE_AVX2(use)
#endif
#if HWY_TARGETS & HWY_SSE4
#define HALFSPACE_SSE4(use) use(HWY_SSE4, N_SSE4)
#else
#define HALFSPACE_SSE4(use)
#endif

// use(TARGET, NAMESPACE) for every compiled target beside the one that always runs, best first.
#define HALFSPACE_EACH_TARGET(use) \
  HALFSPACE_AVX3_DL(use) HALFSPACE_AVX3(use) HALFSPACE_AVX2(use) HALFSPACE_SSE4(use)
