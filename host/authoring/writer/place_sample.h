// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "base/status.h"
#include "sample/sample.h"
#include "writer/model_text.h"
#include "writer/write_sample.h"

namespace graphnet::writer {

// Whole samples put in place or taken away in one step, so that no reader sees a part of one. What
// is not finished yet is in a folder ".graphnet-XXXXXX" beside.

/// Writes a sample, as write_sample(), into a folder that is not there; its parents are made.
///
/// errors   kUsage: something has this name; kInput, kEnvironment as write_sample()
base::Status write_new_sample(const sample::Sample& sample, TextStyle style,
                              const std::filesystem::path& folder, const FileTexts& others = {});

/// Writes a sample, as write_sample(), in place of what is in `sample.folder`.
///
/// errors   kInput: the folder holds folders, which would be lost; kEnvironment: the file system
///          cannot exchange two folders; as write_sample()
base::Status replace_sample(const sample::Sample& sample, TextStyle style);

/// Removes a sample.
///
/// errors   kInput: the folder holds folders; kEnvironment: it cannot be moved
base::Status remove_sample(const std::filesystem::path& folder);

/// Whether a sample can be replaced or removed without loss of what is not part of it.
///
/// errors   kInput: the folder holds folders; kEnvironment: it cannot be read
base::Status check_no_folders(const std::filesystem::path& folder);

}  // namespace graphnet::writer
