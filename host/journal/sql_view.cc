// SPDX-License-Identifier: MIT
#include "journal/sql_view.h"

#include <sqlite3.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace graphnet::journal {

namespace {

using base::Code;
using base::Json;
using base::Result;
using base::Status;

/// The query is the user's, so what is wrong with it is a wrong command line.
Status as_usage(const Status& status) {
  if (status.code() != Code::kInput) return status;
  Status usage(Code::kUsage, "--sql: " + status.message());
  for (const std::string& hint : status.hints()) usage.add_hint(hint);
  return usage;
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

/// Numbers that JSON cannot hold stand in records as Python prints them.
Json number_of(Json value) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (value == "nan") return {};
  if (value == "inf") return kInfinity;
  if (value == "-inf") return -kInfinity;
  return value;
}

/// Inserts rows into one table.
class Filler {
 public:
  static Result<Filler> create(const Database& database, const SqlTable& table) {
    GN_ASSIGN_OR_RETURN(Insertion insertion,
                        Insertion::create(database, table.name, table.columns.size()));
    return Filler(table, std::move(insertion));
  }

  Status add(std::vector<Json> row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (std::string_view(table_.columns[i].type) == "REAL") row[i] = number_of(row[i]);
    }
    return insertion_.add(row);
  }

 private:
  Filler(const SqlTable& table, Insertion insertion)
      : table_(table), insertion_(std::move(insertion)) {}

  const SqlTable& table_;
  Insertion insertion_;
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

Status fill_controls(const Database& database, const SqlTable& table,
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

Status fill(const Database& database, const std::set<std::string>& wanted,
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
  GN_ASSIGN_OR_RETURN(Database database, Database::in_memory());
  for (const SqlTable& table : sql_tables()) {
    std::vector<std::string> columns;
    for (const SqlColumn& column : table.columns) {
      columns.push_back(std::string(column.name) + " " + column.type);
    }
    GN_RETURN_IF_ERROR(database.execute(std::string("CREATE TABLE ") + table.name + " (" +
                                        base::join(columns, ", ") + ")"));
  }
  return database;
}

}  // namespace

Result<SqlResult> run_sql(const std::vector<JournalContent>& journals, const std::string& query) {
  GN_ASSIGN_OR_RETURN(Database database, create_database());
  // Once to learn which tables are read, and again when they are filled.
  ReadOnly reads;
  sqlite3_set_authorizer(database.handle(), ReadOnly::authorize, &reads);
  const Status status = database.prepare(query).status();
  if (!status.is_ok()) return as_usage(status);
  sqlite3_set_authorizer(database.handle(), nullptr, nullptr);
  GN_RETURN_IF_ERROR(database.execute("BEGIN"));
  GN_RETURN_IF_ERROR(fill(database, reads.tables, journals));
  GN_RETURN_IF_ERROR(database.execute("COMMIT"));
  sqlite3_set_authorizer(database.handle(), ReadOnly::authorize, &reads);
  Result<SqlResult> result = database.query(query);
  if (!result.is_ok()) return as_usage(result.status());
  return result;
}

}  // namespace graphnet::journal
