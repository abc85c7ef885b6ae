// SPDX-License-Identifier: MIT
#include "artifact/spawn.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "graphnet/failure.h"

extern char** environ;  // NOLINT

namespace graphnet::artifact {

namespace {

class SpawnSettings {
 public:
  SpawnSettings(int input, int output, int messages) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, messages, STDERR_FILENO);
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

}  // namespace

void Descriptor::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Descriptor open_messages(const std::string& file) {
  Descriptor messages(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (messages.get() >= 0) return messages;
  throw Failure(GN_STATUS_UNAVAILABLE, "cannot write '" + file + "': " + std::strerror(errno));
}

pid_t spawn(const std::vector<std::string>& argv, const std::vector<std::string>& environment,
            int input, int output, int messages) {
  const SpawnSettings settings(input, output, messages);
  const std::vector<char*> words = pointers_to(argv);
  const std::vector<char*> given = pointers_to(environment);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, words[0], settings.actions(), settings.attributes(),
                                   words.data(), given.size() > 1 ? given.data() : environ);
  if (error == 0) return pid;
  throw Failure(GN_STATUS_UNAVAILABLE,
                "'" + argv[0] + "' cannot be started: " + std::strerror(error));
}

}  // namespace graphnet::artifact
