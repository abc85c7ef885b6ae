// SPDX-License-Identifier: MIT
#include "journal/finished_tasks.h"

#include <string_view>

#include "base/file.h"
#include "base/json.h"
#include "journal/journal_lines.h"

namespace graphnet::journal {

namespace {

using base::Code;
using base::Result;
using base::Status;

/// Takes the members in front of a record's first object and stops the parser there.
class HeadReader : public nlohmann::json_sax<base::Json> {
 public:
  std::string schema;
  std::string task_key;
  std::string outcome;
  std::string phase;
  std::int64_t attempt = 1;

  bool key(string_t& name) override {
    text_ = name == "schema"     ? &schema
            : name == "task_key" ? &task_key
            : name == "outcome"  ? &outcome
            : name == "phase"    ? &phase
                                 : nullptr;
    is_attempt_ = name == "attempt";
    return true;
  }
  bool string(string_t& value) override {
    if (text_ != nullptr) *text_ = value;
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (is_attempt_) attempt = static_cast<std::int64_t>(value);
    return true;
  }
  bool start_object(std::size_t /*size*/) override { return ++depth_ == 1; }
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t /*size*/) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    error_position = position;
    return false;
  }

  std::size_t error_position = 0;  // 0: none

 private:
  std::string* text_ = nullptr;
  bool is_attempt_ = false;
  int depth_ = 0;
};

Status add_line(std::string_view line, FinishedTasks& tasks) {
  HeadReader head;
  base::Json::sax_parse(line.begin(), line.end(), &head);
  if (head.error_position > 0) {
    return Status(Code::kInput, "record: not JSON at byte " + std::to_string(head.error_position));
  }
  if (head.schema.rfind("graphnet.control/", 0) == 0) return Status::ok();
  if (head.task_key.empty()) {
    ++tasks.num_without_key;
    return Status::ok();
  }
  FinishedTask& task = tasks.by_key[head.task_key];
  task.attempts = std::max(task.attempts, static_cast<int>(head.attempt));
  const record::Word<record::Outcome> outcome(head.outcome);
  const record::Word<record::Phase> phase(head.phase);
  const bool settles = !record::leaves_open(outcome, phase);
  if (settles || task.is_open) task.outcome = outcome;
  task.is_open = task.is_open && !settles;
  return Status::ok();
}

/// True if the writer was killed before it had written the first line.
bool was_barely_begun(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return true;
  const auto text = base::read_file(path, kMaxHeaderBytes);
  if (!text.is_ok() || text->find('\n') != std::string::npos) return false;
  const std::string start = std::string("{\"schema\":\"") + kJournalFamily + "/";
  return text->empty() || text->rfind(start, 0) == 0;
}

}  // namespace

Result<FinishedTasks> read_finished_tasks(const std::filesystem::path& path) {
  FinishedTasks tasks;
  if (was_barely_begun(path)) return tasks;
  GN_ASSIGN_OR_RETURN(JournalHead head,
                      visit_journal(path, [&](std::string_view line, std::size_t) {
                        return add_line(line, tasks);
                      }));
  tasks.notes = std::move(head.notes);
  return tasks;
}

}  // namespace graphnet::journal
