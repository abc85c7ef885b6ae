// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sample/tensor_meta.h"
#include "writer/model_text.h"

namespace graphnet::writer {

/// The text of a weight_meta.py or input_meta.py; an empty list gives an empty file. Parsed, it is
/// the same list. Numbers have upstream's three and six decimals where these say what the number
/// is, and Python's repr() where they do not.
///
/// order    as given
/// source   GraphNet (torch) extractor for kTraced; for kRewritten its renamer, decomposers and
///          dtype generaliser, which leave `data = None` out
std::string meta_text(const std::vector<sample::TensorMeta>& metas, TextStyle style);

}  // namespace graphnet::writer
