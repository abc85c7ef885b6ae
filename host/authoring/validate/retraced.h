// SPDX-License-Identifier: MIT
#pragma once

#include "graph/program.h"

namespace graphnet::validate {

/// The program as TorchDynamo gives it to upstream's extractor when a sample's forward() is traced
/// again with numbered parameters: those that are not read are gone, parameter i is v<2i> with the
/// annotation torch.Tensor and has a second name v<2i+1>, by which it is read.
///
/// source   GraphNet extractor (placeholder auto-rename); torch.fx graph printer
graph::Program retraced(const graph::Program& program);

}  // namespace graphnet::validate
