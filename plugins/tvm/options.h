// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "graphnet/abi.h"

namespace graphnet::tvm {

/// How the loops of kernels are arranged.
enum class Schedule : std::uint8_t {
  kRules,  ///< the plugin's rules (schedule.h), weights laid out in bind
  kNone,   ///< as TVM's own CPU pipelines: one kernel a primitive group, no schedule
  kTuned,  ///< by rule, then by measuring what MetaSchedule draws (tuning.h)
};

/// Who computes exp and its like of float32.
enum class Math : std::uint8_t {
  kPolynomials,  ///< vector_math.h, which says how exact
  kLibrary,      ///< the C library
};

/// How convolutions of 3 x 3 taps are computed.
enum class Convolution : std::uint8_t {
  kWinograd,  ///< by Winograd's algorithm where legalize.h says that it pays
  kDirect,
};

/// How attention is computed.
enum class AttentionForm : std::uint8_t {
  kFused,     ///< as one kernel where attention_fusion.h says that it pays
  kSeparate,  ///< product, softmax, product
};

/// How products of bfloat16 are computed.
enum class Bfloat16 : std::uint8_t {
  kNative,   ///< by the processor's matrix unit or vectors of pairs, where it has them
  kFloat32,  ///< as products of float32
};

struct Options {
  Schedule schedule = Schedule::kRules;
  Math math = Math::kPolynomials;
  Convolution convolution = Convolution::kWinograd;
  AttentionForm attention = AttentionForm::kFused;
  Bfloat16 bfloat16 = Bfloat16::kNative;
  std::string mcpu;  ///< empty: chosen by CPUID
  std::int64_t tune_seconds = 60;
  std::string tune_database;  ///< folder; empty: nothing is kept
  bool allow_other_tvm = false;
  bool profile = false;
};

/// The options that decide what a program's code is: "schedule=rules
/// math=polynomials convolution=winograd attention=fused bfloat16=native".
std::string describe(const Options& options);

/// "apache-tvm==0.27.0.post1 apache-tvm-ffi==0.1.14.post1".
std::string pinned_packages();

/// errors   Failure INVALID_ARGUMENT: an option or value that is not known
Options read_options(const gn_option* options, std::uint64_t num_options);

}  // namespace graphnet::tvm
