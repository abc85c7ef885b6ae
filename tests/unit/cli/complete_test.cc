// SPDX-License-Identifier: MIT
#include "cli/complete.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/commands.h"

namespace graphnet::cli {
namespace complete_test {

using Words = std::vector<std::string>;

class CompleteTest : public ::testing::Test {
 protected:
  CompleteTest() {
    Command bake;
    bake.name = "bake";
    bake.summary = "bake a pie";
    bake.positionals = {"PIE", "which", &pies_, {"apple", "plum"}};
    bake.flags = {{"-o,--oven", "gas|wood", "kind of fire", &oven_},
                  {"--recipe", "CONFIG", "page", &recipe_},
                  {"--shelf", "DIR", "where", &shelf_},
                  {"--minutes", "N", "time", &minutes_},
                  {"--mark", "[cuda:N]", "which mark", &mark_},
                  {"--cream", "", "with cream", &cream_},
                  {"--heat", "PROTOCOL|FILE|high", "how hot", &heat_},
                  {"--fruit", "FRUIT,...", "which", &fruit_, {"plum", "pear"}}};
    Command plugin;
    plugin.name = "plugin";
    plugin.summary = "plugins";
    plugin.positionals = {"ACTION", "what", &pies_, {"list", "info"}, "PLUGIN"};
    Command help;
    help.name = "help";
    help.summary = "show help";
    help.positionals = {"TOPIC", "what", &pies_, {}, "TOPIC"};
    Command hidden;
    hidden.name = "__secret";
    hidden.is_hidden = true;
    interface_.commands = {bake, plugin, help, hidden};
    interface_.global_flags = {{"-v,--verbose", "", "talk", &verbosity_},
                               {"--log", "FILE", "where", &log_}};
    interface_.topics = {{"fruit", "what a pie holds", ""}};
  }

  Completion completed(const Words& words) const {
    return complete(interface_, words, [](const std::string& kind) {
      return kind == "PLUGIN" ? Words{"nope"} : Words{"a.yaml", "b.yaml"};
    });
  }

  /// The words on offer, and ":files" or ":folders", with blanks between.
  std::string offered(const Words& words) const {
    const Completion completion = completed(words);
    Words all;
    for (const Offer& offer : completion.offers) all.push_back(offer.word);
    if (completion.has_files) all.emplace_back(":files");
    if (completion.has_folders) all.emplace_back(":folders");
    return base::join(all, " ");
  }

  Words pies_;
  std::optional<std::string> oven_;
  std::optional<std::string> recipe_;
  std::optional<std::string> shelf_;
  std::optional<std::string> minutes_;
  std::optional<std::string> mark_;
  std::optional<std::string> log_;
  std::optional<std::string> heat_;
  std::optional<std::string> fruit_;
  bool cream_ = false;
  int verbosity_ = 0;
  Interface interface_;
};

TEST_F(CompleteTest, OffersWhatCanStandThere) {
  const struct {
    Words words;
    const char* offered;
  } cases[] = {
      {{}, "bake plugin help"},
      {{""}, "bake plugin help"},
      {{"b"}, "bake plugin help"},  // the shell keeps what fits
      {{"-v", ""}, "bake plugin help"},
      {{"unknown", ""}, "bake plugin help"},
      {{"-"}, "-v --verbose --log"},
      {{"bake", ""}, "apple plum"},
      {{"bake", "apple", ""}, "apple plum"},
      {{"bake", "-"},
       "-o --oven --recipe --shelf --minutes --mark --cream --heat --fruit "
       "-v --verbose --log"},
      {{"bake", "--heat", ""}, "a.yaml b.yaml high :files"},
      {{"bake", "--fruit", "p"}, "plum pear"},
      {{"bake", "--fruit", "plum,p"}, "plum,plum plum,pear"},
      {{"bake", "--oven", "w"}, "gas wood"},
      {{"bake", "-o", ""}, "gas wood"},
      {{"bake", "--oven=w"}, "gas wood"},
      {{"bake", "--oven", "=", "w"}, "gas wood"},
      {{"bake", "--oven", "="}, "gas wood"},
      {{"bake", "--recipe", ""}, "a.yaml b.yaml :files"},
      {{"bake", "--shelf", ""}, ":folders"},
      {{"bake", "--minutes", ""}, ""},
      {{"bake", "--mark", ""}, "apple plum"},  // its value may be left out
      {{"bake", "--cream", ""}, "apple plum"},
      {{"bake", "--", "-"}, "apple plum"},
      {{"--log", ""}, ":files"},
      {{"--log", "bake", ""}, "bake plugin help"},  // the value of a flag is no command
      {{"bake", "--log", "x", ""}, "apple plum"},
      {{"plugin", ""}, "list info"},
      {{"plugin", "info", ""}, "nope"},
      {{"plugin", "-v", "info", ""}, "nope"},
      {{"help", ""}, "bake plugin help fruit"},
      {{"__secret", ""}, "bake plugin help"},
  };
  for (const auto& [words, expected] : cases) {
    EXPECT_EQ(offered(words), expected) << base::join(words, " ");
  }
}

TEST_F(CompleteTest, TextHasALineForEachOffer) {
  EXPECT_EQ(completed({"b"}).text(), "bake\tbake a pie\nplugin\tplugins\nhelp\tshow help\n");
  EXPECT_EQ(completed({"bake", "--recipe", ""}).text(), "a.yaml\nb.yaml\n:files\n");
  EXPECT_EQ(completed({"bake", "--shelf", ""}).text(), ":folders\n");
  EXPECT_EQ(completed({"bake", "--minutes", ""}).text(), "");
}

TEST(Complete, NoTextOfACommandBreaksALine) {
  for (const Command& command : make_commands()) {
    EXPECT_EQ(command.summary.find_first_of("\t\n"), std::string::npos) << command.name;
    for (const Flag& flag : command.flags) {
      EXPECT_EQ(flag.help.find_first_of("\t\n"), std::string::npos) << flag.names;
    }
  }
}

}  // namespace complete_test
}  // namespace graphnet::cli
