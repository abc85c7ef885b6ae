// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace graphnet::tests {

/// How the made-up CUPTI (fake_cupti.cc) behaves, and what it was asked; set before it is used.
struct FakeCupti {
  std::uint32_t version = 130001;
  int subscribe_code = 0;
  const char* other_tool = "";
  std::uint32_t failing_kind = 0;  ///< of record: enabling it fails with failing_code
  int failing_code = 0;
  bool hangs_in_flush = false;  ///< until fake_cupti_release()
  int flush_code = 0;
  std::size_t dropped = 0;         ///< added to what it dropped itself
  bool delivers_reversed = false;  ///< full buffers come last first
  std::size_t cut_bytes = 0;       ///< missing at the end of each buffer that is delivered
  bool is_careless = false;        ///< gives records that are cut off as if they were whole
  unsigned int misses = 0;         ///< FakeLaunch::way of what it writes no records of
  std::int64_t call_clock_ns = 0;  ///< by how much the clock of calls is ahead of the host's
  std::int64_t work_clock_ns = 0;  ///< and that of kernels, copies and sets

  std::string fails_once;  ///< a call of this function returns failing_once_code
  int failing_once_code = 0;
  std::size_t num_before = 0;  ///< calls of it that do not fail before that

  // What it was asked.
  int num_subscribers = 0;
  int num_finalized = 0;
  std::uint64_t enabled_kinds = 0;              ///< bit n: kind n
  std::vector<std::uint32_t> driver_calls_off;  ///< ids that were turned off one by one
  std::vector<std::uint32_t> runtime_calls_off;
  bool has_timestamp = false;
  std::vector<std::string> calls;  ///< functions, in the order in which they were called
};

/// What the program does on the device.
struct FakeLaunch {
  const char* kernel = "kernel";
  std::size_t num_kernels = 1;  ///< more than one: a graph, all with the correlation of its launch
  bool is_runtime_call = true;
  std::uint32_t call_id = 211;  ///< cudaLaunchKernel
  std::uint64_t duration_ns = 1000;
  std::uint32_t stream = 7;
  std::uint32_t kind = 10;  ///< of record: kernel, 1 copy, 2 set, 22 copy between devices
  unsigned int way = 1;     ///< a bit, for FakeCupti::misses
};

/// Functions that fake_cupti.cc exports beside CUPTI's own; looked up by name.
using FakeControl = FakeCupti* (*)();          ///< "fake_cupti_control"
using FakeReset = void (*)();                  ///< "fake_cupti_reset"
using FakeRelease = void (*)();                ///< "fake_cupti_release"
using FakeDoes = void (*)(const FakeLaunch*);  ///< "fake_cupti_launch"

}  // namespace graphnet::tests
