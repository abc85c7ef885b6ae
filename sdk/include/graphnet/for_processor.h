// SPDX-License-Identifier: MIT
#pragma once

/// A loop that is compiled for several generations of x86-64 processors: a template over its vector
/// is GN_PART, and one function for each level calls it. GCC keeps vectors that are wider than the
/// level's registers on the stack, so a level has a vector of its own.
#define GN_PART __attribute__((always_inline)) inline

/// The level of a function: "arch=x86-64-v3". Clang, which only checks such files, does not inline
/// into another level.
#ifdef __clang__
#define GN_FOR_PROCESSOR(level) __attribute__((noinline))
#else
#define GN_FOR_PROCESSOR(level) __attribute__((target(level), noinline))
#endif

namespace graphnet {

using Floats4 = float __attribute__((vector_size(16)));
using Floats8 = float __attribute__((vector_size(32)));
using Floats16 = float __attribute__((vector_size(64)));

}  // namespace graphnet
