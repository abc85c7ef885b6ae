// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/json.h"
#include "base/status.h"
#include "sample/sample.h"
#include "writer/model_text.h"

namespace graphnet::writer {

/// Texts by file name.
using FileTexts = std::map<std::string, std::string>;

/// The labels of a sample: its graph_net.json.
///
/// errors   kInput: it cannot be read or is no JSON
base::Result<base::Json> read_labels(const std::filesystem::path& folder);

/// The text of a graph_net.json: four spaces a level, no final line end.
std::string labels_text(const base::Json& labels);

/// What upstream's tools of the style store in graph_hash.txt: of traced_code() for kTraced, of the
/// whole model.py for kRewritten.
std::string stored_hash(const graph::Program& program, TextStyle style);

/// Writes a sample: model.py, weight_meta.py and graph_hash.txt from `sample`, and graph_net.json
/// with the labels of `sample.folder`. What no program describes (input_meta.py,
/// input_tensor_constraints.py, subgraph_sources.json) is copied; of these the first two are empty
/// if they are not there, as upstream's extractor writes them. `others` are written besides, in
/// place of copies.
///
/// errors   kInput: graph_net.json cannot be read or is no JSON; kEnvironment: a file cannot be
/// written
base::Status write_sample(const sample::Sample& sample, TextStyle style,
                          const std::filesystem::path& folder, const FileTexts& others = {});

}  // namespace graphnet::writer
