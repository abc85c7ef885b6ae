// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "record/record.h"

namespace graphnet::report {

enum class Align : std::uint8_t { kLeft, kRight };

/// In which tables a column stands.
enum class Shown : std::uint8_t {
  kAlways,
  kPaired,    ///< with a protocol of method `paired`
  kUpstream,  ///< without one
  kReplays,   ///< with a protocol that replays captured calls
};

/// A column of numbers and words about a record that is ok.
struct TableColumn {
  const char* header;
  Align align;
  int width;  ///< terminal cells; longer text is not cut
  Shown shown;
  /// `noise_floor`: largest deviation of the last control from 1.
  std::string (*text)(const record::Record& record, double noise_floor);
};

/// Those of a table, from left to right.
std::vector<TableColumn> table_columns(bool is_paired, bool has_replays);

/// One line of cells, each after a gap of two blanks.
std::string cells_text(const std::vector<TableColumn>& columns,
                       const std::function<std::string(const TableColumn&)>& text);

/// Whether a record claims a speedup or slowdown below the noise floor.
bool is_noise(const record::Record& record, double noise_floor);

/// What makes a record that is ok doubtful: "degenerate, implausible, fails on 1 of 2 extreme
/// inputs"; empty: nothing.
std::string remarks_of(const record::Record& record);

}  // namespace graphnet::report
