// SPDX-License-Identifier: MIT
#pragma once

/// Compiles a function once for each vector width; the loader picks one. Files that use it are
/// compiled without contraction to fused multiply-add, so that every version gives the same bits.
#if defined(__x86_64__) && defined(__gnu_linux__)
#define GN_VECTOR_CLONES [[gnu::target_clones("avx512f", "avx2", "default")]]
#else
#define GN_VECTOR_CLONES
#endif
