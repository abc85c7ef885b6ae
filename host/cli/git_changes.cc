// SPDX-License-Identifier: MIT
#include "cli/git_changes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <system_error>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/subprocess.h"
#include "base/text.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr int kExitNotFound = 127;  // of env(1)

std::string content_of(int fd) {
  std::string text;
  char chunk[4096];
  for (ssize_t got = 0;
       (got = ::pread(fd, chunk, sizeof chunk, static_cast<off_t>(text.size()))) > 0;) {
    text.append(chunk, static_cast<std::size_t>(got));
  }
  return text;
}

/// What git wrote.
struct GitEnd {
  bool is_done = false;  ///< exit code 0
  std::string output;
  std::string error;  ///< its first line
};

/// Runs git in a folder, to its end.
///
/// errors   kEnvironment: it cannot be started
Result<GitEnd> git(const fs::path& folder, const std::vector<std::string>& words) {
  const base::UniqueFd output(::memfd_create("git", MFD_CLOEXEC));
  const base::UniqueFd error(::memfd_create("git", MFD_CLOEXEC));
  if (!output.is_open() || !error.is_open()) {
    return Status(Code::kEnvironment, "no memory for the output of git");
  }
  base::Subprocess::Options options;
  // No program of the tree's configuration, no lock.
  options.arguments = {"/usr/bin/env", "git", "-c", "core.fsmonitor=false", "-C", folder.string()};
  options.arguments.insert(options.arguments.end(), words.begin(), words.end());
  options.environment = {"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0"};
  options.output_fd = output.get();
  options.error_fd = error.get();
  GN_ASSIGN_OR_RETURN(base::Subprocess child, base::Subprocess::start(options));
  const base::ExitState end = child.wait();
  if (end.exit_code == kExitNotFound) return Status(Code::kEnvironment, "git is not on PATH");
  const std::string message = content_of(error.get());
  return GitEnd{end.exit_code == 0, content_of(output.get()),
                message.substr(0, message.find('\n'))};
}

/// The output of a git command that has to succeed.
Result<std::string> output_of(const fs::path& folder, const std::vector<std::string>& words) {
  GN_ASSIGN_OR_RETURN(GitEnd end, git(folder, words));
  if (end.is_done) return std::move(end.output);
  return Status(Code::kEnvironment, "git " + words.front() + " fails: " + end.error);
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

Result<fs::path> tree_of(const fs::path& folder) {
  GN_ASSIGN_OR_RETURN(const GitEnd end, git(folder, {"rev-parse", "--show-toplevel"}));
  if (end.is_done) return fs::path(first_line(end.output));
  Status error(Code::kInput, "'" + folder.string() + "' is in no git tree");
  return error.add_context(end.error);
}

/// The commit from which on changes count: where the current branch left the given one.
Result<std::string> base_of(const fs::path& folder, const std::string& commit) {
  GN_ASSIGN_OR_RETURN(const GitEnd known, git(folder, {"rev-parse", "--verify", "--quiet",
                                                       "--end-of-options", commit + "^{commit}"}));
  if (!known.is_done) {
    return Status(Code::kInput, "git knows no commit '" + commit + "'")
        .add_hint("git fetch, if it is a branch of another repository");
  }
  const std::string id = first_line(known.output);
  // A shallow clone has no common commit.
  GN_ASSIGN_OR_RETURN(const GitEnd base, git(folder, {"merge-base", id, "HEAD"}));
  return base.is_done ? first_line(base.output) : id;
}

}  // namespace

Result<std::set<fs::path>> changed_folders(const fs::path& folder, const std::string& commit) {
  GN_ASSIGN_OR_RETURN(const fs::path tree, tree_of(folder));
  GN_ASSIGN_OR_RETURN(const std::string from, base_of(folder, commit));
  GN_ASSIGN_OR_RETURN(std::string files, output_of(folder, {"diff", "--name-only", "--no-renames",
                                                            "--no-relative", "-z", from, "--"}));
  GN_ASSIGN_OR_RETURN(
      const std::string untracked,
      output_of(folder, {"ls-files", "--others", "--exclude-standard", "--full-name", "-z"}));
  files += untracked;
  std::set<fs::path> folders;
  for (const std::string& file : base::split(files, '\0')) {
    if (file.empty()) continue;
    fs::path changed = (tree / file).parent_path();
    while (folders.insert(changed).second && changed != tree) changed = changed.parent_path();
  }
  return folders;
}

}  // namespace graphnet::cli
