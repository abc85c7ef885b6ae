// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tvm_plugin/kernel.h"

namespace graphnet::tvm {

/// TVM's schedule of a kernel's function with its loops arranged by the rule of its kind; `rule`
/// says which. Loops are shared out to `threads` cores; with one they are not.
///
/// source   probe of TVM 0.27: with these rules a matrix product of 512 runs at 0.93 to 1 of
///          oneDNN, without any at 0.01
/// errors   ffi::Error where a primitive of TVM refuses
Ref schedule_kernel(const Kernel& kernel, const KernelFunction& function, int threads,
                    std::string& rule);
/// The same with loops as TE writes them.
Ref plain_schedule(const KernelFunction& function);
/// The module that a schedule has made: one function "main".
Ref module_with(const Ref& schedule);
/// Such a module that is made anew from a trace, which says where schedule_kernel() prefetches but
/// does not hold it.
Ref with_prefetching(const Ref& module);

/// A module of one function "main", and the function of one.
Ref module_of(const Ref& function);
Ref function_of(const Ref& module);

}  // namespace graphnet::tvm
