// SPDX-License-Identifier: MIT
#include "artifact/child_process.h"

#include <fcntl.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "artifact/spawn.h"
#include "graphnet/failure.h"

namespace graphnet::artifact {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks(20);

pid_t start(const ChildProgram& program) {
  const Descriptor messages = open_messages(program.messages);
  const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  return spawn(program.argv, program.environment, nothing.get(), messages.get(), messages.get());
}

}  // namespace

ChildEnd run_child(const ChildProgram& program, const std::function<bool()>& cancelled) {
  const pid_t pid = start(program);
  ChildEnd end;
  int state = 0;
  pid_t ended = 0;
  while (ended != pid) {
    ended = ::waitpid(pid, &state, cancelled && !end.is_cancelled ? WNOHANG : 0);
    if (ended < 0 && errno != EINTR) {
      throw Failure(GN_STATUS_UNAVAILABLE,
                    "nobody tells how '" + program.argv[0] + "' ended: " + std::strerror(errno));
    }
    if (ended != 0) continue;
    end.is_cancelled = cancelled();
    if (end.is_cancelled) {
      ::kill(-pid, SIGKILL);
    } else {
      std::this_thread::sleep_for(kBetweenLooks);
    }
  }
  if (WIFSIGNALED(state)) {
    end.signal = WTERMSIG(state);
    ::kill(-pid, SIGKILL);  // what it had started would go on
  }
  if (WIFEXITED(state)) end.exit_code = WEXITSTATUS(state);
  return end;
}

}  // namespace graphnet::artifact
