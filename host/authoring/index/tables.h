// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace graphnet::index {

/// An index of a table, for SQLite.
struct TableIndex {
  const char* name;
  const char* columns;
  bool is_unique = false;
};

/// A table of an index of samples. The columns' order is that of INSERT.
struct Table {
  const char* name;
  std::vector<const char*> columns;  ///< "uuid VARCHAR(255) NOT NULL PRIMARY KEY"
  std::vector<const char*> keys;     ///< what concerns several columns, foreign keys
  std::vector<TableIndex> indexes;
};

/// Upstream's tables, so that its scripts read and extend our files. `deleted` is 1 for a row that
/// is to be ignored; ours are 0. backward_graph_source has no rows, as nothing of upstream's fills
/// it.
///
/// source   GraphNet sqlite/migrates
const std::vector<Table>& tables();

}  // namespace graphnet::index
