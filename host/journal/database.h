// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace graphnet::journal {

/// What a query gave.
struct SqlResult {
  std::vector<std::string> columns;
  std::vector<std::vector<base::Json>> rows;  ///< null, integer, float or string
};

struct CloseDatabase {
  void operator()(sqlite3* database) const;
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const;
};
using SqlStatement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

/// A database of SQLite. Messages of errors are SQLite's own.
class Database {
 public:
  /// An empty one in memory.
  ///
  /// errors   kEnvironment: no memory
  static base::Result<Database> in_memory();

  /// A file, for reading.
  ///
  /// errors   kInput: it cannot be opened, or is no database
  static base::Result<Database> open_file(const std::filesystem::path& file);

  /// Runs statements that give nothing.
  ///
  /// errors   kInput; kEnvironment: no memory
  base::Status execute(const std::string& sql);

  /// errors   kInput: not one statement, or an error in it; kEnvironment: no memory
  base::Result<SqlStatement> prepare(const std::string& sql) const;

  /// Runs one statement and fetches what it gives.
  ///
  /// errors   as prepare(); kInput: a value is a blob
  base::Result<SqlResult> query(const std::string& sql) const;

  /// What a file of it would hold.
  ///
  /// errors   kEnvironment: no memory
  base::Result<std::string> file_bytes() const;

  /// What SQLite says of the last failure.
  ///
  /// errors   kInput; kEnvironment: no memory
  base::Status error() const;

  sqlite3* handle() const { return database_.get(); }

 private:
  explicit Database(sqlite3* database) : database_(database) {}

  std::unique_ptr<sqlite3, CloseDatabase> database_;
};

/// Inserts rows into one table of a database, which outlives it.
class Insertion {
 public:
  /// errors   as Database::prepare(): no such table, or another number of columns
  static base::Result<Insertion> create(const Database& database, const std::string& table,
                                        std::size_t num_columns);

  /// Null, bool, number and string become such; lists and objects their JSON.
  ///
  /// errors   kInput: a constraint of the table; kEnvironment: no memory
  base::Status add(const std::vector<base::Json>& row);

 private:
  Insertion(const Database& database, SqlStatement statement)
      : database_(&database), statement_(std::move(statement)) {}

  const Database* database_;
  SqlStatement statement_;
};

}  // namespace graphnet::journal
