// SPDX-License-Identifier: MIT
// The channel between supervisor and worker, both directions: the first byte says how many bytes
// arrive at a time.
#include "journal/worker_message.h"

#include "fuzz/promise.h"
#include "journal/worker_request.h"
#include "record/record.h"
#include "supervise/line_reader.h"

namespace graphnet::fuzz {
namespace {

constexpr std::size_t kMaxLineBytes = 4096;

void check_task(const base::Json& json) {
  const auto task = journal::task_from_json(json);
  if (!task.is_ok()) {
    expect_clear_failure(task.status(), "task", "", false);
    return;
  }
  expect(task->threads >= 1 && task->trials >= 1 && task->warmup >= 0, "a task can be done");
  const std::string text = base::dump_json(journal::to_json(*task));
  const auto reread = base::parse_json(text, "task");
  expect(reread.is_ok(), "a printed task is JSON");
  const auto again = journal::task_from_json(*reread);
  expect(again.is_ok() && base::dump_json(journal::to_json(*again)) == text,
         "a printed task reads the same");
}

void check_event(const base::Json& json) {
  if (!json.is_object()) return;
  const auto member = json.find("record");
  if (member == json.end()) return;
  const auto record = record::record_from_json(*member);
  if (!record.is_ok()) {
    expect_clear_failure(record.status(), "record", "", false);
    return;
  }
  const base::Json printed = record::to_json(*record);
  const auto again = record::record_from_json(printed);
  expect(again.is_ok() && base::dump_json(record::to_json(*again)) == base::dump_json(printed),
         "a printed record reads the same");
}

void check_request(const std::string& line) {
  const auto request = journal::parse_request(line);
  if (request.is_ok()) {
    const std::string text = base::dump_json(journal::to_json(*request));
    const auto again = journal::parse_request(text);
    expect(again.is_ok() && base::dump_json(journal::to_json(*again)) == text,
           "a printed request reads the same");
  } else {
    expect_clear_failure(request.status(), "request", "", false);
  }
  const auto answer = journal::parse_answer(line);
  const auto again = journal::parse_answer(base::dump_json(journal::answer_to_json(answer)));
  expect(
      again.is_ok() == answer.is_ok() && again.status().to_string() == answer.status().to_string(),
      "a printed answer reads the same");
}

void check_line(const std::string& line) {
  expect(line.size() <= kMaxLineBytes, "no line is longer than allowed");
  expect(line.find('\n') == std::string::npos, "a line has no line end");
  const auto json = base::parse_json(line, "worker message");
  if (!json.is_ok()) {
    expect_clear_failure(json.status(), "worker message", line, false);
    return;
  }
  check_task(*json);
  check_event(*json);
  check_request(line);
}

}  // namespace
}  // namespace graphnet::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphnet;
  if (size == 0) return 0;
  const std::size_t step = std::size_t{data[0]} + 1;
  std::string_view text = fuzz::as_text(data + 1, size - 1);
  supervise::LineReader lines(fuzz::kMaxLineBytes);
  while (!text.empty()) {
    lines.append(text.substr(0, step));
    text.remove_prefix(std::min(step, text.size()));
    while (const auto line = lines.next_line()) fuzz::check_line(*line);
  }
  return 0;
}
