// SPDX-License-Identifier: MIT
#pragma once

/// Compiles a function once for each vector width; the loader picks one. Files that use it are
/// compiled without contraction to fused multiply-add, so that every version gives the same bits.
/// The thread sanitizer's calls crash in what the loader asks, which is before the sanitizer
/// starts.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_THREAD__)
#define GN_VECTOR_CLONES [[gnu::target_clones("avx512f", "avx2", "default")]]
#else
#define GN_VECTOR_CLONES
#endif

#if defined(__x86_64__)
#include <immintrin.h>

/// Compiles a function for machines that take the chosen elements of eight together, in order;
/// no compiler does that by itself. Call it if has_eights() only.
#define GN_EIGHTS [[gnu::target("avx512f,popcnt")]]

namespace graphnet::sample {

inline bool has_eights() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("popcnt") != 0;
}

}  // namespace graphnet::sample
#endif
