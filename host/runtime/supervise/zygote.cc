// SPDX-License-Identifier: MIT
#include "supervise/zygote.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "journal/fork_message.h"
#include "supervise/stray_processes.h"
#include "supervise/worker_program.h"

namespace graphnet::supervise {

using base::Code;
using base::Result;
using base::Status;
using base::Subprocess;
using journal::ForkReply;

namespace {

// Loading libtorch from a cold disk takes seconds.
constexpr int kReplyLimitMs = 60000;

Status failed(const std::string& what) {
  return Status(Code::kEnvironment, "the process that forks workers " + what);
}

Result<ForkReply> receive_reply(int channel) {
  pollfd waiting = {channel, POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&waiting, 1, kReplyLimitMs);
  } while (ready < 0 && errno == EINTR);
  if (ready <= 0) return failed("does not answer");
  ForkReply reply;
  if (::recv(channel, &reply, sizeof(reply), 0) != sizeof(reply)) return failed("is gone");
  return reply;
}

}  // namespace

Status Zygote::start() {
  GN_ASSIGN_OR_RETURN(DescriptorPair control, make_control_channel(SOCK_SEQPACKET));
  // What libraries say while they load belongs to no sample; a fresh worker repeats it if they
  // fail.
  const base::UniqueFd nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  const WorkerProgram program = {executable_, "--zygote", /*threads=*/1, mark_};
  GN_ASSIGN_OR_RETURN(Subprocess process,
                      start_worker_program(program, control.workers.get(), nowhere.get()));
  is_in_group_ = group_ != nullptr && group_->take(process.pid()).is_ok();
  running_.emplace(Running{std::move(process), std::move(control.ours)});
  return Status::ok();
}

Result<Subprocess> Zygote::ask(int control_fd, int output_fd) {
  const Status sent = journal::send_fork_request(running_->channel.get(), control_fd, output_fd);
  if (!sent.is_ok()) return failed(sent.message());
  GN_ASSIGN_OR_RETURN(const ForkReply reply, receive_reply(running_->channel.get()));
  if (reply.pid > 0) return Subprocess::adopt(reply.pid);
  if (reply.num_threads != 1) {
    return failed("has " + std::to_string(reply.num_threads) + " threads");
  }
  return failed(std::string("cannot fork: ") + std::strerror(reply.error));
}

Result<Subprocess> Zygote::fork(int control_fd, int output_fd) {
  // One that died while idle is noticed by the first request only.
  const bool is_old = running_.has_value();
  for (const bool may_retry : {is_old, false}) {
    if (!running_) GN_RETURN_IF_ERROR(start());
    // Workers are its grandchildren; they come to whoever adopts orphans.
    const StrayProcesses forked = StrayProcesses::adopt(mark_);
    Result<Subprocess> worker = ask(control_fd, output_fd);
    if (worker.is_ok()) return worker;
    running_.reset();
    // One that it forked before it died holds the same channel and would take the next one's task.
    forked.kill();
    if (!may_retry) return worker;
  }
  return failed("does not start");
}

}  // namespace graphnet::supervise
