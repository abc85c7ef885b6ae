// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "cli/command.h"

namespace graphnet::cli {

/// The action with this name; null if the command has none such.
const Action* find_action(const Command& command, const std::string& name);

/// The action as a command of its own: with its flags, and the examples that begin with it.
Command command_of(const Command& command, const Action& action);

enum class ActionText { kSummary, kDescription };

/// `command` with its actions in its usage and description, and at each flag those that have it.
/// What has no actions stays as it is.
Command with_actions(const Command& command, ActionText text);

}  // namespace graphnet::cli
