// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "journal/database.h"
#include "journal/journal_file.h"

namespace graphnet::journal {

/// One column of the SQL view.
struct SqlColumn {
  const char* name;
  const char* type;  ///< TEXT, INTEGER or REAL
  /// Where the value stands in a record as to_json() prints it, as JSON pointer; "": the whole
  /// record. Null: not a member of a record.
  const char* pointer;
  const char* help;  ///< one phrase with the unit
};

/// One table of the SQL view, for help texts.
struct SqlTable {
  const char* name;
  const char* help;
  std::vector<SqlColumn> columns;
};

/// records (one row a record), outputs (one a tensor), trials (one a timed call or block of calls),
/// phases, controls. Their columns are in the order in which SELECT * shows them.
const std::vector<SqlTable>& sql_tables();

/// Runs one SELECT over the records of journals, in a database in memory that holds nothing else.
/// Tables that the query does not mention are not filled.
///
/// A query can neither write nor reach files: anything but reading is refused.
///
/// errors   kUsage: not one SELECT, an error in it (with SQLite's words), or blobs in the result;
///          kEnvironment: no memory
base::Result<SqlResult> run_sql(const std::vector<JournalContent>& journals,
                                const std::string& query);

}  // namespace graphnet::journal
