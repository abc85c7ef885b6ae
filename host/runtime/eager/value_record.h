// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/result.h"
#include "eager/engine.h"
#include "graph/program.h"

namespace graphnet::eager {

/// Tensors of fewer elements are recorded with all of them, whatever is asked for.
///
/// source   GraphNet extractor
inline constexpr std::int64_t kFewElements = 64;

/// What a variable held between two statements of a run.
struct ValueRecord {
  enum class Kind : std::uint8_t {
    kPlain,     ///< a value without tensors: a number, a size, a type
    kTensor,    ///< one tensor
    kSequence,  ///< a tuple or list with tensors in it
  };
  Kind kind = Kind::kPlain;
  std::string plain;               ///< kPlain: the value as Python writes it
  bool is_list = false;            ///< kSequence
  std::vector<ValueRecord> items;  ///< kSequence

  // kTensor
  std::string dtype;  ///< "float32"; of libtorch's if the host has no name for it
  std::vector<std::int64_t> shape;
  std::optional<double> mean;       ///< floats
  std::optional<double> deviation;  ///< floats; unbiased, 0 of at most one element
  std::optional<double> lowest;     ///< floats, finite ones
  std::optional<double> highest;
  std::optional<std::int64_t> lowest_integer;  ///< integers
  std::optional<std::int64_t> highest_integer;
  /// Row-major, as Python writes them with blanks between; empty: not recorded.
  std::string elements;
};

/// Variables to record just before a statement runs; the number of statements stands for the end.
struct RecordPoint {
  std::size_t statement = 0;
  std::vector<graph::VariableId> variables;
};

/// The variables that had memory to which a statement wrote, other names and views included.
struct StatementWrites {
  std::size_t statement = 0;
  std::vector<graph::VariableId> variables;
};

struct ValueRecords {
  std::vector<std::vector<ValueRecord>> values;  ///< as the points and their variables
  std::vector<StatementWrites> writes;           ///< ascending
};

/// Runs a program once and records values inside it. `most_elements`: larger tensors are recorded
/// without their elements. Arguments that are written to are put back.
///
/// shapes   arguments: one per parameter, in signature order
/// order    points: ascending by statement
/// errors   as Engine::run()
base::Result<ValueRecords> record_values(const graph::Program& program,
                                         const std::vector<EngineArgument>& arguments,
                                         const std::vector<RecordPoint>& points,
                                         std::int64_t most_elements);

}  // namespace graphnet::eager
