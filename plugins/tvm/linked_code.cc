// SPDX-License-Identifier: MIT
#include "tvm_plugin/linked_code.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "graphnet/failure.h"

extern char** environ;  // NOLINT

namespace graphnet::tvm {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestMessage = 400;

/// A new folder that only this user can read; removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    std::string pattern = (fs::temp_directory_path(error) / "graphnet-tvm-XXXXXX").string();
    if (error || ::mkdtemp(pattern.data()) == nullptr) {
      throw Failure(GN_STATUS_UNAVAILABLE, "cannot make a temporary folder '" + pattern +
                                               "': " + std::strerror(errno) +
                                               "; TMPDIR names another folder");
    }
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string read_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

[[noreturn]] void refuse(const std::string& reason) {
  throw Failure(GN_STATUS_UNAVAILABLE, "not serialisable: " + reason);
}

/// What a child process starts with: no input, messages to a file, no signal blocked or ignored
/// whatever this process does with them.
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
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
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

void link_objects(const std::string& kernels, const std::string& bytecode,
                  const std::string& library, const std::string& messages) {
  // All names are looked up when the library is loaded: one that is missing is an error there, not
  // the end of the process in a call.
  const std::array<const char*, 11> argv = {"ld",
                                            "-shared",
                                            "-z",
                                            "noexecstack",
                                            "-z",
                                            "now",
                                            "-o",
                                            library.c_str(),
                                            kernels.c_str(),
                                            bytecode.c_str(),
                                            nullptr};
  const SpawnSettings settings(messages);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, argv[0], settings.actions(), settings.attributes(),
                                   const_cast<char* const*>(argv.data()), environ);
  if (error != 0) {
    refuse("the linker 'ld' (Debian: binutils) cannot be started: " +
           std::string(std::strerror(error)));
  }
  int state = 0;
  pid_t ended = 0;
  do {
    ended = ::waitpid(pid, &state, 0);
  } while (ended < 0 && errno == EINTR);
  if (ended != pid) refuse("nobody tells how 'ld' ended: " + std::string(std::strerror(errno)));
  if (state != 0) {
    refuse("'ld' failed: " + read_file(messages).substr(0, kLongestMessage));
  }
}

}  // namespace

std::string link_code(const CompiledCode& code, const Target& target) {
  if (!code.library.defined()) refuse("the program was loaded, not compiled");
  const TemporaryFolder folder;
  const std::string kernels = folder.file("kernels.o");
  const std::string bytecode = folder.file("bytecode.o");
  const std::string library = folder.file("program.so");
  call("ffi.ModuleWriteToFile", code.library, String(kernels), String("o"));
  const String description = "{\"kind\":\"llvm\",\"mtriple\":\"" + target.triple + "\"}";
  const Ref packed =
      make("runtime.ModulePackImportsToLLVM", code.executable, false, description, String(""));
  call("ffi.ModuleWriteToFile", packed, String(bytecode), String("o"));
  link_objects(kernels, bytecode, library, folder.file("messages"));
  std::string bytes = read_file(library);
  if (bytes.empty()) refuse("'ld' wrote nothing");
  return bytes;
}

CompiledCode load_code(std::string_view library) {
  const TemporaryFolder folder;
  const std::string file = folder.file("program.so");
  std::ofstream stream(file, std::ios::binary);
  stream.write(library.data(), static_cast<std::streamsize>(library.size()));
  stream.close();
  if (!stream) throw Failure(GN_STATUS_UNAVAILABLE, "cannot write '" + file + "'");
  try {
    CompiledCode code;
    code.executable = make("ffi.ModuleLoadFromFile", String(file));
    start(code);
    return code;
  } catch (const ffi::Error& error) {
    throw Failure(GN_STATUS_INVALID_ARGUMENT,
                  "stored program cannot be loaded: " +
                      std::string(error.message()).substr(0, kLongestMessage));
  }
}

}  // namespace graphnet::tvm
