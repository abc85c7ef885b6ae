// SPDX-License-Identifier: MIT
#include "compiler.h"

#include <dlfcn.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include "artifact/child_process.h"
#include "artifact/temporary_folder.h"
#include "graphnet/failure.h"
#include "graphnet/wheel_folder.h"
#include "shim.h"

namespace graphnet::inductor {

namespace {

namespace fs = std::filesystem;
using artifact::ChildEnd;
using artifact::ChildProgram;
using artifact::TemporaryFolder;

constexpr std::size_t kLongestMessage = 400;

fs::path folder_of(const void* code) {
  Dl_info found = {};
  if (::dladdr(code, &found) == 0 || found.dli_fname == nullptr) return {};
  std::error_code ignored;
  return fs::canonical(found.dli_fname, ignored).parent_path();
}

/// The folder that holds torch/, of the libtorch in this process: what compiles must be what runs.
fs::path torch_folder() {
  const fs::path library = folder_of(reinterpret_cast<const void*>(shim().delete_tensor_object));
  const fs::path folder = library.parent_path().parent_path();
  std::error_code ignored;
  if (fs::exists(folder / "torch/__init__.py", ignored)) return folder;
  throw Failure(GN_STATUS_UNAVAILABLE,
                "Inductor is written in Python, and libtorch in " + folder.string() +
                    " has no Python parts; `graphnet setup torch` fetches a libtorch that has");
}

fs::path packages_folder() {
  const std::string folder = wheel_folder(GN_INDUCTOR_WHEELS);
  std::error_code ignored;
  if (fs::exists(fs::path(folder) / "sympy/__init__.py", ignored)) return folder;
  throw Failure(GN_STATUS_UNAVAILABLE, "the wheels of plugin inductor are not in " + folder +
                                           "; `graphnet setup inductor` fetches them");
}

/// Kept between compiles: precompiled headers. Empty where no folder is the user's.
fs::path cache_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  if (cache != nullptr && *cache != '\0') return fs::path(cache) / "graphnet/inductor";
  if (home != nullptr && *home != '\0') return fs::path(home) / ".cache/graphnet/inductor";
  return {};
}

/// The compile cache where a folder can be made, else the working folder.
std::string header_folder(const TemporaryFolder& work) {
  const fs::path cache = cache_folder();
  std::error_code error;
  if (!cache.empty()) fs::create_directories(cache, error);
  return cache.empty() || error ? work.path().string() : cache.string();
}

std::vector<std::string> environment(const TemporaryFolder& work) {
  // The stubs stand in for libraries of CUDA that Python's half of torch is linked with.
  const std::string stubs = (folder_of(reinterpret_cast<const void*>(&compile)) / "stubs").string();
  std::vector<std::string> variables = {"LD_LIBRARY_PATH=" + stubs, "TMPDIR=" + header_folder(work),
                                        "TORCHINDUCTOR_CACHE_DIR=" + work.file("cache"),
                                        "TORCHINDUCTOR_COMPILE_THREADS=1", "PYTHONWARNINGS=ignore"};
  for (const char* name : {"PATH", "HOME", "USER", "LANG", "CXX", "CPATH", "CCACHE_DIR"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr) variables.push_back(std::string(name) + "=" + value);
  }
  return variables;
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \n");
  if (end == std::string::npos) return "it printed nothing";
  const std::size_t start = text.rfind('\n', end);
  const std::size_t first = start == std::string::npos ? 0 : start + 1;
  return text.substr(first, std::min(end + 1 - first, kLongestMessage));
}

[[noreturn]] void explain(const ChildEnd& end, const std::string& messages) {
  if (end.is_cancelled) throw Failure(GN_STATUS_COMPILE_FAILED, "the compile was cancelled");
  std::string reason = "the process that compiles ended with exit code " +
                       std::to_string(end.exit_code) + ": " + last_line(messages);
  if (end.signal != 0) {
    reason = "the process that compiles was killed by signal " + std::to_string(end.signal) +
             (end.signal == SIGKILL ? ", perhaps for want of memory" : "");
  }
  throw Failure(GN_STATUS_COMPILE_FAILED, reason);
}

/// What compile.py says of its failure: a word, then the reason.
[[noreturn]] void pass_on(const std::string& error) {
  const std::size_t line = error.find('\n');
  const std::string kind = error.substr(0, line);
  std::string reason = error.substr(line + 1);
  reason.resize(std::min(reason.size(), reason.find('\n')));
  if (kind == "unsupported") throw Failure(GN_STATUS_UNSUPPORTED, reason);
  if (kind == "unavailable") throw Failure(GN_STATUS_UNAVAILABLE, reason);
  throw Failure(GN_STATUS_COMPILE_FAILED, reason);
}

ChildEnd run(const Options& options, ChildProgram program, const std::function<bool()>& cancelled) {
  std::vector<std::string> candidates = {"python3.11", "python3"};
  if (!options.python.empty()) candidates = {options.python};
  for (const std::string& python : candidates) {
    program.argv[0] = python;
    try {
      return artifact::run_child(program, cancelled);
    } catch (const Failure& failure) {
      if (python == candidates.back()) {
        throw Failure(failure.code(),
                      std::string(failure.what()) +
                          "; Inductor compiles in Python 3.11 (apt-get install python3.11, or "
                          "option python)");
      }
    }
  }
  return {};
}

}  // namespace

bool has_warm_cache() {
  const fs::path cache = cache_folder();
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(cache, ignored)) {
    if (fs::exists(entry.path() / "precompiled_headers", ignored)) return true;
  }
  return false;
}

bool is_frozen(const ModuleText& module, const Options& options) {
  const bool takes_weight = std::any_of(module.arguments.begin(), module.arguments.end(),
                                        [](const Argument& each) { return each.is_weight; });
  return options.freezing && module.weights.empty() && !takes_weight;
}

Compiled compile(const ModuleText& module, const Options& options, bool check_only,
                 const std::function<bool()>& cancelled) {
  const fs::path here = folder_of(reinterpret_cast<const void*>(&compile));
  const auto flag = [](bool is_set) { return std::string(is_set ? "1" : "0"); };
  const TemporaryFolder work("inductor");
  artifact::write_bytes(work.file("module.py"), module.source);
  artifact::write_bytes(work.file("data"), module.data);
  ChildProgram program;
  program.argv = {"",
                  "-I",
                  (here / "compile.py").string(),
                  torch_folder().string(),
                  packages_folder().string(),
                  work.path().string(),
                  std::to_string(options.threads),
                  flag(is_frozen(module, options)),
                  flag(options.max_autotune),
                  flag(check_only)};
  program.environment = environment(work);
  program.messages = work.file("messages");
  const ChildEnd end = run(options, program, cancelled);
  const std::string error = artifact::read_bytes(work.file("error"));
  if (!error.empty()) pass_on(error);
  if (!end.is_success()) explain(end, artifact::read_bytes(program.messages));
  Compiled compiled;
  if (check_only) return compiled;
  compiled.library = artifact::read_bytes(work.file("model.so"));
  compiled.times = artifact::read_bytes(work.file("times"));
  compiled.calls = artifact::read_bytes(work.file("calls"));
  if (compiled.library.empty()) explain(end, artifact::read_bytes(program.messages));
  return compiled;
}

}  // namespace graphnet::inductor
