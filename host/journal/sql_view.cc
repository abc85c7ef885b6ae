// SPDX-License-Identifier: MIT
#include "journal/sql_view.h"

#include <sqlite3.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <set>

#include "base/text.h"

namespace graphnet::journal {

namespace {

using base::Code;
using base::Json;
using base::Result;
using base::Status;

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

Status sql_error(sqlite3* database, const std::string& what) {
  const bool is_memory = sqlite3_errcode(database) == SQLITE_NOMEM;
  return Status(is_memory ? Code::kEnvironment : Code::kUsage,
                what + ": " + sqlite3_errmsg(database));
}

Result<Statement> prepare(sqlite3* database, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  const int code =
      sqlite3_prepare_v2(database, sql.c_str(), static_cast<int>(sql.size()), &statement, &rest);
  Statement owned(statement);
  if (code != SQLITE_OK) return sql_error(database, "--sql");
  if (owned == nullptr) return Status(Code::kUsage, "--sql: there is no statement");
  if (std::string(rest).find_first_not_of(" \t\r\n;") != std::string::npos) {
    return Status(Code::kUsage, "--sql takes one statement, and this is more");
  }
  return owned;
}

/// Lets a statement read, and notes which tables it does.
struct ReadOnly {
  std::set<std::string> tables;

  static int authorize(void* self, int action, const char* first, const char* /*second*/,
                       const char* /*database*/, const char* /*trigger*/) {
    switch (action) {
      case SQLITE_READ:
        static_cast<ReadOnly*>(self)->tables.insert(first);
        return SQLITE_OK;
      case SQLITE_SELECT:
      case SQLITE_FUNCTION:
      case SQLITE_RECURSIVE:
        return SQLITE_OK;
      default:
        return SQLITE_DENY;
    }
  }
};

void bind_text(sqlite3_stmt* statement, int index, const std::string& text) {
  sqlite3_bind_text64(statement, index, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Numbers that JSON cannot hold stand in records as Python prints them.
bool bind_special_number(sqlite3_stmt* statement, int index, const std::string& text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "nan") {
    sqlite3_bind_null(statement, index);
  } else if (text == "inf" || text == "-inf") {
    sqlite3_bind_double(statement, index, text == "inf" ? kInfinity : -kInfinity);
  } else {
    return false;
  }
  return true;
}

void bind(sqlite3_stmt* statement, int index, const Json& value, const char* type) {
  if (value.is_null()) {
    sqlite3_bind_null(statement, index);
  } else if (value.is_boolean()) {
    sqlite3_bind_int(statement, index, value.get<bool>() ? 1 : 0);
  } else if (value.is_number_float()) {
    sqlite3_bind_double(statement, index, value.get<double>());
  } else if (value.is_number()) {
    sqlite3_bind_int64(statement, index, value.get<std::int64_t>());
  } else if (!value.is_string()) {
    bind_text(statement, index, base::dump_json(value));
  } else if (std::string(type) != "REAL" ||
             !bind_special_number(statement, index, value.get<std::string>())) {
    bind_text(statement, index, value.get<std::string>());
  }
}

/// Inserts rows into one table.
class Filler {
 public:
  static Result<Filler> create(sqlite3* database, const SqlTable& table) {
    std::vector<std::string> marks(table.columns.size(), "?");
    const std::string sql =
        std::string("INSERT INTO ") + table.name + " VALUES (" + base::join(marks, ",") + ")";
    GN_ASSIGN_OR_RETURN(Statement statement, prepare(database, sql));
    return Filler(database, table, std::move(statement));
  }

  Status add(const std::vector<Json>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      bind(statement_.get(), static_cast<int>(i) + 1, row[i], table_.columns[i].type);
    }
    const int code = sqlite3_step(statement_.get());
    sqlite3_reset(statement_.get());
    return code == SQLITE_DONE ? Status::ok() : sql_error(database_, "cannot fill the tables");
  }

 private:
  Filler(sqlite3* database, const SqlTable& table, Statement statement)
      : database_(database), table_(table), statement_(std::move(statement)) {}

  sqlite3* database_;
  const SqlTable& table_;
  Statement statement_;
};

Json at(const Json& json, const char* pointer) {
  const Json::json_pointer where{std::string(pointer)};
  return json.contains(where) ? json[where] : Json();
}

/// One thing to insert: the record as JSON with its number.
struct NumberedRecord {
  std::int64_t id;
  const Json& json;
  record::Counting counting;
};

Status add_record(Filler& filler, const SqlTable& table, const NumberedRecord& record) {
  std::vector<Json> row = {record.id};
  for (std::size_t i = 1; i < table.columns.size(); ++i) {
    const char* pointer = table.columns[i].pointer;
    if (pointer == nullptr) {
      row.emplace_back(record::counting_name(record.counting));
    } else {
      row.push_back(*pointer == '\0' ? Json(base::dump_json(record.json))
                                     : at(record.json, pointer));
    }
  }
  return filler.add(row);
}

/// The columns are lists with an element for each output.
Status add_outputs(Filler& filler, const SqlTable& table, const NumberedRecord& record) {
  std::vector<Json> lists;
  std::size_t count = 0;
  for (std::size_t i = 2; i < table.columns.size(); ++i) {
    lists.push_back(at(record.json, table.columns[i].pointer));
    if (lists.back().is_array()) count = std::max(count, lists.back().size());
  }
  for (std::size_t output = 0; output < count; ++output) {
    std::vector<Json> row = {record.id, output};
    for (const Json& list : lists) {
      row.push_back(list.is_array() && output < list.size() ? list[output] : Json());
    }
    GN_RETURN_IF_ERROR(filler.add(row));
  }
  return Status::ok();
}

Status add_trials(Filler& filler, const SqlTable& /*table*/, const NumberedRecord& record) {
  constexpr const char* kSides[][3] = {
      {"eager", "/eager/trials_ns", "/timing/event_ns/eager"},
      {"plugin", "/plugin_side/trials_ns", "/timing/event_ns/plugin"}};
  for (const auto& [side, pointer, event_pointer] : kSides) {
    const Json trials = at(record.json, pointer);
    const Json events = at(record.json, event_pointer);
    if (!trials.is_array()) continue;
    // Another number of events is another list of calls: nothing says which belong together.
    const bool has_events = events.is_array() && events.size() == trials.size();
    for (std::size_t i = 0; i < trials.size(); ++i) {
      GN_RETURN_IF_ERROR(
          filler.add({record.id, side, i, trials[i], has_events ? events[i] : Json()}));
    }
  }
  return Status::ok();
}

Status add_phases(Filler& filler, const SqlTable& /*table*/, const NumberedRecord& record) {
  const Json phases = at(record.json, "/phases_ns");
  if (!phases.is_object()) return Status::ok();
  for (const auto& [phase, ns] : phases.items()) {
    GN_RETURN_IF_ERROR(filler.add({record.id, phase, ns}));
  }
  return Status::ok();
}

using AddRows = Status (*)(Filler&, const SqlTable&, const NumberedRecord&);

AddRows rows_of(const std::string& table) {
  if (table == "records") return add_record;
  if (table == "outputs") return add_outputs;
  if (table == "trials") return add_trials;
  if (table == "phases") return add_phases;
  return nullptr;
}

Status fill_controls(sqlite3* database, const SqlTable& table,
                     const std::vector<JournalContent>& journals) {
  GN_ASSIGN_OR_RETURN(Filler filler, Filler::create(database, table));
  for (const JournalContent& journal : journals) {
    for (const Control& control : journal.controls) {
      GN_RETURN_IF_ERROR(
          filler.add({control.run_id, control.time_utc, control.threads, control.experiments,
                      control.noise_floor, control.bias, control.coverage}));
    }
  }
  return Status::ok();
}

Status fill(sqlite3* database, const std::set<std::string>& wanted,
            const std::vector<JournalContent>& journals) {
  std::vector<std::pair<Filler, const SqlTable*>> fillers;
  for (const SqlTable& table : sql_tables()) {
    if (wanted.count(table.name) == 0) continue;
    if (rows_of(table.name) == nullptr) {
      GN_RETURN_IF_ERROR(fill_controls(database, table, journals));
      continue;
    }
    GN_ASSIGN_OR_RETURN(Filler filler, Filler::create(database, table));
    fillers.emplace_back(std::move(filler), &table);
  }
  std::int64_t id = 0;
  for (const JournalContent& journal : journals) {
    for (const record::Record& record : journal.records) {
      if (fillers.empty()) return Status::ok();
      const Json json = to_json(record);
      ++id;
      for (auto& [filler, table] : fillers) {
        GN_RETURN_IF_ERROR(rows_of(table->name)(filler, *table, {id, json, record.counting()}));
      }
    }
  }
  return Status::ok();
}

Result<Database> create_database() {
  sqlite3* opened = nullptr;
  const int code =
      sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  Database database(opened);
  if (code != SQLITE_OK) return Status(Code::kEnvironment, "cannot create a database in memory");
  for (const SqlTable& table : sql_tables()) {
    std::vector<std::string> columns;
    for (const SqlColumn& column : table.columns) {
      columns.push_back(std::string(column.name) + " " + column.type);
    }
    const std::string sql =
        std::string("CREATE TABLE ") + table.name + " (" + base::join(columns, ", ") + ")";
    if (sqlite3_exec(opened, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
      return sql_error(opened, "cannot create the tables");
    }
  }
  return database;
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
      return Status(Code::kUsage, "--sql: column " + std::to_string(column + 1) +
                                      " is a blob, which cannot be shown")
          .add_hint("hex(...) makes text of it");
  }
}

Result<SqlResult> fetch(sqlite3* database, sqlite3_stmt* statement) {
  SqlResult result;
  const int num_columns = sqlite3_column_count(statement);
  for (int i = 0; i < num_columns; ++i) {
    result.columns.emplace_back(sqlite3_column_name(statement, i));
  }
  for (;;) {
    const int code = sqlite3_step(statement);
    if (code == SQLITE_DONE) return result;
    if (code != SQLITE_ROW) return sql_error(database, "--sql");
    std::vector<Json>& row = result.rows.emplace_back();
    for (int i = 0; i < num_columns; ++i) {
      GN_ASSIGN_OR_RETURN(Json value, value_of(statement, i));
      row.push_back(std::move(value));
    }
  }
}

}  // namespace

Result<SqlResult> run_sql(const std::vector<JournalContent>& journals, const std::string& query) {
  GN_ASSIGN_OR_RETURN(const Database database, create_database());
  // Once to learn which tables are read, and again when they are filled.
  ReadOnly reads;
  sqlite3_set_authorizer(database.get(), ReadOnly::authorize, &reads);
  GN_RETURN_IF_ERROR(prepare(database.get(), query).status());
  sqlite3_set_authorizer(database.get(), nullptr, nullptr);
  sqlite3_exec(database.get(), "BEGIN", nullptr, nullptr, nullptr);
  GN_RETURN_IF_ERROR(fill(database.get(), reads.tables, journals));
  sqlite3_exec(database.get(), "COMMIT", nullptr, nullptr, nullptr);
  sqlite3_set_authorizer(database.get(), ReadOnly::authorize, &reads);
  GN_ASSIGN_OR_RETURN(const Statement statement, prepare(database.get(), query));
  return fetch(database.get(), statement.get());
}

}  // namespace graphnet::journal
