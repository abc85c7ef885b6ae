// SPDX-License-Identifier: MIT
#include "cli/actions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/help_text.h"
#include "cli/manual_text.h"
#include "support/mentions.h"

namespace graphnet::cli {
namespace actions_test {

using tests::contains;
using tests::mentions;

TEST(Actions, HaveHelpOfTheirOwn) {
  const std::vector<Command> commands = make_commands();
  const auto command = std::find_if(commands.begin(), commands.end(),
                                    [](const Command& one) { return one.name == "sample"; });
  ASSERT_NE(command, commands.end());
  EXPECT_EQ(find_action(*command, "hsah"), nullptr);
  const Action* hash = find_action(*command, "hash");
  ASSERT_NE(hash, nullptr);
  const std::string own = command_help(command_of(*command, *hash), {});
  EXPECT_TRUE(mentions(own, {"usage: graphnet sample hash DIR...", "--by", "TorchDynamo"})) << own;
  EXPECT_FALSE(contains(own, "--against")) << own;
  EXPECT_FALSE(contains(own, "sample repair")) << own;

  const std::string all = command_help(*command, {});
  EXPECT_TRUE(mentions(all, {"usage: graphnet sample ACTION DIR...", hash->summary,
                             "repair, dedup, rename, convert: change"}))
      << all;
  EXPECT_FALSE(contains(all, "TorchDynamo")) << "the action's own help says it";
  EXPECT_TRUE(contains(command_man(*command, {}), "TorchDynamo"));
}

TEST(Actions, HaveFlagsOfTheirCommandOnly) {
  for (const Command& command : make_commands()) {
    for (const Action& action : command.actions) {
      EXPECT_EQ(command_of(command, action).flags.size(), action.flags.size()) << action.name;
      EXPECT_FALSE(action.summary.empty() || action.description.empty()) << action.name;
    }
  }
}

}  // namespace actions_test
}  // namespace graphnet::cli
