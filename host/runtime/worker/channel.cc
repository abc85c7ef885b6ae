// SPDX-License-Identifier: MIT
#include "worker/channel.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>

#include "worker/crash_report.h"

namespace graphnet::worker {

namespace {
constexpr rlim_t kHighDescriptor = 1000;
constexpr std::size_t kLongestTask = 1 << 20;

int high_descriptor() {
  struct rlimit limit = {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  constexpr rlim_t kRoom = 8;
  return static_cast<int>(std::min(kHighDescriptor, limit.rlim_cur - kRoom));
}

int memory_fd = -1;

// A message is under way; told to the handler of crash_report.h.
std::atomic<bool> is_sending{false};

// Runs when there is no memory: nothing here may allocate. Without a handler the next failure
// throws at once.
void report_no_memory() {
  std::set_new_handler(nullptr);
  constexpr char kMessage[] = "{\"event\":\"memory\"}\n";
  const ssize_t ignored = ::write(memory_fd, kMessage, sizeof(kMessage) - 1);
  static_cast<void>(ignored);
}

}  // namespace

base::Result<Channel> Channel::take() {
  const int high = ::fcntl(journal::kWorkerControlFd, F_DUPFD_CLOEXEC, high_descriptor());
  if (high < 0) {
    return base::Status(base::Code::kUsage, "graphnet-worker is started by graphnet, not by hand")
        .add_hint("graphnet run --config nope.yaml");
  }
  ::close(journal::kWorkerControlFd);
  return Channel(base::UniqueFd(high));
}

base::Result<std::string> Channel::receive_line() {
  std::string line;
  char byte = 0;
  while (line.size() < kLongestTask) {
    const ssize_t got = ::read(fd_.get(), &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return base::Status(base::Code::kInternal, "the supervisor sent no task");
    if (byte == '\n') break;
    line += byte;
  }
  return line;
}

base::Result<journal::Task> Channel::receive_task() {
  GN_ASSIGN_OR_RETURN(const std::string line, receive_line());
  GN_ASSIGN_OR_RETURN(const base::Json json, base::parse_json(line, "task"));
  return journal::task_from_json(json);
}

void Channel::ask(record::Phase phase, std::optional<std::int64_t> num_bytes) {
  base::Json message = {{"event", "ask"}, {"phase", name_of(phase)}};
  if (num_bytes) message["bytes"] = *num_bytes;
  send(message);
  if (!receive_line().is_ok()) ::_exit(journal::kExitChannelLost);
}

void Channel::begin_phase(record::Phase phase) {
  send({{"event", "phase"}, {"phase", name_of(phase)}});
}

void Channel::begin_step(const char* step) {
  send({{"event", "step"}, {"step", step}});
}

void Channel::watch_memory() const {
  memory_fd = fd_.get();
  std::set_new_handler(report_no_memory);
}

void Channel::watch_crashes() const {
  report_crashes(fd_.get(), is_sending);
}

void Channel::send_record(const record::Record& record, bool is_final) {
  send({{"event", "record"}, {"record", record::to_json(record)}, {"final", is_final}});
}

void Channel::send(const base::Json& message) {
  // Nobody can be told: the supervisor is gone, or the plugin closed the descriptor.
  const std::string line = base::dump_json(message) + "\n";
  is_sending = true;
  const base::Status sent = base::write_all(fd_.get(), line);
  is_sending = false;
  if (!sent.is_ok()) ::_exit(journal::kExitChannelLost);
}

}  // namespace graphnet::worker
