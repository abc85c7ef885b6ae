// SPDX-License-Identifier: MIT
#include "cli/manual_text.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/completion_text.h"
#include "cli/version_text.h"
#include "support/temp_dir.h"

namespace graphnet::cli {
namespace {

class ManualTest : public ::testing::Test {
 protected:
  ManualTest() {
    Command command;
    command.name = "bake";
    command.summary = "bake a pie";
    command.description = ".It is 'hot' a\\b.";
    command.usage = "bake [PIE]... [options]";
    command.positionals = {"PIE", "which", &pies_, {"apple", "plum"}};
    command.flags = {{"-o,--oven", "gas|wood", "kind | of *fire*", &oven_},
                     {"--recipe", "CONFIG", "book's page", &recipe_},
                     {"--minutes", "N", "time", &minutes_},
                     {"--cream", "", "with cream", &cream_}};
    command.examples = {{"graphnet bake apple", "one"}};
    commands_.push_back(command);
    command.name = "__secret";
    command.is_hidden = true;
    commands_.push_back(command);
  }

  std::vector<std::string> pies_;
  std::optional<std::string> oven_;
  std::optional<std::string> recipe_;
  std::optional<std::string> minutes_;
  bool cream_ = false;
  int verbosity_ = 0;
  std::vector<Flag> global_ = {{"-v,--verbose", "", "talk", &verbosity_}};
  std::vector<Command> commands_;
};

TEST_F(ManualTest, ManualPage) {
  EXPECT_EQ(command_man(commands_[0], global_),
            ".TH GRAPHNET\\-BAKE 1 \"\" \"graphnet " + version_number() +
                "\"\n"
                ".SH NAME\ngraphnet\\-bake \\- bake a pie\n"
                ".SH SYNOPSIS\n.B graphnet\nbake [PIE]... [options]\n"
                ".SH DESCRIPTION\n\\&.It is 'hot' a\\eb.\n"
                ".SH ARGUMENTS\n.TP\n.B PIE\nwhich\n"
                ".SH OPTIONS\n"
                ".TP\n.B \\-o, \\-\\-oven gas|wood\nkind | of *fire*\n"
                ".TP\n.B \\-\\-recipe CONFIG\nbook's page\n"
                ".TP\n.B \\-\\-minutes N\ntime\n"
                ".TP\n.B \\-\\-cream\nwith cream\n"
                ".SH GLOBAL OPTIONS\n.TP\n.B \\-v, \\-\\-verbose\ntalk\n"
                ".SH EXAMPLES\n.TP\n.B graphnet bake apple\none\n"
                ".SH SEE ALSO\n.BR graphnet (1)\n");
}

TEST_F(ManualTest, Markdown) {
  EXPECT_EQ(program_markdown(commands_, global_),
            "# graphnet\n\nrun computation graphs through tensor compilers and score them\n\n"
            "```\ngraphnet <command> [options]\n```\n"
            "\n| global option | |\n|---|---|\n| `-v, --verbose` | talk |\n"
            "\n## graphnet bake\n\nbake a pie\n\n"
            "```\ngraphnet bake [PIE]... [options]\n```\n"
            "\n.It is 'hot' a\\b.\n"
            "\n`PIE`: which\n"
            "\n| option | |\n|---|---|\n"
            "| `-o, --oven gas\\|wood` | kind \\| of \\*fire\\* |\n"
            "| `--recipe CONFIG` | book's page |\n"
            "| `--minutes N` | time |\n"
            "| `--cream` | with cream |\n"
            "\n```\n# one\ngraphnet bake apple\n```\n");
}

/// What bash offers for the last of `words`; `graphnet` is a stand-in that knows two configs.
std::string offered(const std::string& script, const std::string& words) {
  const tests::TempDir folder;
  folder.write("script", script);
  folder.write("run",
               "graphnet() { [[ $* == '__complete configs' ]] && printf 'a.yaml\\nb.yaml\\n'; }\n"
               "cd '" +
                   folder.path().string() +
                   "' && source ./script && compopt() { :; }\n"
                   "COMP_WORDS=(" +
                   words +
                   ") COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
                   "_graphnet graphnet && echo \"${COMPREPLY[*]}\" > out\n");
  const std::string command = "bash '" + (folder.path() / "run").string() + "'";
  if (std::system(command.c_str()) != 0) return "failed";
  std::ifstream out(folder.path() / "out");
  std::string line;
  std::getline(out, line);
  return line;
}

TEST_F(ManualTest, BashCompletes) {
  const std::string script = bash_completion(commands_, global_);
  EXPECT_EQ(script.find("__secret"), std::string::npos);
  EXPECT_EQ(offered(script, "graphnet ''"), "bake");
  EXPECT_EQ(offered(script, "graphnet bake ''"), "apple plum");
  EXPECT_EQ(offered(script, "graphnet -v bake --oven w"), "wood");
  EXPECT_EQ(offered(script, "graphnet bake --oven = g"), "gas");
  EXPECT_EQ(offered(script, "graphnet bake --recipe b"), "b.yaml");
  EXPECT_EQ(offered(script, "graphnet bake --minutes ''"), "");
  EXPECT_EQ(offered(script, "graphnet bake --c"), "--cream");
}

TEST_F(ManualTest, ZshAndFishKnowTheSame) {
  const std::string zsh = zsh_completion(commands_, global_);
  for (const char* part :
       {"bake:-o|bake:--oven) compadd -- gas wood; return ;;", "'--recipe:book'\\''s page'",
        "bake) compadd -- apple plum ;;", "'bake:bake a pie'", "__complete configs"}) {
    EXPECT_NE(zsh.find(part), std::string::npos) << part << " is not in\n" << zsh;
  }
  const std::string fish = fish_completion(commands_, global_);
  const std::string bake = "complete -c graphnet -n '__graphnet_at bake'";
  for (const std::string& part :
       {bake + " -s o -l oven -x -a 'gas wood' -d 'kind | of *fire*'\n",
        bake + " -l recipe -r -F -a '(graphnet __complete configs 2>/dev/null)' -d 'book\\'s "
               "page'\n",
        bake + " -l minutes -x -d 'time'\n", bake + " -l cream -d 'with cream'\n",
        bake + " -f -a 'apple plum'\n"}) {
    EXPECT_NE(fish.find(part), std::string::npos) << part << " is not in\n" << fish;
  }
  EXPECT_EQ((zsh + fish).find("__secret"), std::string::npos);
}

}  // namespace
}  // namespace graphnet::cli
