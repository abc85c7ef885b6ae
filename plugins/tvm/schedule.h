// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tvm_plugin/kernel.h"

namespace graphnet::tvm {

/// TVM's schedule of a kernel's function with its loops arranged by the rule of its kind; `rule`
/// says which.
///
/// source   probe of TVM 0.27: with these rules a matrix product of 512 runs at 0.93 to 1 of
///          oneDNN, without any at 0.01
/// errors   ffi::Error where a primitive of TVM refuses
Ref schedule_kernel(const Kernel& kernel, const KernelFunction& function, std::string& rule);
/// The same with loops as TE writes them.
Ref plain_schedule(const KernelFunction& function);
/// The function with what the pass DefaultGPUSchedule of TVM does with each block: its elements
/// spread over blocks of threads, the rest in the thread.
///
/// source   src/s_tir/transform/default_gpu_schedule.cc of TVM
/// errors   ffi::Error
Ref schedule_for_gpu(const Ref& function);
/// "<<<49, 1024>>>" of each block: how many blocks of how many threads run it.
std::vector<std::string> gpu_launches(const Ref& module);
/// The module that a schedule has made: one function "main".
Ref module_with(const Ref& schedule);

/// A module of one function, and the function of one whose name is "main".
Ref module_of(const Ref& function, const std::string& name = "main");
Ref function_of(const Ref& module);

}  // namespace graphnet::tvm
