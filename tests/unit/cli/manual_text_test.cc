// SPDX-License-Identifier: MIT
#include "cli/manual_text.h"

#include <gtest/gtest.h>

#include "cli/version_text.h"

namespace graphnet::cli {
namespace manual_text_test {

class ManualTest : public ::testing::Test {
 protected:
  ManualTest() {
    Command command;
    command.name = "bake";
    command.summary = "bake a pie";
    command.description = ".It is 'hot' a\\b.";
    command.usage = "bake [PIE]... [options]";
    command.positionals = {"PIE", "which", &pies_};
    command.flags = {{"-o,--oven", "gas|wood", "kind | of *fire*", &oven_},
                     {"--recipe", "CONFIG", "book's page", &recipe_},
                     {"--minutes", "N", "time", &minutes_},
                     {"--cream", "", "with cream", &cream_}};
    command.examples = {{"graphnet bake apple", "one"}};
    interface_.commands.push_back(command);
    command.name = "__secret";
    command.is_hidden = true;
    interface_.commands.push_back(command);
  }

  std::vector<std::string> pies_;
  std::optional<std::string> oven_;
  std::optional<std::string> recipe_;
  std::optional<std::string> minutes_;
  bool cream_ = false;
  int verbosity_ = 0;
  Interface interface_ = {{{"-v,--verbose", "", "talk", &verbosity_}}, {}, {}};
};

TEST_F(ManualTest, ManualPage) {
  EXPECT_EQ(command_man(interface_.commands[0], interface_.global_flags),
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
  EXPECT_EQ(program_markdown(interface_),
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

TEST_F(ManualTest, TopicsAreListed) {
  interface_.topics = {{"fruit", "what a *pie* holds", ""}};
  const std::string man = program_man(interface_);
  EXPECT_NE(man.find(".SH TOPICS\n.TP\n.B fruit\nwhat a *pie* holds\n"), std::string::npos) << man;
  EXPECT_NE(man.find(".BR graphnet\\-fruit (7)\n"), std::string::npos) << man;
  EXPECT_EQ(man.find("secret"), std::string::npos) << man;
  const std::string markdown = program_markdown(interface_);
  EXPECT_NE(markdown.find("- `graphnet help fruit`: what a \\*pie\\* holds\n"), std::string::npos);
}

TEST_F(ManualTest, TopicPage) {
  EXPECT_EQ(topic_man({"fruit", "what a pie holds", ".Text.\n\n## Plums\n\n- blue-ish: so\n"}),
            ".TH GRAPHNET\\-FRUIT 7 \"\" \"graphnet " + version_number() +
                "\"\n"
                ".SH NAME\ngraphnet\\-fruit \\- what a pie holds\n"
                ".SH DESCRIPTION\n.nf\n\\&.Text.\n\n.fi\n.SH Plums\n.nf\n\n"
                "\\- blue\\-ish: so\n\n.fi\n"
                ".SH SEE ALSO\n.BR graphnet (1)\n");
}

}  // namespace manual_text_test
}  // namespace graphnet::cli
