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

/// The samples that arguments name. Each argument is a sample, a folder (every sample below it), a
/// name of either as tables print it (find_samples()), or a list (path_list.h). A relative path in
/// a list counts from the list's folder or, if nothing is there, as an argument.
///
/// order    as given, folders sorted; a sample that is named several times is there once; a line of
///          a list that names no sample stands for one that cannot be read, and a warning names the
///          line. Names that several folders would share begin with more of their folders.
/// errors   kInput: nothing there, a folder without samples, a list of which no line names a
///          sample; kUsage: a name that several samples have
base::Result<std::vector<supervise::PlannedSample>> select_samples(
    const config::Installation& installation, const std::vector<std::string>& arguments);

/// Leaves the samples whose name fits a pattern: with *, ? or [ a glob for the name or its last
/// part, else a part of the name; capitals count as small letters.
///
/// errors   kInput: no name fits
base::Status keep_matching(const std::string& pattern,
                           std::vector<supervise::PlannedSample>& samples);

/// The bundled samples' folder as an argument for select_samples().
///
/// errors   kUsage if none are bundled
base::Result<std::string> default_samples(const config::Installation& installation);

}  // namespace graphnet::cli
