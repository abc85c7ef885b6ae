// SPDX-License-Identifier: MIT
#include "worker/channel.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace graphnet::worker {

namespace {
constexpr int kHighDescriptor = 200;
constexpr std::size_t kLongestTask = 1 << 20;
}  // namespace

base::Result<Channel> Channel::take() {
  const int high = ::fcntl(journal::kWorkerControlFd, F_DUPFD_CLOEXEC, kHighDescriptor);
  if (high < 0) {
    return base::Status(base::Code::kUsage, "graphnet-worker is started by graphnet, not by hand")
        .add_hint("graphnet run --config nope.yaml");
  }
  ::close(journal::kWorkerControlFd);
  return Channel(base::UniqueFd(high));
}

base::Result<journal::Task> Channel::receive_task() {
  std::string line;
  char byte = 0;
  while (line.size() < kLongestTask) {
    const ssize_t got = ::read(fd_.get(), &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return base::Status(base::Code::kInternal, "the supervisor sent no task");
    if (byte == '\n') break;
    line += byte;
  }
  GN_ASSIGN_OR_RETURN(const base::Json json, base::parse_json(line, "task"));
  return journal::task_from_json(json);
}

void Channel::begin_phase(const std::string& phase) {
  send({{"event", "phase"}, {"phase", phase}});
}

void Channel::send_record(const journal::Record& record, bool is_final) {
  send({{"event", "record"}, {"record", journal::to_json(record)}, {"final", is_final}});
}

void Channel::send(const base::Json& message) {
  // A supervisor that is gone cannot be told; the worker is killed with it.
  const base::Status sent = base::write_all(fd_.get(), base::dump_json(message) + "\n");
  if (!sent.is_ok()) ::_exit(1);
}

}  // namespace graphnet::worker
