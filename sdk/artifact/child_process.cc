// SPDX-License-Identifier: MIT
#include "artifact/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "graphnet/failure.h"

extern char** environ;  // NOLINT

namespace graphnet::artifact {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks(20);

class SpawnSettings {
 public:
  explicit SpawnSettings(const std::string& messages) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, messages.c_str(),
                                       O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_ = {};
  posix_spawnattr_t attributes_ = {};
};

// Terminated by null, as the system wants it.
std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

pid_t start(const ChildProgram& program) {
  const SpawnSettings settings(program.messages);
  const std::vector<char*> argv = pointers_to(program.argv);
  const std::vector<char*> given = pointers_to(program.environment);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, argv[0], settings.actions(), settings.attributes(),
                                   argv.data(), given.size() > 1 ? given.data() : environ);
  if (error == 0) return pid;
  throw Failure(GN_STATUS_UNAVAILABLE,
                "'" + program.argv[0] + "' cannot be started: " + std::strerror(error));
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
