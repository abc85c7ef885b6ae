// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"

namespace graphnet::sample {

/// What the files of a sample tell without its program being parsed; cheap enough for thousands.
struct Outline {
  std::string content_sha256;          ///< as Sample::content_sha256
  std::int64_t argument_elements = 0;  ///< of all arguments together
  std::int64_t program_lines = 0;      ///< of model.py

  /// About how long the sample takes in a sweep, for spreading samples over machines.
  ///
  /// units    seconds on one core, roughly
  /// source   rank correlation 0.91 with the time of 127 samples run with one call each (start,
  ///          input generation, first call); their operation counts reach 0.82, and need a plan
  double cost() const {
    constexpr double kStart = 0.2;
    constexpr double kPerElement = 40e-9;
    constexpr double kPerLine = 100e-6;
    return kStart + kPerElement * static_cast<double>(argument_elements) +
           kPerLine * static_cast<double>(program_lines);
  }
};

/// errors   kInput: a file cannot be read, or weight_meta.py is not the known grammar
base::Result<Outline> read_outline(const std::filesystem::path& folder);

/// "heuristic_tag" of a sample's graph_net.json ("computer_vision", "nlp", ...); empty if the file
/// has none or cannot be read.
std::string category_of(const std::filesystem::path& folder);

}  // namespace graphnet::sample
