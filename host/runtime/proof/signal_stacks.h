// SPDX-License-Identifier: MIT
#pragma once

namespace graphnet::proof {

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
/// source   Linux, restore_altstack() in rt_sigreturn; sigaltstack(2)
void give_signal_stacks(int signal);

}  // namespace graphnet::proof
