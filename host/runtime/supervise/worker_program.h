// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "base/subprocess.h"

namespace graphnet::supervise {

/// The worker program and what each start of it is told on its command line and by its environment.
struct WorkerProgram {
  std::filesystem::path executable;
  std::string flag = {};  ///< "--zygote" or journal::kAnswerFlag; empty: it runs one task
  /// Of the pools of libtorch and of its maths library; 0: as the user's environment says.
  int threads = 0;
  std::string mark = {};  ///< as WorkerSettings::mark
};

/// Starts it. `control_fd` becomes its descriptor 3, `output_fd` its standard output and error.
///
/// errors   kEnvironment as config::given_torch_libraries(), or if it cannot be started
base::Result<base::Subprocess> start_worker_program(const WorkerProgram& program, int control_fd,
                                                    int output_fd);

/// Variables that it gets, as "NAME=value": the loader looks first where the libtorch is that
/// GRAPHNET_TORCH names.
///
/// errors   kEnvironment as config::given_torch_libraries()
base::Result<std::vector<std::string>> worker_environment(const WorkerProgram& program = {});

/// Says what to do where the worker's output shows that the loader found no libtorch.
void add_torch_hint(const std::string& output, base::Status& error);

/// Two connected descriptors, closed on exec.
struct DescriptorPair {
  base::UniqueFd ours;
  base::UniqueFd workers;
};

/// A pair of local sockets. `type`: SOCK_STREAM or SOCK_SEQPACKET.
///
/// errors   kEnvironment
base::Result<DescriptorPair> make_control_channel(int type);
/// A pipe from the worker to us.
///
/// errors   kEnvironment
base::Result<DescriptorPair> make_output_pipe();

}  // namespace graphnet::supervise
