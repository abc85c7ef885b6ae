// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace graphnet::validate {

enum class FindingKind : std::uint8_t {
  kMissingFile,
  kLabels,
  kModel,
  kMetadata,
  kConstraints,
  kSources,
  kHash,
  kNoMetadata,
  kNoParameter,
  kClassName,
  kExtent,
  kDevice,
  kLiteral,
  kMoments,
  kShape,
  kNoResult,
  kName,
  kRedundant,
  kRun,
  kNotFinite,
};

struct FindingRow {
  FindingKind kind;
  const char* word;  ///< in tables and JSON
  const char* what;  ///< one phrase, for the manual
};

/// One row for each kind, in the order of the enum.
inline constexpr FindingRow kFindings[] = {
    {FindingKind::kMissingFile, "missing-file", "a file of a complete sample is not there"},
    {FindingKind::kLabels, "labels", "graph_net.json is not what upstream reads"},
    {FindingKind::kModel, "model", "model.py cannot be read"},
    {FindingKind::kMetadata, "metadata", "weight_meta.py or input_meta.py cannot be read"},
    {FindingKind::kConstraints, "constraints", "input_tensor_constraints.py cannot be read"},
    {FindingKind::kSources, "sources", "subgraph_sources.json cannot be read"},
    {FindingKind::kHash, "hash", "graph_hash.txt is no SHA-256"},
    {FindingKind::kNoMetadata, "no-metadata", "a parameter has no class in weight_meta.py"},
    {FindingKind::kNoParameter, "no-parameter", "a class belongs to no parameter of forward()"},
    {FindingKind::kClassName, "class-name", "a class name differs from its tensor's name"},
    {FindingKind::kExtent, "extent", "a torch.SymInt is not one int64"},
    {FindingKind::kDevice, "device", "neither cpu nor cuda"},
    {FindingKind::kLiteral, "literal", "values do not fit the dtype"},
    {FindingKind::kMoments, "moments", "mean, std or bounds that no values can have"},
    {FindingKind::kShape, "shape", "constraints and metadata differ"},
    {FindingKind::kNoResult, "no-result", "forward() returns no tensor"},
    {FindingKind::kName, "name", "a name that a shell would split or expand"},
    {FindingKind::kRedundant, "redundant", "another sample has the same program"},
    {FindingKind::kRun, "run", "an eager run fails or takes too long"},
    {FindingKind::kNotFinite, "not-finite", "an output of the run has NaN or infinity"},
};

inline const FindingRow& row_of(FindingKind kind) {
  return kFindings[static_cast<std::size_t>(kind)];
}

/// What is wrong with a sample.
struct Finding {
  FindingKind kind = FindingKind::kMissingFile;
  std::string file;     ///< below the sample's folder; empty: the folder itself
  std::string message;  ///< may have several lines: a source line with a caret
};

}  // namespace graphnet::validate
