// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/installation.h"
#include "supervise/run_plan.h"

namespace graphnet::cli {

/// A sample's folder with its name, as records show it; its content's hash and cost are left empty
/// if its files cannot be read, which the worker will find again and record.
supervise::PlannedSample planned_sample(const std::filesystem::path& folder);

/// The samples that arguments name. Each argument is a sample, a folder (every sample below it), or
/// a list (path_list.h). A relative path in a list counts from the list's folder or, if nothing is
/// there, from the current folder.
///
/// order    as given, folders sorted. What a folder brings is left out if it was selected before; a
///          sample that is itself named several times runs as often; a line of a list that names
///          no sample stands for one that cannot be read, and a warning names the line
/// errors   kInput: nothing there, a folder without samples, a list of which no line names a sample
base::Result<std::vector<supervise::PlannedSample>> select_samples(
    const std::vector<std::string>& arguments);

/// The bundled samples' folder as an argument for select_samples().
///
/// errors   kUsage if none are bundled
base::Result<std::string> default_samples(const config::Installation& installation);

}  // namespace graphnet::cli
