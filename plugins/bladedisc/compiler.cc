// SPDX-License-Identifier: MIT
#include "bladedisc/compiler.h"

#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "artifact/child_process.h"
#include "artifact/file_digest.h"
#include "bladedisc/program_log.h"
#include "graphnet/failure.h"

namespace graphnet::bladedisc {

namespace {

namespace fs = std::filesystem;
using artifact::ChildEnd;
using artifact::ChildProgram;
using artifact::TemporaryFolder;
using Clock = std::chrono::steady_clock;

/// Why the compiler was killed, if it was.
struct Watch {
  Clock::time_point deadline = Clock::time_point::max();
  bool is_late = false;
};

[[noreturn]] void explain(const ChildEnd& end, const Watch& watch, const Options& options,
                          const std::string& log) {
  std::string reason = "ended with exit code " + std::to_string(end.exit_code);
  if (watch.is_late) {
    reason = "had not ended after " + std::to_string(options.compile_timeout.count()) +
             " s (option compile_timeout_s)";
  } else if (end.is_cancelled) {
    reason = "was cancelled";
  } else if (end.signal != 0) {
    reason = "was killed by signal " + std::to_string(end.signal) +
             (end.signal == SIGKILL ? ", perhaps for want of memory" : "");
  }
  throw CompilerFailure("disc_compiler_main " + reason + ": " + telling_line(log), log);
}

// Its linker's exit code is not its own: what it made is looked at.
void require_whole(const Compiled& compiled, bool has_library) {
  std::string mistake;
  if (!has_library) {
    mistake = "made no library; it links with gcc, which may not be on its PATH";
  } else if (mistake = library_mistake(compiled.library); !mistake.empty()) {
    mistake = "made a library that " + mistake;
  } else if (compiled.metadata.empty()) {
    mistake = "made no metadata (.pbtxt) beside its library";
  }
  if (mistake.empty()) return;
  throw CompilerFailure("disc_compiler_main ended with exit code 0 and " + mistake + ": " +
                            telling_line(compiled.log),
                        compiled.log);
}

std::vector<std::string> flags_of(const Options& options) {
  std::vector<std::string> flags = {"--mlir-elide-elementsattrs-if-larger=8"};
  if (options.multi_cc) flags.emplace_back("--multi-cc-support");
  return flags;
}

Compiled run_compiler(const std::string& module, const Options& options, const std::string& program,
                      const std::vector<std::string>& pinned,
                      const std::function<bool()>& cancelled) {
  const TemporaryFolder work("disc", options.share_folder);
  artifact::write_bytes(work.file("module.mlir"), module);
  ChildProgram child;
  child.argv = command_of(options.launcher, pinned, program);
  child.argv.push_back(work.file("module.mlir"));
  child.argv.push_back(work.file("module.so"));
  for (const std::string& flag : flags_of(options)) child.argv.push_back(flag);
  child.environment = program_environment(pinned);
  child.messages = work.file("messages");
  Watch watch;
  if (options.compile_timeout.count() > 0) watch.deadline = Clock::now() + options.compile_timeout;
  const ChildEnd end = artifact::run_child(child, [&] {
    watch.is_late = Clock::now() >= watch.deadline;
    return watch.is_late || cancelled();
  });
  Compiled compiled;
  compiled.log = read_log(child.messages);
  if (!end.is_success()) explain(end, watch, options, compiled.log);
  compiled.library = artifact::read_bytes(work.file("module.so"));
  compiled.metadata = artifact::read_bytes(work.file("module.so.pbtxt"));
  require_whole(compiled, fs::exists(work.file("module.so")));
  return compiled;
}

// ---- the cache: three files a module, the last of which is the digest of both others ----

std::string digest_of(const Compiled& compiled) {
  return artifact::sha256_hex(artifact::sha256_hex(compiled.library) +
                              artifact::sha256_hex(compiled.metadata));
}

bool read_cached(const std::string& base, Compiled& compiled) {
  compiled.library = artifact::read_bytes(base + ".so");
  compiled.metadata = artifact::read_bytes(base + ".so.pbtxt");
  return !compiled.library.empty() && digest_of(compiled) == artifact::read_bytes(base + ".sha256");
}

void put(const std::string& file, const std::string& bytes) {
  const std::string part = file + "." + std::to_string(::getpid());
  artifact::write_bytes(part, bytes);
  fs::rename(part, file);
}

void write_cached(const std::string& base, const Compiled& compiled) {
  try {
    fs::create_directories(fs::path(base).parent_path());
    put(base + ".so", compiled.library);
    put(base + ".so.pbtxt", compiled.metadata);
    put(base + ".sha256", digest_of(compiled));
  } catch (const fs::filesystem_error& error) {
    throw Failure(GN_STATUS_UNAVAILABLE, std::string("option cache_folder: ") + error.what());
  }
}

}  // namespace

std::string describe_compiler(const Options& options, const std::string& program,
                              const std::vector<std::string>& pinned) {
  std::string text;
  for (const std::string& word : options.launcher) text += word + " ";
  const auto digest =
      options.launcher.empty() ? artifact::sha256_of_file(program) : std::optional<std::string>();
  text += digest ? "sha256 " + *digest : program;
  for (const std::string& flag : flags_of(options)) text += " " + flag;
  for (const std::string& variable : pinned) text += " " + variable;
  return text;
}

Compiled compile(const std::string& module, const Options& options, const std::string& program,
                 const std::vector<std::string>& pinned, const std::function<bool()>& cancelled) {
  if (options.cache_folder.empty()) {
    return run_compiler(module, options, program, pinned, cancelled);
  }
  const std::string base =
      options.cache_folder + "/" +
      artifact::sha256_hex(describe_compiler(options, program, pinned) + "\n" + module);
  Compiled compiled;
  if (read_cached(base, compiled)) {
    compiled.is_cached = true;
    return compiled;
  }
  compiled = run_compiler(module, options, program, pinned, cancelled);
  write_cached(base, compiled);
  return compiled;
}

}  // namespace graphnet::bladedisc
