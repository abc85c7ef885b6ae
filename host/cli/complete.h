// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace graphnet::cli {

/// A word that can stand at the cursor.
struct Offer {
  std::string word;
  std::string description;  ///< may be empty
};

/// What can stand at the cursor.
struct Completion {
  std::vector<Offer> offers;
  bool has_files = false;  ///< files and folders too
  bool has_folders = false;

  /// The form that the scripts of `graphnet completion` read: a line for each offer, a tab before
  /// its description; then ":files" or ":folders".
  std::string text() const;
};

/// Names that change with installation and folder, of kind "SAMPLE", "CONFIG", "PROTOCOL",
/// "BACKEND" or "PLUGIN" (see Flag::value).
using ListNames = std::function<std::vector<std::string>(const std::string& kind)>;

/// What the last of `words` may become, whatever that is so far: the shell keeps
/// what fits to it. Hidden commands are left out. Silent about every mistake.
///
/// `words` without the program's name; "--flag=value" as one word, or as three, as bash has it.
Completion complete(const Interface& interface, const std::vector<std::string>& words,
                    const ListNames& list_names);

}  // namespace graphnet::cli
