// SPDX-License-Identifier: MIT
#include "supervise/worker_program.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "config/given_torch.h"

namespace graphnet::supervise {

using base::Code;
using base::Result;
using base::Status;
using base::Subprocess;

namespace {

Status no_channel() {
  return Status(Code::kEnvironment,
                std::string("cannot make a channel to the worker: ") + std::strerror(errno));
}

DescriptorPair pair_of(const std::array<int, 2>& descriptors) {
  return {base::UniqueFd(descriptors[0]), base::UniqueFd(descriptors[1])};
}

}  // namespace

Result<Subprocess> start_worker_program(const WorkerProgram& program, int control_fd,
                                        int output_fd) {
  Subprocess::Options options;
  options.arguments = {program.executable.string()};
  if (!program.flag.empty()) options.arguments.push_back(program.flag);
  GN_ASSIGN_OR_RETURN(options.environment, worker_environment(program));
  options.control_fd = control_fd;
  options.output_fd = output_fd;
  return Subprocess::start(options);
}

Result<std::vector<std::string>> worker_environment(const WorkerProgram& program) {
  GN_ASSIGN_OR_RETURN(const auto torch, config::given_torch_libraries());
  std::vector<std::string> variables;
  if (torch) {
    const char* const others = ::secure_getenv("LD_LIBRARY_PATH");
    const bool has_others = others != nullptr && *others != '\0';
    variables.push_back("LD_LIBRARY_PATH=" + torch->string() +
                        (has_others ? ":" + std::string(others) : ""));
  }
  // Both pools read their size once, when they are loaded. A variable that the user set would win
  // over --threads in one of them, so both are given.
  for (const char* const name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS"}) {
    if (program.threads > 0) {
      variables.push_back(std::string(name) + "=" + std::to_string(program.threads));
    }
  }
  if (!program.mark.empty()) variables.push_back(program.mark);
  return variables;
}

void add_torch_hint(const std::string& output, Status& error) {
  if (output.find("error while loading shared libraries: lib") == std::string::npos) return;
  error.add_hint("graphnet setup torch, which fetches it for this user");
  error.add_hint("set GRAPHNET_TORCH to a folder that holds torch/ and nvidia/");
}

Result<DescriptorPair> make_control_channel(int type) {
  std::array<int, 2> ends = {-1, -1};
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0) return no_channel();
  return pair_of(ends);
}

Result<DescriptorPair> make_output_pipe() {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return no_channel();
  return pair_of(ends);
}

}  // namespace graphnet::supervise
