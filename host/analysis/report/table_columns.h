// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/record.h"

namespace graphnet::report {

enum class Align : std::uint8_t { kLeft, kRight };

/// A column of numbers and words about a record that is ok. All numbers of a column have the same
/// number of decimals.
struct TableColumn {
  const char* name;    ///< as `--columns` takes it
  const char* header;  ///< in the table
  Align align;
  int width;        ///< terminal cells; longer text is not cut
  bool is_default;  ///< shown without `--columns`
  /// `noise_floor`: largest deviation of the last control from 1.
  std::string (*text)(const record::Record& record, double noise_floor);
  const char* help;  ///< one line, for `graphnet help words`
};

/// Every column, in the order of the table.
const std::vector<TableColumn>& table_columns();

/// Those that are shown without `--columns`.
std::vector<TableColumn> default_columns();

/// The columns of a list, "p90,p99": as listed, `verdict` last if it is among them; a list that
/// begins with + comes after the default ones.
///
/// errors   kUsage for a name that is none (the nearest is suggested) or an empty list
base::Result<std::vector<TableColumn>> columns_named(const std::string& list);

/// Whether a record claims a speedup or slowdown below the noise floor.
bool is_noise(const record::Record& record, double noise_floor);

/// What makes a record that is ok doubtful: "degenerate, implausible, fails on 1 of 2 extreme
/// inputs"; empty: nothing.
std::string remarks_of(const record::Record& record);

/// A duration with two decimals: "4.51 us", "611.27 us", "1.84 ms".
///
/// units    nanoseconds
std::string duration_cell(double nanoseconds);

}  // namespace graphnet::report
