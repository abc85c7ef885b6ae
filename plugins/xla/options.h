// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "graphnet/plugin.h"
#include "xla/compile_options.h"

namespace graphnet::xla {

/// The plugin's options; plugin.yaml says what each is for.
struct Options {
  std::string pjrt;      ///< file; never empty
  bool is_gpu = false;   ///< for a CUDA device
  bool rewrites = true;  ///< the lowering may choose other forms than the graph's where XLA is slow
  /// Float products and convolutions ask for all bits of float32, else for XLA's
  /// default, which is TF32 on a GPU.
  bool full_precision = true;
  std::vector<CompileOverride> overrides;  ///< ours, then the user's
};

/// The PJRT file of the wheel in requirements.txt, where set-up unpacks it.
std::string pinned_pjrt_file();
/// That wheel's name and version, such as "x==1.0".
std::string pinned_pjrt_package();

/// Reads what `create` gets, under a math policy. For a CUDA device the file must be named.
///
/// errors   INVALID_ARGUMENT: another name, type or value than plugin.yaml allows
Options read_options(const gn_option* options, std::uint64_t num_options, bool is_gpu = false,
                     MathPolicy math = {});

/// On a CUDA device: tells XLA where CUDA's tools are (cuda_tools.h), unless an override says so.
void add_cuda_root(Options& options, const std::string& root);

}  // namespace graphnet::xla
