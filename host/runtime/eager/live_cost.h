// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "eager/call_recorder.h"
#include "eager/tape.h"

namespace graphnet::eager {

/// The part of a call's work that no implementation gets around, whatever it fuses or drops: a
/// measured time below what this takes at the machine's peaks is not a measurement of this program.
///
/// It holds for programs as written, not for their algebra: convolutions have forms with up to four
/// times fewer multiplications (Winograd), and a slice of a result may be moved ahead of the
/// product that makes it. Work on weights alone is left out, for it may be done once, at bind.
struct LiveCost {
  double flop = 0;          ///< of all live calls, counted as Plan::flop is
  double product_flop = 0;  ///< of those that multiply and add: products, convolutions, attention
  /// Elements of arguments that live calls read directly, each once, plus the dense outputs. Not
  /// counted are sources of gathers (embedding, index, ...), whose rows depend on data, and
  /// outputs that are arguments or views of them: eager hands them back without a move.
  ///
  /// units    bytes; saturates at 2^63 - 1
  std::int64_t bytes = 0;
};

/// Cost of the calls that the results depend on and that depend on an argument that is no weight.
///
/// shapes   calls: one per instruction of the sealed tape; is_weight: one per argument;
///          output_bytes: of the dense outputs, in the order of the tape's results
LiveCost live_cost(const Tape& tape, const std::vector<RecordedCall>& calls,
                   const std::vector<at::Tensor>& arguments, const std::vector<bool>& is_weight,
                   const std::vector<std::int64_t>& output_bytes);

}  // namespace graphnet::eager
