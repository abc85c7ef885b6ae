// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace graphnet::cli {

/// The topics of `graphnet help`: the files topics/NAME.md, whose first line is "# NAME: summary".
/// The words of all tables (words_text.h) follow the text of topic `words`.
///
/// order    as in CMakeLists.txt
std::vector<Topic> make_topics();

/// One file as a topic; one that does not begin as it has to has no summary.
Topic parse_topic(const std::string& name, const std::string& text);

}  // namespace graphnet::cli
