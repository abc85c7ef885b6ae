// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph/program.h"
#include "sample/tensor_meta.h"

namespace graphnet::sample {

/// Everything read from a sample's folder; nothing is generated yet.
struct Sample {
  std::filesystem::path folder;
  std::string name;            ///< "<family>/<model>", see sample_name()
  std::string family;          ///< first component of the name: "timm", "torchvision", ...
  std::string model_name;      ///< graph_net.json "model_name", else upstream's rule from the path
  std::string content_sha256;  ///< over model.py, weight_meta.py in this order, each preceded by
                               ///< its byte count as decimal text and a newline
  graph::Program program;
  std::vector<TensorMeta> metas;  ///< file order
};

/// Reads and parses one sample.
///
/// errors   kInput; names the missing file, or file:line:column with the offending line and a caret
base::Result<Sample> load_sample(const std::filesystem::path& folder);

/// True if the folder holds both graph_net.json and model.py.
///
/// source   upstream path_utils
bool is_sample(const std::filesystem::path& folder);

/// All samples at or below `root`, sorted by path; does not descend into a sample.
///
/// errors   kInput if root does not exist, or holds no sample (the message says what makes one)
base::Result<std::vector<std::filesystem::path>> discover(const std::filesystem::path& root);

/// Name of a sample in records: the path below the nearest ancestor called "samples", else the
/// last two components; '/' separators.
std::string sample_name(const std::filesystem::path& folder);

}  // namespace graphnet::sample
