// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "graph/program.h"
#include "sample/tensor_meta.h"
#include "split/liveness.h"

namespace graphnet::split {

/// What a variable held at one place of a run, as a piece needs it.
struct RecordedValue {
  enum class Kind { kNothing, kPlain, kTensor, kSequence };
  Kind kind = Kind::kPlain;          ///< kNothing: of RecordPoint::if_written, it was not
  graph::Expression plain;           ///< kPlain
  sample::TensorMeta meta;           ///< kTensor; without names and device
  bool is_list = false;              ///< kSequence
  std::vector<RecordedValue> items;  ///< kSequence
};

/// Variables to record just before a statement runs.
struct RecordPoint {
  std::size_t statement = 0;
  std::vector<graph::VariableId> variables;
  std::size_t end = 0;
  /// Recorded too, behind `variables`, if a statement of [statement, end) writes to their memory.
  std::vector<graph::VariableId> if_written;
};

/// What a run recorded.
struct Records {
  std::vector<std::vector<RecordedValue>> values;  ///< as the points
  /// By statement, ascending: the variables to whose memory it wrote.
  std::vector<std::pair<std::size_t, Variables>> writes;
};

/// The arguments of the worker's request record_values, the sample's folder left out.
base::Json points_json(const std::vector<RecordPoint>& points);

/// Reads its answer.
///
/// errors   kInternal: not such an answer; kUnsupported: an element type that metadata cannot name
base::Result<Records> read_records(const base::Json& answer);

}  // namespace graphnet::split
