// SPDX-License-Identifier: MIT
// The completion scripts in the shells that they are for.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "support/folders.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace completion_test {

namespace fs = std::filesystem;

/// Prints what Tab offers after $1. zsh completes on terminals only, hence a second shell on one,
/// whose compadd prints instead of showing.
constexpr const char* kZshDriver = R"(zmodload zsh/zpty
zpty child zsh -f -i
zpty -w child "source ${0:h}/child.zsh"
zpty -r child ignored '*ready-to-complete*'
zpty -n -w child "$1"$'\t'
integer is_inside=0
while zpty -r child line; do
  line=${line%%$'\r\n'}
  [[ $line == *offers-end* ]] && break
  ((is_inside)) && print -r -- $line
  [[ $line == *offers-begin* ]] && is_inside=1
done
)";

constexpr const char* kZshChild = R"(PROMPT=
autoload -Uz compinit
compinit -u -d ${0:h}/dump
LOAD
bindkey '^I' complete-word
begin-offers() { print; print offers-begin }
end-offers() { print offers-end; exit }
compprefuncs=(begin-offers)
comppostfuncs=(end-offers)
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
  local -a offered
  builtin compadd -A offered "$@"
  print -rl -- $offered
  builtin compadd "$@"
}
print ready-to-complete
)";

constexpr const char* kFishDriver = R"(source (graphnet completion fish | psub)
complete -C "$argv[1]" | string replace -r '\t.*' ''
true
)";

constexpr const char* kBashDriver = R"(source <(graphnet completion bash)
compopt() { :; }
read -ra COMP_WORDS <<<"$1"
[[ $1 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_graphnet graphnet
printf '%s\n' "${COMPREPLY[@]}"
)";

std::string which(const std::string& shell) {
  std::istringstream folders(std::getenv("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string path = folder + "/" + shell;
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

/// A folder to complete in, with the program on the PATH of the shell.
class Completion : public ::testing::Test {
 protected:
  Completion() {
    folder_.write("here/list.txt", "");
    folder_.write("here/folder/file", "");
    fs::create_directories(folder_.path() / "bin");
    fs::create_symlink(fs::path(build_dir()) / "bin" / "graphnet",
                       folder_.path() / "bin" / "graphnet");
  }

  /// The words offered after `line`, sorted, each once (as zsh shows those of two groups), with one
  /// blank between them.
  std::string offers(const std::vector<std::string>& shell, const std::string& line) const {
    // The shell's own start-up must not depend on whose account this is.
    std::vector<std::string> words = {"/usr/bin/env", "-C", (folder_.path() / "here").string()};
    words.insert(words.end(), shell.begin(), shell.end());
    words.push_back(line);
    const ProgramEnd end = run_program(
        words,
        {"PATH=" + (folder_.path() / "bin").string() + ":" + std::getenv("PATH"),
         "HOME=" + folder_.path().string(), "XDG_CONFIG_HOME=" + folder_.path().string(),
         "XDG_DATA_HOME=" + folder_.path().string(), "TERM=dumb",
         // One plugin, whichever were built.
         std::string("GRAPHNET_PLUGINS_ONLY=") + build_dir() + "/lib/graphnet/plugins/nope"},
        folder_.path() / "log");
    EXPECT_EQ(end.state.exit_code, 0) << end.output;
    std::istringstream stream(end.output);
    std::vector<std::string> offered;
    for (std::string word; stream >> word;) {
      offered.push_back(word.back() == '/' ? word.substr(0, word.size() - 1) : word);
    }
    return sorted_text(std::move(offered));
  }

  static std::string sorted_text(std::vector<std::string> words) {
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
  }

  /// The commands that `graphnet help` lists: lines "  NAME   SUMMARY" before the topics.
  std::string commands() const {
    const ProgramEnd end = run_program({(folder_.path() / "bin" / "graphnet").string(), "help"}, {},
                                       folder_.path() / "log");
    std::istringstream lines(end.output);
    std::vector<std::string> names;
    for (std::string line; std::getline(lines, line) && line != "topics:";) {
      if (line.rfind("  ", 0) == 0) names.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
    EXPECT_GT(names.size(), 10U) << end.output;
    return sorted_text(std::move(names));
  }

  void expect_offers(const std::vector<std::string>& shell) const {
    const std::string all = commands();
    const struct {
      const char* line;
      std::string offered;
    } cases[] = {
        {"graphnet ", all},
        {"graphnet ru", "run"},
        {"graphnet --color never ", all},
        {"graphnet --color ", "always auto never"},
        {"graphnet run --forma", "--format"},
        {"graphnet run --format ", "graphnet-log table"},
        {"graphnet run --warmup ", ""},
        {"graphnet run l", "list.txt"},
        {"graphnet run f", "folder"},
        {"graphnet run timm/resnet10", "timm/resnet10t.c3_in1k"},
        {"graphnet inspect torchgeometric/GA", "torchgeometric/GAT"},
        {"graphnet run --protocol sm", "smoke"},
        {"graphnet compare --fail-on slower,br", "slower,broken"},
        {"graphnet run --resume l", "list.txt"},
        {"graphnet run --config no", "nope.yaml"},
        {"graphnet --plugin-path ", "folder"},
        {"graphnet plugin ", "check info list new"},
        {"graphnet plugin info ", "nope"},
        {"graphnet test-compiler --compiler ", "nope"},
        {"graphnet help ru", "run"},
        {"graphnet help wor", "words"},
        {"graphnet --progress lines ru", "run"},
        {"graphnet run --output run --forma", "--format"},
        {"graphnet run -- --forma", ""},
        {"graphnet completion ", "bash fish zsh"},
    };
    for (const auto& [line, offered] : cases) EXPECT_EQ(offers(shell, line), offered) << line;
  }

  std::string script(const std::string& name, const std::string& text) const {
    return folder_.write(name, text).string();
  }

  void write_zsh_child(const std::string& load) const {
    std::string child = kZshChild;
    script("child.zsh", child.replace(child.find("LOAD"), 4, load));
  }

  TempDir folder_;
};

TEST_F(Completion, Bash) {
  const std::string bash = which("bash");
  if (bash.empty()) GTEST_SKIP() << "no bash on this machine";
  const std::string driver = script("offers.bash", kBashDriver);
  expect_offers({bash, "--norc", driver});
  // As bash splits --format=g.
  EXPECT_EQ(offers({bash, "--norc", driver}, "graphnet run --format = g"), "graphnet-log");
  EXPECT_EQ(offers({bash, "--norc", driver}, "graphnet run --format ="), "graphnet-log table");
}

TEST_F(Completion, Zsh) {
  const std::string zsh = which("zsh");
  if (zsh.empty()) GTEST_SKIP() << "no zsh on this machine";
  write_zsh_child("source <(graphnet completion zsh)");
  const std::string driver = script("offers.zsh", kZshDriver);
  expect_offers({zsh, "-f", driver});
  EXPECT_EQ(offers({zsh, "-f", driver}, "graphnet run --format=g"), "graphnet-log");
}

TEST_F(Completion, ZshFromAFolderOfFunctions) {
  const std::string zsh = which("zsh");
  if (zsh.empty()) GTEST_SKIP() << "no zsh on this machine";
  const std::string functions = (folder_.path() / "functions").string();
  write_zsh_child("mkdir " + functions + "; graphnet completion zsh > " + functions +
                  "/_graphnet\nfpath=(" + functions + " $fpath); compinit -u -D");
  const std::string driver = script("offers.zsh", kZshDriver);
  EXPECT_EQ(offers({zsh, "-f", driver}, "graphnet run --forma"), "--format");
}

TEST_F(Completion, Fish) {
  const std::string fish = which("fish");
  if (fish.empty()) GTEST_SKIP() << "no fish on this machine";
  const std::string driver = script("offers.fish", kFishDriver);
  expect_offers({fish, "--no-config", driver});
  EXPECT_EQ(offers({fish, "--no-config", driver}, "graphnet run --format=g"),
            "--format=graphnet-log");
}

}  // namespace completion_test
}  // namespace graphnet::tests
