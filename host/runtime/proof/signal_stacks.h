// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace graphnet::proof {

/// A frame with AVX-512 and AMX registers takes 11 KiB, and handlers nest.
inline constexpr std::size_t kSignalStackBytes = std::size_t{64} << 10U;

/// Threads by their numbers (gettid).
struct SignalStacks {
  std::vector<int> ready;     ///< they have an alternate stack
  std::vector<int> left_out;  ///< no stack of theirs is known; some have ended
  int error = 0;  ///< errno of a thread that could not be asked, as in a sandbox; 0: none
};

/// Gives each thread of this process that has no alternate signal stack of 64 KiB one. Handlers
/// with SA_ONSTACK then leave the thread's own stack pointer alone. Generated code needs that:
/// oneDNN's `jit_avx512_common_gemm_f32` moves the stack pointer to a buffer of the heap while it
/// multiplies, and a signal frame below it overwrites what malloc keeps there.
///
/// A thread gets its stack in a handler of `signal`, which nobody else may handle meanwhile; the
/// kernel takes `uc_stack` over when the handler returns. Threads that block the signal, that do
/// not take it within a second, or that begin later get none. The stacks stay mapped for the life
/// of the process, because their threads keep them.
///
/// `signal`: a real-time signal without a handler; it has none afterwards.
///
/// shapes   result: each thread that was there is in one of the two
/// source   Linux, restore_altstack() in rt_sigreturn; sigaltstack(2)
SignalStacks give_signal_stacks(int signal);

}  // namespace graphnet::proof
