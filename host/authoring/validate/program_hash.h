// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/program.h"

namespace graphnet::validate {

/// A program's text without anything that its authors may choose: parameters are a0, a1, ... in
/// the order of the signature, values v0, v1, ... in the order in which they are made; annotations,
/// releases and second names of a value are left out. Shapes and dtypes are no part of a program.
std::string canonical_text(const graph::Program& program);

/// SHA-256 of canonical_text(): equal for programs that differ in names, formatting and releases
/// only, so also for a sample before and after upstream's renaming.
std::string program_hash(const graph::Program& program);

/// Texts of which upstream's tools store the SHA-256 in graph_hash.txt.
enum class HashDefinition : std::uint8_t { kFile, kTraced, kRetraced, kRetracedStable };

struct DefinitionRow {
  HashDefinition definition;
  const char* word;
  const char* what;  ///< the text, and who stores its hash
};
inline constexpr DefinitionRow kHashDefinitions[] = {
    {HashDefinition::kFile, "file", "model.py as it is: renamers, generalisers, agent"},
    {HashDefinition::kTraced, "traced", "torch.fx's text of forward(): dtype generaliser"},
    {HashDefinition::kRetraced, "retraced",
     "forward() traced again with numbered parameters: validate before public names"},
    {HashDefinition::kRetracedStable, "retraced-stable",
     "the same with public names of private functions: validate today"},
};

/// What upstream would store for a sample by a definition. The two of kRetraced need what
/// TorchDynamo makes of the program; they are upstream's where that is the program itself, which it
/// is not for data-dependent sizes, `item()` and vmap.
///
/// source   GraphNet validate, dump_graph_hash, fx_graph_serialize_util; of 150 stored samples 122
///          have the hash of one of the two
std::string upstream_hash(const graph::Program& program, std::string_view model_py,
                          HashDefinition definition);

/// The word of the definition by which a stored hash is the sample's; empty if it is none's.
std::string_view definition_of(std::string_view stored, const graph::Program& program,
                               std::string_view model_py);

}  // namespace graphnet::validate
