// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace graphnet::xla {

/// Folders of this machine that may hold CUDA's tools: what CUDA_HOME and CUDA_PATH name, then
/// where the toolkit installs itself.
std::vector<std::string> cuda_roots_of_machine();

/// The folder that XLA should take CUDA's tools from: it assembles kernels with bin/ptxas and links
/// nvvm/libdevice/libdevice.10.bc. Pip's wheels put both in nvidia/cu13, beside the folder that
/// holds the PJRT file's; not everybody has installed them, a toolkit will do.
///
/// order    beside the PJRT file, then `others`; one with both comes before one with libdevice only
/// returns  "" if there is none: XLA then looks for itself
std::string find_cuda_root(const std::string& pjrt_file,
                           const std::vector<std::string>& others = cuda_roots_of_machine());

}  // namespace graphnet::xla
