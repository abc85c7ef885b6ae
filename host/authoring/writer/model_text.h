// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "graph/program.h"

namespace graphnet::writer {

/// Which of upstream's programs a text looks as if it was written by.
enum class TextStyle : std::uint8_t {
  kTraced,  ///< torch.fx's printer: extractor, decomposers, dtype generaliser, backward extractor
  kRewritten,  ///< Python's ast.unparse(): renamer, device rewriter
};

/// The text of a model.py. Parsed, it is the same program; positions and names that two words of
/// Python have for one thing (`torch.float`, `...`) apart. Upstream's own text of the style is
/// reproduced byte by byte.
///
/// source   GraphNet (torch) extractor, ast_graph_variable_renamer; torch.fx graph printer
std::string model_text(const graph::Program& program, TextStyle style);

/// forward() alone as torch.fx prints it, before it is put into a class: the text whose digest the
/// dtype generaliser stores in graph_hash.txt.
std::string traced_code(const graph::Program& program);

}  // namespace graphnet::writer
