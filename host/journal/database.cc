// SPDX-License-Identifier: MIT
#include "journal/database.h"

#include <sqlite3.h>

#include <utility>

#include "base/text.h"

namespace graphnet::journal {

using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

void bind_text(sqlite3_stmt* statement, int index, const std::string& text) {
  sqlite3_bind_text64(statement, index, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void bind(sqlite3_stmt* statement, int index, const Json& value) {
  if (value.is_null()) {
    sqlite3_bind_null(statement, index);
  } else if (value.is_boolean()) {
    sqlite3_bind_int(statement, index, value.get<bool>() ? 1 : 0);
  } else if (value.is_number_float()) {
    sqlite3_bind_double(statement, index, value.get<double>());
  } else if (value.is_number()) {
    sqlite3_bind_int64(statement, index, value.get<std::int64_t>());
  } else {
    bind_text(statement, index, base::text_of(value));
  }
}

Result<Json> value_of(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return Json(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT:
      return Json(sqlite3_column_double(statement, column));
    case SQLITE_NULL:
      return Json();
    case SQLITE_TEXT: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
      return Json(std::string(text, size));
    }
    default:
      return Status(Code::kInput,
                    "column " + std::to_string(column + 1) + " is a blob, which cannot be shown")
          .add_hint("hex(...) makes text of it");
  }
}

}  // namespace

void CloseDatabase::operator()(sqlite3* database) const {
  sqlite3_close_v2(database);
}

void FinalizeStatement::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Result<Database> Database::in_memory() {
  sqlite3* opened = nullptr;
  const int code =
      sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  Database database(opened);
  if (code != SQLITE_OK) return Status(Code::kEnvironment, "cannot create a database in memory");
  return database;
}

Result<Database> Database::open_file(const std::filesystem::path& file) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READONLY, nullptr);
  Database database(opened);
  if (code != SQLITE_OK) return database.error();
  // A file is opened without a look at it; this reads its header.
  GN_RETURN_IF_ERROR(database.query("SELECT count(*) FROM sqlite_schema").status());
  return database;
}

Status Database::error() const {
  if (database_ == nullptr) return Status(Code::kEnvironment, "no memory for a database");
  const bool is_memory = sqlite3_errcode(database_.get()) == SQLITE_NOMEM;
  return Status(is_memory ? Code::kEnvironment : Code::kInput, sqlite3_errmsg(database_.get()));
}

Status Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? Status::ok() : error();
}

Result<SqlStatement> Database::prepare(const std::string& sql) const {
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  const int code = sqlite3_prepare_v2(database_.get(), sql.c_str(), static_cast<int>(sql.size()),
                                      &statement, &rest);
  SqlStatement owned(statement);
  if (code != SQLITE_OK) return error();
  if (owned == nullptr) return Status(Code::kInput, "there is no statement");
  if (std::string(rest).find_first_not_of(" \t\r\n;") != std::string::npos) {
    return Status(Code::kInput, "this is more than one statement");
  }
  return owned;
}

Result<SqlResult> Database::query(const std::string& sql) const {
  GN_ASSIGN_OR_RETURN(const SqlStatement statement, prepare(sql));
  SqlResult result;
  const int num_columns = sqlite3_column_count(statement.get());
  for (int i = 0; i < num_columns; ++i) {
    result.columns.emplace_back(sqlite3_column_name(statement.get(), i));
  }
  for (;;) {
    const int code = sqlite3_step(statement.get());
    if (code == SQLITE_DONE) return result;
    if (code != SQLITE_ROW) return error();
    std::vector<Json>& row = result.rows.emplace_back();
    for (int i = 0; i < num_columns; ++i) {
      GN_ASSIGN_OR_RETURN(Json value, value_of(statement.get(), i));
      row.push_back(std::move(value));
    }
  }
}

Result<std::string> Database::file_bytes() const {
  struct Free {
    void operator()(unsigned char* bytes) const { sqlite3_free(bytes); }
  };
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, Free> bytes(
      sqlite3_serialize(database_.get(), "main", &size, 0));
  if (bytes == nullptr) return Status(Code::kEnvironment, "no memory to write a database");
  return std::string(reinterpret_cast<const char*>(bytes.get()), static_cast<std::size_t>(size));
}

Result<Insertion> Insertion::create(const Database& database, const std::string& table,
                                    std::size_t num_columns) {
  const std::vector<std::string> marks(num_columns, "?");
  const std::string sql = "INSERT INTO " + table + " VALUES (" + base::join(marks, ",") + ")";
  GN_ASSIGN_OR_RETURN(SqlStatement statement, database.prepare(sql));
  return Insertion(database, std::move(statement));
}

Status Insertion::add(const std::vector<Json>& row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    bind(statement_.get(), static_cast<int>(i) + 1, row[i]);
  }
  const int code = sqlite3_step(statement_.get());
  const Status status = code == SQLITE_DONE ? Status::ok() : database_->error();
  sqlite3_reset(statement_.get());
  return status;
}

}  // namespace graphnet::journal
