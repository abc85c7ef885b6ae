// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/installation.h"

namespace graphnet::cli {

/// True if a word means the sample of this name: its whole name, or its end behind a '/', such as
/// "timm/resnet10t" or "resnet10t".
bool means_sample(const std::string& word, const std::string& name);

/// The names of samples, and the last part of each: what a typo is compared with.
std::vector<std::string> names_and_ends(const std::vector<std::string>& names);

/// The names of the samples in ./samples and of the bundled ones; sorted, each once.
std::vector<std::string> known_samples(const config::Installation& installation);

/// What an argument names: the path itself if something is there; else the sample or folder of
/// samples with this name (means_sample) in ./samples, among the bundled samples, or where the last
/// run in ./results found it.
///
/// errors   kInput: nothing has that name (the nearest is suggested); kUsage: several samples do
base::Result<std::filesystem::path> find_samples(const config::Installation& installation,
                                                 const std::string& argument);

}  // namespace graphnet::cli
